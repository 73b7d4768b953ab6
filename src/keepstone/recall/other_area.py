"""Which memories belong to another area of the repository than a session works in. Hot module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..db.reader import Reader
    from ..model.memory import StoredMemory


def elsewhere(store: Reader, found: Sequence[StoredMemory], folder: str) -> set[str]:
    """The ids of those whose files lie neither above nor below a folder of the project, "" for all of it."""
    if not folder:
        return set()
    from ..project.area import area_of, is_near, paths_in

    files: dict[str, list[str]] = {memory.id: paths_in(memory.content) for memory in found}
    for memory_id, file in store.facets_of(list(files), ("file",)):
        files[memory_id].append(file)
    return {memory_id for memory_id, paths in files.items() if not is_near(area_of(paths), folder)}
