"""Small builders of what the core works on."""

from __future__ import annotations

from datetime import UTC, datetime

from keepstone.claude_code.transcript import USER, Turn
from keepstone.model.candidate import Candidate, title_of
from keepstone.model.memory import COLUMNS, StoredMemory

_NAMES = (
    "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike "
    "november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu"
).split()


def lasting(number: int) -> str:
    """A statement that the rules take for sure; another for each number, and none takes another back."""
    first, second = divmod(number, len(_NAMES))
    return f"I prefer tabs over spaces in the {_NAMES[first]}-{_NAMES[second]} service"


def at(day: str) -> float:
    """Noon UTC of an ISO date, in unix seconds."""
    return datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=UTC).timestamp()


def stamp(time: float) -> str:
    """A time as the client writes it."""
    return datetime.fromtimestamp(time, UTC).isoformat().replace("+00:00", "Z")


def stored(content: str, kind: str = "fact", day: str = "2026-11-02", **more: object) -> StoredMemory:
    values = {
        "seq": 1,
        "id": "mem-3fa2c1d4e5f60718",
        "agent_id": "main",
        "project_id": None,
        "scope": "project",
        "kind": kind,
        "tier": "semantic",
        "status": "active",
        "status_reason": None,
        "trust": "trusted",
        "pinned": 0,
        "title": title_of(content),
        "content": content,
        "relevance": 0.9,
        "confidence": 0.8,
        "access_count": 0,
        "retrieval_count": 0,
        "use_count": 0,
        "up_votes": 0,
        "down_votes": 0,
        "origin": "manual",
        "session_id": None,
        "created_at": at(day),
        "updated_at": at(day),
        "accessed_at": None,
        "used_at": None,
        "verified_at": None,
        "expires_at": None,
        "deadline_at": None,
        "version": 1,
        "pagerank": None,
        "community": None,
        **more,
    }
    return StoredMemory([values[column] for column in COLUMNS])


def candidate(content: str, kind: str = "fact", record: str = "record-1", **more: object) -> Candidate:
    fields = {"relevance": 0.8, "excerpt": content, "method": "user", **more}
    return Candidate(kind=kind, content=content, record_uuid=record, **fields)


def turn(text: str, role: str = USER, uuid: str = "record-1") -> Turn:
    return Turn(uuid=uuid, role=role, text=text)
