"""Captures memories from a transcript window by window, each committed together with the session's cursor."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import BinaryIO, Protocol

from ..claude_code.branches import Branches
from ..claude_code.observation import Observed
from ..claude_code.transcript import ASSISTANT, USER, TranscriptHead, Turn
from ..claude_code.transcript_files import (
    Reading,
    Turns,
    branches_of,
    check,
    head_of,
    held_by_forks,
    projects_of,
    unix,
    whose,
    whose_choice,
)
from ..claude_code.untrusted import is_told
from ..claude_code.window import Window, windows
from ..config.provenance import is_inside
from ..db import sessions
from ..db.engines import open_reader
from ..db.writer import Writer
from ..language.deadline import deadline
from ..language.duplicates import normalise
from ..language.facets import facets
from ..language.handed_over import MAYBE_PASTED, is_handed_over
from ..language.prompt_parts import doubtful_lines, own_lines
from ..language.withdrawals import Withdrawal
from ..lib.errors import BadInput, KeepstoneError
from ..lib.limits import BUSY_SECONDS, TELLING_WORDS
from ..lib.text import MASK, agent_key, clean, session_key, words
from ..lifecycle import rewind_sql
from ..lifecycle.add_sql import Origin
from ..model.candidate import CHOSEN, Candidate, Neighbour, accept
from ..model.cursor import Cursor
from ..model.scope import Scope
from ..model.trust import suspicion
from ..project.git import first_commit
from ..project.identity import NO_COMMIT, Identity, identify, vanished
from ..recall import deliveries_sql
from ..recall.search import like
from . import archive_sql, commit_sql, observations_sql
from .archive import Said, said_in
from .auto_memory_notes import notes
from .by_program import Programs
from .commit_sql import NO_EXTRAS, WindowExtras
from .echo import is_echo
from .extractors.choose_extractor import Extractor
from .extractors.rules import takes_back, withdrawals
from .judge_usefulness import verdicts
from .observe import Digest
from .session_end import READ, conclude

NEIGHBOURS = 8  # similar memories that a paid extractor sees with a window


class CaptureSink(Protocol):
    """Writes memories: to the database itself, or to the server that the database is a copy of."""

    def project(self, identity: Identity | None, root: str, now: float) -> str | None:
        """Returns the id of a folder's project, or None without an identity. Creates the project if it is new."""

    def keep(
        self,
        origin: Origin,
        candidates: Iterable[Candidate],
        before: Cursor,
        after: Cursor,
        now: float,
        extras: WindowExtras = NO_EXTRAS,
    ) -> tuple[list[str], list[str]] | None:
        """Commits a window and its session's cursor. Returns (new ids, reinforced ids), or None if the cursor is no
        longer `before`.
        """

    def conclude(
        self, origin: Origin, candidates: list[Candidate], summary: Candidate | None, ended: bool, now: float
    ) -> list[str]:
        """Commits the results of a session. Returns the ids of new memories."""


