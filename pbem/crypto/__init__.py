"""Identities, signatures, sealing and the digests they share; knows nothing of games, files or mail."""
