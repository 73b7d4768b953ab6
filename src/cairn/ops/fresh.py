"""Whether the files that memories quote still say it: looked at where a memory is about to be shown. Hot module."""

from __future__ import annotations

import os

from ..core.anchors import FACET, LOST, holds, parted
from ..core.defaults import ANCHOR_FILE_BYTES
from ..project import beginning_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..store.reader import Reader


def changed(store: Reader, ids: Sequence[str], root: str) -> dict[str, str]:
    """Of memories each that quotes what is no longer in its file below `root`, with that file's name."""
    found: dict[str, str] = {}
    texts: dict[str, str] = {}
    for memory_id, value in store.facets_of(ids, (FACET, LOST)) if root else ():
        file, what = parted(value)
        if memory_id in found:
            continue
        if file not in texts:
            texts[file] = text_of(root, file)
        if not holds(texts[file], what):
            found[memory_id] = file
    return found


def text_of(root: str, file: str) -> str:
    """The text of a project's file, "" where there is none, or it leads out of the project."""
    path = os.path.realpath(os.path.join(root, file))
    inside = path.startswith(os.path.join(os.path.realpath(root), ""))
    return beginning_of(path, ANCHOR_FILE_BYTES) if inside else ""
