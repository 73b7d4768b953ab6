"""Keepstone in the real client, as its user meets it: installed, over several sessions, in print mode and in a
terminal.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

import pytest

from client.fake_anthropic import FakeApi
from client.session import (
    PATIENCE,
    ClientMachine,
    Session,
    Talk,
    Terminal,
    wait_until,
)
from keepstone.lib import files
from keepstone.spool import spool
from support import require

pytestmark = pytest.mark.system

PREFERENCE = "I prefer pnpm over npm: CI caches its store"
DECISION = "Let's go with PostgreSQL, not MySQL, for billing: row-level security"
STATED = f"{PREFERENCE}. {DECISION}."
DECIDED_BEFORE_COMPACTION = "We decided to deploy on Fridays, not Mondays: fewer users."
STORE = "store --type fact 'Deploys need the VPN'"

BRIEF = r"""SessionStart(?::{source} hook success| hook additional context): ## Session Memory
Keepstone's notes from earlier sessions of acme_shop\. .*
<keepstone-notes shown="(?P<shown>\d+)" total="(?P<total>\d+)">
(?P=shown) memories loaded:

### Preferences
- {preference} \(.*\)

### Decisions
- {decision} \(.*\)
(?P<more>(?:.*\n)*?)</keepstone-notes>
"""
HOOK_TROUBLE = re.compile(r"(\S+) hook (?:error|failed|timed out)|[Hh]ook cancelled")


@pytest.fixture
def machine(client, source, tmp_path):
    """A machine with a client and a clone of the plugin, which is not installed yet."""
    with closing(FakeApi()) as api:
        yield ClientMachine(tmp_path, client, source, api)


@dataclass
class Story:
    """Four sessions on one machine: what was stated, what came of it, a command, and a compaction."""

    machine: ClientMachine
    first: Session
    second: Session
    command: Session
    compaction: Session
    waiting: list[str]
    after_compaction: Session


@pytest.fixture(scope="module")
def story(client, source, tmp_path_factory):
    with closing(FakeApi()) as api:
        machine = ClientMachine(tmp_path_factory.mktemp("story"), client, source, api)
        machine.install()
        yield Story(
            machine,
            machine.run(STATED),
            machine.run("Which database is it for billing?"),
            machine.run(f"/keepstone:memory {STORE}"),
            *talk_past_a_compaction(machine),
        )


def talk_past_a_compaction(machine: ClientMachine) -> tuple[Session, list[str], Session]:
    """The compaction, the jobs that waited after it, and the turn that followed."""
    with Talk(machine) as talk:
        with workers_kept_out(machine):
            talk.say(DECIDED_BEFORE_COMPACTION)
            talk.say("Thank you.")
            compaction = talk.say("/compact")
            waiting = spool.list_jobs(str(machine.home), "new")
        return compaction, waiting, talk.say("What is next?")


@contextmanager
def workers_kept_out(machine: ClientMachine) -> Iterator[None]:
    """A worker that finds its lock held leaves at once, so that what the hooks accept stays to be seen."""
    held = files.lock(str(machine.home), wait=True)
    try:
        yield
    finally:
        files.unlock(held)


def test_the_plugin_is_valid_and_loads_without_errors(story):
    for manifest in ("", ".claude-plugin/plugin.json"):
        assert "Validation passed" in story.machine.claude("plugin", "validate", str(story.machine.plugin / manifest))
    (init,) = story.first.of("init")
    assert not init.get("plugin_errors")
    assert "keepstone" in [plugin["name"] for plugin in init["plugins"]]
    assert "keepstone:memory" in init["slash_commands"]


def test_no_hook_fails_or_complains(story):
    answers = [event for part in (story.first, story.second, story.command) for event in part.of("hook_response")]
    expected = ["SessionStart", "UserPromptSubmit", "Stop"] * 3 + ["UserPromptExpansion"]
    assert sorted(event["hook_event"] for event in answers) == sorted(expected)
    assert {(event["exit_code"], event["stderr"]) for event in answers} == {(0, "")}


def the_brief(request, source):
    """The brief in a request, which must be there once, as the output of a session's start."""
    assert request.text.count("<keepstone-notes ") == request.text.count("</keepstone-notes>") == 1
    found = re.search(BRIEF.format(source=source, preference=PREFERENCE, decision=DECISION), request.text)
    assert found, request.text
    return found


