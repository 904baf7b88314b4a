"""Words of time and of email, which practice does not mention."""

from __future__ import annotations

import re

OF_TIME = re.compile(
    r"\d:\d\d|\d{4}-\d\d|\d\.\d{4}|\bUTC\b"
    r"|\b(?:deadlines?|days?|hours?|minutes?|time is up|Frist(?:en)?|Tage?n?|Stunden?|Minuten?|Zeit)\b"
    r"|\b(?:by|until|bis|am|vor) (?:today|tomorrow|heute|morgen)"
    r"|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|\b(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag\b|\bMittwoch\b"
    r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d|\b(?:Mo|Di|Mi|Do|Fr|Sa|So)\.",
    re.IGNORECASE,
)
"""Words of time: all that a deadline, what is left of it, or the time of a record can be made of."""
OF_MAIL = re.compile(r"mail|@|\b(host|address|attachment|Spielleiters?|Adresse|Anhang)\b", re.IGNORECASE)


def speaks_of(shown: str) -> list[str]:
    """The words of time and of mail in what is shown."""
    return [match[0] for pattern in (OF_TIME, OF_MAIL) for match in pattern.finditer(shown)]
