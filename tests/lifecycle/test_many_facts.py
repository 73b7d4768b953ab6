"""Many facts that differ in their numbers are many memories; many that are really taken back are told."""

from __future__ import annotations

import json
import re

import pytest

SORTS = (
    ("queue {}", "tenant number {}", 41),
    ("port {}", "service {}", 7001),
    ("shard {}", "customer {}", 3),
    ("runner {}", "team {}", 12),
)


@pytest.mark.parametrize(("value", "subject", "first"), SORTS)
def test_a_hundred_facts_of_one_sort_all_stay(sessions, value, subject, first):
    said = [
        f"We decided to use {value.format(first + number)} for {subject.format(number)}, because the others are taken"
        for number in range(100)
    ]
    sessions.say(*said)
    assert sorted(content for content, status in sessions.rows("content, status") if status == "active") == sorted(said)


CITIES = "Vienna Graz Linz Berlin Hamburg Munich Paris Lyon Nantes Rome Bari Milan Madrid Seville Lima Quito".split()
VALUES = "DHL GLS UPS FedEx DPD Hermes TNT Posten PostNL Chronopost Correos Seur Bring Itella Omniva InPost".split()


@pytest.mark.parametrize(
    "frame",
    [
        "We decided to ship orders from {} with {}, because it is cheap",
        "We decided to host {} on {}",
        "We decided to keep the mails of {} in bucket {}",
        "We always bill {} in {} units",
    ],
)
def test_facts_of_many_places_all_stay(sessions, frame):
    said = [frame.format(*pair) for pair in zip(CITIES, VALUES, strict=True)]
    sessions.say(*said)
    assert sorted(content for content, status in sessions.rows("content, status") if status == "active") == sorted(said)


RELATED = """
SELECT a.content, b.content FROM relationship r JOIN memory a ON a.id = r.source_id JOIN memory b ON b.id = r.target_id
WHERE r.type IN ('contradicts', 'supersedes')
"""
NAMED = (
    *("We decided to run app one on host alpha7", "We decided to run app two on host alpha8"),
    "We decided to host the alpha shop in Frankfurt, because it is near",
    "We decided to host the beta shop in Dublin, because it is near",
    *("We decided to keep customer Aster on plan gold", "We decided to keep customer Birch on plan silver"),
    *("We decided to bill Swiss customers in francs", "We decided to bill Danish customers in crowns"),
    *("We decided to give the image service three workers", "We decided to give the mail service eight workers"),
)


def test_facts_that_differ_in_names_all_stay_without_a_contradiction(machine):
    """T13, as a person stores them."""
    for text in NAMED:
        told = machine.keepstone("store", "--type", "decision", text).stdout
        assert "takes back" not in told
    assert machine.sql("SELECT content FROM memory WHERE status = 'active' ORDER BY seq") == [(text,) for text in NAMED]
    drawn = machine.sql(RELATED)
    assert not [pair for pair in zip(NAMED[::2], NAMED[1::2], strict=True) if pair in drawn or pair[::-1] in drawn]


THINGS = ("database", "queue", "cache", "index", "proxy", "registry", "scheduler", "gateway")


def told(machine, session):
    printed = machine.hook("session-start", machine.event(session), CLAUDE_CODE_ENTRYPOINT="cli").stdout
    return json.loads(printed).get("systemMessage", "") if printed.startswith("{") else ""


@pytest.mark.parametrize("count", [2, 8])
def test_a_session_that_takes_back_many_is_told_once_and_can_be_undone(sessions, count):
    machine = sessions.machine
    machine.record_interpreters(idle=True)
    (machine.home / "told-learned").touch()
    first, second = sessions.begin(), sessions.begin()
    for thing in THINGS[:count]:
        first.user(f"We decided to run the {thing} in Frankfurt")
        second.user(f"We decided to run the {thing} in Dublin, no longer in Frankfurt")
    sessions.end(first)
    sessions.end(second)
    gone = [content for content, status in sessions.rows("content, status") if status == "archived"]
    assert len(gone) == count
    said = told(machine, "next")
    assert ("took back 8 memories" in said) == (count == 8) and told(machine, "one more") == ""
    if said:
        undo = re.search(r"keepstone (undo \S+)", said)[1].split()
        machine.keepstone(*undo, "--yes")
        active = [content for content, status in sessions.rows("content, status") if status == "active"]
        assert {content for content in active if "Frankfurt" in content and "Dublin" not in content} == set(gone)
