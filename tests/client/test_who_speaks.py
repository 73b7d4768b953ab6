"""The real client tells a program from a person: of `claude -p` the words wait, of the terminal they are learned."""

from __future__ import annotations

import shutil

import pytest

from client.session import Terminal
from support import require

pytestmark = pytest.mark.system

REVIEWS = (
    "Review this pull request. We require tests for every change and we never accept new dependencies. "
    "Reply APPROVE or REJECT."
)
STATED = "I prefer pnpm over npm: CI caches its store."


@pytest.fixture
def machine(installed):
    installed.keepstone("config", "programs", "--unset")
    return installed


def test_what_a_program_says_waits_and_what_a_person_types_is_learned(machine):
    require("tmux", shutil.which("tmux"), "apt-get install tmux")
    for _ in range(2):
        machine.run(REVIEWS)
    with Terminal(machine) as terminal:
        terminal.type(STATED)
        terminal.wait_until(lambda screen: "OK" in screen)
        terminal.leave()
    machine.wait_until_quiet()
    asked = machine.run("Which package manager is it here?")
    assert "I prefer pnpm over npm" in asked.turns[0].text and "new dependencies" not in asked.turns[0].text
    told = machine.sql("SELECT m.trust, m.status_reason, e.method FROM memory m JOIN evidence e ON e.memory_id = m.id")
    assert sorted(told, key=str) == [("quarantined", "a program said it", "program"), ("trusted", None, "user")]


@pytest.mark.newest_client
def test_a_program_is_learned_from_or_ignored_as_the_user_has_set(machine):
    for value, found in (("ignore", []), ("learn", [("trusted", "program")])):
        machine.keepstone("config", "programs", value)
        machine.run(REVIEWS)
        query = "SELECT m.trust, e.method FROM memory m JOIN evidence e ON e.memory_id = m.id"
        assert machine.sql(query) == found