class LocalSink:
    """Writes memories to the database."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def project(self, identity: Identity | None, root: str, now: float) -> str | None:
        with self.writer.transaction() as tx:
            return sessions.project(tx, identity, root, now)

    def keep(
        self,
        origin: Origin,
        candidates: Iterable[Candidate],
        before: Cursor,
        after: Cursor,
        now: float,
        extras: WindowExtras = NO_EXTRAS,
    ) -> tuple[list[str], list[str]] | None:
        with self.writer.transaction() as tx:
            return commit_sql.capture(tx, origin, candidates, before, after, now, extras)

    def conclude(
        self, origin: Origin, candidates: list[Candidate], summary: Candidate | None, ended: bool, now: float
    ) -> list[str]:
        with self.writer.transaction() as tx:
            return commit_sql.conclude(tx, origin, candidates, summary, ended, now)


@dataclass(slots=True)
class CaptureReport(Reading):
    """The result of a capture. `off` tells that Keepstone is off for the session or its project, and
    nothing was read.
    """

    session_id: str = ""
    project_id: str | None = None
    turns: int = 0
    windows: int = 0
    off: bool = False
    new: list[str] = field(default_factory=list)
    reinforced: list[str] = field(default_factory=list)


class TranscriptCapture:
    """Captures transcripts. Call it with each transcript."""

    def __init__(
        self,
        writer: Writer,
        extractor: Extractor,
        *,
        sink: CaptureSink | None = None,
        redact: Callable[[str], str],
        clock: Callable[[], float],
        user_home: str = "",
        is_off: Callable[[Identity | None, str], bool] = lambda identity, session_id: False,
        alone: Callable[[], AbstractContextManager[None]] = nullcontext,
        programs: Programs = Programs(),  # noqa: B008  never changed
        archives: bool = False,
    ) -> None:
        """`sink` receives the memories, by default the database. `alone` locks out other processes during a paid call,
        so that no window is paid for twice. `programs` tells what is learned from sessions that a program runs,
        `archives` whether what was said is kept.
        """
        self.writer = writer
        self.sink: CaptureSink = sink or LocalSink(writer)
        self.extractor = extractor
        self.redact = redact
        self.clock = clock
        self.user_home = user_home
        self.is_off = is_off
        self.alone = alone if extractor.paid else nullcontext
        self.programs = programs
        self.archives = archives

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
    ) -> CaptureReport:
        """Captures the transcript at `path` from its session's cursor on. Capturing the same bytes again changes
        nothing. If the session `goes_on`, a paid extractor waits until a window is full, so that it is not called for
        every turn.

        Session, folder and `agent` are read from the transcript if they are not given. `seen_at` is the time when the
        session was active (default: now). `watch` is called with the offset after each window. `stage` tells how far
        the session is if it does not go on. Raises KeepstoneError if the file cannot be read.
        """
        try:
            with open(path, "rb") as file:
                known = head_of(file)
                known = replace(known, branch=self.redact(known.branch))
                session_id = session_id or session_key(known.session_id or os.path.basename(path))
                folder = known.cwd or cwd or os.getcwd()
                around = project_dir if not known.cwd or is_inside(os.path.realpath(known.cwd), project_dir) else ""
                identity = self._identity(folder, around if os.path.isdir(around) else "")
                if self.is_off(identity, session_id):
                    return CaptureReport(session_id=session_id, off=True)
                project_id = self._project(folder, identity)
                self._note(session_id, project_id, path, replace(known, cwd=known.cwd or cwd), seen_at)
                agent = agent_key(agent or known.agent)
                origin = Origin("hook", project_id, session_id, known.branch or None, agent)
                digest = Digest(self.redact, os.path.abspath(folder), identity.root if identity else "")
                report = self._capture(file, origin, digest, goes_on, watch)
            if not goes_on:
                keep, now = self.sink.conclude, self.clock()
                report.new += conclude(
                    self.writer, path, origin, stage, self.redact, self._accepted, keep, now, self.programs
                )
            return report
        except OSError as problem:
            raise unreadable(path, problem) from problem

    def _note(
        self, session_id: str, project_id: str | None, path: str, known: TranscriptHead, seen_at: float | None
    ) -> None:
        with self.writer.transaction() as tx:
            sessions.note_session(
                tx,
                session_id,
                project_id=project_id,
                transcript_path=os.path.abspath(path),
                cwd=known.cwd,
                branch=known.branch,
                now=self.clock() if seen_at is None else seen_at,
            )

    def _cursor(self, session_id: str) -> Cursor:
        with self.writer.transaction() as tx:
            return sessions.cursor(tx, session_id)

    def _identity(self, folder: str, project_dir: str) -> Identity | None:
        if os.path.isdir(folder):
            return identify(folder, project_dir, self.user_home)
        return vanished(folder, self.user_home)

    def _project(self, folder: str, identity: Identity | None) -> str | None:
        """Returns the project's id. If the folder no longer exists, returns the project of the sessions
        that ran in it.
        """
        known = None
        if not os.path.isdir(folder):
            with self.writer.transaction() as tx:
                known = sessions.project_at(tx, folder)
        root = (first_commit(identity.root) or NO_COMMIT) if identity and not known else ""
        return known or self.sink.project(identity, root, self.clock())

    def _capture(
        self, file: BinaryIO, origin: Origin, digest: Digest, goes_on: bool, watch: Callable[[int], None]
    ) -> CaptureReport:
        """Captures to the end of the file. If another process captures a window of this session first, continues after
        it.
        """
        report = CaptureReport(session_id=origin.session_id or "", project_id=origin.project_id)
        seen = None
        while not self._pass(file, origin, digest, goes_on, watch, report):
            if seen == (seen := self._cursor(report.session_id)):
                break  # no other process moved it: the session's row is gone
        return report

    def _pass(
        self,
        file: BinaryIO,
        origin: Origin,
        digest: Digest,
        goes_on: bool,
        watch: Callable[[int], None],
        report: CaptureReport,
    ) -> bool:
        """Tells whether the end was reached. Returns False if another process has moved the cursor."""
        known = self._cursor(report.session_id)
        branches = branches_of(file, known)
        before, is_news = self._take_back(file, origin, branches, known)
        if before is None:
            return False
        turns = Turns(file, lambda turn: turn.redacted(self.redact), branches.is_over)
        projects = projects_of(file)
        report.position, carried = turns.resume(before)
        for window in windows(turns.read(report, branches.end), carried):
            if self.extractor.paid and goes_on and not window.full:
                return True
            after = turns.after(window)
            if not branches.is_tip(after.uuid, window.new[-1].start):
                after = replace(after, uuid="")  # the next reading has to look at the whole file
            written = notes(window.new, projects, self.redact, self._accepted, file.name, self.programs)
            observed = digest.observed_in(window, self._when)
            with self.alone():
                new = {turn.uuid for turn in window.new if is_news(turn)}
                moved = self.extractor.paid and self._cursor(report.session_id) != before
                found = self._candidates(origin, window, observed, file.name) if new and not moved else []
                candidates = [made for made in found if made.record_uuid in new]
                judged = verdicts(self.writer, file, report.session_id, window, self.programs)
                unsaid = [made for made in self._unsaid(file, window, branches) if made.by in new]
                extras = WindowExtras(written, observed, judged, unsaid=unsaid, said=self._archived(window, file.name))
                done = self.sink.keep(origin, candidates, before, after, self.clock(), extras)
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
            if not branches.holds(before.uuid):
                after = replace(after, uuid="")  # who returns to there has left it for a while
            return self.sink.keep(origin, [], before, after, self.clock()) is not None
        return True

    def _archived(self, window: Window, path: str) -> list[Said]:
        others = partial(_holds_others_words, path=path)
        return said_in(window, self.programs.heard, self._when, others) if self.archives else []

    def _take_back(
        self, file: BinaryIO, origin: Origin, branches: Branches, known: Cursor
    ) -> tuple[Cursor | None, Callable[[Turn], bool]]:
        """Takes back what was learned of branches that the conversation has left and that no fork holds. Returns the
        cursor to read on from, earlier than the `known` one if something has to be read again, and what tells whether a
        turn is news. The cursor is None if another process has moved it.
        """
        if branches.leaf or not branches.has_left():
            return known, lambda turn: True
        session_id = origin.session_id or ""
        with self.writer.transaction() as tx:
            said = {*rewind_sql.stated_in(tx, session_id), *archive_sql.records(tx, session_id)}
            seen = dict.fromkeys((*sorted(said), *observations_sql.records(tx, session_id), *branches.gone()))
            others = [(session, path) for session, (path, _) in sessions.cursors(tx).items() if session != session_id]
        left = [record for record in seen if branches.is_left(record)]
        held = held_by_forks(file.name, others, said.intersection(left))
        left = [record for record in left if record not in held]
        with self.writer.transaction() as tx:
            rewind_sql.hand_over(tx, session_id, held)
            archive_sql.hand_over(tx, session_id, held)
            again = rewind_sql.stated_besides(tx, session_id, left)
        again += _held_again(file, branches)
        back = branches.reread_from(again)
        cursor = known
        if back and back[1] < known.offset:
            cursor = Cursor(back[1], "", check(file, back[1]), back[0])
        is_kept = True
        if left or cursor != known:
            is_kept = self.sink.keep(origin, [], known, cursor, self.clock(), WindowExtras(left=left)) is not None

        def is_news(turn: Turn) -> bool:
            return turn.start >= known.offset or turn.uuid in again or branches.has_returned(turn.uuid)

        return cursor if is_kept else None, is_news

    def _unsaid(self, file: BinaryIO, window: Window, branches: Branches) -> list[Withdrawal]:
        """Returns what the window's prompts take back or deny of what was said before them. Which prompt stands before
        the first one may have to be looked up.
        """
        window = replace(window, new=self.programs.heard(window.new), processed=self.programs.heard(window.processed))
        found = [made for made in withdrawals(window) if not made.corrects or self._may_correct(made, window)]
        times = {turn.uuid: self._when(turn) for turn in window.new}
        found = [replace(made, said_at=times[made.by]) if made.corrects else made for made in found]
        if any(_is_of_last(made) for made in found):
            earlier = Turns(file, lambda turn: turn, branches.is_over).read(Reading(), window.new[0].start)
            prompts = (turn.uuid for turn in earlier if turn.role == USER and self.programs.heard([turn]))
            last = next(iter(deque(prompts, 1)), "")
            found = [replace(made, before=last) if _is_of_last(made) else made for made in found]
        return found

    def _may_correct(self, made: Withdrawal, window: Window) -> bool:
        """Tells whether a prompt is the user's own, and reads like no order to a model: only such a one ends what was
        said in other sessions.
        """
        turn = next(turn for turn in window.new if turn.uuid == made.by)
        is_users = not turn.by_program or self.programs.speak_for_user
        return is_users and not suspicion((turn.text,))

    def _when(self, turn: Turn) -> float:
        now = self.clock()
        return min(now, unix(turn.at) or now)

    def _candidates(self, origin: Origin, window: Window, observed: Observed, path: str) -> list[Candidate]:
        window = replace(window, new=self.programs.heard(window.new))
        if not window.new:
            return []
        if self.extractor.paid:
            window = replace(window, known=self._neighbours(origin, window))
        with self.writer.transaction() as tx:
            shown = {normalise(content) for content in deliveries_sql.shown(tx, origin.session_id or "")}
        files = tuple(dict.fromkeys(file for made in observed.rows for file in made.files))
        found = (self._placed(candidate, window, files, path) for candidate in self.extractor.extract(window))
        kept = [made for candidate in found if (made := self._accepted(candidate))]
        with self.writer.transaction() as tx:
            return [made for made in kept if not is_echo(made, shown, partial(deliveries_sql.is_memory, tx))]

    def _placed(self, candidate: Candidate, window: Window, files: Sequence[str], path: str) -> Candidate:
        """Returns the candidate with its time, branch, facets and deadline, and the reason why it may be untrusted."""
        at = next(number for number, turn in enumerate(window.new) if turn.uuid == candidate.record_uuid)
        turn = window.new[at]
        said_at = unix(turn.at)
        candidate = replace(
            attributed(candidate, turn, path),
            said_at=said_at,
            deadline_at=None if said_at is None else deadline(candidate.content, said_at),
            branch=turn.branch,
            facets=facets(candidate.content, files),
        )
        return self.programs.marked(candidate, turn.by_program)

    def _neighbours(self, origin: Origin, window: Window) -> tuple[Neighbour, ...]:
        """Returns the active memories of the project and of user scope that are most like the window's new turns."""
        text = "\n".join(turn.text for turn in window.new if turn.role in (USER, ASSISTANT))
        with closing(open_reader(self.writer.where, BUSY_SECONDS)) as reader:
            reader.policies = self.writer.policies
            found = like(reader, text, Scope(origin.project_id), NEIGHBOURS, self.clock())
        return tuple(Neighbour(memory.id, memory.kind, self.redact(memory.content)) for memory in found)

    def _accepted(self, candidate: Candidate) -> Candidate | None:
        return accepted(candidate, self.redact)


