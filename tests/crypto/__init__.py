"""Digests, signatures, sealing, identities."""
