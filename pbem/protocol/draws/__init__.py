"""Verifiable randomness: links of a cut, decks committed before the cut, dice sequences (schemas/README.md §4).

In: chains, the cut, the tape of dice, labels of a draw. Out: which draws a game asks for (``pbem.game``), when they
are opened and by whom (``pbem.protocol.record``), entropy. Called by: client, letters, record, referee, seat, world.
"""
