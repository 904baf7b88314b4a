"""Catalogues: extracting, updating and compiling them, and whether every language says everything."""
