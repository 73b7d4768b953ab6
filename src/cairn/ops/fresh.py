"""Whether the files that memories quote still say it: looked at where a memory is about to be shown. Hot module."""

from __future__ import annotations

import os

from ..core.anchors import BRANCH, FACET, LOST, Doubt, holds, parted
from ..core.defaults import ANCHOR_FILE_BYTES
from ..project import beginning_of, branch_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..store.reader import Reader


def doubts(store: Reader, ids: Sequence[str], root: str) -> dict[str, Doubt]:
    """Of memories each that quotes what is not in its file below `root`."""
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
    """The text of a project's file, None where there is none, or it leads out of the project."""
    path = os.path.realpath(os.path.join(root, file))
    inside = path.startswith(os.path.join(os.path.realpath(root), ""))
    return beginning_of(path, ANCHOR_FILE_BYTES) if inside and os.path.isfile(path) else None
