"""The browser page: the player's whole side of pbem, with the same code as the commands.

* ``worker``: what the page asks, in JSON, and what it is shown; it runs in the page's own worker under Pyodide, and in
  tests without one. It stands on ``pbem.player.play.session`` and ``pbem.player.play.choices`` and knows no game;
  ``device`` is which match is open, ``arriving``, ``choosing`` and ``leaving`` answer what comes in, is done at the
  table, and goes out;
* ``shelf``: the matches of this device, each with keys of its own;
* ``build``, ``serve``, ``check``: the page as files, shown on one's own machine, compared with what was released.

``page/`` holds what the browser itself runs. It draws what it is shown and decides nothing.

In: the page's worker and what it keeps on a device, building, serving and checking the page. Out: the rules, the
client and choices, which are those of ``pbem.player.play`` and ``pbem.player.seat``; the host's API
(``pbem.host.service.api``). Called by: cli.
"""
