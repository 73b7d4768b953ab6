"""Tells which memories may not hold: the files that they quote have changed, or another memory contradicts them.
Checked when a memory is about to be shown. Hot module.
"""

from __future__ import annotations

import os

from ..lib.files import read_start
from ..lib.limits import ANCHOR_FILE_BYTES
from ..model.anchor import BRANCH, CONTRADICTS, FACET, LOST, Doubt, holds, parted
from ..project.identity import branch_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..db.reader import Reader

    Doubts = dict[str, Doubt]


def doubts(store: Reader, ids: Sequence[str], root: str, now: float, of_root: Sequence[str] | None = None) -> Doubts:
    """Returns the doubts about memories, by id; a memory without doubt has no entry. Files are checked below `root` for
    the memories `of_root` (default: all).
    """
    found = _changed(store, ids if of_root is None else of_root, root)
    for memory_id, type, other in store.company(ids, now):
        if type == CONTRADICTS:
            found.setdefault(memory_id, Doubt()).rivals.append(store.short_id(other))
    return found


def _changed(store: Reader, ids: Sequence[str], root: str) -> Doubts:
    found: dict[str, Doubt] = {}
    texts: dict[str, str | None] = {}
    for memory_id, value in store.facets_of(ids, (FACET, LOST)) if root else ():
        file, what = parted(value)
        if memory_id in found:
            continue
        if file not in texts:
            texts[file] = text_of(root, file)
        if not holds(texts[file], what):
            found[memory_id] = Doubt(file)
    here = branch_of(root) if found else ""
    for memory_id, branch in store.facets_of(list(found), (BRANCH,)) if found else ():
        if branch != here:
            found[memory_id] = Doubt(branch=branch)
    return found


def text_of(root: str, file: str) -> str | None:
    """Returns the start of a project file's text, or None if the file is missing or lies outside the project."""
    path = os.path.realpath(os.path.join(root, file))
    inside = path.startswith(os.path.join(os.path.realpath(root), ""))
    return read_start(path, ANCHOR_FILE_BYTES) if inside and os.path.isfile(path) else None
