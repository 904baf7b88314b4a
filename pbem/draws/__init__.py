"""Verifiable randomness: chains of links, decks laid before the cut, tapes of dice (protocol §3)."""
