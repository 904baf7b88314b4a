"""A second verifier in another language, and what both must find."""
