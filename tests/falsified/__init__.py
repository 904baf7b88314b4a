"""What a host can say falsely of the table while a hand runs, and who notices it when.

``python -m tests.falsified --falsify 2000`` falsifies that many values, drawn evenly over the members of every event
and of the public view of both games. At least half are carried through: the engine itself plays on from the false
value, so that event, view, ``due`` and the next two records agree with each other. Everything is signed by the host.
"""
