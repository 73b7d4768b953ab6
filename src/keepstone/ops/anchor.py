"""Ties memories to the files that they speak of, and looks whether those still say it, on this branch or on theirs."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..core.anchors import BRANCH, FACET, LOST, anchor, holds, parted, quoted
from ..core.area import paths_in
from ..core.defaults import ANCHOR_FILE_BYTES, ANCHORS_MAX
from ..core.mentions import named
from ..core.text import digest
from ..git import default_branch, texts_at
from ..project import branch_of, identify
from ..store.anchors import Anchors, Change, Told
from ..store.tables import MemoryFacet
from .fresh import text_of

DETACHED = "HEAD"  # what the client calls the branch where none is checked out


@dataclass(frozen=True, slots=True)
class Verified:
    """What a look at the files has found: ids of memories, each with the file that no longer has what it quotes, or has
    it again; `checked` counts what was looked at, `landed` are the ids of those whose branch has been merged,
    `missing` counts what was not there before either, `elsewhere` the memories of other branches.
    """

    checked: int
    lost: tuple[tuple[str, str], ...] = ()
    back: tuple[tuple[str, str], ...] = ()
    landed: tuple[str, ...] = ()
    elsewhere: int = 0
    missing: int = 0


def tie(store: Anchors, ids: Iterable[str], here: str = "") -> None:
    """Ties memories to the files of their projects that they name, and to what they quote of them, as they are in the
    session's worktree, else in the one `here`. What has been tied before is tied anew. What the default branch has not
    is bound to the branch it was seen on.
    """
    defaults: dict[str, str] = {}
    for memory_id in dict.fromkeys(ids):
        told = store.told(memory_id)
        root = next(_worktrees(told, here), "") if told else ""
        if told and root:
            texts = _texts(told, root)
            files = [path for path in _files_in(told.content) if path in texts]
            ties = _ties(told.content, texts, files)
            store.reanchor(memory_id, files, ties, _bound_to(told.branch, ties, root, defaults))


def _worktrees(told: Told, here: str) -> Iterator[str]:
    """The folders of a memory's project that there are, from the likeliest down."""
    for folder in (told.folder, here):
        identity = identify(folder) if os.path.isabs(folder) and os.path.isdir(folder) else None
        if identity and any(f"dir:{root}" in identity.keys for root in told.roots):
            yield identity.root
    yield from filter(os.path.isdir, told.roots)


def _files_in(content: str) -> list[str]:
    """What a text names that may be a file of the project's, also one at its root."""
    return [*paths_in(content), *(word for word in named(content) if "/" not in word and "." in word[1:])]


def _texts(told: Told, root: str) -> dict[str, str]:
    """The texts of the files that a memory may speak of: as they are on the branch that it was said on, where another
    is checked out by now.
    """
    files = list(dict.fromkeys([*told.files, *_files_in(told.content)]))
    texts = {file: text for file in files if (text := text_of(root, file)) is not None}
    if files and told.branch not in ("", DETACHED, branch_of(root)):
        texts |= texts_at(root, told.branch, files, ANCHOR_FILE_BYTES)
    return texts


def _ties(content: str, texts: Mapping[str, str], files: Sequence[str]) -> list[str]:
    spans = quoted(content)
    found = []
    for file, text in texts.items():
        found += [anchor(file, what) for what in spans if what not in file and text and holds(text, what)]
    return [*found, *(anchor(file, "") for file in files)][:ANCHORS_MAX]


def _bound_to(said_on: str, ties: Sequence[str], root: str, defaults: dict[str, str]) -> str:
    """The branch that has what a memory is tied to while the default branch has not, "" for none, and where it can't be
    told which one that is. `defaults` keeps what git was asked.
    """
    branches = [one for one in (said_on, branch_of(root)) if one not in ("", DETACHED)]
    if not ties or not branches:
        return ""
    if root not in defaults:
        defaults[root] = default_branch(root)
    elsewhere = [one for one in branches if one != defaults[root]] if defaults[root] else []
    return elsewhere[0] if elsewhere and not _landed({"": ties}, root, defaults[root]) else ""


def _landed(ties: Mapping[str, Sequence[str]], root: str, default: str) -> list[str]:
    """The keys of those whose ties all hold on the default branch, however what they speak of has come there."""
    files = {parted(value)[0] for values in ties.values() for value in values}
    texts = texts_at(root, default, sorted(files), ANCHOR_FILE_BYTES) if default and files else {}
    return [
        key for key, values in ties.items() if all(holds(texts.get(file), what) for file, what in map(parted, values))
    ]


def verify(store: Anchors, project_id: str, root: str, now: float) -> Verified:
    """Looks at every file that the project's memories quote. What is gone lowers a memory's confidence once, what is
    there again raises it by as much. What is bound to a branch is judged by the default branch, and by these files
    where its own is checked out.
    """
    rows = store.anchors(project_id)
    bound = {row.memory_id: row.value for row in rows if row.facet == BRANCH}
    here, default = branch_of(root), default_branch(root) if rows else ""
    landed = _landed(_held_by(bound, rows), root, default) if bound else []
    store.land(landed, now)
    looked = [row for row in rows if row.facet != BRANCH and bound.get(row.memory_id, here) == here]
    changes = _changes(looked, root)
    if here != default:
        changes = _without_held(changes, bound, root, default)
    store.settle(changes, now)
    turned = [change for change in changes if change.was != change.now]
    lost = tuple((change.memory_id, parted(change.value)[0]) for change in turned if change.now == LOST)
    back = tuple((change.memory_id, parted(change.value)[0]) for change in turned if change.now == FACET)
    elsewhere = sum(branch != here and one not in landed for one, branch in bound.items())
    missing = sum(row.facet == LOST for row in looked) - len(back)
    return Verified(len(looked), lost, back, tuple(landed), elsewhere, missing)


def _held_by(bound: Iterable[str], rows: Sequence[MemoryFacet]) -> dict[str, list[str]]:
    """The anchors of each memory that is bound to a branch; without those that have lost one there."""
    held: dict[str, list[str]] = {}
    lost = {row.memory_id for row in rows if row.facet == LOST}
    for row in rows:
        if row.facet == FACET and row.memory_id in bound and row.memory_id not in lost:
            held.setdefault(row.memory_id, []).append(row.value)
    return held


def _without_held(changes: Sequence[Change], bound: Container[str], root: str, default: str) -> list[Change]:
    """The changes but for what only this branch lacks: what the default branch has is not lost."""
    lost = [one for one in changes if one.now == LOST and one.memory_id not in bound]
    held = _landed({one.memory_id + one.value: [one.value] for one in lost}, root, default)
    return [one for one in changes if one not in lost or one.memory_id + one.value not in held]


def _changes(rows: Iterable[MemoryFacet], root: str) -> list[Change]:
    """What has changed in the files that anchors are in, and what of that makes a difference to them."""
    texts: dict[str, tuple[str | None, str]] = {}
    changes = []
    for row in rows:
        file, what = parted(row.value)
        if file not in texts:
            text = text_of(root, file)
            texts[file] = (text, digest(text or ""))
        text, made = texts[file]
        if row.facet == FACET and row.content_hash == made and text is not None:
            continue  # nothing in the file has changed since it was looked at
        changes.append(Change(row.memory_id, row.value, row.facet, FACET if holds(text, what) else LOST, made))
    return changes
