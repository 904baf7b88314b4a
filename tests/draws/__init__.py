"""Chains, decks, dice, and the known answers of the protocol."""
