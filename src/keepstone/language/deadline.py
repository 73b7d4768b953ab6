"""Finds deadlines: the day that "until Friday" means when it is said. English, and ISO dates."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from ..lib.pattern import Pattern

_BINDS = Pattern(
    r"\b(?:until|till|til|by|before|due(?: on| by)?|through|expires?(?: on)?|ends?(?: on)?|deadline(?: is|:)?|"
    r"frozen (?:until|till)|freeze (?:until|till|ends)|ships?(?: on)?|launch(?:es)?(?: on)?|"
    r"go-?live(?: is)?(?: on)?|to)\s+"
    r"(?:the |eod |cob )*(?=(?P<when>[^;:()]{2,40}))",
    re.IGNORECASE,
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_DAY = r"(mon(?:day)?|tue(?:s|sday)?|wed(?:s|nesday)?|thu(?:rs?|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
_ISO = Pattern(r"(\d{4})-(\d\d)-(\d\d)")
_DAY_MONTH = Pattern(r"(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]{3,9})\.?(?: (\d{4}))?\b")
_MONTH_DAY = Pattern(r"([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?\b(?:,? (\d{4}))?")
_WEEKDAY = Pattern(rf"(?:(next|this|coming) )?{_DAY}\b(?!['’]s|[.-]\w| (?:the )?\d)")
_BEFORE_DATE = Pattern(rf"{_DAY}\b,? (?:the )?(?=\d|[a-z]+\.? \d)")  # "Friday, November 27"
_SPAN = Pattern(rf"\b{_DAY}\s+$", re.IGNORECASE)  # "Monday to Friday" means every week
LEAP_YEARS = 9  # the longest wait for the next 29 February
_END = Pattern(r"(?:the )?end of (?:the |this )?(week|month|quarter|year)\b")


def deadline(text: str, said_at: float) -> float | None:
    """Returns the end (UTC) of the day until which a statement binds, or None. `said_at` is in UTC unix seconds. A day
    in the past is ignored. A date without a year is the next one.
    """
    try:
        said = datetime.fromtimestamp(said_at, UTC).date()
        days = (_day(match["when"].strip().lower(), said) for match in _BINDS.finditer(text) if not _spans(text, match))
        day = next((day for day in days if day is not None and day >= said), None)
    except (OverflowError, ValueError, OSError):  # beyond the calendar's limits
        return None
    return None if day is None else datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=UTC).timestamp()


def _spans(text: str, match: re.Match[str]) -> bool:
    return match.group().lower().startswith(("to ", "through ")) and bool(_SPAN.search(text, 0, match.start()))


def _day(when: str, said: date) -> date | None:
    if iso := _ISO.match(when):
        return _date(int(iso[1]), int(iso[2]), int(iso[3]))
    if re.match(r"tomorrow\b", when):
        return said + timedelta(days=1)
    if end := _END.match(when):
        return _end(end[1], said)
    when = _BEFORE_DATE.sub("", when, count=1) if _BEFORE_DATE.match(when) else when
    if named := _DAY_MONTH.match(when):
        return _named(named[2], int(named[1]), named[3], said)
    if named := _MONTH_DAY.match(when):
        return _named(named[1], int(named[2]), named[3], said)
    weekday = _WEEKDAY.match(when)
    return _weekday(weekday[2], weekday[1] == "next", said) if weekday else None


def _weekday(name: str, next_week: bool, said: date) -> date:
    number = next(number for number, day in enumerate(_DAYS) if day.startswith(name[:3]))
    days = (number - said.weekday()) % 7 or 7
    return said + timedelta(days=days + (7 if next_week and days < 7 - said.weekday() else 0))


def _named(name: str, day: int, year: str | None, said: date) -> date | None:
    month = next((number for number, full in enumerate(_MONTHS, 1) if full.startswith(name)), 0)
    if year:
        return _date(int(year), month, day)
    years = range(said.year, said.year + LEAP_YEARS)
    return next((found for year in years if (found := _date(year, month, day)) and found >= said), None)


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
