"""Tests of Way Out West."""