def _is_of_last(made: Withdrawal) -> bool:
    return not (made.things or made.before or made.corrects)


def _held_again(file: BinaryIO, branches: Branches) -> list[str]:
    """Returns the prompts of which something was taken back, or may be, by a later prompt in words that the
    conversation has left since it was read.
    """
    gone, prompts, found = set(branches.gone()), list[str](), 0
    for turn in Turns(file, lambda turn: turn).read(Reading()) if gone else ():
        if turn.role == USER:
            found = len(prompts) if turn.uuid in gone and takes_back(turn) else found
            prompts.append(turn.uuid)
    return [record for record in prompts[:found] if not branches.is_left(record)]


def unreadable(path: str, problem: OSError) -> KeepstoneError:
    """Returns what is said of a transcript that can't be read; a path to no file is the call's fault."""
    says = f"{path} can't be read: {problem.strerror or problem}"
    kind = BadInput if isinstance(problem, FileNotFoundError | IsADirectoryError) else KeepstoneError
    return kind(says, "keepstone capture TRANSCRIPT")


def attributed(candidate: Candidate, turn: Turn, path: str) -> Candidate:
    """Returns the candidate of a turn with who said it, and why it may be neither the user's nor the assistant's."""
    outside = ""
    if candidate.method == ASSISTANT:
        outside = whose(turn.outside, (candidate.content, candidate.excerpt), path, turn.uuid)
    elif candidate.method == USER and _is_of_others(turn.text, candidate.excerpt):
        outside = MAYBE_PASTED
    elif candidate.method == CHOSEN or candidate.method == USER and is_told(candidate.content, turn.offered):
        candidate = replace(candidate, method=CHOSEN)
        questions = {answer.question for answer in turn.answers}
        labels = [option.label for option in turn.chosen if option.label not in questions]
        offered = [text for option in turn.chosen for text in option.texts]
        outside = whose_choice([candidate.content, *labels], offered, path, turn.uuid)
    return replace(candidate, outside=outside)


