"""Records that no client had when this was written are counted and named, so that a change of the client shows."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keepstone.claude_code.record_types import KNOWN_TYPES, RECENT, TAIL_BYTES, unknown_types


def written(projects: Path, name: str, *records: object, at: float = 1_000.0) -> None:
    path = projects / "-home-ann-shop" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    os.utime(path, (at, at))


def test_only_what_no_client_writes_is_named(tmp_path):
    written(tmp_path, "a", *({"type": kind} for kind in KNOWN_TYPES), {"type": "voice-note"}, {"type": "voice-note"})
    written(tmp_path, "b", {"type": "hologram"}, {"no": "type"}, [1], "text", {"type": 7})
    assert unknown_types(str(tmp_path)) == {"voice-note": 2, "hologram": 1}


def test_only_the_newest_transcripts_are_read_and_only_the_end_of_a_long_one(tmp_path):
    for number in range(RECENT):
        written(tmp_path, f"new-{number}", {"type": "user", "pad": "x" * TAIL_BYTES}, {"type": "hologram"}, at=2_000)
    written(tmp_path, "old", {"type": "ancient"})
    assert unknown_types(str(tmp_path)) == {"hologram": RECENT}


def test_without_transcripts_nothing_is_unknown(tmp_path):
    assert not unknown_types(str(tmp_path / "nowhere"))
    (tmp_path / "file").touch()
    assert not unknown_types(str(tmp_path))


def test_doctor_names_them(machine):
    assert "records" not in machine.keepstone("doctor", ok=False).stdout
    written(machine.user_home / ".claude" / "projects", "s", {"type": "voice-note"})
    shown = machine.keepstone("doctor", ok=False).stdout
    assert "warn  records: the newest transcripts hold records of types" in shown and "voice-note (1)" in shown
