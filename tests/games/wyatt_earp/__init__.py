"""Tests of the Wyatt Earp engine."""
