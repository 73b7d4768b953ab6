"""The first sessions: one offer, made where a person sees it and nothing is known yet; and the lines a user is told."""

from __future__ import annotations

import json
import os
import time

import pytest

from support import Transcript, plugin_at

UNATTENDED = [
    *({"CLAUDE_CODE_ENTRYPOINT": name} for name in ("sdk-cli", "sdk-py", "sdk-ts", "mcp", "claude-code-github-action")),
    {"CLAUDE_CODE_SESSION_ATTENDED": "0"},
]
TOPICS = ("role", "tech stack", "goals", "conventions")
OFFER = "Onboarding: Keepstone knows nothing yet."


def start(machine, session="session-1", source="startup", env=None, **more):
    done = machine.hook("session-start", machine.event(session, source=source, **more), **(env or {}))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def past_session(machine, number):
    folder = machine.user_home / ".claude" / "projects" / "-acme-shop"
    transcript = Transcript(folder / f"0000000{number}-0000-4000-8000-000000000000.jsonl", machine.project)
    transcript.user(f"We decided to use tool{number} for deploys, because it rolls back by itself.")
    return transcript


def test_the_offer_names_the_four_topics_and_the_past_sessions(machine):
    for number in range(5):
        path = past_session(machine, number).path
    said = start(machine, transcript_path=str(path))
    assert said.startswith("## Session Memory\nStoring: ") and said.count(OFFER) == 1
    assert all(topic in said for topic in TOPICS) and "4 past sessions found" in said
    assert "`keepstone onboard --learn`" in said and "`keepstone onboard --no`" in said


def test_without_past_sessions_only_the_questions_are_offered(machine):
    said = start(machine)
    assert OFFER in said and "--learn" not in said


def test_one_offer_is_made_and_only_its_own_session_hears_it_again(machine):
    assert OFFER in start(machine)
    assert OFFER in start(machine, source="compact")
    assert OFFER not in start(machine, source="resume")
    assert OFFER not in start(machine, "session-2")


@pytest.mark.parametrize("env", UNATTENDED)
def test_nobody_is_asked_where_nobody_sees_it_and_the_offer_is_not_spent(machine, env):
    assert OFFER not in start(machine, env=env)
    assert OFFER in start(machine, "session-2")


def test_who_has_a_memory_is_not_asked(machine):
    machine.store("Deploys need the VPN")
    assert OFFER not in start(machine)


def test_who_has_forgotten_all_is_not_asked(machine):
    machine.store("Deploys need the VPN")
    machine.keepstone("forget", machine.memories()[0]["id"])
    assert OFFER not in start(machine)


def test_after_no_nobody_asks_again(machine):
    start(machine)
    machine.keepstone("onboard", "--no")
    assert OFFER not in start(machine, source="compact")
    assert not (machine.home / "keepstone.db").exists()
    assert OFFER not in start(machine, "session-2")


def test_a_broken_database_is_no_empty_one(machine):
    (machine.home / "keepstone.db").write_bytes(b"not a database" * 1000)
    assert "can't be read" in start(machine) and start(machine) == ""
    assert not (machine.home / "onboarding").exists()


def test_trouble_is_no_beginning(machine):
    aside = machine.home / "spool" / "aside" / "x-stop-extract"
    aside.parent.mkdir(parents=True)
    aside.write_text("{}")
    assert OFFER not in start(machine)
    aside.unlink()
    assert OFFER in start(machine, "session-2")


def test_no_can_be_said_before_the_packages_are_there(machine, tmp_path):
    machine.plugin = plugin_at(tmp_path / "plugin")
    (machine.home / "python").write_text("/usr/bin/python3\n\n")
    assert OFFER in start(machine)
    assert "Noted" in machine.bin("onboard", "--no").stdout
    assert OFFER not in start(machine, source="compact")


def test_off_means_no_offer(machine):
    assert start(machine, env={"KEEPSTONE_OFF": "1"}) == ""


def test_the_shells_of_a_session_know_whose_they_are(machine, tmp_path):
    file = tmp_path / "environment"
    file.write_text("export OTHER=1\n")
    start(machine, env={"CLAUDE_ENV_FILE": str(file)})
    before, session, folder = file.read_text().splitlines()
    assert (before, session) == ("export OTHER=1", "export KEEPSTONE_SESSION_ID=session-1")
    assert folder.startswith("export KEEPSTONE_SESSION_FOLDER=") and str(machine.project) in folder
    start(machine, "x; rm -rf ~", env={"CLAUDE_ENV_FILE": str(file)})
    assert file.read_text().split("\n")[3].startswith("export KEEPSTONE_SESSION_ID=x-")
    machine.keepstone("store", "Deploys need the VPN", KEEPSTONE_SESSION_ID="session-1", CLAUDE_CODE_SESSION_ID="stale")
    assert machine.sql("SELECT session_id FROM memory") == [("session-1",)]


def test_what_the_first_session_taught_is_told_once_and_only_to_a_person(machine, transcript):
    transcript.user("I prefer pnpm over npm: CI caches its store.")
    machine.keepstone("capture", str(transcript.path))
    assert start(machine, env=UNATTENDED[0]).startswith("## Session Memory")
    told = json.loads(start(machine, "session-2"))
    assert told["systemMessage"] == "Keepstone: learned 1 thing last session. See /keepstone:memory recent."
    assert start(machine, "session-3").startswith("## Session Memory")


def test_what_a_person_stored_is_nothing_that_a_session_taught(machine):
    machine.store("Deploys need the VPN")
    assert start(machine).startswith("## Session Memory")
    assert not (machine.home / "told-learned").exists()


def test_trouble_is_told_when_it_comes_and_when_it_comes_back(machine):
    aside = machine.home / "spool" / "aside" / "x-stop-extract"
    aside.parent.mkdir(parents=True)
    machine.store("Deploys need the VPN")
    for number in range(2):
        aside.write_text("{}")
        told = [start(machine, f"s-{number}{turn}") for turn in range(3)]
        assert json.loads(told[0])["systemMessage"] == "Keepstone could not learn from a session. See: keepstone doctor"
        assert told[1] == told[2] and told[1].startswith("## Session Memory")
        aside.unlink()
        assert start(machine, f"s-{number}3").startswith("## Session Memory")


def test_that_nothing_has_been_learned_for_a_day_is_told_once(machine):
    machine.store("Deploys need the VPN")
    (machine.home / "python").unlink()  # no worker can be started
    waiting = machine.home / "spool" / "new" / "x-stop-extract"
    waiting.parent.mkdir(parents=True, exist_ok=True)
    waiting.write_text("{}")
    assert start(machine, "s-1", env={"KEEPSTONE_NO_BOOTSTRAP": "1"}).startswith("## Session Memory")
    os.utime(waiting, (time.time() - 90_000,) * 2)
    said = json.loads(start(machine, "s-2", env={"KEEPSTONE_NO_BOOTSTRAP": "1"}))["systemMessage"]
    assert said == "Keepstone has learned nothing for a day: what was said waits. See: keepstone doctor"
    assert start(machine, "s-3", env={"KEEPSTONE_NO_BOOTSTRAP": "1"}).startswith("## Session Memory")
