"""What a release is made of and how it is tried: ``make release``, or ``python -m tests.release``."""
