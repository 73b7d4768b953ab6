"""Every write, each with its audit row in the same transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, event, func, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool
from sqlmodel import Session as Transaction
from sqlmodel import create_engine, select

from ..core import dedupe
from ..core.candidate import REPEATS, Candidate, tier_at_birth, title_of
from ..core.defaults import BUSY_SECONDS
from ..core.errors import NotFound, StoreError
from ..core.fastjson import dump
from ..core.model import group_of, kinds_of
from ..core.text import digest
from ..core.transcript import Cursor
from ..project import Identity
from . import projects, versions
from .notes import METHOD, Note
from .notes import keep as keep_note
from .reader import COUNT_ACCESS, DELIVER, SCHEMA, quoted_path
from .tables import (
    Audit,
    Delivery,
    Evidence,
    Memory,
    MemoryFacet,
    Session,
)
from .usage import Ledger

# Texts that are 90 % alike are of like length (0.9 / 1.1), punctuation and white space apart: spares most comparisons.
LIKE_LENGTH = 0.6
# What a memory says, kept as a version when it changes; and what decides where and whether it is recalled.
SAYS = {"title", "content", "kind", "relevance"}
HOLDS = {"status", "status_reason", "trust", "scope"}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a memory comes from: `hook`, `manual` or `auto_memory`, in which session, project and branch."""

    origin: str
    project_id: str | None = None
    session_id: str | None = None
    branch: str | None = None


def memory_id_of(seed: str) -> str:
    return "mem-" + digest(seed)[:16]


def evidence_digest(excerpt: str) -> str:
    return digest(excerpt)


