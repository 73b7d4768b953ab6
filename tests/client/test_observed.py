"""A whole session watched from inside: every interpreter that runs anything of ours notes what it does with sockets."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from support import Transcript, tree

pytestmark = pytest.mark.system

# Told of in Python's table of audit events: a socket made, bound, listened on, connected, a name looked up.
WATCH = """
import os, sys
def watch(event, given):
    if event.startswith("socket."):
        with open({log!r}, "a") as file:
            file.write(f"{{event}} {{given}}\\n")
with open({log!r}, "a") as file:
    file.write(f"ran {{sys.argv[1:]}}\\n")
sys.addaudithook(watch)
at = sys.argv.index("-c")
flags, code, sys.argv = sys.argv[1:at], sys.argv[at + 1], ["-c", *sys.argv[at + 2:]]
exec(compile(code, "<string>", "exec"), {{"__name__": "__main__"}})
"""


def watched(folder: Path, python: str) -> tuple[str, Path]:
    """An interpreter that notes in a file what programs given with `-c` do with sockets."""
    log, program, made = folder / "sockets.log", folder / "watch.py", folder / "python-watched"
    log.touch()
    program.write_text(WATCH.format(log=str(log)))
    made.write_text(f'#!/bin/sh\nexec {shlex.quote(python)} {shlex.quote(str(program))} "$@"\n')
    made.chmod(0o755)
    return str(made), log


@pytest.mark.newest_client
def test_a_session_opens_no_connection_no_port_and_leaves_no_process_and_nothing_in_the_project(installed, tmp_path):
    python, log = watched(tmp_path, sys.executable)
    past = installed.root / "user" / ".claude" / "projects" / "-shop" / "old.jsonl"
    Transcript(past, installed.project, "old").user("I prefer spaces over tabs in Makefiles of ours")
    (installed.home / "python").write_text(f"{python}\n{python}\n")
    before = tree(installed.project)
    installed.run("I prefer pnpm over npm: CI caches its store. We decided to use PostgreSQL for billing.")
    installed.settle(60)
    installed.run("Which database do we use for billing?")
    installed.settle(60)
    lines = log.read_text().splitlines()
    ran = [line for line in lines if line.startswith("ran")]
    for name in ("session-start", "user-prompt-submit", "stop-extract", "session-end", "worker"):
        assert any(name in line for line in ran), (name, ran)
    assert [line for line in lines if line not in ran] == []
    assert installed.processes() == [] and tree(installed.project) == before
    assert any("PostgreSQL" in str(row["content"]) for row in installed.memories())


@pytest.mark.newest_client
def test_the_watcher_sees_a_socket(tmp_path, installed):
    """The test above can fail."""
    python, log = watched(tmp_path, sys.executable)
    code = "import socket; socket.create_server(('127.0.0.1', 0)).close()"
    installed.command([python, "-I", "-S", "-c", code])
    assert "socket.bind" in log.read_text()
