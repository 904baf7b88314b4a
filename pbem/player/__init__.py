"""A player's side: his verified copy and what he may know, what he is shown and sent, and the programs he plays with.

``seat`` is one player's side of one match; ``letters``, ``mail``, ``pictures``, ``store`` and ``tally`` are shared with
a host; ``history`` and ``report`` look back; ``play`` and ``practice`` are the terminal programs; ``world`` holds
everybody's keys, for practice, demo and tests.
"""
