"""The report on a match: audit, story, every draw, luck and times, as data and as a page.

* ``examine`` audits a game file once; its ``document`` is the answer of ``pbem audit --json``
  (``schemas/audit-report.schema.json``);
* ``page_of`` makes the page of ``pbem audit --html`` from that document and nothing else, but for the picture of the
  table: one HTML file that loads nothing and sends nothing;
* ``verdict_of`` and ``status_of`` say it in one sentence and in one word.

Nothing here needs a key. No hand is shown: what is shown is what everybody may know.

In: the document of an audit, its page, its words for a terminal, its verdict. Out: finding faults
(``pbem.protocol.audit``), counting (``pbem.player.tally``), choosing a file and a language (``pbem.cli``). Called by:
cli.
"""

from pbem.player.report.document import examine as examine
from pbem.player.report.page import page_of as page_of
from pbem.player.report.words import verdict_of as verdict_of
