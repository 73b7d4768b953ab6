"""Takes in another tool's memories: redacted, judged, merged with what is known, each in the project it belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from ..core.candidate import Candidate, accept
from ..core.defaults import (
    AUTO_MEMORY_CONFIDENCE,
    AUTO_MEMORY_RELEVANCE,
    CONTENT_CHARS,
    IMPORT_CONFIDENCE,
    IMPORT_RELEVANCE,
    TELLING_WORDS,
)
from ..core.foreign import Foreign, Known, facets_of, names_of, owners, tags_of
from ..core.shared import SHARED, WAITS
from ..core.text import MASK, clean, session_key, words
from ..core.trust import suspicion
from ..project import Identity
from ..store.adopt import FORGOTTEN, KNOWN, MERGED, NEW, Adopter, Given
from ..store.notes import METHOD as AUTO_MEMORY
from ..store.notes import Note
from ..store.store import Origin

TOO_LONG, SECRET = f"longer than the {CONTENT_CHARS:,} characters of a memory", "little but a secret"


@dataclass(slots=True)
class Imported:
    """What came of a source. `left` says why how many are no memories; `elsewhere` how many belong to which projects of
    that tool's that are none here, `unclear` to which that several here may be; `quarantined` of the new ones wait for
    a person's word.
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
class Place:
    """Where a person wants memories: `only` of that tool's project, all of them here; or all for every project."""

    identity: Identity | None
    folder: str
    only: str = ""
    user: bool = False


def import_foreign(
    store: Adopter,
    items: Iterable[Foreign],
    done: Imported,
    place: Place,
    folder_name: Callable[[str], str],
    *,
    redact: Callable[[str], str],
    now: float,
    watch: Callable[[int], None],
) -> None:
    """Takes in what is read of one source, all of it or nothing. `folder_name` is the client's name of a folder."""
    owner = _Owner(store, place, folder_name, now, done)
    given = list(_given(items, owner, done, redact))
    became = store.adopt(given, done.format, now, watch)
    counts = Counter(state for state, _ in became)
    done.new, done.merged, done.forgotten = (counts[state] for state in (NEW, MERGED, FORGOTTEN))
    done.known += counts[KNOWN]
    done.projects = len({project for state, project in became if project and state in (NEW, MERGED)})
    done.quarantined = sum(one.suspect and state == NEW for one, (state, _) in zip(given, became, strict=True))


class _Owner:
    """Finds the project of each memory: the session's, where Keepstone knows that; else the one of that name."""

    def __init__(
        self, store: Adopter, place: Place, folder_name: Callable[[str], str], now: float, done: Imported
    ) -> None:
        self.store, self.place, self.now, self.done = store, place, now, done
        self.sessions = store.session_projects()
        ran_in: dict[str, set[str]] = {}
        for folder, project_id in store.folders():
            ran_in.setdefault(project_id, set()).add(folder_name(folder))
        self.known = [
            Known(
                project_id,
                names_of(name, _folders(keys)) | set(map(folder_name, _folders(keys))) | ran_in.get(project_id, set()),
            )
            for project_id, (name, keys) in store.project_names().items()
        ]
        if place.identity is not None:
            folders = [place.identity.root, *_folders(place.identity.keys)]
            named = {folder_name(folder) for folder in (place.folder, *folders)}
            self.known.append(Known("", names_of(place.identity.name, folders) | named))
        self._here: str | None = None

    def __call__(self, item: Foreign) -> Origin | None:
        """Where a memory belongs; None for one that belongs to none of ours, which is counted."""
        session = session_key(item.session) if item.session else None
        if self.place.only and item.project != self.place.only:
            self.done.left[f"of other projects than {self.place.only}"] += 1
            return None
        if self.place.user or item.user:
            return Origin("import", None, session)
        if self.place.only or not item.project:
            return Origin("import", self.here(), session)
        project = self.sessions.get(session or "")
        return Origin("import", project, session) if project else self._named(item, session)

    def _named(self, item: Foreign, session: str | None) -> Origin | None:
        found = {one or self.here() for one in owners((item.project, item.worktree_of), self.known)}
        if len(found) == 1:
            return Origin("import", found.pop(), session)
        (self.done.unclear if found else self.done.elsewhere)[item.project] += 1
        return None

    def here(self) -> str | None:
        if self._here is None:
            self._here = self.store.project(self.place.identity, "", self.now)
        return self._here


def _folders(keys: Iterable[str]) -> list[str]:
    return [key.removeprefix("dir:") for key in keys if key.startswith("dir:")]


def _given(items: Iterable[Foreign], owner: _Owner, done: Imported, redact: Callable[[str], str]) -> Iterator[Given]:
    seen = set[str]()
    for item in items:
        if item.key in seen:  # a line that is there twice, say: to judge it again takes as long
            done.known += 1
            continue
        made = _candidate(item, done.format, "user" if owner.place.user or item.user else "project", redact)
        if isinstance(made, str):
            done.left[made] += 1
            continue
        origin = owner(item)
        if origin is None:
            continue
        seen.add(item.key)
        tags = tags_of(item, redact)
        what = _note(item, made) if item.file else made
        yield Given(
            Origin(AUTO_MEMORY, origin.project_id) if item.file else origin, what, tags, item.named, bool(made.suspect)
        )


def _candidate(item: Foreign, format: str, scope: str, redact: Callable[[str], str]) -> Candidate | str:
    """A memory made fit to store, or why it is none. Redacted before anything is cut."""
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
    """One of the client's own memory files: it stays the memory of that file when a session writes it again."""
    return Note(item.file, made.record_uuid, item.created_at or 0.0, lambda known, newest: made)
