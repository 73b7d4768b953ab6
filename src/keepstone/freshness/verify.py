"""Ties memories to the files that they name, and checks that those files still contain the quotes."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..db.records import MemoryFacetRecord
from ..db.writer import Writer
from ..language.mentions import named
from ..lib.limits import ANCHOR_FILE_BYTES, ANCHORS_MAX
from ..lib.text import MASK, digest
from ..model.anchor import BRANCH, FACET, LOST, anchor, holds, parted, quoted
from ..project.area import paths_in
from ..project.git import default_branch, texts_at
from ..project.identity import branch_of, identify
from ..redaction.redact import redact
from . import anchors_sql
from .anchors_sql import AnchorChange, AnchorState
from .doubts import text_of

DETACHED = "HEAD"  # the client's branch name if no branch is checked out


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of checking the files. `lost` and `back` are (memory id, file) of quotes that are gone or found again.
    `checked` counts the checked anchors, `landed` holds the ids of memories whose branch was merged, `missing` counts
    anchors that were lost before, `elsewhere` counts memories of other branches.
    """

    checked: int
    lost: tuple[tuple[str, str], ...] = ()
    back: tuple[tuple[str, str], ...] = ()
    landed: tuple[str, ...] = ()
    elsewhere: int = 0
    missing: int = 0


def tie(writer: Writer, ids: Iterable[str], here: str = "") -> None:
    """Ties memories to the project files that they name, and to what they quote from them. Reads the files from the
    session's worktree, or from the one that contains `here`. Replaces existing ties. A memory whose quotes are not on
    the default branch is bound to the branch that has them.
    """
    defaults: dict[str, str] = {}
    for memory_id in dict.fromkeys(ids):
        with writer.transaction() as tx:
            state = anchors_sql.anchor_state(tx, memory_id)
        root = next(_worktrees(state, here), "") if state else ""
        if state and root:
            texts = _texts(state, root)
            files = [path for path in _files_in(state.content) if path in texts]
            ties = _ties(state.content, texts, files)
            branch = _bound_to(state.branch, ties, root, defaults)
            with writer.transaction() as tx:
                anchors_sql.reanchor(tx, memory_id, files, ties, branch)


def _worktrees(state: AnchorState, here: str) -> Iterator[str]:
    """Yields the existing folders of a memory's project, the likeliest first."""
    for folder in (state.folder, here):
        identity = identify(folder) if os.path.isabs(folder) and os.path.isdir(folder) else None
        if identity and any(f"dir:{root}" in identity.keys for root in state.roots):
            yield identity.root
    yield from filter(os.path.isdir, state.roots)


def _files_in(content: str) -> list[str]:
    """Returns the words of a text that may name a project file, including files at the project's root."""
    return [*paths_in(content), *(word for word in named(content) if "/" not in word and "." in word[1:])]


def _texts(state: AnchorState, root: str) -> dict[str, str]:
    """Returns the texts of the files that a memory may refer to, by path. Reads them from the memory's branch if
    another branch is checked out now.
    """
    files = list(dict.fromkeys([*state.files, *_files_in(state.content)]))
    texts = {file: text for file in files if (text := text_of(root, file)) is not None}
    if files and state.branch not in ("", DETACHED, branch_of(root)):
        texts |= texts_at(root, state.branch, files, ANCHOR_FILE_BYTES)
    return texts


def _ties(content: str, texts: Mapping[str, str], files: Sequence[str]) -> list[str]:
    spans = quoted(content)
    found = []
    for file, text in texts.items():
        found += [anchor(file, what) for what in spans if what not in file and text and holds(text, what)]
    return [*found, *(anchor(file, "") for file in files)][:ANCHORS_MAX]


def _bound_to(said_on: str, ties: Sequence[str], root: str, defaults: dict[str, str]) -> str:
    """Returns the branch that contains a memory's quotes while the default branch does not. Returns "" if there is none
    or the default branch is unknown, and for a branch whose name holds a secret: it can't be stored. `defaults` caches
    git's answers by folder.
    """
    branches = [one for one in (said_on, branch_of(root)) if one not in ("", DETACHED) and _is_storable(one)]
    if not ties or not branches:
        return ""
    if root not in defaults:
        defaults[root] = default_branch(root)
    elsewhere = [one for one in branches if one != defaults[root]] if defaults[root] else []
    return elsewhere[0] if elsewhere and not _landed({"": ties}, root, defaults[root]) else ""


