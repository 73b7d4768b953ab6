"""A cluster's summary tells its episodes in the order of time, and bears a name that says when or what."""

from __future__ import annotations

import random

from builders import stored
from keepstone.lifecycle.cluster import summary

SAID = "The parser is half done", "The lexer keeps the comments", "The printer waits for the parser", "Tabs are kept"


def test_a_summary_is_in_the_order_of_time_and_named_whatever_the_ids():
    order = random.Random(16)
    for number in range(24):
        titles = order.sample(SAID, order.randint(2, len(SAID)))
        ids = order.sample(range(10, 99), len(titles))
        episodes = [
            stored(title, "general", f"2026-11-{10 + at:02}", id=f"mem-{one}", session_id="session-1")
            for at, (title, one) in enumerate(zip(titles, ids, strict=True))
        ]
        subjects = ("the importer",) if number % 2 else ()
        made = summary(subjects, order.sample(episodes, len(episodes)))
        head, *lines = made.content.split("\n")
        assert [line.partition(": ")[2] for line in lines] == titles
        assert ("the importer" if subjects else "2026-11-10") in head and "same session" not in made.title + head
        assert made.title.startswith("What was learned about the importer" if subjects else "Session of 2026-11-10")
        assert (titles[-1] if subjects else titles[0]) in made.title
