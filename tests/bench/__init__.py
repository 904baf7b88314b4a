"""Benchmarks that print ratios, measured in one run: ``python -m tests.bench`` (``make bench``)."""
