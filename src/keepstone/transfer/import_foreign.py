"""Imports memories of another tool: redacts and checks them, merges known ones, and finds their projects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ..db import sessions
from ..db.writer import Writer
from ..lib.limits import AUTO_MEMORY_CONFIDENCE, AUTO_MEMORY_RELEVANCE, CONTENT_CHARS, TELLING_WORDS
from ..lib.text import MASK, clean, session_key, words
from ..lifecycle.add_sql import Origin
from ..lifecycle.note_files_sql import METHOD as AUTO_MEMORY
from ..lifecycle.note_files_sql import Note
from ..model.candidate import Candidate, accept
from ..model.trust import suspicion
from ..project.identity import Identity
from . import adopt_sql
from .adopt_sql import DUPLICATE, FORGOTTEN, MERGED, NEW, Incoming
from .foreign_memory import Foreign, KnownProject, facets_of, names_of, owners, tags_of
from .shared_page import SHARED, WAITS

IMPORT_CONFIDENCE = 0.6  # as for Claude's own notes; below LASTING_CONFIDENCE, so episodic at most
IMPORT_RELEVANCE = 0.6  # below the user's own statements

TOO_LONG, SECRET = f"longer than the {CONTENT_CHARS:,} characters of a memory", "little but a secret"


@dataclass(slots=True)
class Imported:
    """The result of an import. `left` counts items that are not memories, by reason. `elsewhere` counts memories of
    projects that are unknown here, `unclear` those of projects with several matches here. `quarantined` counts new
    memories that wait for review.
    """

    path: str
    format: str
    new: int = 0
    merged: int = 0
    known: int = 0
    forgotten: int = 0
    quarantined: int = 0
    projects: int = 0
    left: Counter[str] = field(default_factory=Counter)
    elsewhere: Counter[str] = field(default_factory=Counter)
    unclear: Counter[str] = field(default_factory=Counter)

    @property
    def nothing(self) -> bool:
        counts = (self.new, self.merged, self.known, self.forgotten)
        return not any((*counts, self.left, self.elsewhere, self.unclear))


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """The place for imported memories. With `only`, just that project of the tool is imported, into this folder's
    project. With `user`, all memories get user scope.
    """

    identity: Identity | None
    folder: str
    only: str = ""
    user: bool = False


def import_foreign(
    writer: Writer,
    items: Iterable[Foreign],
    done: Imported,
    target: ImportTarget,
    folder_name: Callable[[str], str],
    *,
    redact: Callable[[str], str],
    now: float,
    watch: Callable[[int], None],
) -> None:
    """Imports the items of one source, all of them or none. `folder_name` returns the client's name for a folder."""
    owner = _Owner(writer, target, folder_name, now, done)
    incoming = list(_incoming(items, owner, done, redact))
    with writer.transaction() as tx:
        became = adopt_sql.adopt(tx, incoming, done.format, now, watch)
    counts = Counter(state for state, _ in became)
    done.new, done.merged, done.forgotten = (counts[state] for state in (NEW, MERGED, FORGOTTEN))
    done.known += counts[DUPLICATE]
    done.projects = len({project for state, project in became if project and state in (NEW, MERGED)})
    done.quarantined = sum(one.suspect and state == NEW for one, (state, _) in zip(incoming, became, strict=True))


