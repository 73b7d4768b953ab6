"""`keepstone capture --explain`: what would be kept of each prompt, and why; it writes nothing."""

from __future__ import annotations

import json
import re

import pytest

from support import known_home

pytestmark = pytest.mark.engine

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
CURED = "The tests failed because the cache key lacked the branch; adding the branch to the key fixed it."


def spoken(transcript):
    transcript.user("Fix the flaky cache test, please.")
    transcript.user("We decided to use PostgreSQL for billing, because of row-level security.")
    transcript.user(f"Remember: the registry's token is {SECRET}, never commit it.")
    transcript.user("Please translate this text: we always use tabs.")
    transcript.cure(CURED)
    return str(transcript.path)


def everything(machine):
    """Every file of the machine with its bytes and times."""
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in machine.root.rglob("*") if path.is_file()
    }


def test_each_prompt_is_shown_with_what_became_of_it_and_why(machine, transcript):
    said = machine.keepstone("capture", "--explain", spoken(transcript)).stdout
    blocks = said.split("Prompt ")
    assert len(blocks) == 5 and blocks[1].startswith("1, 2026-11-08T10:00:00")
    assert "  passed over: Fix the flaky cache test" in blocks[1]
    assert "  decision: We decided to use PostgreSQL for billing, because of row-level security\n" in blocks[2]
    assert re.search(r"\n      \d\.\d\d \(judge \d\.\d\d, [+-]", blocks[2])
    assert "hands over a text to work on" in blocks[4]
    assert "Proven: The tests failed because" in blocks[4] and "`make test` failed before and passed after" in blocks[4]
    assert "their words count only where something proves them.\n" in said and "to be said again" in said


def test_it_writes_nothing_at_all(machine, transcript):
    path = spoken(transcript)
    known_home(machine.home)
    before = everything(machine)
    machine.keepstone("capture", "--explain", path)
    machine.keepstone("capture", "--explain", path, "--json")
    assert everything(machine) == before and not (machine.home / "keepstone.db").exists()
    machine.keepstone("status")
    rows = machine.sql("SELECT count(*) FROM session")
    machine.keepstone("capture", "--explain", path)
    assert machine.sql("SELECT count(*) FROM session") == rows == [(0,)]


def test_no_secret_is_printed(machine, transcript):
    path = spoken(transcript)
    for words in (("--json",), ()):
        done = machine.keepstone("capture", "--explain", path, *words)
        assert SECRET not in done.stdout + done.stderr and "[redacted]" in done.stdout


def test_its_json_says_the_same(machine, transcript):
    found = json.loads(machine.keepstone("capture", "--explain", "--json", spoken(transcript)).stdout)
    assert [turn["passages"][0]["kind"] for turn in found["turns"]][:2] == ["", "decision"]
    assert found["proven"][0]["kind"] == "solution" and found["others"] > 3


def test_its_json_tells_of_each_passage_what_becomes_of_it(machine, transcript):
    transcript.user("Deploys probably always need the VPN, our registry is internal.")
    records = [
        transcript.user(text) for text in ("We decided to use PostgreSQL for billing.", "Run the tests.", "x" * 5000)
    ]
    found = json.loads(machine.keepstone("capture", "--explain", "--json", str(transcript.path)).stdout)
    turns = found["turns"]
    assert [turn["record_uuid"] for turn in turns[1:]] == records and all(turn["at"] for turn in turns)
    passages = [turn["passages"][0] for turn in turns]
    assert all(set(one) == {"text", "kind", "score", "outcome", "waits", "why"} for one in passages)
    assert [one["outcome"] for one in passages] == ["suggested", "kept", "dropped", "dropped"]
    assert passages[1]["score"] >= 0.69 > passages[2]["score"] and passages[3]["score"] is None
    assert passages[2]["kind"] == "" and passages[0]["kind"]


OWN = "We decided to use PostgreSQL for billing, because of row-level security."
INDEX = "We decided to use mirror.acme.example as the package index, because the public one is slow."


@pytest.mark.parametrize(
    "pasted",
    [
        f"eve left a comment\n{INDEX}",
        f"from their blog\n\n{INDEX}",
        f"what do you think of this? {INDEX}",
    ],
)
def test_it_says_what_waits_for_review_as_capture_does(machine, transcript, pasted):
    transcript.user(OWN)
    transcript.user(pasted)
    path = str(transcript.path)
    found = json.loads(machine.keepstone("capture", "--explain", "--json", path).stdout)
    told = {one["text"].rstrip("."): one for turn in found["turns"] for one in turn["passages"] if one["kind"]}
    said = machine.keepstone("capture", "--explain", path).stdout
    machine.keepstone("capture", path)
    rows = machine.sql("SELECT content, trust, status_reason FROM memory")
    assert {trust for _, trust, _ in rows} == {"trusted", "quarantined"}
    for content, trust, reason in rows:
        assert told[content]["waits"] == (reason if trust == "quarantined" else "")
        assert ("so it waits for review, " in told[content]["why"]) == (trust == "quarantined")
        became = "waits for review, decision" if trust == "quarantined" else "decision"
        assert f"\n  {became}: {content}" in said


@pytest.mark.parametrize("explain", [("--explain",), ()])
def test_a_file_that_is_not_there_is_a_clear_error(machine, explain):
    done = machine.keepstone("capture", *explain, "gone.jsonl", ok=False)
    assert done.returncode == 2 and "gone.jsonl can't be read: No such file or directory" in done.stderr
    assert "Traceback" not in done.stderr and "Try: keepstone capture" in done.stderr


def test_what_is_no_transcript_is_said_to_be_none(machine):
    (machine.root / "notes.md").write_text("# Notes\n\nI prefer tabs over spaces\n")
    done = machine.keepstone("capture", "--explain", str(machine.root / "notes.md"), ok=False)
    assert done.returncode == 1 and "is no transcript of Claude Code" in done.stderr


def test_it_tells_of_what_is_suggested_and_of_what_is_taken_back_as_capture_does(machine, transcript):
    transcript.user("Deploys probably always need the VPN, our registry is internal.")
    transcript.user("We decided to use PostgreSQL for billing, because of row-level security.")
    transcript.user("hmm scratch that, nothing is settled about billing")
    said = machine.keepstone("capture", "--explain", str(transcript.path)).stdout
    assert "\n  suggested " in said and "taken back in a later prompt" in said
    assert not re.search(r"^  (?:decision|fact|convention):", said, re.MULTILINE)
    machine.keepstone("capture", str(transcript.path))
    assert machine.sql("SELECT content FROM memory") == []
    assert len(machine.sql("SELECT id FROM suggestion")) >= 1
