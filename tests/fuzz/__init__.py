"""Fuzzing: whatever comes in, only the documented errors come out, and nothing that is not canonical is accepted."""
