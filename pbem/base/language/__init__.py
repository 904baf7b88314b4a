"""Languages: messages from the catalogues; money, times and lists as each language writes them.

A language is an argument, never a setting of the process: two letters of one batch can be in two languages. Texts in
English are the messages themselves; translations lie in ``templates/locale/<code>/LC_MESSAGES/pbem.po``. Only what
people read passes through here: files, records and schemas have no language.

In: catalogues looked up, plurals, money, times, lists and tables of one language, a person's clock. Out: the texts
(``templates/locale``, and the sentences where they are said), which language is asked for. Called by: cli, history,
host, host.service, letters, pictures, play, practice, report, seat, web.
"""

from __future__ import annotations

from pbem.base.language.clock import UTC_CLOCK, Clock, clock_of
from pbem.base.language.language import CODES, ENGLISH, Language, duration, language_of, moment_of, wished

__all__ = [
    "CODES",
    "ENGLISH",
    "UTC_CLOCK",
    "Clock",
    "Language",
    "clock_of",
    "duration",
    "language_of",
    "moment_of",
    "wished",
]
