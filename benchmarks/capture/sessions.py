"""Labelled sessions as the client writes them: one record a content block, a minute apart, the same in every run."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime(2026, 11, 8, 10, tzinfo=UTC)  # when a session begins
NAMESPACE = uuid.UUID("6f1d6c1e-6a0b-4c39-9a54-0c2b7d1f8e10")


def write(turns: Sequence[Mapping[str, Any]], path: Path, session: str, cwd: str, start: datetime = START) -> list[str]:
    """Writes a transcript of labelled turns; the uuid of each turn's record, in order."""
    written = list(records(turns, session, cwd, start))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in written), encoding="utf-8")
    return [record["uuid"] for record in written]


def records(
    turns: Sequence[Mapping[str, Any]], session: str, cwd: str, start: datetime = START
) -> Iterator[dict[str, Any]]:
    """A client's record for each turn: `user`, `assistant`, `call` with its `input`, `result` with its `ok`."""
    parent, call = None, ""
    for number, turn in enumerate(turns):
        record_uuid = str(uuid.uuid5(NAMESPACE, f"{session}/{number}"))
        call = f"toolu_{record_uuid.replace('-', '')[:24]}" if "call" in turn else call
        yield {
            "parentUuid": parent,
            "isSidechain": False,
            "uuid": record_uuid,
            "timestamp": (start + timedelta(minutes=number)).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "cwd": cwd,
            "sessionId": session,
            "version": "2.1.332",
            "gitBranch": "main",
            **_said(turn, call),
        }
        parent = record_uuid


def _said(turn: Mapping[str, Any], call: str) -> dict[str, Any]:
    if "user" in turn:
        return {"type": "user", "promptSource": "typed", "message": {"role": "user", "content": turn["user"]}}
    if "assistant" in turn:
        return _assistant({"type": "text", "text": turn["assistant"]})
    if "call" in turn:
        return _assistant({"type": "tool_use", "id": call, "name": turn["call"], "input": turn["input"]})
    body = {"type": "tool_result", "tool_use_id": call, "content": turn["result"], "is_error": not turn["ok"]}
    return {"type": "user", "message": {"role": "user", "content": [body]}}


def _assistant(block: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": [block]}}