class Store:
    """The database for writing. Raises StoreError when it is locked, read-only, damaged or newer than this code."""

    def __init__(self, path: str, ratio: Callable[[str, str], float], busy: float = BUSY_SECONDS) -> None:
        """`ratio` tells how alike two normalised texts are, 0..100. `busy` is how many seconds a writer waits."""
        self.path = path
        self.ratio = ratio
        self.engine = create_engine(
            f"sqlite:///file:{quoted_path(path)}?mode=rw&uri=true",
            connect_args={"timeout": busy},
            poolclass=StaticPool,  # one connection: this process writes from one thread
        )
        event.listen(self.engine, "connect", _prepare)
        event.listen(self.engine, "begin", _begin)
        with self._transaction() as tx:
            schema = tx.connection().exec_driver_sql("PRAGMA user_version").scalar()
        if schema != SCHEMA:
            raise StoreError(
                f"{path} is of schema {schema}, this Cairn writes {SCHEMA}",
                "cairn work --wait"
                if schema and schema < SCHEMA
                else "update the plugin: claude plugin update cairn@cairn",
            )

    @contextmanager
    def _transaction(self) -> Iterator[Transaction]:
        try:
            with Transaction(self.engine) as tx, tx.begin():
                yield tx
        except DBAPIError as problem:
            raise StoreError(f"{self.path} can't be written: {problem.orig}", "cairn doctor") from problem

    # Projects and sessions

    def project(self, identity: Identity | None, root: str, now: float) -> str | None:
        """The id of a folder's project, made when it is new; `root` is its first commit, or "" when not looked up.

        What turns out to be one project becomes one: the strongest key's keeps its id, the others' rows move to it.
        """
        if identity is None:
            return None
        with self._transaction() as tx:
            return projects.settle(tx, identity, root, now)

    def cursor(self, session_id: str) -> Cursor:
        with self._transaction() as tx:
            row = tx.get(Session, session_id)
            if row is None:
                return Cursor()
            return _cursor_of(row)

    def project_at(self, cwd: str) -> str | None:
        """The project of the last session that ran in a folder, or None."""
        with self._transaction() as tx:
            query = select(Session.project_id).where(Session.cwd == cwd, Session.project_id != None)  # noqa: E711
            return tx.exec(query.order_by(Session.last_seen_at.desc(), Session.id).limit(1)).first()  # type: ignore[attr-defined]

    def cursors(self) -> dict[str, tuple[str, Cursor]]:
        """Of each session the path of its transcript and where its capture stands."""
        with self._transaction() as tx:
            return {row.id: (row.transcript_path or "", _cursor_of(row)) for row in tx.exec(select(Session))}

    def note_session(
        self, session_id: str, *, project_id: str | None, transcript_path: str, cwd: str, branch: str, now: float
    ) -> None:
        """Makes or refreshes a session's row; what is already known of it is not emptied."""
        with self._transaction() as tx:
            row = tx.get(Session, session_id) or Session(id=session_id, started_at=now, last_seen_at=now)
            row.project_id = project_id or row.project_id
            row.transcript_path = transcript_path or row.transcript_path
            row.cwd = cwd or row.cwd
            row.branch = branch or row.branch
            row.last_seen_at = max(row.last_seen_at, now)
            tx.add(row)

    def end_session(self, session_id: str, at: float) -> None:
        """Ends a session, unless it was seen after `at`: it was resumed before its end was worked on."""
        with self._transaction() as tx:
            row = tx.get(Session, session_id)
            if row is not None and row.ended_at is None and row.last_seen_at <= at:
                row.ended_at = at
                tx.add(row)

    def open_sessions(self, before: float) -> list[tuple[str, str, str, int, float]]:
        """(id, transcript, cwd, cursor offset, last seen at) of sessions not ended and not seen since `before`."""
        with self._transaction() as tx:
            query = select(Session).where(Session.ended_at == None, Session.last_seen_at < before)  # noqa: E711
            rows = tx.exec(query.order_by(Session.id)).all()
            return [(r.id, r.transcript_path or "", r.cwd or "", r.cursor_offset, r.last_seen_at) for r in rows]

    @property
    def ledger(self) -> Ledger:
        return Ledger(self._transaction)

    # Memories

    def capture(
        self,
        origin: Origin,
        candidates: Iterable[Candidate],
        before: Cursor,
        after: Cursor,
        now: float,
        notes: Iterable[Note] = (),
    ) -> tuple[list[str], list[str]] | None:
        """Commits a window: its candidates, its writes of memory files and the session's cursor together; (new ids,
        reinforced ids).

        None, and nothing written, when the cursor is no longer `before`: somebody else has captured this window.
        """
        session_id = origin.session_id or ""
        with self._transaction() as tx:
            row = tx.get(Session, session_id)
            if row is None or (row.cursor_offset, row.cursor_uuid or "") != (before.offset, before.uuid):
                return None
            new: list[str] = []
            reinforced: list[str] = []
            for memory_id, is_new in self._kept(tx, origin, list(candidates), notes, now):
                (new if is_new else reinforced).append(memory_id)
            row.cursor_offset, row.cursor_uuid = after.offset, after.uuid
            row.cursor_digest, row.carry_offset = after.digest, after.carry
            tx.add(row)
            if new or reinforced:
                details = dump({"new": len(new), "reinforced": len(reinforced)})
                tx.add(Audit(at=now, actor="worker", op="capture", session_id=session_id, details=details))
            return new, reinforced

    def _kept(
        self, tx: Transaction, origin: Origin, candidates: list[Candidate], notes: Iterable[Note], now: float
    ) -> Iterator[tuple[str, bool]]:
        """Stores what a window holds: (id, whether it is new) of each memory."""
        taken, forgotten = self._taken(tx, [candidate.record_uuid for candidate in candidates])
        for candidate in candidates:
            if candidate.record_uuid in forgotten:
                continue  # another extractor says in other words what was forgotten
            if (candidate.record_uuid, evidence_digest(candidate.excerpt)) not in taken:  # else this turn is known
                yield self._keep(tx, origin, candidate, now)
        for note in notes:
            kept = keep_note(self, tx, replace(origin, origin=METHOD), note, now)
            if kept is not None:
                yield kept

    @staticmethod
    def _taken(tx: Transaction, records: list[str]) -> tuple[set[tuple[str, str]], set[str]]:
        """What earlier captures took from these records, as (record uuid, excerpt digest), and the records of which
        something was forgotten.
        """
        if not records:
            return set(), set()
        query = select(Evidence.record_uuid, Evidence.row_digest, Memory.status).join(Memory)
        rows = tx.exec(query.where(Evidence.record_uuid.in_(records))).all()  # type: ignore[attr-defined]
        return {(uuid, made) for uuid, made, _ in rows}, {uuid for uuid, _, status in rows if status == "deleted"}

    def _keep(self, tx: Transaction, origin: Origin, candidate: Candidate, now: float) -> tuple[str, bool]:
        """Stores a candidate or lets it reinforce what is known: (id, whether it is new)."""
        known = self._repeated(tx, origin.project_id, candidate)
        known = known or self._duplicate(tx, origin.project_id, candidate, ("active", "archived", "deleted"))
        seed = digest(origin.session_id or "", candidate.record_uuid, candidate.kind, candidate.content)
        known = known or tx.exec(select(Memory).where(Memory.id == memory_id_of(seed))).first()
        if known is None:
            memory = self._insert(tx, origin, candidate, seed, now)
            self._add_evidence(tx, memory.id, origin, candidate, now)
            return memory.id, True
        self._add_evidence(tx, known.id, origin, candidate, now)
        self._audit(tx, "reinforce", known.id, origin, now)
        return known.id, False

    def store(
        self, origin: Origin, candidate: Candidate, tags: Iterable[str], seed: str, now: float
    ) -> tuple[str, bool]:
        """A memory given by a person: (id, whether it is new). One that is known and active is reinforced.

        What was forgotten does not stand in the way: storing it again is the person's word.
        """
        with self._transaction() as tx:
            known = self._duplicate(tx, origin.project_id, candidate, ("active",))
            memory = known or self._insert(tx, origin, candidate, seed, now)
            for tag in tags:
                self._add_facet(tx, memory.id, "tag", tag)
            self._add_evidence(tx, memory.id, origin, candidate, now)
            if known:
                self._audit(tx, "reinforce", memory.id, origin, now)
            return memory.id, known is None

    @staticmethod
    def _repeated(tx: Transaction, project_id: str | None, candidate: Candidate) -> Memory | None:
        """The memory that a candidate is said to repeat, where that can be: of its scope and group, and with every
        number that it names.
        """
        if candidate.relation != REPEATS:
            return None
        known = tx.exec(
            select(Memory).where(
                Memory.id == candidate.related_id,
                Memory.scope == candidate.scope,
                Memory.project_id == (project_id if candidate.scope == "project" else None),
                Memory.kind.in_(kinds_of(group_of(candidate.kind))),  # type: ignore[attr-defined]
            )
        ).first()
        return known if known and dedupe.adds_no_number(candidate.content, known.content) else None

    def _duplicate(
        self, tx: Transaction, project_id: str | None, candidate: Candidate, statuses: tuple[str, ...]
    ) -> Memory | None:
        length = len(candidate.content)
        query = select(Memory.seq, Memory.content).where(
            Memory.scope == candidate.scope,
            Memory.project_id == (project_id if candidate.scope == "project" else None),
            Memory.kind.in_(kinds_of(group_of(candidate.kind))),  # type: ignore[attr-defined]
            Memory.status.in_(statuses),  # type: ignore[attr-defined]
            func.length(Memory.content).between(length * LIKE_LENGTH, length / LIKE_LENGTH),
        )
        seqs = [seq for seq, content in tx.exec(query) if dedupe.same(candidate.content, content, self.ratio)]
        found = tx.exec(select(Memory).where(Memory.seq.in_(seqs))).all() if seqs else []  # type: ignore[union-attr]
        return min(found, key=lambda row: (row.status != "active", row.created_at, row.id), default=None)

    def _insert(self, tx: Transaction, origin: Origin, candidate: Candidate, seed: str, now: float) -> Memory:
        said_at = min(now, candidate.said_at or now)
        memory = Memory(
            id=memory_id_of(seed),
            project_id=origin.project_id if candidate.scope == "project" else None,
            scope=candidate.scope,
            kind=candidate.kind,
            tier=tier_at_birth(candidate.kind, candidate.confidence),
            title=candidate.title or title_of(candidate.content),
            content=candidate.content,
            relevance=candidate.relevance,
            confidence=candidate.confidence,
            origin=origin.origin,
            session_id=origin.session_id,
            branch=origin.branch,
            created_at=said_at,
            updated_at=now,
            content_hash=digest(dedupe.normalise(candidate.content)),
            row_digest="",
        )
        memory.row_digest = versions.memory_digest(memory)
        tx.add(memory)
        tx.flush()
        related = {candidate.relation: candidate.related_id} if candidate.relation not in ("", REPEATS) else {}
        self._audit(tx, "store", memory.id, origin, now, **related)
        return memory

    @staticmethod
    def _add_evidence(tx: Transaction, memory_id: str, origin: Origin, candidate: Candidate, now: float) -> None:
        stated = select(Evidence).where(Evidence.memory_id == memory_id, Evidence.record_uuid == candidate.record_uuid)
        if tx.exec(stated).first() is None:
            tx.add(
                Evidence(
                    memory_id=memory_id,
                    session_id=origin.session_id,
                    record_uuid=candidate.record_uuid,
                    excerpt=candidate.excerpt,
                    trust="trusted",
                    method=candidate.method,
                    row_digest=evidence_digest(candidate.excerpt),
                    created_at=min(now, candidate.said_at or now),
                )
            )
            tx.flush()

    @staticmethod
    def _add_facet(tx: Transaction, memory_id: str, facet: str, value: str) -> bool:
        """Whether the facet is new to the memory."""
        if tx.get(MemoryFacet, (memory_id, facet, value)) is not None:
            return False
        tx.add(MemoryFacet(memory_id=memory_id, facet=facet, value=value))
        return True

    @staticmethod
    def _audit(tx: Transaction, op: str, memory_id: str, origin: Origin | None, now: float, **details: Any) -> None:
        actor = "person" if origin is None or origin.origin == "manual" else "worker"
        session_id = origin.session_id if origin else None
        tx.add(Audit(at=now, actor=actor, op=op, memory_id=memory_id, session_id=session_id, details=dump(details)))

    def change(
        self, memory_id: str, op: str, change: Callable[[Memory], None], now: float, tags: Iterable[str] = ()
    ) -> None:
        """Applies a change to one memory and adds tags: the old text becomes a version when what it says changes, the
        digest follows, `op` is audited. A change that changes nothing writes nothing. Raises NotFound.
        """
        with self._transaction() as tx:
            memory = tx.exec(select(Memory).where(Memory.id == memory_id)).first()
            if memory is None:
                raise NotFound(f"there is no memory {memory_id}")
            before = memory.model_dump()
            change(memory)
            changed = {key for key, value in before.items() if value != getattr(memory, key)}
            changed |= {"tags" for tag in tags if self._add_facet(tx, memory_id, "tag", tag)}
            if not changed:
                return
            if changed & SAYS:
                versions.keep(tx, before, before["updated_at"], now, op)
                memory.version = before["version"] + 1
            if changed & (SAYS | HOLDS):
                versions.seal(memory, now)  # else a digest that no longer fits is left to be found
            tx.add(memory)
            self._audit(tx, op, memory_id, None, now, changed=sorted(changed))

    def count_deliveries(self, session_id: str, event_name: str, ids: Iterable[str], chars: int, at: float) -> None:
        """Counts what a hook showed while the store was busy; the same delivery again counts nothing."""
        with self._transaction() as tx:
            for memory_id in ids:
                known = tx.get(Delivery, (session_id, memory_id))
                if known is not None and known.delivered_at >= at:
                    continue
                tx.connection().execute(text(COUNT_ACCESS), {"id": memory_id, "now": at})
                shown = {"session": session_id, "id": memory_id, "event": event_name, "chars": chars, "now": at}
                tx.connection().execute(text(DELIVER), shown)

    def close(self) -> None:
        self.engine.dispose()


def _cursor_of(row: Session) -> Cursor:
    return Cursor(row.cursor_offset, row.cursor_uuid or "", row.cursor_digest or "", row.carry_offset)


def _prepare(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's begin event opens transactions, not the driver
    for pragma in ("foreign_keys=ON", "secure_delete=ON", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    # IMMEDIATE: a deferred one fails at its first write as soon as another process has written (perf.md 4)
    connection.exec_driver_sql("BEGIN IMMEDIATE")
