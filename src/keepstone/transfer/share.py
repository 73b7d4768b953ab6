"""Shares memories through a file in the repository, and reads those that others have shared there."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ..lib.errors import BadInput, StateError
from ..model.memory import StoredMemory
from .foreign_memory import Foreign
from .shared_page import ATTRIBUTES, FOLDER, PAGE, UNION, line_of, lines_of, with_lines

SHARED_BYTES = 1_000_000  # limit of the shared page: about 5,000 memories


def page_of(root: str) -> str:
    return os.path.join(root, FOLDER, PAGE)


def share(root: str, memories: Sequence[StoredMemory], project: str | None, redact: Callable[[str], str]) -> int:
    """Adds memories to the shared file of a project. Returns how many were new. Raises StateError for a memory that
    must not leave this machine, and BadInput for a file that is a link.
    """
    for memory in memories:
        _require_sharable(memory, project, redact)
    _require_own(root)
    path = page_of(root)
    page = _read(path)
    after = with_lines(page, [line_of(memory.kind, memory.content) for memory in memories])
    if after == page:
        return 0
    os.makedirs(os.path.dirname(path), exist_ok=True)
    _write(path, after)
    attributes = os.path.join(root, FOLDER, ATTRIBUTES)
    if not os.path.lexists(attributes):
        _write(attributes, UNION)
    return after.count("\n- ") - page.count("\n- ")


def shared(root: str) -> list[Foreign]:
    """Returns the memories shared in a project's folder. Returns none if the file is unreadable, a link or too long."""
    try:
        _require_own(root)
        return list(lines_of(_read(page_of(root))))
    except (OSError, BadInput):
        return []


def _require_sharable(memory: StoredMemory, project: str | None, redact: Callable[[str], str]) -> None:
    why = ""
    if memory.status != "active" or memory.trust != "trusted":
        why = "it is not active, or waits for your word"
    elif memory.scope != "project":
        why = "it holds in every project of yours, and is nobody else's"
    elif memory.project_id != project:
        why = "it is of another project"
    elif any(redact(text) != text for text in (memory.content, line_of(memory.kind, memory.content))):
        why = "it holds what looks like a secret"
    if why:
        raise StateError(f"{memory.id} is not shared: {why}", f"keepstone show {memory.id[4:10]}")


def _require_own(root: str) -> None:
    """Raises BadInput if a folder or file is a link, which may lead outside the repository."""
    for path in (os.path.join(root, FOLDER), page_of(root), os.path.join(root, FOLDER, ATTRIBUTES)):
        if os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path) and not os.path.isfile(path)):
            raise BadInput(f"{path} is a link or no plain file", "rm it, and share again")


def _read(path: str) -> str:
    if not os.path.lexists(path):
        return ""
    if os.path.getsize(path) > SHARED_BYTES:
        raise BadInput(f"{path} is longer than {SHARED_BYTES:,} bytes", "take out of it what no longer holds")
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        return file.read().replace("\r\n", "\n")


def _write(path: str, text: str) -> None:
    """Writes a file with the usual permissions: files of the repository are not private."""
    new = f"{path}.{os.getpid()}"
    with open(new, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    os.replace(new, path)
