"""Which day a statement binds to, seen from the day on which it is said."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import at
from keepstone.language.deadline import deadline
from keepstone.lib.text import day

WEDNESDAY = "2026-11-18"
BINDS = [
    ("Deploys are frozen until Friday", "2026-11-20"),
    ("No merges until Wednesday", "2026-11-25"),
    ("The freeze ends Sunday", "2026-11-22"),
    ("due Fri", "2026-11-20"),
    ("until Thurs", "2026-11-19"),
    ("by wednesday noon", "2026-11-25"),
    ("until this Friday", "2026-11-20"),
    ("until next Friday", "2026-11-27"),
    ("until next Monday", "2026-11-23"),
    ("until next Wednesday", "2026-11-25"),
    ("until EOD Friday", "2026-11-20"),
    ("until Friday 27 November", "2026-11-27"),
    ("until Friday, November 27", "2026-11-27"),
    ("until Friday, the 4th of December", "2026-12-04"),
    ("until Thursday, then Friday", "2026-11-19"),
    ("until tomorrow", "2026-11-19"),
    ("by 2026-12-01", "2026-12-01"),
    ("by 2026-11-18", "2026-11-18"),
    ("until 2026-12-01T10:00", "2026-12-01"),
    ("expires on 2027-01-01", "2027-01-01"),
    ("until 30 Nov", "2026-11-30"),
    ("through December 24", "2026-12-24"),
    ("until the 3rd of December", "2026-12-03"),
    ("by December 3rd, 2026", "2026-12-03"),
    ("ships on Sept. 15", "2027-09-15"),
    ("deadline: Dec 1", "2026-12-01"),
    ("go-live is on Dec 15", "2026-12-15"),
    ("by Nov 1", "2027-11-01"),
    ("until Feb 29", "2028-02-29"),
    ("by February 29 2028", "2028-02-29"),
    ("until the end of the week", "2026-11-20"),
    ("until end of month", "2026-11-30"),
    ("by end of quarter", "2026-12-31"),
    ("by the end of the year", "2026-12-31"),
    ("by money, until Friday", "2026-11-20"),
    ("launch moved to Friday", "2026-11-20"),
    ("BY FRIDAY", "2026-11-20"),
]
BINDS_NOT = [
    "by 2026-11-17",
    "by 1 Nov 2025",
    "until 2026-02-30",
    "by February 29 2027",
    "by 31 Nov",
    "until 0000-01-01",
    "by 31 December 0000",
    "until further notice",
    "until sunrise",
    "until satisfied",
    "by money",
    "reviewed by Mona",
    "owned by Sunny",
    "by monday.com",
    "go to Friday's board",
    "due to Monday's outage",
    "by Marten 3",
    "until marked 3",
    "go to marketing 2",
    "moved to second 5",
    "up to 30 days",
    "support is staffed Monday to Friday",
    "office hours Mon through Thu",
    "deploys move to Fridays",
    "until Friday the 27th",
    "until January",
    "before the 5th",
    "Friday",
    "on 2026-12-01 we met",
    "",
]


@pytest.mark.parametrize(("text", "last"), BINDS)
def test_a_date_that_binds_is_the_end_of_its_day(text, last):
    found = deadline(text, at(WEDNESDAY))
    assert found is not None and day(found) == last and found % 86_400 == 86_399


@pytest.mark.parametrize("text", BINDS_NOT)
def test_nonsense_the_past_and_what_recurs_bind_to_nothing(text):
    assert deadline(text, at(WEDNESDAY)) is None


@pytest.mark.parametrize(
    ("said", "text", "last"),
    [
        ("2026-12-31", "until tomorrow", "2027-01-01"),
        ("2026-12-31", "until Jan 2", "2027-01-02"),
        ("2028-02-28", "until tomorrow", "2028-02-29"),
        ("2027-02-28", "until tomorrow", "2027-03-01"),
        ("2028-02-28", "by end of month", "2028-02-29"),
        ("2028-02-29", "until Feb 29", "2028-02-29"),
        ("2028-03-01", "until Feb 29", "2032-02-29"),
        ("2027-11-15", "by the end of the quarter", "2027-12-31"),
        ("2026-11-21", "until the end of the week", "2026-11-27"),
        ("2026-11-20", "until the end of the week", "2026-11-20"),
        ("2026-11-22", "until next Friday", "2026-11-27"),
    ],
)
def test_a_date_is_seen_from_the_day_on_which_it_is_said(said, text, last):
    assert day(deadline(text, at(said)) or 0) == last


@pytest.mark.parametrize("text", ["until tomorrow", "by end of month", "until next Friday", "until Jan 2"])
def test_at_the_calendar_s_end_nothing_binds(text):
    last_day = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
    assert deadline(text, last_day) is None and deadline(text, 1e20) is None and deadline(text, float("nan")) is None


@given(st.text(), st.floats(0, 4e9))
def test_any_text_may_be_asked(text, said_at):
    for asked in (text, f"until {text}", f"by {text}, 2027"):
        found = deadline(asked, said_at)
        assert found is None or found >= said_at


@given(st.dates(date(1970, 1, 2), date(2100, 1, 1)), st.sampled_from("mon tue sat sunday".split()))
def test_a_weekday_is_at_most_a_week_away(said, name):
    noon = at(said.isoformat())
    assert 0 < (deadline(f"until {name}", noon) or 0) - noon < 7.5 * 86_400
