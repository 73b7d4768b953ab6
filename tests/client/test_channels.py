"""By which ways a person speaks in the real client, and what is learned of each: docs/channels.md has the table."""

from __future__ import annotations

import os
import re
import shutil
import struct
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from channels import ALONE, ANSWERS, BEFORE, INSTEAD, KILLED, OTHERS, PLANS, RECORDED, Channel, expected, known
from client.fake_anthropic import FakeApi, Request
from client.recording import record
from client.session import ClientMachine, Terminal, version, wait_until
from keepstone.claude_code.record_types import unknown_types
from support import require

pytestmark = pytest.mark.system

DATABASES = {
    "question": "Which database should the billing service use?",
    "header": "Database",
    "multiSelect": False,
    "options": [
        {"label": "PostgreSQL", "description": "row-level security"},
        {"label": "MySQL", "description": "known to all"},
    ],
}
COMMITS = {
    "question": "How do we format commits?",
    "header": "Commits",
    "multiSelect": False,
    "options": [{"label": "Freely", "description": "as now"}, {"label": "By a tool", "description": "checked"}],
}
RUNNERS = {
    "question": "Which test runner should the web package use?",
    "header": "Runner",
    "multiSelect": False,
    "options": [{"label": "Vitest", "description": "fast"}, {"label": "Jest", "description": "old"}],
}
HOSTS = {
    "question": "Where should the docs be hosted?",
    "header": "Docs",
    "multiSelect": False,
    "options": [{"label": "Netlify", "description": "easy"}, {"label": "Our own server", "description": "cheap"}],
}
PLAN = "# Plan\n\n- We always use DuckDB for reports, never Spark\n- Add an index to the invoices table\n"


class Planner(FakeApi):
    """Writes a plan where the client says, as its model does, and asks to leave the plan mode."""

    def answer(self, request: Request) -> dict[str, object]:
        name = f"toolu_{len(self.requests)}"
        if request.is_turn and "make a plan" in request.text and not _has_left(request):
            file = re.findall(r"[^\s\"'`(]+/plans/[\w-]+\.md", str(request.body))
            if file and not request.tool_results:
                given = {"file_path": file[-1], "content": PLAN}
                return {"type": "tool_use", "id": name, "name": "Write", "input": given}
            if request.tool_results or not file:
                return {"type": "tool_use", "id": name, "name": "ExitPlanMode", "input": {"plan": PLAN}}
        return super().answer(request)


def _has_left(request: Request) -> bool:
    return "ExitPlanMode" in str([m for m in request.body["messages"] if m["role"] == "assistant"])


@pytest.fixture
def machine(client, source, tmp_path):
    require("tmux", shutil.which("tmux"), "apt-get install tmux")
    with closing(Planner()) as api:
        made = ClientMachine(tmp_path, client, source, api)
        made.install()
        made.keepstone("config", "programs", "--unset")
        script(made)
        yield made


def image(folder: Path) -> Path:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path = folder / "shot.png"
    header, pixels = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0), zlib.compress(bytes(14))
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))
    return path


def asking(*questions: dict[str, object]) -> tuple[str, dict[str, object]]:
    return "AskUserQuestion", {"questions": list(questions)}


def script(machine: ClientMachine) -> None:
    """Has the model call tools at the words by which these tests ask for them."""
    agent, background = OTHERS
    call = {"description": "look", "prompt": agent.said, "subagent_type": "general-purpose"}
    echo = {"command": f"echo {background.said}", "run_in_background": True, "description": background.said}
    machine.api.tools = {
        "ask me": asking(DATABASES),
        "ask about commits": asking(COMMITS),
        "ask two": asking(RUNNERS, HOSTS),
        "use an agent": ("Task" if version(machine.client).startswith("2.1.1") else "Agent", call),
        "in the background": ("Bash", echo),
    }
    machine.api.bash = {"wait a bit": "sleep 5", "install it": "npm install left-pad", KILLED.said: "sleep 20"}


def option(terminal: Terminal, channel: Channel) -> None:
    terminal.type("ask me now")
    terminal.choose("row-level", "Enter")
    terminal.rest()


def own_words(terminal: Terminal, channel: Channel) -> None:
    terminal.type("ask about commits")
    terminal.choose("Freely", "Down", "Down", words=channel.said)
    terminal.rest()


def several_questions(terminal: Terminal, channel: Channel) -> None:
    terminal.type("ask two now")
    terminal.choose("Vitest", "Enter")
    terminal.choose("Our own server", "Down", "Enter")
    terminal.choose("Submit answers", "Enter")
    terminal.rest()


def denial(terminal: Terminal, channel: Channel) -> None:
    terminal.type("install it")
    terminal.wait_until(lambda screen: "Do you want to proceed?" in screen)
    last = max(map(int, re.findall(r"(\d)\. No", terminal.screen())))
    terminal.choose("Do you want to proceed?", *["Down"] * (last - 1), "Tab", words=channel.said)
    terminal.rest()


def queued(terminal: Terminal, channel: Channel) -> None:
    terminal.type("wait a bit")
    terminal.wait_until(lambda screen: "sleep 5" in screen)
    terminal.type(channel.said)
    terminal.rest()


