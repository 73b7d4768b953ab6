"""The week: what its numbers count, and what lies outside it."""

from __future__ import annotations

from contextlib import closing

import pytest

import engines
from builders import at
from keepstone import Memory
from keepstone.db import sessions
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.model.memory import GROUPS
from keepstone.recall import deliveries_sql

pytestmark = pytest.mark.engine

NOW = at("2026-11-08")
DAY = 86_400.0


class Clock:
    now = NOW

    def __call__(self):
        return self.now


class Place:
    def __init__(self, root):
        self.root = root
        self.clock = Clock()
        self.memory = self.seen_from("shop")

    def seen_from(self, name):
        (self.root / name).mkdir(exist_ok=True)
        return Memory(str(self.root / "home"), str(self.root / name), {"HOME": str(self.root)}, self.clock)

    def store(self, text, kind="fact", days_ago=0, memory=None):
        self.clock.now = NOW - days_ago * DAY
        hit, _ = (memory or self.memory).store(text, kind=kind)
        self.clock.now = NOW
        return hit.memory.id

    def deliver(self, session, verdicts, days_ago=0, memory=None):
        """A session that was shown memories, and what became of them."""
        now = NOW - days_ago * DAY
        with closing(Writer(self.memory.context.database, ratio)) as writer, writer.transaction() as tx:
            project = sessions.project(tx, (memory or self.memory).context.caller.identity, "", now)
            sessions.note_session(tx, session, project_id=project, transcript_path="", cwd="", branch="", now=now)
            deliveries_sql.count_deliveries(tx, session, "session-start", verdicts, 400, now)
        for memory_id, verdict in verdicts.items():
            self.sql(
                "UPDATE delivery SET verdict = ? WHERE session_id = ? AND memory_id = ?", verdict, session, memory_id
            )

    def sql(self, statement, *values):
        with engines.opened(self.memory.context.database) as database:
            database.execute(statement, values)
            database.commit()


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_an_empty_week_says_so(place):
    week = place.memory.maintenance.week()
    assert week.empty and (week.shown, week.used, week.corrected) == (0, 0, 0)
    assert week.learned == dict.fromkeys(GROUPS, 0)
    assert (week.since, week.until) == ("2026-11-01T12:00:00Z", "2026-11-08T12:00:00Z")


def test_memories_are_counted_once_and_deliveries_once_a_session(place):
    one, two, three = (place.store(f"the number of house {n} is {n * 7}", days_ago=30) for n in range(3))
    place.deliver("session-1", {one: "used", two: "unknown"}, 1)
    place.deliver("session-2", {one: "used", two: "used", three: "contradicted"}, 2)
    place.deliver("session-3", {one: None}, 3)
    place.deliver("session-4", {one: "used"}, 8)
    week = place.memory.maintenance.week()
    assert (week.sessions, week.shown, week.deliveries, week.unjudged) == (3, 3, 6, 1)
    assert (week.used, week.used_deliveries, week.contradicted) == (2, 3, 1)
    assert [(named.id, named.sessions) for named in week.most_used] == [(one, 2), (two, 1)]
    assert week.most_contradicted[0].says == "the number of house 2 is 14"
    assert week.most_used[0].short_id == one[4:10]
    assert week == place.memory.maintenance.week()


def test_what_was_corrected_counts_once_however_often(place):
    old, new, wrong = (
        place.store(text, days_ago=30) for text in ("deploys need the VPN", "orders on 8081", "Ida decides")
    )
    for text in ("orders on port 9081", "orders on port 9082"):
        place.memory.revise(new, text)
    place.memory.rate(new, "outdated")
    place.memory.rate(wrong, "outdated")
    place.sql("INSERT INTO relationship VALUES (?, ?, 'supersedes', 'rules', ?, 1, NULL)", new, old, NOW - DAY)
    place.sql("INSERT INTO relationship VALUES (?, ?, 'relates', 'rules', ?, 1, NULL)", new, wrong, NOW - DAY)
    week = place.memory.maintenance.week()
    assert (week.corrected, week.superseded, week.revised, week.outdated) == (3, 1, 1, 2)


def test_what_was_learned_is_counted_by_group_and_what_was_forgotten_is_not(place):
    place.store("we chose Postgres", "decision")
    place.store("services are one repository each", "architecture")
    place.memory.forget(place.store("the VPN is slow"))
    place.store("the office is closed on Monday", days_ago=9)
    learned = place.memory.maintenance.week().learned
    assert (learned["decision"], learned["fact"], sum(learned.values())) == (2, 0, 2)


def test_a_week_is_of_one_project_or_of_all(place):
    other = place.seen_from("bank")
    here, there = place.store("the shop sells shoes"), place.store("the bank lends money", memory=other)
    place.deliver("session-1", {here: "used"})
    place.deliver("session-2", {there: "contradicted"}, memory=other)
    shop, bank, both = (
        place.memory.maintenance.week(),
        other.maintenance.week(),
        other.maintenance.week(everything=True),
    )
    assert (shop.used, shop.contradicted, sum(shop.learned.values())) == (1, 0, 1)
    assert (bank.used, bank.contradicted, sum(bank.learned.values())) == (0, 1, 1)
    assert (both.used, both.contradicted, sum(both.learned.values()), both.everything) == (1, 1, 2, True)


def test_many_are_named_by_the_first_few(place):
    place.deliver("session-1", {place.store(f"house {n} has number {n * 7}"): "used" for n in range(9)})
    week = place.memory.maintenance.week()
    assert week.used == 9 and len(week.most_used) == 3
