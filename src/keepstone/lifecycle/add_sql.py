"""Stores a new memory, or reinforces a known one that is stated again. Each write has an audit row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..db.records import MemoryRecord, SuggestionRecord
from ..db.writer import Transaction
from ..language import duplicates
from ..language.facets import facets
from ..lib.errors import NotFound, StoreError
from ..lib.fast_json import dump
from ..lib.limits import ASKED_NOW, RESTATED_CONFIDENCE, UNASKED
from ..lib.text import MAIN_AGENT, digest
from ..model.candidate import PROGRAM, PROGRAM_RAN, PROGRAM_SAID, REPEATS, RUN_BY, Candidate, tier_at_birth, title_of
from ..model.memory import PERSON, QUARANTINED, REWOUND, SUPERSEDED, WORKER, WORKING, group_of, kinds_of
from ..model.suggestion import KEPT
from ..model.tiers import BY_HAND
from . import suggestions_sql, supersede_sql, tiers_sql, versions_sql
from .forgotten_sql import FORGOTTEN, GONE_FOR_GOOD, was_forgotten
from .tombstones_sql import Tombstones, erased, without_erased

_BY_PROGRAM = (PROGRAM_SAID, PROGRAM_RAN)  # reasons to wait that the setting `programs` decides on
LAPSED = ("expired", "evicted", "pruned", "unmerged")  # reasons of memories that ended without being forgotten
# The columns that stating a memory again may change.
REINFORCED = (
    *("status", "status_reason", "trust", "tier", "origin", "expires_at", "created_at", "confidence", "verified_at"),
)
_STORED_BEFORE = "SELECT memory_id FROM evidence WHERE record_uuid = :record ORDER BY seq LIMIT 1"
_TAKEN = """
SELECT e.record_uuid, e.row_digest, m.status_reason FROM json_each(:records) j CROSS JOIN evidence e
CROSS JOIN memory m WHERE e.record_uuid = j.value AND m.id = e.memory_id
"""
# The same words of the same moment: a fork, a resumed session or a copy gives a record another session or uuid.
_COPIED = """
SELECT e.row_digest, e.created_at FROM evidence e WHERE e.row_digest IN (SELECT value FROM json_each(:digests))
"""
_IS_EVIDENCE = "SELECT 1 FROM evidence WHERE memory_id = :id AND record_uuid = :record LIMIT 1"
# Filters in SQL: comparing all texts of the place in Python took half of the time.
_LIKE = """
WHERE t.scope = :scope AND t.project_id {project} AND t.kind IN (SELECT value FROM json_each(:kinds))
    AND coalesce(t.status_reason, '') <> :rewound
    AND t.status IN (SELECT value FROM json_each(:statuses)) AND length(t.content) BETWEEN :shortest AND :longest
    AND lower(t.content) LIKE lower(:pattern)
