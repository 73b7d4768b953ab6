"""Finds memories of another area of the repository than the session's. Hot module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..db.reader import Reader
    from ..model.memory import StoredMemory


def elsewhere(store: Reader, found: Sequence[StoredMemory], folder: str) -> set[str]:
    """Returns the ids of memories whose files are neither above nor below a folder of the project. Returns none if
    `folder` is "", the whole project.
    """
    if not folder:
        return set()
    from ..project.area import area_of, is_near, paths_in

    files: dict[str, list[str]] = {memory.id: paths_in(memory.content) for memory in found}
    for memory_id, file in store.facets_of(list(files), ("file",)):
        files[memory_id].append(file)
    return {memory_id for memory_id, paths in files.items() if not is_near(area_of(paths), folder)}
