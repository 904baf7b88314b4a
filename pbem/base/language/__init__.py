"""Languages: messages from the catalogues; money, times and lists as each language writes them.

A language is an argument, never a setting of the process: two emails of one batch can be in two languages. Texts in
English are the messages themselves; translations lie in ``templates/locale/<code>/LC_MESSAGES/pbem.po``. Only what
people read passes through here: files, records and schemas have no language.

In: catalogues looked up, plurals, money, times, lists and tables of one language, a person's clock. Out: the texts
(``templates/locale``, and the sentences where they are said), which language is asked for. Called by: cli, host,
host.service, letters, lookback, pictures, play, practice, seat, web.
"""

from __future__ import annotations

from pbem.base.language.language import CODES as CODES
from pbem.base.language.language import ENGLISH as ENGLISH
from pbem.base.language.language import UTC_CLOCK as UTC_CLOCK
from pbem.base.language.language import Clock as Clock
from pbem.base.language.language import Language as Language
from pbem.base.language.language import clock_of as clock_of
from pbem.base.language.language import duration as duration
from pbem.base.language.language import language_of as language_of
from pbem.base.language.language import moment_of as moment_of
from pbem.base.language.language import wished as wished