class _Owner:
    """Finds the project of each memory: that of its session if it is known, otherwise the one with the name of its
    project.
    """

    def __init__(
        self, writer: Writer, target: ImportTarget, folder_name: Callable[[str], str], now: float, done: Imported
    ) -> None:
        self.writer, self.target, self.now, self.done = writer, target, now, done
        with writer.transaction() as tx:
            self.sessions, projects = adopt_sql.session_projects(tx), adopt_sql.project_names(tx)
            folders = adopt_sql.folders(tx)
        ran_in: dict[str, set[str]] = {}
        for folder, project_id in folders:
            ran_in.setdefault(project_id, set()).add(folder_name(folder))
        self.known = [
            KnownProject(
                project_id,
                names_of(name, _folders(keys)) | set(map(folder_name, _folders(keys))) | ran_in.get(project_id, set()),
            )
            for project_id, (name, keys) in projects.items()
        ]
        if target.identity is not None:
            roots = [target.identity.root, *_folders(target.identity.keys)]
            named = {folder_name(folder) for folder in (target.folder, *roots)}
            self.known.append(KnownProject("", names_of(target.identity.name, roots) | named))
        self._here: str | None = None

    def __call__(self, item: Foreign) -> Origin | None:
        """Returns the origin of a memory. Returns None, and counts the memory, if it belongs to no project here."""
        session = session_key(item.session) if item.session else None
        if self.target.only and item.project != self.target.only:
            self.done.left[f"of other projects than {self.target.only}"] += 1
            return None
        if self.target.user or item.user:
            return Origin("import", None, session)
        if self.target.only or not item.project:
            return Origin("import", self.current_project(), session)
        project = self.sessions.get(session or "")
        return Origin("import", project, session) if project else self._named(item, session)

    def _named(self, item: Foreign, session: str | None) -> Origin | None:
        found = {one or self.current_project() for one in owners((item.project, item.worktree_of), self.known)}
        if len(found) == 1:
            return Origin("import", found.pop(), session)
        (self.done.unclear if found else self.done.elsewhere)[item.project] += 1
        return None

    def current_project(self) -> str | None:
        if self._here is None:
            with self.writer.transaction() as tx:
                self._here = sessions.project(tx, self.target.identity, "", self.now)
        return self._here


def _folders(keys: Iterable[str]) -> list[str]:
    return [key.removeprefix("dir:") for key in keys if key.startswith("dir:")]


def _incoming(
    items: Iterable[Foreign], owner: _Owner, done: Imported, redact: Callable[[str], str]
) -> Iterator[Incoming]:
    seen = set[str]()
    for item in items:
        if item.key in seen:  # for example a repeated line: judging it again would take as long
            done.known += 1
            continue
        made = _candidate(item, done.format, "user" if owner.target.user or item.user else "project", redact)
        if isinstance(made, str):
            done.left[made] += 1
            continue
        origin = owner(item)
        if origin is None:
            continue
        seen.add(item.key)
        tags = tags_of(item, redact)
        statement = _note(item, made) if item.file else made
        origin = Origin(AUTO_MEMORY, origin.project_id) if item.file else origin
        yield Incoming(origin, statement, tags, item.named, bool(made.suspect))


def _candidate(item: Foreign, format: str, scope: str, redact: Callable[[str], str]) -> Candidate | str:
    """Returns a candidate to store, or the reason why there is none. The text is redacted before anything is cut."""
    whole = clean(item.content)
    content, title = redact(whole), redact(clean(item.title))
    if not content:
        return "empty"
    if len(whole) > CONTENT_CHARS:
        return TOO_LONG
    if MASK in content and len(words(content.replace(MASK, " "))) < TELLING_WORDS:
        return SECRET
    own = bool(item.file)
    made = accept(
        Candidate(
            kind=item.kind,
            content=content,
            relevance=AUTO_MEMORY_RELEVANCE if own else IMPORT_RELEVANCE,
            record_uuid=f"{format}:{item.key}",
            excerpt=content,
            method=AUTO_MEMORY if own else format,
            confidence=AUTO_MEMORY_CONFIDENCE if own else IMPORT_CONFIDENCE,
            title=title,
            scope=scope,
            said_at=item.created_at,
            suspect=suspicion((title, content)) or (WAITS if format == SHARED else ""),
            facets=facets_of(item, redact),
        )
    )
    return TOO_LONG if made is None else made


def _note(item: Foreign, made: Candidate) -> Note:
    """Returns a write of one of the client's memory files. If a session writes that file again, the memory
    is revised.
    """
    return Note(item.file, made.record_uuid, item.created_at or 0.0, lambda known, newest: made)
