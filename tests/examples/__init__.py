"""The examples of the repository: made, not written."""
