"""What the real client's sessions did: its hooks and its transcript together make the observations."""

from __future__ import annotations

import pytest

from keepstone.lib import files

pytestmark = pytest.mark.system

FAILS, WORKS = "ls /nonexistent", "echo it works"
HIDING = "make -f /nonexistent 2>&1 | tail -3"
COMMANDS = {"Try it": FAILS, "Try again": WORKS, "Build it": HIDING}


@pytest.mark.newest_client
def test_a_failing_and_a_working_command_are_observed_with_their_ends(installed):
    installed.api.bash.update(COMMANDS)
    installed.api.tools["Read it"] = ("Read", {"file_path": str(installed.project / "a.py")})
    (installed.project / "a.py").write_text("BODY = 1\n")
    held = files.lock(str(installed.home), wait=True)  # no worker: what a session's end has read is purged
    installed.claude("-p", "Try it", "--allowedTools", "Bash")
    (file,) = (installed.home / "spool" / "observed").iterdir()
    assert file.read_text().count('"state":"failed"') == 1 and "nonexistent" not in file.read_text()
    for prompt in ("Try again", "Build it", "Read it"):
        installed.claude("-p", prompt, "--allowedTools", "Bash,Read")
    installed.settle_processes()
    for job in (installed.home / "spool" / "new").glob("*-session-end"):
        job.unlink()
    files.unlock(held)
    installed.keepstone("worker", "run", "--wait")
    rows = installed.sql("SELECT tool, command, files, state FROM observation WHERE tool <> '' ORDER BY seq")
    assert sorted(rows) == [
        ("Bash", WORKS, "[]", "ok"),
        ("Bash", FAILS, "[]", "failed"),
        ("Bash", HIDING, "[]", "failed"),  # whose own exit code `tail` hides
        ("Read", "", '["a.py"]', "ok"),
    ]
    assert list((installed.home / "spool" / "observed").iterdir()) == [] and installed.memories() == []