"""
_REPEATED = """
WHERE t.id = :id AND t.scope = :scope AND t.project_id {project} AND t.kind IN (SELECT value FROM json_each(:kinds))
"""
_ADD_EVIDENCE = """
INSERT INTO evidence (memory_id, session_id, record_uuid, excerpt, trust, method, row_digest, created_at)
VALUES (:memory_id, :session_id, :record_uuid, :excerpt, :trust, :method, :row_digest, :created_at)
ON CONFLICT (memory_id, record_uuid) DO NOTHING
"""
_ADD_FACET = """
INSERT INTO memory_facet (memory_id, facet, value) VALUES (:memory_id, :facet, :value)
ON CONFLICT (memory_id, facet, value) DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a memory (hook, manual, onboarding, auto_memory, import or api) with its project, session, branch
    and agent. `actor` is who the audit names, by default the person or the worker, as the origin tells.
    """

    origin: str
    project_id: str | None = None
    session_id: str | None = None
    branch: str | None = None
    agent_id: str = MAIN_AGENT
    actor: str = ""


# Finds a memory of a project that says the same as a candidate and has one of some statuses.
Finder = Callable[[Transaction, str | None, Candidate, tuple[str, ...]], MemoryRecord | None]


def evidence_digest(excerpt: str) -> str:
    return digest(excerpt)


def by_hand(tx: Transaction) -> Origin:
    """Returns the origin of a change by hand, in the session that it belongs to."""
    return Origin("manual", session_id=tx.session, actor=tx.actor)


def store(
    tx: Transaction,
    origin: Origin,
    candidate: Candidate,
    tags: Iterable[str],
    seed: str,
    now: float,
    asked_at: float = ASKED_NOW,
) -> tuple[str, bool]:
    """Stores a memory that a person gives, or reinforces a known active one. Returns (id, whether it is new).

    A forgotten memory does not prevent storing it again, because the person wants it; if it was forgotten since the
    person asked a model for it (`asked_at`), it waits for a person's word. The same `seed` again changes nothing,
    whatever has happened to the memory since. Raises NotFound if that was erased.
    """
    tags = list(tags)
    if (before := _stored_before(tx, candidate.record_uuid)) is not None:
        return before, False
    known = supersede_sql.current(tx, duplicate(tx, origin.project_id, candidate, ("active", "archived")))
    if known is not None and known.status == "archived" and known.status_reason != SUPERSEDED:
        known = None
    is_back = was_forgotten(tx, origin.project_id, [candidate.content, " ".join(tags)], asked_at)
    stays = known is not None and _stays(tx, known, candidate, origin.session_id, now)
    if known is not None and (stays or (is_back or asked_at == UNASKED) and known.trust == QUARANTINED):
        return known.id, False
    if is_back and known is None:
        candidate = replace(candidate, suspect=candidate.suspect or FORGOTTEN)
    memory = known or insert(tx, origin, candidate, seed, now)
    if known is None:
        add_evidence(tx, memory.id, origin, candidate, now)
    else:
        _reinforce(tx, known, origin, candidate, now)
    if known is None or _renew(tx, known, candidate, origin.session_id, now):
        supersede_sql.apply_supersession(tx, memory, candidate, origin.session_id, now)
    for tag in tags:
        add_facet(tx, memory.id, "tag", tag)
    return memory.id, known is None


def _stored_before(tx: Transaction, record: str) -> str | None:
    if erased(tx, [record]):
        raise NotFound("this was stored before, and erased since", "keepstone store, if you want it all the same")
    memory_id: str | None = tx.value(_STORED_BEFORE, {"record": record})
    return memory_id


def add_all(tx: Transaction, origin: Origin, candidates: Iterable[Candidate], now: float) -> Iterator[tuple[str, bool]]:
    """Stores the candidates of a window or of a session's end. Yields (id, whether it is new) of each memory."""
    candidates = list(candidates)
    if not candidates:
        return
    known, forgotten = taken(tx, [candidate.record_uuid for candidate in candidates])
    copied = _said_before(tx, candidates)
    for candidate in without_erased(Tombstones(tx), candidates):
        if candidate.record_uuid in forgotten:
            continue  # another extractor words a forgotten statement differently
        words = evidence_digest(candidate.excerpt)
        if (candidate.record_uuid, words) in known or (words, candidate.said_at) in copied:
            continue  # already stored
        done = _keep_or_suggest(tx, origin, candidate, now)
        if done is not None and (done[1] or not candidate.by_program):  # a program says nothing again
            yield done


def _keep_or_suggest(tx: Transaction, origin: Origin, candidate: Candidate, now: float) -> tuple[str, bool] | None:
    """Returns (id, whether it is new) of the memory that a candidate becomes or states again. Returns None if its
    record has stated that before, or if it became a suggestion.
    """
    memory, alike = _known(tx, origin, candidate)
    if memory is not None and tx.one(_IS_EVIDENCE, {"id": memory.id, "record": candidate.record_uuid}):
        return None
    place = {"project_id": origin.project_id, "agent_id": origin.agent_id, "branch": candidate.branch or origin.branch}
    session, actor = origin.session_id, origin.actor or WORKER
    if _is_suggested(tx, origin, candidate, memory, alike, now):
        suggestions_sql.suggest(tx, candidate, alike, now, session_id=session, actor=actor, **place)
        return None
    if memory is not None and _is_held_back(memory, candidate):
        suggestions_sql.hold_back(tx, candidate, memory.id, now, session_id=session, actor=actor, **place)
        return memory.id, False
    memory, is_new = _keep(tx, origin, candidate, memory, now)
    if alike and alike[0].state != KEPT and not candidate.suspect:
        _add_suggested(tx, memory, alike[0], origin, now)
    return memory.id, is_new


