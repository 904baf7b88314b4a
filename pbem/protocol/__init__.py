"""The protocol: from keys and signed files to a verified match, its rulings and its audit. No clock, disk or network.

``crypto``, ``formats``, ``draws``, then ``record`` (verified bytes of a match file), then those that judge by it:
``referee``, ``audit``, ``client``; ``scenario`` asks the rules questions from files. The format is
``schemas/README.md``.
"""