def test_what_one_session_stated_reaches_the_next(story):
    assert "keepstone-notes" not in story.first.turns[0].text
    (turn,) = story.second.turns
    brief = the_brief(turn, "startup")
    assert (brief["shown"], brief["total"], brief["more"]) == ("2", "2", "")


def test_the_memory_command_stores_in_one_call(story):
    (turn,) = story.command.turns
    assert "Stored." in turn.text
    (stored,) = [memory for memory in story.machine.memories() if memory["kind"] == "fact"]
    assert (stored["content"], stored["origin"]) == ("Deploys need the VPN", "manual")


def test_a_compaction_is_accepted_for_capture(story):
    assert re.search(
        r"PreCompact \[[^]]*/hooks/pre-compact[^]]*\] completed successfully", str(story.compaction.events)
    )
    assert "pre-compact" in [job.partition("-")[2] for job in story.waiting]
    assert DECIDED_BEFORE_COMPACTION in [memory["excerpt"] for memory in story.machine.memories()]


def test_after_a_compaction_the_brief_is_there_once(story):
    (turn,) = story.after_compaction.turns
    brief = the_brief(turn, "compact")
    assert (brief["shown"], brief["total"]) == ("3", "3")
    assert re.fullmatch(r"\n### Key Facts\n- Deploys need the VPN \(.*\)\n", brief["more"])


def test_every_request_is_the_clients_own(story):
    """With a key in the environment. An old client opens its connection with a bare HEAD, which asks for nothing."""
    opened = [request for request in story.machine.api.requests if request.method == "HEAD"]
    asked = [request for request in story.machine.api.requests if request.method != "HEAD"]
    assert asked
    assert [request for request in asked if not request.agent.startswith("claude-cli/")] == []
    assert {request.agent.split("/")[0] for request in opened} <= {"Bun", "claude-cli"}  # the client's own runtime


def test_nothing_runs_ten_seconds_after_the_client_left(story):
    machine = story.machine
    with workers_kept_out(machine):
        worker = subprocess.Popen(
            [machine.plugin / "bin" / "keepstone", "worker", "run", "--wait"],
            env=machine.env,
            cwd=machine.project,
            stdout=subprocess.DEVNULL,
        )
        wait_until(lambda: worker.pid in machine.processes(), machine.processes)
    assert worker.wait(PATIENCE) == 0
    assert machine.processes() == []
    assert len(machine.quiet_after) == 4
    assert max(machine.quiet_after) < 10


def test_only_the_sessions_leave_transcripts(story):
    assert len(story.machine.transcripts()) == 4


def test_what_is_said_while_others_may_write_in_the_home_is_learned_by_the_next_session(machine):
    machine.install()
    machine.keepstone("store", "--type", "fact", "Deploys need the VPN")
    machine.home.chmod(0o777)
    assert "Session Memory" not in machine.run(STATED).turns[0].text
    machine.home.chmod(0o700)
    machine.run("Which database is it for billing?")
    assert {memory["content"] for memory in machine.memories()} == {"Deploys need the VPN", PREFERENCE, DECISION}


@pytest.fixture
def tmux():
    require("tmux", shutil.which("tmux"), "apt-get install tmux")


@pytest.mark.usefixtures("tmux")
def test_a_session_in_a_terminal_shows_no_hook_trouble_and_gets_the_brief(machine):
    machine.install()
    machine.run(STATED)
    shown = two_turns_in_a_terminal(machine)
    assert HOOK_TROUBLE.findall(shown) == []
    the_brief(next(turn for turn in machine.api.turns if "Which database" in turn.text), "startup")


@pytest.mark.newest_client
@pytest.mark.usefixtures("tmux")
def test_a_terminal_would_show_a_failing_hook(machine):
    for hook in ("session-start", "stop-extract"):
        (machine.plugin / "hooks" / hook).write_text("#!/bin/sh\nexit 1\n")
    machine.install_plugin()
    machine.set_up()
    shown = two_turns_in_a_terminal(machine)
    assert {"SessionStart:startup", "Stop"} <= set(HOOK_TROUBLE.findall(shown)), shown


def two_turns_in_a_terminal(machine):
    """What the terminal showed after two turns (the first one's Stop is over then), and after the client's exit."""
    with Terminal(machine) as terminal:
        for count, prompt in enumerate(("Which database is it for billing?", "Thank you."), start=1):
            terminal.type(prompt)
            terminal.wait_until(lambda screen, count=count: screen.count("● OK") >= count)
        return terminal.screen() + terminal.leave()
