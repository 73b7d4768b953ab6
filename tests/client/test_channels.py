"""By which ways a person speaks in the real client, and what is learned of each: docs/channels.md has the table."""

from __future__ import annotations

import os
import re
import shutil
import struct
import time
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from channels import ANSWERS, COURSE, OTHERS, PLANS, Channel
from client.fake_anthropic import FakeApi, Request
from client.session import ClientMachine, Terminal, version
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
        yield made


def image(folder: Path) -> Path:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path = folder / "shot.png"
    header, pixels = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0), zlib.compress(bytes(14))
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))
    return path


def learned(machine: ClientMachine) -> list[str]:
    return sorted(row["content"] for row in machine.memories() if row["trust"] == "trusted")


def expected(*channels: Channel) -> list[str]:
    return sorted(text for channel in channels for text in channel.learned)


def asking(*questions: dict[str, object]) -> tuple[str, dict[str, object]]:
    return "AskUserQuestion", {"questions": list(questions)}


def test_what_a_person_says_by_any_way_is_learned(machine):
    machine.api.tools = {
        "ask me": asking(DATABASES),
        "ask about commits": asking(COMMITS),
        "ask two": asking(RUNNERS, HOSTS),
    }
    machine.api.bash = {"wait a bit": "sleep 5", "install it": "npm install left-pad"}
    _, own, _, denial, queued, *_ = ANSWERS
    with Terminal(machine) as terminal:
        terminal.type("ask me now")
        terminal.choose("row-level", "Enter")
        terminal.type("ask about commits")
        terminal.choose("Freely", "Down", "Down", words=own.said)
        terminal.type("ask two now")
        terminal.choose("Vitest", "Enter")
        terminal.choose("Our own server", "Down", "Enter")
        terminal.choose("Submit answers", "Enter")
        terminal.type("install it")
        terminal.wait_until(lambda screen: "Do you want to proceed?" in screen)
        last = max(map(int, re.findall(r"(\d)\. No", terminal.screen())))
        terminal.choose("Do you want to proceed?", *["Down"] * (last - 1), "Tab", words=denial.said)
        terminal.type("wait a bit")
        terminal.wait_until(lambda screen: "sleep 5" in screen)
        terminal.type(queued.said)
        terminal.rest()
        terminal.paste(str(image(machine.root)))
        terminal.write(" We never ship on Fridays.")
        terminal.send()
        terminal.paste("\n".join(f"We always use gadget {number}." for number in range(20)))
        terminal.write(" So there.")
        terminal.send()
        terminal.press("!")
        terminal.write("echo hi # releases are always cut from the trunk branch")
        terminal.send()
        terminal.write("# always use tabs in Makefiles")
        terminal.send()
        terminal.leave()
    assert learned(machine) == expected(*ANSWERS)


@pytest.mark.newest_client
def test_of_a_plan_what_was_approved_or_said_against_it_is_learned(machine):
    _, refused = PLANS
    for words in ("", refused.said):
        with Terminal(machine) as terminal:
            terminal.press("BTab", "BTab")
            terminal.wait_until(lambda screen: "plan mode on" in screen)
            terminal.type("make a plan")
            terminal.choose("Ready to code?", *(["Down", "Down"] if words else ["Enter"]), words=words)
            terminal.rest()
            terminal.leave()
        if not words:
            assert learned(machine) == expected(PLANS[0])
    assert learned(machine) == expected(*PLANS)


@pytest.mark.newest_client
def test_what_was_taken_back_is_not_learned_and_a_session_that_goes_on_says_nothing_again(machine):
    taken_back, instead, cleared, continued, forked, killed = COURSE
    machine.api.bash = {"wait a bit": "sleep 20"}
    with Terminal(machine) as terminal:
        for line in ("hello", taken_back.said):
            terminal.type(line)
            terminal.rest()
        terminal.rewind()
        terminal.type(instead.said)
        terminal.rest()
        terminal.type("/clear")
        terminal.wait_until(lambda screen: instead.said not in screen)
        terminal.type(cleared.said)
        terminal.rest()
        terminal.leave()
    for words, said in ((["--continue"], continued.said), (["--continue", "--fork-session"], forked.said)):
        with Terminal(machine, *words) as terminal:
            terminal.type(said)
            terminal.rest()
            terminal.leave()
    assert learned(machine) == expected(*COURSE[:-1])
    with Terminal(machine) as terminal:
        terminal.type(killed.said)
        terminal.rest()
        terminal.type("wait a bit")
        terminal.wait_until(lambda screen: "sleep 20" in screen)
        terminal.kill()
    long_ago = time.time() - 600  # it has been silent
    for path in machine.transcripts():
        os.utime(path, (long_ago, long_ago))
    with Terminal(machine) as terminal:
        terminal.type("hello again")
        terminal.rest()
        terminal.leave()
    assert learned(machine) == expected(*COURSE)
    assert set(machine.sql("SELECT count(*) FROM evidence GROUP BY memory_id")) == {(1,)}


def test_what_others_say_in_a_session_is_not_the_users_word(machine):
    agent, background = OTHERS
    call = {"description": "look", "prompt": agent.said, "subagent_type": "general-purpose"}
    machine.api.tools = {
        "use an agent": ("Task" if version(machine.client).startswith("2.1.1") else "Agent", call),
        "in the background": (
            "Bash",
            {"command": f"echo {background.said}", "run_in_background": True, "description": "print"},
        ),
    }
    with Terminal(machine) as terminal:
        for line in ("use an agent", "run it in the background"):
            terminal.type(line)
            terminal.rest()
        terminal.leave()
    assert any(agent.said in request.text for request in machine.api.requests if len(request.body["messages"]) < 4)
    assert learned(machine) == expected(*OTHERS)