def _known(tx: Transaction, origin: Origin, candidate: Candidate) -> tuple[MemoryRecord | None, list[SuggestionRecord]]:
    """Returns the memory that a candidate states again, and the suggestions that it says again: a memory that was made
    of one of these in other words is the memory.
    """
    memory = _find(tx, origin, candidate, duplicate)
    if memory is not None and not (candidate.unsure and memory.status_reason == REWOUND):
        return memory, []
    alike = suggestions_sql.alike(tx, origin.project_id, candidate)
    if alike and alike[0].state == KEPT:
        made = tx.record(MemoryRecord, "WHERE t.id = :id", {"id": alike[0].memory_id})
        return supersede_sql.current(tx, made), alike
    return memory, alike


def _is_suggested(
    tx: Transaction,
    origin: Origin,
    candidate: Candidate,
    memory: MemoryRecord | None,
    alike: list[SuggestionRecord],
    now: float,
) -> bool:
    """Tells whether a candidate becomes a suggestion, and no memory: it is unsure, nobody has said it before, and it
    takes back nothing that is known.
    """
    is_known = memory is not None and memory.status_reason != REWOUND
    if not candidate.unsure or is_known:
        return False
    if suggestions_sql.is_again(alike, origin.session_id, candidate):
        return False
    if candidate.suspect or candidate.method not in supersede_sql.PERSON_METHODS:
        return True
    return not supersede_sql.takes_back(tx, _record_of(tx, origin, candidate, _seed(origin, candidate), now))


def _is_held_back(memory: MemoryRecord, candidate: Candidate) -> bool:
    """Tells whether a candidate would be a memory of its own, if a known one that says the same were not trusted."""
    is_one = not (candidate.unsure or candidate.by_program)
    return is_one and memory.status == "active" and is_beyond(memory, candidate)


def disputes(tx: Transaction, origin: Origin, candidate: Candidate, now: float) -> bool:
    """Tells whether a candidate would take back or contradict a known memory."""
    return supersede_sql.disputes(tx, _record_of(tx, origin, candidate, _seed(origin, candidate), now))


def _add_suggested(
    tx: Transaction, memory: MemoryRecord, suggested: SuggestionRecord, origin: Origin, now: float
) -> None:
    """Makes the words of a suggestion evidence of the memory that it has become."""
    if suggested.trust != QUARANTINED:
        said = replace(origin, session_id=suggested.session_id)
        add_evidence(tx, memory.id, said, suggestions_sql.candidate_of(suggested), now)
    suggestions_sql.change_state(tx, suggested, KEPT, now, memory.id, session=origin.session_id)


def _said_before(tx: Transaction, candidates: list[Candidate]) -> set[tuple[str, float]]:
    """Returns the words and times of evidence with the words of one of the candidates."""
    digests = dump(list({evidence_digest(candidate.excerpt) for candidate in candidates}))
    return set(tx.all(_COPIED, {"digests": digests}))


def taken(tx: Transaction, records: list[str]) -> tuple[set[tuple[str, str]], set[str]]:
    """Returns the evidence that earlier captures stored from these records, as (record uuid, excerpt digest), and the
    records with something that was forgotten or erased.
    """
    if not records:
        return set(), set()
    rows = tx.all(_TAKEN, {"records": dump(list(dict.fromkeys(records)))})
    gone = {uuid for uuid, _, reason in rows if reason in GONE_FOR_GOOD}
    return {(uuid, made) for uuid, made, _ in rows}, gone | erased(tx, records)


def keep(
    tx: Transaction, origin: Origin, candidate: Candidate, now: float, find: Finder | None = None
) -> tuple[str, bool]:
    """Stores a candidate, or lets it reinforce the memory that `find` returns (by default `duplicate`). Returns (id,
    whether it is new).
    """
    memory, is_new = _keep(tx, origin, candidate, _find(tx, origin, candidate, find or duplicate), now)
    return memory.id, is_new


def _seed(origin: Origin, candidate: Candidate) -> str:
    return digest(origin.session_id or "", candidate.record_uuid, candidate.kind, candidate.content)


