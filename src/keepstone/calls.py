"""What may be asked of `Memory` from another machine: the methods, what they take and what they answer. Nothing else is
ever called, and no other class made.
"""

from __future__ import annotations

from typing import Any, Literal

from .core.anchors import Doubt
from .core.copying import Changes, Page, Told
from .core.defaults import BRIEF_LIMIT_MAX, CONTEXT_TOKENS, EXPLORE_DEPTH, LISTING_LIMIT_MAX
from .core.model import COLUMNS, StoredMemory
from .core.score import Factor
from .core.view import Hit
from .core.wire import LARGEST, Codec, Late, Within
from .ops.account import Diff, Worth
from .ops.brief import Brief
from .ops.explore import Community, Subgraph
from .ops.search import Results
from .ops.status import Status
from .ops.why import Why
from .store.narrow import Narrow
from .store.seen import Delivery, Seen
from .store.trail import Entry, Version


class Call:
    """A method: the kind of its answer, and of each thing that it takes."""

    def __init__(self, answer: Any, **takes: Any) -> None:
        self.answer = answer
        self.takes = takes


def _proposal() -> Any:
    from .ops.review import Proposal

    return Proposal


def _undone() -> Any:
    from .store.undo import Undone

    return Undone


def _week() -> Any:
    from .ops.week import Week

    return Week


_WORDS, _NUMBERS = str | None, float | None
_INTEGERS = "seq pinned access_count retrieval_count use_count up_votes down_votes version".split()
_TIMES = "accessed_at used_at verified_at expires_at deadline_at pagerank".split()  # and one more that may be unknown
CODEC = Codec(
    {
        StoredMemory: {
            **dict.fromkeys(COLUMNS, str),
            **dict.fromkeys(("project_id", "status_reason", "session_id", "community"), _WORDS),
            **dict.fromkeys(_INTEGERS, int),
            **dict.fromkeys(("relevance", "confidence", "created_at", "updated_at"), float),
            **dict.fromkeys(_TIMES, _NUMBERS),
        },
        Doubt: {"file": str, "branch": str, "rivals": list[str]},
        Factor: {"name": str, "weight": float, "value": _NUMBERS},
        Hit: {
            **{"memory": StoredMemory, "short_id": str, "project": _WORDS, "facets": list[tuple[str, str]]},
            "evidence": list[tuple[str | None, str, str, str, float]],
            **{"score": _NUMBERS, "related": list[tuple[str, str, bool]], "doubt": Doubt, "importance": _NUMBERS},
            "ratings": list[tuple[str, str, float]],
        },
        Results: {"found": list[Hit], "searched": int, "elsewhere": int},
        Brief: {"text": str, "ids": list[str]},
        Narrow: {
            **dict.fromkeys(("tag", "file", "tier", "agent", "of_session"), str),
            **dict.fromkeys(("since", "before"), _NUMBERS),
        },
    }
)

KEYS_MOST = 4  # of a project; proposed: a remote and a folder are two
_MANY, _FROM = Within(1, LISTING_LIMIT_MAX), Within(0, 10**9)
_IDS = list[str]
_ALL = {"everything": bool}
_LISTED = {"kind": _WORDS, "limit": _MANY, "everything": bool, "narrow": Narrow}
_AROUND = {"depth": Within(1, EXPLORE_DEPTH), "limit": _MANY, "types": _IDS, "least": float, "everything": bool}
_GIVEN = {"kind": str, "relevance": _NUMBERS, "tags": _IDS}

