"""Transcript to memories: what is new since the cursor, window by window, each committed together with the cursor."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from ..core.candidate import Candidate, Neighbour, accept
from ..core.deadline import deadline
from ..core.dedupe import normalise
from ..core.defaults import BUSY_SECONDS, NEIGHBOURS, TELLING_WORDS
from ..core.echo import is_echo
from ..core.errors import KeepstoneError
from ..core.facets import facets
from ..core.observation import Observed
from ..core.text import MASK, agent_key, clean, session_key, words
from ..core.transcript import ASSISTANT, USER, Head, Turn
from ..core.trust import suspicion
from ..core.window import Window, windows
from ..extract import Extractor
from ..git import first_commit
from ..project import Identity, identify, vanished
from ..store.engines import open_reader
from ..store.store import Beside, Origin, Store
from ..transcripts import Reading, Turns, check, head_of, projects_of, unix, whose
from .conclude import READ, conclude
from .notes import notes
from .observe import Digest
from .search import Scope, like
from .utility import verdicts


@dataclass(slots=True)
class Report(Reading):
    """What a capture did; `off` where Keepstone is turned off for the session or its project, and nothing was read."""

    session_id: str = ""
    project_id: str | None = None
    turns: int = 0
    windows: int = 0
    off: bool = False
    new: list[str] = field(default_factory=list)
    reinforced: list[str] = field(default_factory=list)


class Capture:
    """Captures transcripts into a store; called with each of them."""

    def __init__(
        self,
        store: Store,
        extractor: Extractor,
        *,
        redact: Callable[[str], str],
        clock: Callable[[], float],
        user_home: str = "",
        is_off: Callable[[Identity | None, str], bool] = lambda identity, session_id: False,
        alone: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """`alone` keeps other processes away from what is paid for, so that no window is bought twice."""
        self.store = store
        self.extractor = extractor
        self.redact = redact
        self.clock = clock
        self.user_home = user_home
        self.is_off = is_off
        self.alone = alone if extractor.paid else nullcontext

    def __call__(
        self,
        path: str,
        session_id: str = "",
        cwd: str = "",
        project_dir: str = "",
        seen_at: float | None = None,
        goes_on: bool = False,
        watch: Callable[[int], None] = lambda position: None,
        stage: str = READ,
        agent: str = "",
    ) -> Report:
        """Captures what the transcript at `path` holds beyond its session's cursor; the same bytes again change
        nothing. While the session `goes_on`, a paid extractor leaves a window that has room for more: no call a turn.

        The transcript itself says which session it is, in which folder it ran and as which `agent`, where these do not;
        `seen_at` is when the session was there (default: now), `watch` is told the offset behind each window; `stage`
        says how far the session has come where it does not go on. Raises KeepstoneError for a file that can't be read.
        """
        try:
            with open(path, "rb") as file:
                known = head_of(file)
                session_id = session_id or session_key(known.session_id or os.path.basename(path))
                folder = known.cwd or cwd or os.getcwd()
                identity = self._identity(folder, "" if known.cwd else project_dir)
                if self.is_off(identity, session_id):
                    return Report(session_id=session_id, off=True)
                project_id = self._project(folder, identity)
                self._note(session_id, project_id, path, replace(known, cwd=known.cwd or cwd), seen_at)
                agent = agent_key(agent or known.agent)
                origin = Origin("hook", project_id, session_id, known.branch or None, agent)
                digest = Digest(self.redact, os.path.abspath(folder), identity.root if identity else "")
                report = self._capture(file, origin, digest, goes_on, watch)
            if not goes_on:
                report.new += conclude(self.store, path, origin, stage, self._accepted, self.clock())
            return report
        except OSError as problem:
            says = f"{path} can't be read: {problem.strerror or problem}"
            raise KeepstoneError(says, "keepstone capture TRANSCRIPT") from problem

    def _note(self, session_id: str, project_id: str | None, path: str, known: Head, seen_at: float | None) -> None:
        self.store.note_session(
            session_id,
            project_id=project_id,
            transcript_path=os.path.abspath(path),
            cwd=known.cwd,
            branch=known.branch,
            now=self.clock() if seen_at is None else seen_at,
        )

    def _identity(self, folder: str, project_dir: str) -> Identity | None:
        if os.path.isdir(folder):
            return identify(folder, project_dir, self.user_home)
        return vanished(folder, self.user_home)

    def _project(self, folder: str, identity: Identity | None) -> str | None:
        """The project's id: where the folder is gone, that of the sessions it had."""
        known = None if os.path.isdir(folder) else self.store.project_at(folder)
        root = first_commit(identity.root) if identity and not known else ""
        return known or self.store.project(identity, root, self.clock())

    def _capture(
        self, file: BinaryIO, origin: Origin, digest: Digest, goes_on: bool, watch: Callable[[int], None]
    ) -> Report:
        """Window by window to the end of the file; where another capture of this session takes one first, on from
        there.
        """
        report = Report(session_id=origin.session_id or "", project_id=origin.project_id)
        seen = None
        while not self._pass(file, origin, digest, goes_on, watch, report):
            if seen == (seen := self.store.cursor(report.session_id)):
                break  # nobody moves it on: the session's row has gone
        return report

    def _pass(
        self,
        file: BinaryIO,
        origin: Origin,
        digest: Digest,
        goes_on: bool,
        watch: Callable[[int], None],
        report: Report,
    ) -> bool:
        """Whether it came to the end: False when the cursor was moved by somebody else."""
        before = self.store.cursor(report.session_id)
        # before a window cuts a long turn or a rule takes a sentence: half a key no longer looks like one
        turns = Turns(file, self._redacted)
        projects = projects_of(file)
        report.position, carried = turns.resume(before)
        for window in windows(turns.read(report), carried):
            if self.extractor.paid and goes_on and not window.full:
                return True
            after = turns.after(window)
            written = notes(window.new, projects, self.redact, self._accepted, file.name)
            observed = digest.of(window, self._when)
            with self.alone():
                moved = self.extractor.paid and self.store.cursor(report.session_id) != before
                candidates = [] if moved else self._candidates(origin, window, observed, file.name)
                beside = Beside(written, observed, verdicts(self.store, file, report.session_id, window))
                done = self.store.capture(origin, candidates, before, after, self.clock(), beside)
            if done is None:
                return False
            before = after
            report.windows += 1
            report.turns += len(window.new)
            report.new += done[0]
            report.reinforced += done[1]
            watch(after.offset)
        if report.position > before.offset:
            after = replace(before, offset=report.position, digest=check(file, report.position))
            return self.store.capture(origin, [], before, after, self.clock()) is not None
        return True

    def _when(self, turn: Turn) -> float:
        now = self.clock()
        return min(now, unix(turn.at) or now)

    def _redacted(self, turn: Turn) -> Turn:
        return replace(turn, text=self.redact(clean(turn.text)))

    def _candidates(self, origin: Origin, window: Window, observed: Observed, path: str) -> list[Candidate]:
        if self.extractor.paid:
            window = replace(window, known=self._neighbours(origin, window))
        shown = {normalise(content) for content in self.store.shown(origin.session_id or "")}
        files = tuple(dict.fromkeys(file for made in observed.rows for file in made.files))
        found = (self._placed(candidate, window, files, path) for candidate in self.extractor.extract(window))
        kept = [made for candidate in found if (made := self._accepted(candidate))]
        return [made for made in kept if not is_echo(made, shown)]

    @staticmethod
    def _placed(candidate: Candidate, window: Window, files: Sequence[str], path: str) -> Candidate:
        """The candidate with what the window tells of it: when it was said, what it is about, what was read before."""
        at = next(number for number, turn in enumerate(window.new) if turn.uuid == candidate.record_uuid)
        turn, texts = window.new[at], (candidate.content, candidate.excerpt)
        said_at = unix(turn.at)
        return replace(
            candidate,
            said_at=said_at,
            outside=whose(turn.outside, texts, path, turn.uuid) if candidate.method == ASSISTANT else "",
            deadline_at=None if said_at is None else deadline(candidate.content, said_at),
            branch=turn.branch,
            facets=facets(candidate.content, files),
        )

    def _neighbours(self, origin: Origin, window: Window) -> tuple[Neighbour, ...]:
        """The active memories of the project and of user scope that are most like the window's new turns."""
        text = "\n".join(turn.text for turn in window.new if turn.role in (USER, ASSISTANT))
        with closing(open_reader(self.store.where, BUSY_SECONDS)) as reader:
            reader.policies = self.store.policies
            found = like(reader, text, Scope(origin.project_id), NEIGHBOURS, self.clock())
        return tuple(Neighbour(memory.id, memory.kind, self.redact(memory.content)) for memory in found)

    def _accepted(self, candidate: Candidate) -> Candidate | None:
        return accepted(candidate, self.redact)


def accepted(candidate: Candidate, redact: Callable[[str], str]) -> Candidate | None:
    """A candidate made fit to store, None for none. Redacted before anything is cut: half a key no longer looks like
    one. What was little but a secret is dropped.
    """
    left = redact(clean(candidate.content))
    if MASK in left and len(words(left.replace(MASK, " "))) < TELLING_WORDS:
        return None
    excerpt, title = redact(clean(candidate.excerpt)), redact(clean(candidate.title))
    suspect = suspicion((left, excerpt, title), candidate.outside)
    return accept(replace(candidate, content=left, excerpt=excerpt, title=title, suspect=suspect))