def _is_storable(branch: str) -> bool:
    return MASK not in branch and redact(branch) == branch


def _landed(ties: Mapping[str, Sequence[str]], root: str, default: str) -> list[str]:
    """Returns the keys whose ties all hold on the default branch."""
    files = {parted(value)[0] for values in ties.values() for value in values}
    texts = texts_at(root, default, sorted(files), ANCHOR_FILE_BYTES) if default and files else {}
    return [
        key for key, values in ties.items() if all(holds(texts.get(file), what) for file, what in map(parted, values))
    ]


def verify(writer: Writer, project_id: str, root: str, now: float) -> Verified:
    """Checks every file that the project's memories quote. A quote that is gone lowers a memory's confidence once; a
    quote that is found again raises it by as much. A memory that is bound to a branch is checked against the default
    branch, and against these files only if its own branch is checked out.
    """
    with writer.transaction() as tx:
        rows = anchors_sql.anchors(tx, project_id)
    bound = {row.memory_id: row.value for row in rows if row.facet == BRANCH}
    here, default = branch_of(root), default_branch(root) if rows else ""
    landed = _landed(_held_by(bound, rows), root, default) if bound else []
    with writer.transaction() as tx:
        anchors_sql.land(tx, landed, now)
    looked = [row for row in rows if row.facet != BRANCH and bound.get(row.memory_id, here) == here]
    changes = _changes(looked, root)
    if here != default:
        changes = _without_held(changes, bound, root, default)
    with writer.transaction() as tx:
        anchors_sql.record_checks(tx, changes, now)
    turned = [change for change in changes if change.was != change.now]
    lost = tuple((change.memory_id, parted(change.value)[0]) for change in turned if change.now == LOST)
    back = tuple((change.memory_id, parted(change.value)[0]) for change in turned if change.now == FACET)
    elsewhere = sum(branch != here and one not in landed for one, branch in bound.items())
    missing = sum(row.facet == LOST for row in looked) - len(back)
    return Verified(len(looked), lost, back, tuple(landed), elsewhere, missing)


def _held_by(bound: Iterable[str], rows: Sequence[MemoryFacetRecord]) -> dict[str, list[str]]:
    """Returns the found anchors of each memory that is bound to a branch. Leaves out memories with a lost anchor."""
    held: dict[str, list[str]] = {}
    lost = {row.memory_id for row in rows if row.facet == LOST}
    for row in rows:
        if row.facet == FACET and row.memory_id in bound and row.memory_id not in lost:
            held.setdefault(row.memory_id, []).append(row.value)
    return held


def _without_held(
    changes: Sequence[AnchorChange], bound: Container[str], root: str, default: str
) -> list[AnchorChange]:
    """Returns the changes without anchors that only this branch lacks: an anchor that the default branch has is not
    lost.
    """
    lost = [one for one in changes if one.now == LOST and one.memory_id not in bound]
    held = _landed({one.memory_id + one.value: [one.value] for one in lost}, root, default)
    return [one for one in changes if one not in lost or one.memory_id + one.value not in held]


def _changes(rows: Iterable[MemoryFacetRecord], root: str) -> list[AnchorChange]:
    """Checks the anchors whose files have changed since the last check, and returns the results."""
    texts: dict[str, tuple[str | None, str]] = {}
    changes = []
    for row in rows:
        file, what = parted(row.value)
        if file not in texts:
            text = text_of(root, file)
            texts[file] = (text, digest(text or ""))
        text, made = texts[file]
        if row.facet == FACET and row.content_hash == made and text is not None:
            continue  # the file has not changed since it was checked
        changes.append(AnchorChange(row.memory_id, row.value, row.facet, FACET if holds(text, what) else LOST, made))
    return changes
