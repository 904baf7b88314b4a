"""Emails: what is written, to whom, and what never is."""
