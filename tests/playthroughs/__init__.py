"""Golden playthroughs and perft counts: what the engines did, kept as text that a person can read."""