def _holds_others_words(prompt: Turn, path: str) -> bool:
    """Tells whether a prompt may hold what others wrote: pasted lines, or words of the assistant's that the user has
    chosen, which may come from outside.
    """
    own = {line.strip() for _, line in own_lines(prompt.text)}
    if not prompt.chosen:
        return any(line.strip() and line.strip() not in own for line in prompt.text.splitlines())
    return bool(
        whose_choice([prompt.text], [text for option in prompt.chosen for text in option.texts], path, prompt.uuid)
    )


def _is_of_others(prompt: str, excerpt: str) -> bool:
    """Tells whether an excerpt of a prompt may be of a text that the user handed over."""
    doubtful = doubtful_lines(prompt)
    own = "\n".join(line for _, line in own_lines(prompt)) if doubtful else ""
    return bool(doubtful) and is_handed_over(excerpt, own, "\n".join(doubtful))


def accepted(candidate: Candidate, redact: Callable[[str], str]) -> Candidate | None:
    """Returns a redacted candidate that is fit to store, or None. It is redacted before it is cut, because half a key
    no longer looks like one. A text that is little more than a secret is dropped.
    """
    left = redact(clean(candidate.content))
    if MASK in left and len(words(left.replace(MASK, " "))) < TELLING_WORDS:
        return None
    excerpt, title = redact(clean(candidate.excerpt)), redact(clean(candidate.title))
    facets = tuple((name, redact(value)) for name, value in candidate.facets)
    branch, suspect = redact(candidate.branch), suspicion((left, excerpt, title), candidate.outside)
    made = replace(candidate, content=left, excerpt=excerpt, title=title, facets=facets, branch=branch)
    return accept(replace(made, suspect=suspect))


class Capturing(Protocol):
    """Captures a transcript, as `TranscriptCapture` does."""

    def __call__(
        self,
        path: str,
        session_id: str = "",
        cwd: str = "",
        project_dir: str = "",
        seen_at: float | None = None,
        goes_on: bool = False,
        watch: Callable[[int], None] = ...,
        stage: str = ...,
        agent: str = ...,
    ) -> CaptureReport: ...
