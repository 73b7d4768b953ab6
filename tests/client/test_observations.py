"""What the real client's sessions did: its hooks and its transcript together make the observations."""

from __future__ import annotations

from contextlib import closing

import pytest

from cairn import spool
from client.fake_anthropic import FakeApi
from client.session import ClientMachine

FAILS, WORKS = "ls /nonexistent", "echo it works"
HIDING = "make -f /nonexistent 2>&1 | tail -3"
COMMANDS = {"Try it": FAILS, "Try again": WORKS, "Build it": HIDING}


@pytest.fixture
def machine(client, source, tmp_path):
    with closing(FakeApi()) as api:
        made = ClientMachine(tmp_path, client, source, api)
        made.install()
        yield made


def test_a_failing_and_a_working_command_are_observed_with_their_ends(machine):
    machine.api.bash.update(COMMANDS)
    machine.api.tools["Read it"] = ("Read", {"file_path": str(machine.project / "a.py")})
    (machine.project / "a.py").write_text("BODY = 1\n")
    held = spool.lock(str(machine.home), wait=True)  # no worker: what a session's end has read is purged
    machine.claude("-p", "Try it", "--allowedTools", "Bash")
    (file,) = (machine.home / "spool" / "observed").iterdir()
    assert file.read_text().count('"state":"failed"') == 1 and "nonexistent" not in file.read_text()
    for prompt in ("Try again", "Build it", "Read it"):
        machine.claude("-p", prompt, "--allowedTools", "Bash,Read")
    machine.settle_processes()
    for job in (machine.home / "spool" / "new").glob("*-session-end"):
        job.unlink()
    spool.unlock(held)
    machine.cairn("work", "--wait")
    rows = machine.sql("SELECT tool, command, files, state FROM observation WHERE tool <> '' ORDER BY seq")
    assert sorted(rows) == [
        ("Bash", WORKS, "[]", "ok"),
        ("Bash", FAILS, "[]", "failed"),
        ("Bash", HIDING, "[]", "failed"),  # whose own exit code `tail` hides
        ("Read", "", '["a.py"]', "ok"),
    ]
    assert list((machine.home / "spool" / "observed").iterdir()) == [] and machine.memories() == []