def _find(tx: Transaction, origin: Origin, candidate: Candidate, find: Finder) -> MemoryRecord | None:
    """Returns the memory that a candidate states again, or the one that it has become before."""
    known = _repeated(tx, origin.project_id, candidate)
    known = known or find(tx, origin.project_id, candidate, ("active", "archived", "deleted"))
    made = versions_sql.memory_id_of(_seed(origin, candidate))
    return supersede_sql.current(tx, known or tx.record(MemoryRecord, "WHERE t.id = :id", {"id": made}))


def _keep(
    tx: Transaction, origin: Origin, candidate: Candidate, known: MemoryRecord | None, now: float
) -> tuple[MemoryRecord, bool]:
    seed = _seed(origin, candidate)
    if known is None or known.status_reason == REWOUND:
        if _comes_back(tx, origin, candidate):
            candidate = replace(candidate, suspect=FORGOTTEN)
        memory = _return(tx, origin, known, candidate, now) if known else insert(tx, origin, candidate, seed, now)
        add_evidence(tx, memory.id, origin, candidate, now)
        supersede_sql.apply_supersession(tx, memory, candidate, origin.session_id, now)
        return memory, True
    if _stays(tx, known, candidate, origin.session_id, now):
        return known, False
    _reinforce(tx, known, origin, candidate, now)
    if _renew(tx, known, candidate, origin.session_id, now):
        supersede_sql.apply_supersession(tx, known, candidate, origin.session_id, now)
    return known, False


def _stays(tx: Transaction, known: MemoryRecord, candidate: Candidate, session: str | None, now: float) -> bool:
    """Tells whether a candidate does not reinforce a known memory. A program's never does: a template counts once,
    however often it is run. But what waits only because a program said it is learned once programs speak for the user.
    """
    waits = known.status == "active" and known.trust == QUARANTINED and known.status_reason in _BY_PROGRAM
    if candidate.by_program and waits and not candidate.suspect:
        sound = versions_sql.is_sound(known)
        tx.change(known, trust="trusted", status_reason=None)
        if sound:
            versions_sql.sign(tx, known, now)
        supersede_sql.apply_supersession(tx, known, candidate, session, now)
    return candidate.by_program or is_beyond(known, candidate)


def _return(tx: Transaction, origin: Origin, known: MemoryRecord, candidate: Candidate, now: float) -> MemoryRecord:
    """Makes a memory hold again as it was at first: its user had taken the prompt back, and has returned to it."""
    sound, tier = versions_sql.is_sound(known), _tier_of(candidate)
    room = has_room(tx, tier, origin, now)
    reason = (candidate.suspect or None) if room else tiers_sql.EVICTED
    status = "active" if room else "deleted"
    versions_sql.apply_change(tx, known, now, "restate", status=status, status_reason=reason)
    tx.change(
        known,
        tier=tier,
        expires_at=tiers_sql.ends_at(tx, tier, origin.origin, now) if candidate.ends_at is None else candidate.ends_at,
        trust=QUARANTINED if candidate.suspect else "trusted",
        confidence=candidate.confidence,
        created_at=min(now, candidate.said_at or now),
    )
    if sound:
        versions_sql.sign(tx, known, now)
    audit(tx, "store", known.id, origin, now)
    return known


def _tier_of(candidate: Candidate) -> str:
    return candidate.tier or tier_at_birth(candidate.kind, candidate.confidence)


def _comes_back(tx: Transaction, origin: Origin, candidate: Candidate) -> bool:
    """Tells whether a session's model says what was forgotten, or its user said it before that."""
    if candidate.suspect or origin.origin != "hook":
        return False
    own = candidate.method in supersede_sql.PERSON_METHODS
    since = (ASKED_NOW if candidate.said_at is None else candidate.said_at) if own else UNASKED
    project = origin.project_id if candidate.scope == "project" else None
    return was_forgotten(tx, project, [candidate.content], since)


def is_beyond(known: MemoryRecord, candidate: Candidate) -> bool:
    """Tells whether a known memory is beyond what a candidate may change: trusted, while the candidate is suspect."""
    return bool(candidate.suspect) and known.trust != QUARANTINED


