"""The host's service: a process next to a mailbox that can be left alone.

It fetches mail (``inbox``, ``readers``), rules it in one transaction (``rule``), lets emails leave exactly once
(``send``, ``letters``), keeps time (``time``), and mends what a restored backup lost (``heal``). ``context`` holds what
all of these share; ``service`` is their loop.

In: mail taken in, sorted, ruled and answered, the HTTP API, health, retention, several processes at one database.
Out: what a host in a folder does too (``pbem.host``), SQL (``pbem.player.store``), sockets of mail servers
(``pbem.player.mail``). Called by: cli, host.
"""
