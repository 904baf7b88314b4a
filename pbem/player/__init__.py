"""A player's side: the verified copy, what the player may know, is shown and sent, and the programs to play with.

``seat`` is one player's side of one match; ``letters``, ``mail``, ``pictures``, ``store`` and ``tally`` are shared with
a host; ``history`` and ``report`` look back; ``play`` and ``practice`` are the terminal programs; ``world`` holds
everybody's keys, for practice, demo and tests.
"""
