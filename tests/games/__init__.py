"""Tests of the two games, each in its own folder."""
