"""Exports a database: as one JSON line for each row, or as one markdown page for each memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

from ..db.archive_format import end_line, head_line, row_line
from ..db.reader import SCHEMA
from ..lib.errors import BadInput
from ..model.memory import QUARANTINED, WORKING
from ..version import __version__
from .dump_sql import Dump
from .markdown import file_name, iso, page, slug

EVERYWHERE, NOWHERE = "every-project", "no-project"


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export. `rows` and `memories` count what was written, `redacted` counts rows that were redacted,
    and `left` counts memories without a page: forgotten, superseded, unconfirmed or waiting for review.
    """

    path: str
    memories: int
    rows: int = 0
    redacted: int = 0
    left: int = 0


def to_lines(dump: Dump, to: BinaryIO, path: str, now: float, watch: Callable[[int], None]) -> Exported:
    """Writes every row of every table. `watch` is called with the number of rows done."""
    rows = memories = 0
    to.write(head_line(SCHEMA, __version__, iso(now)).encode())
    for table, row in dump.rows():
        to.write(row_line(table, row).encode())
        rows += 1
        memories += table == "memory"
        watch(rows)
    to.write(end_line(rows).encode())
    return Exported(path, memories, rows, dump.redaction.changed)


def to_file(dump: Dump, path: str, now: float, watch: Callable[[int], None]) -> Exported:
    """Writes the lines to a file that only its owner can read. The file appears complete or not at all."""
    with _fresh(path) as file:
        return to_lines(dump, file, path, now, watch)


def to_folder(dump: Dump, path: str, watch: Callable[[int], None]) -> Exported:
    """Writes a page for each recallable memory, in a folder for each project."""
    projects, shown, tags, rows, memories = _recalled(dump, watch)
    folders = _folders(projects)
    for memory in shown:
        folder = EVERYWHERE if memory["scope"] == "user" else folders.get(memory["project_id"], NOWHERE)
        text = page(memory, sorted(tags.get(memory["id"], [])), projects.get(memory["project_id"], ""))
        os.makedirs(os.path.join(path, folder), mode=0o700, exist_ok=True)
        _require_no_link(os.path.join(path, folder))
        with _fresh(os.path.join(path, folder, file_name(memory))) as file:
            file.write(text.encode())
    os.makedirs(path, mode=0o700, exist_ok=True)
    return Exported(path, len(shown), rows, dump.redaction.changed, memories - len(shown))


def _recalled(
    dump: Dump, watch: Callable[[int], None]
) -> tuple[dict[str, str], list[dict[str, Any]], dict[str, list[str]], int, int]:
    """Returns the names of projects, the recallable memories, their tags, and the numbers of all rows and memories."""
    projects: dict[str, str] = {}
    shown: list[dict[str, Any]] = []
    tags: dict[str, list[str]] = {}
    rows = memories = 0
    for table, row in dump.rows():
        rows += 1
        watch(rows)
        if table == "project":
            projects[row["id"]] = row["name"]
        elif table == "memory":
            memories += 1
            shown += [row] if _is_recalled(row) else []
        elif table == "memory_facet" and row["facet"] == "tag":
            tags.setdefault(row["memory_id"], []).append(row["value"])
    return projects, shown, tags, rows, memories


def _is_recalled(memory: dict[str, Any]) -> bool:
    return bool(memory["status"] == "active" and memory["trust"] != QUARANTINED and memory["tier"] != WORKING)


def _folders(projects: dict[str, str]) -> dict[str, str]:
    """Returns a unique folder name for each project."""
    found: dict[str, str] = {}
    for project_id, name in sorted(projects.items()):
        wanted = slug(name)
        taken = wanted in (*found.values(), EVERYWHERE, NOWHERE)
        found[project_id] = f"{wanted}-{project_id[-6:]}" if taken else wanted
    return found


def require_place(path: str, pages: bool, force: bool) -> None:
    """Raises BadInput if nothing can be written there, or something else would be overwritten."""
    there, folder = os.path.exists(path), os.path.isdir(path)
    if there and folder != pages:
        kind = "a folder" if folder else "a file"
        raise BadInput(f"{path} is {kind}", "keepstone export FILE, or keepstone export --format markdown FOLDER")
    if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise BadInput(
            f"there is no folder {os.path.dirname(os.path.abspath(path))}", "make it first, or another place"
        )
    if there and not force and not (folder and not os.listdir(path)):
        raise BadInput(f"{path} is there already", "another name, or --force to write over it")


def _require_no_link(path: str) -> None:
    """Raises BadInput if the path is a link to a folder elsewhere, which the author of an earlier export
    may have made.
    """
    if os.path.islink(path):
        raise BadInput(f"{path} is a link", "remove it, or export to another folder")


@contextmanager
def _fresh(path: str) -> Iterator[BinaryIO]:
    """Opens a file that gets its name when it is complete and synced to disk."""
    fresh = f"{path}.{os.getpid()}"
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        if os.path.exists(fresh):
            os.unlink(fresh)
        raise
