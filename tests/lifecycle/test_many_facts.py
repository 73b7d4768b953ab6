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
