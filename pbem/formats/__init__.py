"""Bytes to values and back: strict JSON, signed files, envelopes, messages, armour, identities."""
