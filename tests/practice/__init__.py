"""Practice matches."""