CALLS = {
    # looking
    "search": Call(Results, query=str, count=bool, **_LISTED),
    "about": Call(Results, topic=str, **_LISTED),
    "recent": Call(list[Hit], offset=_FROM, which=str, **_LISTED),
    "why": Call(Why, memory_id=str, query=str, **_ALL),
    "show": Call(tuple[Hit, list[tuple[int, str, float, float, str]]], memory_id=str, count=bool),
    "get": Call(list[Hit], ids=_IDS),
    "still_there": Call(list[Hit], ids=_IDS),
    "taken_back_by": Call(list[Hit], memory_id=str),
    "brief": Call(Brief, limit=Within(1, BRIEF_LIMIT_MAX, none=True), kind=_WORDS),
    "status": Call(Status, **_ALL),
    "week": Call(Late(_week), **_ALL),
    "total": Call(int | None),
    "selected": Call(list[StoredMemory], user=bool, narrow=Narrow, deleted=bool, **_ALL),
    # a session's focus
    "focus": Call(list[tuple[Hit, float]], ids=_IDS, words=str, session=str),
    "unfocus": Call(None, session=str),
    "prompt_context": Call(
        *(list[str],), session=str, max_memories=_MANY, max_tokens=Within(1, CONTEXT_TOKENS), min_relevance=float
    ),
    "working": Call(list[Hit]),
    # keeping and correcting
    "store": Call(
        tuple[Hit, bool],
        **{"text": str, "user": bool, "ttl": str, "until": str, "tier": str, "agent": str, "seed": str, **_GIVEN},
        origin=Literal["manual", "api"],
    ),
    "revise": Call(Hit, memory_id=str, text=_WORDS, **{**_GIVEN, "kind": _WORDS}),
    "rate": Call(Hit, memory_id=str, vote=str, note=str),
    "pin": Call(Hit, memory_id=str, pinned=bool),
    "trust": Call(Hit, memory_id=str),
    "forget": Call(Hit, memory_id=str),
    "forget_all": Call(int, ids=_IDS),
    "restore": Call(Hit, memory_id=str),
    "promote": Call(Hit, memory_id=str, tier=str),
    "demote": Call(Hit, memory_id=str, tier=str),
    "united": Call(str, ids=_IDS),
    "merge": Call(Hit, ids=_IDS, text=str),
    "unmerge": Call(list[Hit], memory_id=str),
    # what waits
    "quarantined": Call(list[Hit], limit=_MANY, **_ALL),
    "contradicted": Call(list[Hit], limit=_MANY, **_ALL),
    "review": Call(list[Late(_proposal)], kinds=_IDS, limit=_MANY, **_ALL),  # type: ignore[misc]
    "confirm": Call(list[Hit], proposals=_IDS),
    "reject": Call(None, proposals=_IDS),
    # the graph
    "relate": Call(bool, source=str, target=str, type=str, notes=str),
    "unrelate": Call(list[str], one=str, other=str, type=str),
    "explore": Call(Subgraph, topic=str, **_AROUND),
    "related": Call(Subgraph, memory_id=str, **_AROUND),
    "path": Call(Subgraph, source=str, target=str, least=float, **_ALL),
    "overview": Call(list[Community], **_ALL),
    "drawing": Call(tuple[dict[str, Any], int], **_ALL),
    "graph": Call(Subgraph, limit=_MANY, offset=_FROM, **_ALL),
    # accounting
    "worth": Call(Worth, memory_id=str),
    "ending": Call(list[Hit], limit=_MANY, **_ALL),
    "audit": Call(
        list[Entry],
        **dict.fromkeys(("op", "memory", "session", "actor", "agent", "tier"), str),
        **{"since": float, "before": float, "limit": _MANY, "page": Within(1, 10**6)},
    ),
    "audited": Call(str, given=str),
    "history": Call(tuple[Hit, list[Version], list[Entry]], memory_id=str),
    "as_of": Call(list[Hit], query=str, then=float, limit=_MANY, **_ALL),
    "diff": Call(Diff, session=str),
    "undo": Call(Late(_undone), session=str),
    # sessions
    "session": Call(Seen, session=str),
    "sessions": Call(tuple[list[Seen], int], limit=_MANY, offset=_FROM, **_ALL),
    "end_session": Call(int, session=str),
    "deliveries": Call(list[Delivery], memory_id=str, limit=_MANY, **_ALL),
    # of another machine's hooks and worker
    "settled": Call(_WORDS),
    "changes": Call(Changes, since=Within(0, LARGEST), projects=_IDS, whole=bool),
    "rows_of": Call(Page, ids=_IDS, projects=_IDS),
    "count_shown": Call(None, session=str, rows=list[tuple[str, str, int, float]]),
    "learn": Call(tuple[_IDS, _IDS], session=str, told=Told, branch=str),
}
# What needs the files of the machine that the memories are on, and the command that does it there.
THERE = {
    **{"backup": "backup", "backup_list": "backup --list", "restore_backup": "restore-backup", "repair": "doctor"},
    **{"jobs": "jobs", "maintain": "maintain", "consolidate": "maintain", "scrub": "scrub", "reindex": "reindex"},
    **{"ingest": "ingest", "past": "ingest", "capture": "capture", "capture_text": "capture", "observe": "observe"},
    **{"export": "export", "take_in": "import", "move": "move", "share": "share", "verify": "verify", "erase": "erase"},
    **{"quoting": "erase", "onboard": "onboard", "profile": "onboard", "projects": "status --all"},
    **{"start_session": "observe", "doctor": "doctor", "prove": "doctor --prove", "work": "work", "explain": "capture"},
}
