"""What was made of memories goes with them once they are erased; what a person has said stays."""

from __future__ import annotations

import subprocess

import pytest

WORDS = "The customer Kestrel always pays late, so we decided to send invoices on the first"


def summed_up(sessions):
    """A session whose summary quotes what was decided in it, and what was said elsewhere: the decision's id."""
    sessions.say("We use pnpm here, never npm")
    transcript = sessions.begin()
    transcript.user(WORDS)
    for name in ("a.py", "b.py"):
        path = str(sessions.machine.project / name)
        transcript.tool("Edit", {"file_path": path, "old_string": "a", "new_string": "b"})
    transcript.assistant("Done.")
    sessions.end(transcript)
    assert [kind for (kind,) in sessions.rows("kind")].count("summary") == 1
    return next(
        str(one) for one, kind, text in sessions.rows("id, kind, content") if "Kestrel" in text and kind != "summary"
    )


@pytest.mark.parametrize("before", ["", "forget", "restore"])
@pytest.mark.parametrize("cascade", [False, True])
@pytest.mark.parametrize("way", ["command", "api"])
def test_a_summary_that_quotes_what_was_erased_goes_with_it(way, cascade, before, sessions):
    decision = summed_up(sessions)
    machine = sessions.machine
    for word in {"": (), "forget": ("forget",), "restore": ("forget", "restore")}[before]:
        machine.keepstone(word, decision)
    if way == "command":
        machine.keepstone("erase", decision, "--yes", *(["--cascade"] if cascade else []), KEEPSTONE_TYPED="1")
    else:
        done = sessions.memory.privacy.erase([decision], cascade=cascade)
        assert decision in done.erased and done.quoted_by == [] and not done.problems
    assert [text for (text,) in sessions.rows("content")] == ["We use pnpm here, never npm"]
    assert "Kestrel" not in machine.keepstone("search", "Kestrel invoices", ok=False).stdout.replace("'Kestrel", "")
    found = subprocess.run(["grep", "-rla", "pays late", str(machine.home)], capture_output=True, text=True).stdout
    assert found == ""


def test_what_a_person_has_said_stays_and_is_named(sessions):
    decision = summed_up(sessions)
    sessions.memory.store(f"Remember for the audit: {WORDS}, as Ann said in the meeting")
    done = sessions.memory.privacy.erase([decision])
    (quoting,) = done.quoted_by
    assert [str(one) for one, text in sessions.rows("id, content") if "audit" in str(text)] == [quoting]
    assert "summary" not in [kind for (kind,) in sessions.rows("kind")]
