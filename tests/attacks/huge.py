"""Single lines of 50 MB wherever a line may come from, each in a process of its own whose time and memory are known.

Delivered is more processor time or memory than they may take, and an end that is not documented.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attacks.outcome import Outcome
from support import ROOT, Machine, Sessions, Transcript

SIZE = 50_000_000
SECONDS, KILOBYTES = 20, 600_000
# What a process takes, told by one that is small itself: a child's peak begins with that of the process it came from.
MEASURE = """
import json, os, resource, subprocess, sys
limit = int(sys.argv[1])
bound = lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 2))
with open(sys.argv[2], "rb") as given:
    done = subprocess.run(sys.argv[3:], stdin=given, capture_output=True, preexec_fn=bound)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
told = (done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss, done.stderr.decode("utf-8", "replace")[-300:])
print(json.dumps(told))
"""


def huge(root: Path, name: str, texts: Sequence[str]) -> Outcome:
    """What came of each line; `texts` are the names of the places."""
    made = Outcome(name)
    for number, text in enumerate(texts):
        machine = Machine(root / str(number))
        machine.record_interpreters()
        Sessions(machine).memory.store("Deploys need the VPN gateway")
        made.judge(text, list(_wrong(made, text, machine)))
    return made


def _wrong(made: Outcome, text: str, machine: Machine) -> Iterator[str]:
    stdin = machine.root / "stdin"
    stdin.touch()
    words = HUGE[text](machine)
    command = [sys.executable, "-c", MEASURE, str(SECONDS), str(stdin), *words]
    done = subprocess.run(command, env=machine.env, cwd=machine.project, capture_output=True, text=True, check=True)
    code, seconds, peak, complaint = json.loads(done.stdout)
    made.notes.append(f"{text}: {seconds:.1f} s, {peak / 1_000:.0f} MB")
    if code not in (0, 1, 2) or "Traceback" in complaint:
        yield f"exit {code}, {complaint!r}"
    if seconds > SECONDS or peak > KILOBYTES:
        yield f"{seconds:.1f} s, {peak:,} kB"
    machine.settle_processes(120)


def _keepstone(*words: str) -> list[str]:
    return [sys.executable, "-m", "keepstone", *words]


def _spoken(size: int) -> Callable[[Machine], list[str]]:
    """A line of a transcript, between two that are as they should be."""

    def make(machine: Machine) -> list[str]:
        transcript = Transcript(machine.root / "t.jsonl", machine.project)
        transcript.user("I prefer tabs over spaces in the billing service")
        transcript.user("x" * size)
        transcript.assistant("y" * size)
        transcript.user("We use pnpm in the billing service, never npm")
        return _keepstone("capture", str(transcript.path))

    return make


def _printed(machine: Machine) -> list[str]:
    """What a tool printed, on one line of 15 MB: the longest that is looked at."""
    transcript = Transcript(machine.root / "t.jsonl", machine.project)
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "make"}}
    done = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Error: x " * 1_700_000, "is_error": True}
    transcript.line({"type": "assistant", "message": {"role": "assistant", "content": [call]}})
    transcript.line({"type": "user", "message": {"role": "user", "content": [done]}, "toolUseResult": "x"})
    return _keepstone("capture", str(transcript.path))


def _told(event: str, size: int, **more: str) -> Callable[[Machine], list[str]]:
    """What the client says on a hook's stdin."""

    def make(machine: Machine) -> list[str]:
        filled = {key: value.replace("HUGE", "x" * size) for key, value in more.items()}
        given = machine.event("s", tool_name="Bash", tool_use_id="t", tool_input={"command": "make"}, **filled)
        (machine.root / "stdin").write_text(json.dumps(given))
        return [str(ROOT / "hooks" / event)]

    return make


def _file(name: str, body: str, *words: str) -> Callable[[Machine], list[str]]:
    """A file to import."""

    def make(machine: Machine) -> list[str]:
        folder = machine.root / "target"
        folder.mkdir()
        (folder / name).write_text(body.replace("HUGE", "x" * SIZE))
        return _keepstone("import", str(folder / name), *words)

    return make


def _index(machine: Machine) -> list[str]:
    """The client's own index of its memory, which a session's start looks at."""
    folder = machine.user_home / ".claude" / "projects" / "-p"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory" / "MEMORY.md").write_text("x" * SIZE)
    given = machine.event("s", source="startup", transcript_path=str(folder / "s.jsonl"))
    (machine.root / "stdin").write_text(json.dumps(given))
    return [str(ROOT / "hooks" / "session-start")]


def _settings(machine: Machine) -> list[str]:
    (machine.home / "config.json").write_text('{"x": "' + "x" * SIZE + '"}')
    (machine.root / "stdin").write_text(json.dumps(machine.event("s", source="startup")))
    return [str(ROOT / "hooks" / "session-start")]


LINE = '{"type": "entity", "name": "x", "entityType": "fact", "observations": ["HUGE"]}'
HUGE: dict[str, Callable[[Machine], list[str]]] = {
    "a transcript's lines": _spoken(SIZE),
    "a transcript's lines of 15 MB": _spoken(15_000_000),
    "a tool's output of 15 MB": _printed,
    "a prompt on stdin": _told("user-prompt-submit", SIZE, prompt="HUGE"),
    "a prompt of 30 MB on stdin": _told("user-prompt-submit", 30_000_000, prompt="HUGE"),
    "an error on stdin": _told("post-tool-use-failure", 30_000_000, error="Error: HUGE"),
    "a last message on stdin": _told("stop-extract", 30_000_000, last_assistant_message="HUGE"),
    "a path on stdin": _told("session-end", 30_000_000, transcript_path="/HUGE", cwd="/HUGE"),
    "an export to import": _file("a.jsonl", '{"format": "keepstone-export-1", "x": "HUGE"}', "--format", "jsonl"),
    "a line of another server's": _file("a.jsonl", LINE, "--format", "mcp"),
    "a page to import": _file("a.md", "HUGE"),
    "a page's front": _file("a.md", "---\ntitle: HUGE\n---\n\nHUGE"),
    "an index to import": _file("MEMORY.md", "# Memory\n\n- HUGE\n"),
    "no database at all": _file("claude-mem.db", "SQLite format 3\0HUGE", "--format", "claude-mem"),
    "the client's index": _index,
    "the settings": _settings,
}
