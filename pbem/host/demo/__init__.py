"""A whole match played by computer players through the real path: files in, emails out, nothing else.

Identities, invitation, joins, ready files, one signed turn file after another, emails, closes, audit. The host has a
folder; each player has a folder of their own with their identity and the emails they were sent, and acts from these
alone. What is left is what a real match leaves.

In: the people of a demo, a host and players who only hand each other emails, one match from beginning to end. Out:
how the rules suggest an action (``pbem.game``), the host and the player themselves, which are the real ones. Called by:
cli.
"""

from __future__ import annotations

from pbem.host.demo.match import Demo, DemoResult, Person, free_folder

__all__ = ["Demo", "DemoResult", "Person", "free_folder"]