def _renew(tx: Transaction, known: MemoryRecord, candidate: Candidate, session: str | None, now: float) -> bool:
    """Applies the effects of stating a memory again, and returns whether there were any: what was noted for a session
    outlives it, a person's own words lift the quarantine, a superseded memory holds again, and one that ended
    automatically starts again.
    """
    said_at, sound = min(now, candidate.said_at or now), versions_sql.is_sound(known)
    confirmed = known.tier == WORKING and known.status == "active"
    lapsed = known.status != "active" and known.status_reason in LAPSED
    cleared = known.trust == QUARANTINED and candidate.method in supersede_sql.PERSON_METHODS and not candidate.suspect
    again = _holds_again(tx, known, candidate, said_at)
    if confirmed:
        tiers_sql.confirm_tier(tx, known, now)
    if cleared:
        tx.change(known, trust="trusted", status_reason=None)
    if again or lapsed:
        tiers_sql.make_room(tx, known.tier, known.agent_id, now)
        why = versions_sql.reason_to_wait(tx, known)
        versions_sql.apply_change(tx, known, now, "restate", status="active", status_reason=why)
    if again:
        tx.change(known, created_at=said_at)
        supersede_sql.revive(tx, known, candidate.method == "manual", session, now)
    if known.status == "active" and known.expires_at is not None:
        ends = tiers_sql.ends_at(tx, known.tier, known.origin, now)
        tx.change(known, expires_at=ends if known.expires_at <= now else max(known.expires_at, ends or 0.0))
    changed = confirmed or cleared or again or lapsed
    if sound and changed:
        versions_sql.sign(tx, known, now)
    return changed


def _holds_again(tx: Transaction, known: MemoryRecord, candidate: Candidate, said_at: float) -> bool:
    """Tells whether a person states again what a superseded memory says."""
    if known.status_reason != SUPERSEDED or candidate.method not in supersede_sql.PERSON_METHODS or candidate.unsure:
        return False
    since = supersede_sql.superseded_at(tx, known.id)
    return since is not None and said_at > since


def _reinforce(tx: Transaction, known: MemoryRecord, origin: Origin, candidate: Candidate, now: float) -> None:
    """Raises confidence a little for each session that states a memory again, as of when it was said."""
    was: dict[str, Any] = {name: getattr(known, name) for name in REINFORCED}
    if known.status_reason == SUPERSEDED:
        was["by"] = supersede_sql.superseded_by(tx, known.id)
    values: dict[str, Any] = {"verified_at": max(known.verified_at or 0.0, min(now, candidate.said_at or now))}
    if origin.session_id not in tx.column("SELECT session_id FROM evidence WHERE memory_id = :id", {"id": known.id}):
        values["confidence"] = min(1.0, known.confidence + RESTATED_CONFIDENCE)
    if origin.origin in BY_HAND:  # the memory is the person's own from now on
        values |= {"origin": origin.origin, "expires_at": candidate.ends_at}
    tx.change(known, **values)
    add_evidence(tx, known.id, origin, candidate, now)
    audit(tx, "reinforce", known.id, origin, now, was=was, record=candidate.record_uuid)


def _place(project_id: str | None, candidate: Candidate, where: str) -> tuple[str, dict[str, Any]]:
    """Returns the condition and the values that choose memories of a candidate's scope and group."""
    project = project_id if candidate.scope == "project" else None
    values = {"scope": candidate.scope, "project": project, "kinds": dump(list(kinds_of(group_of(candidate.kind))))}
    return where.format(project="IS NULL" if project is None else "= :project"), values


def _repeated(tx: Transaction, project_id: str | None, candidate: Candidate) -> MemoryRecord | None:
    """Returns the memory that a candidate claims to repeat, if it has the candidate's scope and group and every number
    that the candidate names.
    """
    if candidate.relation != REPEATS:
        return None
    where, values = _place(project_id, candidate, _REPEATED)
    known = tx.record(MemoryRecord, where, {**values, "id": candidate.related_id})
    if known is None or known.status_reason == REWOUND:
        return None
    return known if duplicates.adds_no_number(candidate.content, known.content) else None


def duplicate(
    tx: Transaction, project_id: str | None, candidate: Candidate, statuses: tuple[str, ...]
) -> MemoryRecord | None:
    """Returns the memory of one of these statuses that says the same as a candidate: an active one first, then the
    oldest.
    """
    length = len(candidate.content)
    where, values = _place(project_id, candidate, _LIKE)
    values |= {"statuses": dump(list(statuses)), "pattern": duplicates.pattern(candidate.content)}
    values["rewound"] = REWOUND
    values |= {"shortest": length * duplicates.LIKE_LENGTH, "longest": length / duplicates.LIKE_LENGTH}
    rows = tx.records(MemoryRecord, where, values)
    same = [row for row in rows if duplicates.same(candidate.content, row.content, tx.ratio)]
    return min(same, key=lambda row: (row.status != "active", row.created_at, row.id), default=None)


