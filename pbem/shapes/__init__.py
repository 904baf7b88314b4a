"""What a value may look like: ``schemas/`` read, compiled, and put into words; the games and the formats ask here."""
