"""Explains a memory's worth, what was known on a day, and what a session changed. Only reads."""

from __future__ import annotations

from dataclasses import dataclass

from ..db.hits import shown
from ..db.reader import Reader
from ..lib.errors import BadInput, NotFound
from ..lib.text import query_terms, session_key, words
from ..model.candidate import PROGRAM
from ..model.hit import Hit
from ..model.importance import COGNOVA, Z3RNO, Factor, band, factors
from ..model.memory import REWOUND, SUPERSEDED, StoredMemory
from ..model.policies import Policies
from ..model.scope import Scope
from ..model.tiers import DAY, Standing, is_prunable, sinks, touched_at
from ..project.identity import text_of
from .history_sql import as_of as rows_as_of
from .history_sql import changed_by, history, is_undone, sessions_named, suggested_by, turned_down


@dataclass(frozen=True, slots=True)
class Worth:
    """A memory's importance now (0..1), its factors, and what will happen next. `left` is the share of its relevance
    that is left, `sessions` the number that have stated it, `next` what the cycle would do and why. `ended` is why it
    does not hold, "" if it does.
    """

    hit: Hit
    importance: float
    bands: tuple[str, str]
    left: float
    idle_days: float
    factors: tuple[Factor, ...]
    sessions: int
    next: tuple[str, str]
    prunable: bool
    ended: str


def worth(store: Reader, given: str, policies: Policies, retention: float, now: float) -> Worth:
    hit = shown(store, store.get(given).id)
    memory = hit.memory
    value = policies.importance(memory, now)
    sessions = len({session for session, _, _, method, _ in hit.evidence if session and method != PROGRAM})
    tier = policies.tier_of(memory)
    return Worth(
        hit=hit,
        importance=value,
        bands=(band(value, COGNOVA), band(value, Z3RNO)),
        left=sinks(memory, tier, now),
        idle_days=max(0.0, now - touched_at(memory)) / DAY,
        factors=tuple(factors(memory, tier, now, memory.pagerank)),
        sessions=sessions,
        next=policies.promotion(Standing(memory, value, sessions), now),
        prunable=memory.trust == "trusted"
        and is_prunable(memory, value, retention, now)
        and not turned_down(store, "prune", memory.id),
        ended=_ended(store, memory),
    )


def _ended(store: Reader, memory: StoredMemory) -> str:
    if memory.status == "active":
        return ""
    told = history(store, memory.id) if memory.status_reason in (REWOUND, SUPERSEDED) else []  # in more words
    return (told[-1].reason if told else memory.status_reason) or "by hand"


def as_of(store: Reader, query: str, scope: Scope, then: float, limit: int) -> list[Hit]:
    """Returns the memories of a moment that contain the most words of a query, of equal ones the most
    relevant first.
    """
    terms = set(query_terms(query))
    if not terms:
        raise BadInput("there is no word to look for", "keepstone search --as-of 2026-11-01 'billing database'")
    found: list[tuple[int, StoredMemory]] = []
    for memory in rows_as_of(store, scope.project, scope.everything, scope.kinds, then):
        said = words(memory.title + " " + memory.content)
        held = sum(any(word.startswith(term[: max(4, len(term) - 2)]) for word in said) for term in terms)
        if held:
            found.append((held, memory))
    found.sort(key=lambda pair: (-pair[0], -pair[1].relevance, -pair[1].seq))
    return [_then(store, memory) for _, memory in found[:limit]]


def _then(store: Reader, memory: StoredMemory) -> Hit:
    hit = shown(store, memory.id)
    hit.memory = memory
    return hit


@dataclass(frozen=True, slots=True)
class Diff:
    """The changes of a session: (operation, memory) in order, without memories that no longer exist. `undone` tells
    whether they were undone and nothing followed. `suggested` counts its suggestions that wait.
    """

    session: str
    changes: tuple[tuple[str, Hit], ...]
    undone: bool
    suggested: int = 0


# A diff's names of audit operations; the other operations keep their names.
AUDIT_LABELS = {"store": "new", "reinforce": "said again", "supersede": "taken back", "expire": "ended"}
AUDIT_LABELS["rewind"] = "prompt taken back"


def require_session(store: Reader, given: str) -> str:
    """Returns the known session that an id or its prefix names. Raises NotFound or BadInput."""
    wanted = given.strip()
    found = sessions_named(store, text_of(wanted), session_key(wanted)) if wanted else []
    if not found:
        raise NotFound(f"no session is known as {wanted[:40]!r}", "keepstone audit shows sessions")
    if len(found) > 1 and found[0] != wanted:
        raise BadInput(f"several sessions begin with {wanted[:40]}", "give more of it")
    return found[0]


def diff(store: Reader, given: str) -> Diff:
    session = require_session(store, given)
    changes = []
    for op, memory_id, _, _ in changed_by(store, session):
        try:
            changes.append((AUDIT_LABELS.get(op, op.replace("_", " ")), shown(store, memory_id)))
        except NotFound:
            continue
    return Diff(session, tuple(changes), is_undone(store, session), suggested_by(store, session))