def insert(tx: Transaction, origin: Origin, candidate: Candidate, seed: str, now: float) -> MemoryRecord:
    """Stores a new memory with its facets."""
    room = has_room(tx, _tier_of(candidate), origin, now)
    memory = _record_of(tx, origin, candidate, seed, now)
    if not room:
        memory.status, memory.status_reason = "deleted", tiers_sql.EVICTED
    memory.row_digest = versions_sql.memory_digest(memory)
    tx.add(memory)
    tx.written.append(memory.id)
    mark = [(RUN_BY, PROGRAM)] if candidate.by_program else []
    found = dict.fromkeys([*(candidate.facets or facets(candidate.content)), *mark])
    tx.many(_ADD_FACET, [{"memory_id": memory.id, "facet": facet, "value": value} for facet, value in found])
    audit(tx, "store", memory.id, origin, now)
    if not room:
        tiers_sql.audit(tx, *tiers_sql.end_of(tiers_sql.EVICTED, [memory.id]), now)
    return memory


def _record_of(tx: Transaction, origin: Origin, candidate: Candidate, seed: str, now: float) -> MemoryRecord:
    """Returns the row of a new memory, without its digest."""
    tier = _tier_of(candidate)
    return MemoryRecord(
        id=versions_sql.memory_id_of(seed),
        agent_id=origin.agent_id,
        project_id=origin.project_id if candidate.scope == "project" else None,
        scope=candidate.scope,
        kind=candidate.kind,
        tier=tier,
        expires_at=tiers_sql.ends_at(tx, tier, origin.origin, now) if candidate.ends_at is None else candidate.ends_at,
        trust=QUARANTINED if candidate.suspect else "trusted",
        status_reason=candidate.suspect or None,
        deadline_at=candidate.deadline_at,
        title=candidate.title or title_of(candidate.content),
        content=candidate.content,
        relevance=candidate.relevance,
        confidence=candidate.confidence,
        origin=origin.origin,
        session_id=origin.session_id,
        branch=candidate.branch or origin.branch,
        created_at=min(now, candidate.said_at or now),
        updated_at=now,
        content_hash=digest(duplicates.normalise(candidate.content)),
        row_digest="",
    )


def has_room(tx: Transaction, tier: str, origin: Origin, now: float) -> bool:
    """Makes room for one more memory in a tier. If nothing may be evicted, returns False for a captured memory, which
    is then stored as evicted and can be restored by hand, and raises StoreError for one that a caller gave.
    """
    try:
        tiers_sql.make_room(tx, tier, origin.agent_id, now)
    except StoreError:
        if origin.origin in (*BY_HAND, "api"):
            raise
        return False
    return True


def add_evidence(tx: Transaction, memory_id: str, origin: Origin, candidate: Candidate, now: float) -> None:
    """Adds a candidate's excerpt as evidence of a memory, unless the memory has evidence of that record."""
    values = {
        "memory_id": memory_id,
        "session_id": origin.session_id,
        "record_uuid": candidate.record_uuid,
        "excerpt": candidate.excerpt,
        "trust": QUARANTINED if candidate.suspect else "trusted",
        "method": candidate.method,
        "row_digest": evidence_digest(candidate.excerpt),
        "created_at": min(now, candidate.said_at or now),
    }
    tx.run(_ADD_EVIDENCE, values)


def add_facet(tx: Transaction, memory_id: str, facet: str, value: str) -> bool:
    """Adds a facet to a memory. Returns whether it is new."""
    return tx.run(_ADD_FACET, {"memory_id": memory_id, "facet": facet, "value": value}) > 0


def audit(tx: Transaction, op: str, memory_id: str, origin: Origin, now: float, **details: Any) -> None:
    """Adds an audit row."""
    actor = origin.actor or (PERSON if origin.origin in BY_HAND else WORKER)
    session = origin.session_id
    tx.insert(
        "audit",
        {"at": now, "actor": actor, "op": op, "memory_id": memory_id, "session_id": session, "details": dump(details)},
    )
