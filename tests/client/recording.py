"""Keeps what a client has recorded of a session as a sample: without names of the machine, and small."""

from __future__ import annotations

import json
import platform
import re
import socket
from datetime import UTC, datetime
from pathlib import Path

from client.session import ClientMachine

LONG = 120  # chars of a text that nobody has said, of which the rest is left out
DEEP = 4  # levels of what nobody has said, below which lists and objects are empty
_SENT = ("api-request", "api-request-blob", "api-request-shape")  # copies of what went to the model: long
_SAID = ("queued_command",)  # attachments that hold a person's words
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TIME = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_DAY = datetime(2026, 11, 8, 10, tzinfo=UTC)


def record(machine: ClientMachine, folder: Path, name: str) -> None:
    """Writes each of a machine's transcripts, oldest first, as `name`.1.jsonl and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{name}.*.jsonl"):
        old.unlink()
    texts = sorted((path.read_text() for path in machine.transcripts()), key=lambda text: max(_TIME.findall(text)))
    neutral = _Neutral(machine, min(at for text in texts for at in _TIME.findall(text)))
    for number, text in enumerate(texts, start=1):
        records = [json.loads(line) for line in text.splitlines() if line]
        lines = [json.dumps(_short(one), ensure_ascii=False, separators=(",", ":")) for one in records]
        (folder / f"{name}.{number}.jsonl").write_text("".join(f"{neutral(line)}\n" for line in lines))


class _Neutral:
    """Replaces what tells a machine and a moment; the same by the same in all transcripts of a sample."""

    def __init__(self, machine: ClientMachine, first: str) -> None:
        self.uuids: dict[str, str] = {}
        self.since = _moment(first) - _DAY
        folder = str(machine.project)
        self.names = {
            folder: "/home/ann/shop",
            re.sub(r"[^A-Za-z0-9]", "-", folder): "-home-ann-shop",
            str(machine.user_home): "/home/ann",
            str(machine.root): "/home",
            f"{platform.system()} {platform.release()}": "Linux 6.1",
            machine.api.url: "http://127.0.0.1:8080",
            socket.gethostname(): "host",
        }

    def __call__(self, text: str) -> str:
        for name, neutral in self.names.items():
            text = text.replace(name, neutral)
        text = _UUID.sub(lambda found: self.uuids.setdefault(found[0], _uuid(len(self.uuids) + 1)), text)
        return _TIME.sub(lambda found: f"{_moment(found[0]) - self.since:%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z", text)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


def _short(record: dict[str, object]) -> dict[str, object]:
    """Returns a record with all its keys, its long texts shortened if they are the client's own."""
    held = record.get("attachment")
    if record.get("type") in _SENT or isinstance(held, dict) and held.get("type") not in _SAID:
        return _shortened(record)
    return record


def _shortened(value: object, depth: int = 0) -> object:
    if isinstance(value, dict):
        return {key: _shortened(one, depth + 1) for key, one in value.items()} if depth < DEEP else {}
    if isinstance(value, list):
        return [_shortened(one, depth + 1) for one in value[:3]] if depth < DEEP else []
    return f"{value[:LONG]}…" if isinstance(value, str) and len(value) > LONG else value
