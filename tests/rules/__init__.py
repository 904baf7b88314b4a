"""The rows of the rules, and the test that every one of them is asked for."""
