"""Ties memories to the files that they speak of, and looks whether those still say it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from ..core.anchors import FACET, LOST, anchor, holds, parted, quoted
from ..core.area import paths_in
from ..core.defaults import ANCHORS_MAX
from ..core.text import digest
from ..store.anchors import Anchors, Change
from .fresh import text_of


@dataclass(frozen=True, slots=True)
class Verified:
    """What a look at the files has found: ids of memories, each with the file that no longer has what it quotes, or has
    it again; `checked` counts what was looked at.
    """

    checked: int
    lost: tuple[tuple[str, str], ...] = ()
    back: tuple[tuple[str, str], ...] = ()


def tie(store: Anchors, ids: Iterable[str]) -> None:
    """Ties memories to the files below their projects' folders that they name, and to what they quote of them. What has
    been tied before is tied anew, to the files as they are now.
    """
    for memory_id in dict.fromkeys(ids):
        told = store.told(memory_id)
        root = next(filter(os.path.isdir, told.roots), "") if told else ""
        if told and root:
            named = [path for path in paths_in(told.content) if os.path.isfile(os.path.join(root, path))]
            store.reanchor(memory_id, named, _ties(told.content, [*told.files, *named], root))


def _ties(content: str, files: Iterable[str], root: str) -> list[str]:
    spans = quoted(content)
    found = []
    for file in dict.fromkeys(files) if spans else ():
        text = text_of(root, file)
        found += [anchor(file, what) for what in spans if what not in file and text and holds(text, what)]
    return found[:ANCHORS_MAX]


def verify(store: Anchors, project_id: str, root: str, now: float) -> Verified:
    """Looks at every file that the project's memories quote. What is gone lowers a memory's confidence once, what is
    there again raises it by as much.
    """
    rows = store.anchors(project_id)
    texts: dict[str, tuple[str, str]] = {}
    changes = []
    for row in rows:
        file, what = parted(row.value)
        if file not in texts:
            text = text_of(root, file)
            texts[file] = (text, digest(text))
        text, made = texts[file]
        if row.facet == FACET and row.content_hash == made:
            continue  # nothing in the file has changed since it was looked at
        is_there = holds(text, what)
        changes.append(Change(row.memory_id, row.value, row.facet, FACET if is_there else LOST, made))
    store.settle(changes, now)
    turned = [change for change in changes if change.was != change.now]
    lost = tuple((change.memory_id, parted(change.value)[0]) for change in turned if change.now == LOST)
    back = tuple((change.memory_id, parted(change.value)[0]) for change in turned if change.now == FACET)
    return Verified(len(rows), lost, back)
