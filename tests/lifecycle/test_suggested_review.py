"""A person goes through suggestions: in a terminal, through a pipe, as JSON, on the status line and over REST."""

from __future__ import annotations

import json
import time

import pytest

GUESS = "Deploys always need the VPN, probably because the registry is internal"
SAID = f"Remember: {GUESS}."
LINE = {"workspace": {}}


@pytest.fixture
def name(machine, sessions):
    """The name of what a session of today has suggested."""
    sessions.say(SAID, day=time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400)))
    ((one,),) = machine.sql("SELECT id FROM suggestion")
    return "s" + one[4:8]


def state(machine):
    return machine.sql("SELECT state FROM suggestion")


def test_it_is_listed_with_its_words_and_its_end(machine, name):
    shown = machine.keepstone("review").stdout
    assert shown.startswith(f"{name}  suggestion: Maybe worth remembering. likely to last, waits until 20")
    assert f"\n  {GUESS}\n" in shown and "the user said in session session-1" in shown and f"“{SAID}”" in shown
    assert "keepstone review --accept KEY" in machine.keepstone("review").stderr
    (one,) = json.loads(machine.keepstone("review", "--json", "--only", "suggestion").stdout)
    ((whole,),) = machine.sql("SELECT id FROM suggestion")
    assert (one["key"], one["suggestion"], one["text"], one["members"]) == (name, whole, GUESS, [])
    assert one["replaces"] == [] and SAID in one["sources"][0]
    assert machine.keepstone("review", "--only", "prune").stdout == ""


@pytest.mark.parametrize("command", ["show", "why", "pin", "rate", "forget"])
def test_a_command_for_memories_says_that_it_is_none_yet(machine, name, command):
    done = machine.keepstone(command, name, *(["up"] if command == "rate" else []), ok=False)
    assert done.returncode in (1, 2) and "is the name of a suggestion" in done.stderr
    assert "Try: keepstone review" in done.stderr and state(machine) == [("waiting",)]


def test_accepting_keeps_it_and_rejecting_drops_it(machine, sessions, name):
    assert machine.keepstone("review", "--accept", name).stdout.startswith("1 accepted, 0 rejected.\n")
    assert sessions.recalled == [GUESS] and state(machine) == [("kept",)]
    ((actor,),) = machine.sql("SELECT actor FROM audit WHERE op = 'store'")
    assert actor == "person"


def test_rejecting_drops_it(machine, sessions, name):
    assert machine.keepstone("review", "--reject", name).stdout == "0 accepted, 1 rejected.\n"
    assert sessions.recalled == [] and state(machine) == [("refused",)]
    assert machine.keepstone("review").stdout == ""
    assert "turned" in machine.keepstone("keep", name, ok=False).stderr


def test_all_at_once_leaves_it_unless_it_is_named(machine, sessions, name):
    machine.keepstone("review", "--yes")
    assert state(machine) == [("waiting",)]
    machine.keepstone("review", "--yes", "--only", "suggestion")
    assert sessions.recalled == [GUESS]


@pytest.mark.parametrize(("answer", "left"), [("y", "kept"), ("n", "refused"), ("s", "waiting")])
def test_on_a_terminal_it_is_asked_for(machine, name, answer, left):
    code, screen = machine.terminal(["review"], [answer], columns=200)
    asked = screen.index("Keep it?")
    assert code == 0 and GUESS in screen[:asked] and state(machine) == [(left,)]


def test_a_session_s_model_settles_only_what_the_user_has_named(machine, sessions, name):
    transcript = sessions.begin()
    transcript.user("please tidy up the suggestions")
    sessions.at_hand(transcript)
    done = machine.keepstone("review", "--accept", name, ok=False, CLAUDE_CODE_SESSION_ID=transcript.session)
    assert done.returncode != 0 and state(machine) == [("waiting",)]
    done = machine.keepstone("review", "--reject", name, ok=False, CLAUDE_CODE_SESSION_ID=transcript.session)
    assert done.returncode != 0 and state(machine) == [("waiting",)]


def test_what_a_program_said_is_marked_and_a_person_may_keep_it(machine, sessions, name):
    machine.sql("UPDATE suggestion SET trust = 'quarantined', trust_reason = 'a program said it'")
    assert "a program said it, waits until" in machine.keepstone("review").stdout
    machine.keepstone("review", "--accept", name)
    assert sessions.recalled == [GUESS]


def test_the_status_counts_it_and_no_memory(machine, name):
    shown = machine.keepstone("status").stdout
    assert shown.startswith("0 memories in") and "1 suggestion waits for 14 days: keepstone review --only" in shown
    assert json.loads(machine.keepstone("status", "--json").stdout)["suggested"] == 1
    assert name


def test_one_of_another_project_is_listed_with_all(machine, name):
    other = machine.root / "other"
    other.mkdir()
    assert machine.keepstone("review", "--project", str(other)).stdout == ""
    assert name in machine.keepstone("review", "--project", str(other), "--all").stdout
