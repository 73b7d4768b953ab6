"""Dates that bind: what "until Friday" means on the day it is said. English, and ISO dates."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

_BINDS = re.compile(
    r"\b(?:until|till|til|by|before|due(?: on| by)?|through|expires?(?: on)?|ends?(?: on)?|deadline(?: is|:)?|"
    r"frozen (?:until|till)|freeze (?:until|till|ends)|ships?(?: on)?|launch(?:es)?(?: on)?|"
    r"go-?live(?: is)?(?: on)?|to)\s+"
    r"(?:the )?(?P<when>[^,.;:()]{2,40})",
    re.IGNORECASE,
)
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9})\.?(?: (\d{4}))?\b")
_MONTH_DAY = re.compile(r"([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?\b(?: (\d{4}))?")
_WEEKDAY = re.compile(r"(?:(next|this|coming) )?(mon|tue|wed|thu|fri|sat|sun)[a-z]*\b")
_END = re.compile(r"(?:the )?end of (?:the |this )?(week|month|quarter|year)")


def deadline(text: str, said_at: float) -> float | None:
    """The end (UTC) of the last day that a statement binds to, or None. A day without a year is the next such one."""
    said = datetime.fromtimestamp(said_at, UTC).date()
    for found in _BINDS.finditer(text):
        day = _day(found.group("when").strip().lower(), said)
        if day is not None:
            return datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=UTC).timestamp()
    return None


def _day(when: str, said: date) -> date | None:
    if iso := _ISO.match(when):
        return _date(int(iso[1]), int(iso[2]), int(iso[3]))
    if when.startswith("tomorrow"):
        return said + timedelta(days=1)
    if end := _END.match(when):
        return _end(end[1], said)
    if weekday := _WEEKDAY.match(when):
        days = (_DAYS.index(weekday[2]) - said.weekday()) % 7 or 7
        return said + timedelta(days=days + (7 if weekday[1] == "next" and days < 7 - said.weekday() else 0))
    if named := _DAY_MONTH.match(when):
        return _named(named[2], int(named[1]), named[3], said)
    if named := _MONTH_DAY.match(when):
        return _named(named[1], int(named[2]), named[3], said)
    return None


def _named(month: str, day: int, year: str | None, said: date) -> date | None:
    if month[:3] not in _MONTHS:
        return None
    number = _MONTHS.index(month[:3]) + 1
    if year:
        return _date(int(year), number, day)
    this = _date(said.year, number, day)
    return this if this is None or this >= said else _date(said.year + 1, number, day)


def _end(of: str, said: date) -> date:
    if of == "week":
        return said + timedelta(days=(4 - said.weekday()) % 7)  # a working week ends on Friday
    month = {"month": said.month, "quarter": (said.month + 2) // 3 * 3, "year": 12}[of]
    following = date(said.year + month // 12, month % 12 + 1, 1)
    return following - timedelta(days=1)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
