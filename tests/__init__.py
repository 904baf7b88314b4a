"""The tests of pbem."""
