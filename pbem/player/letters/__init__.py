"""Emails: what each seat learns, as subject, text and HTML, and as a MIME message.

An email is a pure function of the record: the same record, seat and line numbers give the same bytes, so an outbox
can be made again after a crash. Emails are public text. They never hold a hand nor anything that follows from one;
a hand travels sealed in the attached lines.

Prose stands in ``templates/``; each game has a folder there, named by its id. ``pbem.player.letters.terminal`` draws
the same table, with the opened hand, for ``pbem show``.

In: kinds of emails, subject, text and HTML, the story, what a match waits for, tables for a terminal. Out: MIME and
sending (``pbem.player.mail``), when an email is due (``pbem.host``), pictures themselves (``pbem.player.pictures``).
Called by: cli, host, host.service, lookback, play, seat, web.
"""
