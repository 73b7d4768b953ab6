"""`keepstone observe`, by which clients without hooks tell what they do."""

from __future__ import annotations

import json
import re

from support import known_home

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
CALL = ("--tool", "Bash", "--command", f"make  test TOKEN={SECRET}", "--state", "failed")


def told(machine):
    return machine.sql("SELECT session_id, tool, command, files, state, reasoning FROM observation ORDER BY seq")


def test_a_call_is_one_observation_redacted_and_no_memory(machine):
    done = machine.keepstone("observe", "--session", "42", *CALL, "--file", "src/a.py", "--file", "b.py")
    assert done.stdout == "Noted: Bash make test TOKEN=[redacted] (failed)\n"
    (row,) = told(machine)
    assert (row[0], row[1], row[3:]) == ("42", "Bash", ('["src/a.py","b.py"]', "failed", ""))
    assert SECRET not in row[2] and machine.memories() == []


def test_as_json_it_is_what_was_kept(machine):
    done = machine.keepstone("observe", "--session", "42", *CALL, "--reasoning", "To see it", "--json")
    row = json.loads(done.stdout)
    assert (row["tool"], row["state"], row["reasoning"], row["files"]) == ("Bash", "failed", "To see it", [])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["observed_at"])


def test_words_alone_are_kept_and_inside_claude_code_the_session_is_known(machine):
    known_home(machine.home)
    machine.keepstone("observe", "--reasoning", "I think it is the cache", CLAUDE_CODE_SESSION_ID="session-1")
    assert told(machine) == [("session-1", "", "", "[]", "unknown", "I think it is the cache")]


def test_our_own_commands_are_refused_quietly(machine):
    done = machine.keepstone("observe", "--session", "42", "--tool", "Bash", "--command", "keepstone recent")
    assert done.stdout.startswith("Not noted: ") and done.stderr == ""
    words = ("observe", "--session", "42", "--tool", "mcp__keepstone__recall", "--json")
    assert json.loads(machine.keepstone(*words).stdout) is None and told(machine) == []


def test_what_can_not_be_taken_is_said(machine):
    for words, says in {
        ("--tool", "Bash"): "which session",
        ("--session", "42"): "names a tool",
        ("--session", "42", "--tool", "Bash", "--state", "great"): "no state 'great'",
    }.items():
        done = machine.keepstone("observe", *words, ok=False)
        assert done.returncode == 2 and done.stderr.startswith("Error: ") and says in done.stderr
        assert "\nTry: " in done.stderr


def test_where_keepstone_is_off_nothing_is_noted(machine):
    machine.keepstone("config", "off", "1")
    done = machine.keepstone("observe", "--session", "42", *CALL, ok=False)
    assert done.returncode == 1 and "turned off here" in done.stderr
