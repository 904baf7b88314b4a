"""One look back: a match, or many, read once and shown on a screen, as a page, as a table and as a picture.

What is read: who sat where, every shot and die, who waited for whom (``played``, ``waiting``), where money and
points came from (``figures``), how far all that lies from chance (``chance``). Added up over matches it is a
``summary``, and a ``season`` in a host's notes. It is shown

* on a ``screen`` (``pbem stats``), record by record (``timeline``, ``stepper``: ``pbem replay``), in ``words``
  (``pbem audit``);
* as one HTML ``page`` that loads nothing, made of the ``document`` of ``pbem audit --json`` (``pbem audit --html``);
* as a ``picture`` (``pbem stats --png``).

Nothing here needs a key, except a seat's own hand in the timeline. No figure is computed from what is still sealed.

In: reading, adding up, and the four ways to show it. Out: finding faults (``pbem.protocol.audit``), letters, choosing
a file and a language (``pbem.cli``). Called by: api, cli, host, host.service.
"""
