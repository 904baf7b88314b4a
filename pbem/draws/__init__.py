"""Verifiable randomness: chains of links, decks laid before the cut, tapes of dice (schemas/README.md §4)."""
