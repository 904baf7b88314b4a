"""What a value may look like, by ``schemas/``: yes or no, and why not, in words.

In: schemas found, the two judges of a value (``jsonschema``, and one that is compiled), options read from schemas, what
is wrong and where. Out: the schemas themselves (``schemas/``), bytes (``pbem.protocol.formats``), what a good value
means. Called by: formats, games, record, scenario.
"""
