"""Chains, decks, dice, and the known answers of ``schemas/vectors.json``."""