def behind_image(terminal: Terminal, channel: Channel) -> None:
    terminal.paste(str(image(terminal.machine.root)))
    terminal.write(f" {channel.learned[0]}.")
    terminal.send()


def paste(terminal: Terminal, channel: Channel) -> None:
    log = [f"12:{number} gadget {number} started" for number in range(10, 30)]
    terminal.paste("\n".join([*log[:10], channel.said, *log[10:]]))
    terminal.write(" So there.")
    terminal.send()


def shell_comment(terminal: Terminal, channel: Channel) -> None:
    terminal.press("!")
    terminal.write(channel.said.removeprefix("!"))
    terminal.send()


def written(terminal: Terminal, channel: Channel) -> None:
    terminal.write(channel.said)
    terminal.send()


def plan(terminal: Terminal, channel: Channel) -> None:
    words = channel.said if channel == PLANS[1] else ""
    terminal.press("BTab", "BTab")
    terminal.wait_until(lambda screen: "plan mode on" in screen)
    terminal.type("make a plan")
    terminal.choose("Ready to code?", *(["Down", "Down"] if words else ["Enter"]), words=words)
    terminal.rest()


def taken_back(terminal: Terminal, channel: Channel) -> None:
    for line in ("hello", channel.said):
        terminal.type(line)
        terminal.rest()
    terminal.rewind()
    terminal.type(INSTEAD.said)
    terminal.rest()


def cleared(terminal: Terminal, channel: Channel) -> None:
    written(terminal, BEFORE)
    terminal.type("/clear")
    terminal.wait_until(lambda screen: BEFORE.said not in screen)
    written(terminal, channel)


def by_agent(terminal: Terminal, channel: Channel) -> None:
    terminal.type("use an agent")
    terminal.rest()
    requests = terminal.machine.api.requests
    assert any(channel.said in request.text for request in requests if len(request.body["messages"]) < 4)


def in_background(terminal: Terminal, channel: Channel) -> None:
    terminal.type("run it in the background")
    terminal.rest()


WAYS = {
    "before": written,
    "option": option,
    "own-words": own_words,
    "several-questions": several_questions,
    "denial": denial,
    "queued": queued,
    "image": behind_image,
    "paste": paste,
    "shell-comment": shell_comment,
    "note": written,
    "plan-approved": plan,
    "plan-refused": plan,
    "taken-back": taken_back,
    "cleared": cleared,
    "agent": by_agent,
    "background": in_background,
}


def speak(machine: ClientMachine, channel: Channel, *options: str) -> None:
    """A session in which something is said by one way."""
    with Terminal(machine, *options) as terminal:
        WAYS.get(channel.name, written)(terminal, channel)
        terminal.leave()


def go_on(machine: ClientMachine, channel: Channel) -> None:
    """A session, and one that goes on with it."""
    speak(machine, BEFORE)
    (session,) = [path.stem for path in machine.transcripts()]
    options = {"continued": ["--continue"], "resumed": ["--resume", session]}
    speak(machine, channel, *options.get(channel.name, ["--continue", "--fork-session"]))


def be_killed(machine: ClientMachine, channel: Channel) -> None:
    """A session that ends in the middle of its first turn, once the client has written it down, and the next one."""
    with Terminal(machine) as terminal:
        terminal.type(channel.said)
        terminal.wait_until(lambda screen: "sleep 20" in screen)
        wait_until(lambda: any("sleep 20" in path.read_text() for path in machine.transcripts()), terminal.screen)
        assert machine.api.ended == 0, "a turn has ended"
        terminal.kill()
    assert known(machine.sql) == []
    with Terminal(machine) as terminal:
        terminal.type("hello again")
        terminal.rest()
        terminal.leave()


def be_program(machine: ClientMachine, channel: Channel) -> None:
    machine.claude("-p", f"Review this pull request. {channel.said} Reply APPROVE or REJECT.")
    machine.wait_until_quiet()


SESSIONS = {
    **dict.fromkeys(("continued", "resumed", "forked"), go_on),
    "killed": be_killed,
    "program": be_program,
}


def test_what_a_person_says_by_any_way_in_one_session_is_learned(machine):
    with Terminal(machine) as terminal:
        for channel in ANSWERS:
            WAYS[channel.name](terminal, channel)
        terminal.leave()
    assert known(machine.sql) == expected(version(machine.client), *ANSWERS)
    excerpts = [str(text) for (text,) in machine.sql("SELECT excerpt FROM evidence")]
    assert [text for text in excerpts if "npm install left-pad" in text and "always use pnpm" in text]
    for question in (RUNNERS, HOSTS):
        assert [text for text in excerpts if str(question["question"]) in text]


@pytest.mark.newest_client
@pytest.mark.parametrize("name", ALONE)
def test_each_way_alone_leaves_what_the_table_says(machine, name):
    """With KEEPSTONE_RECORD=1 what the client has recorded becomes a sample in tests/data."""
    channels = ALONE[name]
    SESSIONS.get(name, speak)(machine, next(one for one in channels if one.name == name))
    assert known(machine.sql) == expected(version(machine.client), *channels)
    assert not unknown_types(str(machine.user_home / ".claude" / "projects"))
    if os.environ.get("KEEPSTONE_RECORD"):
        record(machine, RECORDED / version(machine.client), name)
