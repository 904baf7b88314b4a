"""What a value may look like: ``schemas/`` read, compiled, and put into words; the games and the formats ask here.

In: schemas found, compiled into checks, options read from them, what is wrong said with its place. Out: the schemas
themselves (``schemas/``), bytes (``pbem.protocol.formats``), what a good value means. Called by: formats, games,
record, scenario.
"""
