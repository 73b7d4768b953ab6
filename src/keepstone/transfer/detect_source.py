"""Detects the format of a source to import by its content, and reads it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ..claude_code.auto_memory import place_of, read
from ..claude_code.memory_index import INDEX_FILE
from ..db.archive_format import FORMAT, parsed
from ..lib.errors import BadInput, BadLine
from ..lib.limits import FOREIGN_BYTES, FOREIGN_FILES, LINE_BYTES_MAX
from ..lib.text import digest
from . import claude_mem_sql
from .claude_mem import of_row
from .foreign_memory import Foreign
from .markdown import index_items, linked
from .markdown import read as read_page
from .mcp_memory import TYPES
from .mcp_memory import read as read_graph

ARCHIVE_LINE_BYTES = 1_000_000  # limit of a line: far above any row

JSONL, CLAUDE_MEM, MCP, MARKDOWN, MEMORY_MD = FORMATS = ("jsonl", "claude-mem", "mcp", "markdown", "memory-md")
CLAUDE_MEM_FILE = "claude-mem.db"
HEAD_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class ImportSource:
    """A source to import, and its format."""

    path: str
    format: str

    @property
    def size(self) -> int:
        return os.path.getsize(self.path) if os.path.isfile(self.path) else 0


def recognise(path: str, format: str) -> ImportSource:
    """Detects the format of a path unless `format` names it. Raises BadInput if the path cannot be imported."""
    if not os.path.exists(path):
        raise BadInput(f"there is nothing at {path}", "keepstone import FILE")
    if format in ("", CLAUDE_MEM) and os.path.isfile(os.path.join(path, CLAUDE_MEM_FILE)):
        path = os.path.join(path, CLAUDE_MEM_FILE)
    if os.path.isdir(path):
        kind = format or (MEMORY_MD if os.path.isfile(os.path.join(path, INDEX_FILE)) else MARKDOWN)
        if kind not in (MARKDOWN, MEMORY_MD):
            raise BadInput(f"{path} is a folder, and {kind} is a file", "keepstone import FILE")
        return ImportSource(path, kind)
    if not os.path.isfile(path):
        raise BadInput(f"{path} is neither a file nor a folder", "keepstone import FILE")
    if not os.path.getsize(path):
        raise BadInput(f"{path} is empty", "keepstone import FILE")
    return ImportSource(path, format or _of_file(path))


def _of_file(path: str) -> str:
    with open(path, "rb") as file:
        head = file.read(HEAD_BYTES)
    if head.startswith(claude_mem_sql.MAGIC):
        return CLAUDE_MEM
    if os.path.basename(path) == INDEX_FILE:
        return MEMORY_MD
    if path.lower().endswith((".md", ".markdown")):
        return MARKDOWN
    if FORMAT.encode() in head.partition(b"\n")[0]:
        return JSONL
    if any(f'"{word}"'.encode() in head for word in TYPES) and head.lstrip()[:1] == b"{":
        return MCP
    raise BadInput(f"it is not known what {path} is", f"keepstone import --format {'|'.join(FORMATS)} FILE")


def numbered(file: BinaryIO, limit: int) -> Iterator[tuple[int, str]]:
    """Yields (number, text) of each line that is not blank. Raises BadLine if a line is too long or not UTF-8."""
    number = 0
    while line := file.readline(limit + 1):
        number += 1
        if len(line) > limit:
            raise BadLine(number, f"it is longer than {limit / 1e6:g} MB")
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise BadLine(number, "this is no UTF-8 text") from None
        if text.strip():
            yield number, text


def objects(file: BinaryIO) -> Iterator[tuple[int, dict[str, object]]]:
    """Yields (number, object) of each line. Raises BadLine."""
    for number, line in numbered(file, ARCHIVE_LINE_BYTES):
        try:
            yield number, parsed(line)
        except ValueError as problem:
            raise BadLine(number, str(problem)) from problem


def items(source: ImportSource, skip: Callable[[str], None]) -> Iterator[Foreign]:
    """Yields the memories of another tool's source. `skip` is called with the reason for each item that is not a
    memory.
    """
    if source.format == CLAUDE_MEM:
        yield from _claude_mem(source.path, skip)
    elif source.format == MCP:
        yield from _mcp(source.path)
    elif source.format == MEMORY_MD:
        yield from _memory_md(source.path, skip)
    else:
        yield from _markdown(source.path, skip)


def _claude_mem(path: str, skip: Callable[[str], None]) -> Iterator[Foreign]:
    for table, row in claude_mem_sql.rows(path):
        item = of_row(table, row)
        if item is None:
            skip("empty")
        else:
            yield item


def _mcp(path: str) -> Iterator[Foreign]:
    with open(path, "rb") as file:
        for number, line in numbered(file, LINE_BYTES_MAX):
            try:
                yield from read_graph(line)
            except ValueError as problem:
                raise BadLine(number, str(problem)) from problem


def _markdown(path: str, skip: Callable[[str], None]) -> Iterator[Foreign]:
    for name in _pages(path, skip):
        text, changed_at = _read(path, name, skip)
        item = read_page(text, name or os.path.basename(path), changed_at) if text else None
        if item is None:
            skip("empty")
        else:
            yield item


def _memory_md(path: str, skip: Callable[[str], None]) -> Iterator[Foreign]:
    """Yields the client's memories: the items of its index, and its files. In the client's own folder all files are
    read, elsewhere those that the index links to.
    """
    folder, index = (path, INDEX_FILE) if os.path.isdir(path) else os.path.split(os.path.abspath(path))
    project = place_of(os.path.join(os.path.abspath(folder), "any.md"))[0]
    if project:
        names = list(_pages(folder, skip))
    else:
        named = linked(_read(folder, index, skip)[0])
        names = [index, *(name for name in named if name != index and _is_plain(os.path.join(folder, name)))]
    for name in names:
        text, changed_at = _read(folder, name, skip)
        if name == index:
            for item in index_items(text, names):
                yield Foreign(item.key, item.kind, item.content, created_at=changed_at, project=project)
            continue
        says = read(text)
        if not says.body:
            skip("empty")
            continue
        key = f"file:{digest(project, name, text)}"
        yield Foreign(key, says.kind, says.body, says.title, changed_at, project, file=name)


def _pages(path: str, skip: Callable[[str], None]) -> Iterator[str]:
    """Yields the paths of the markdown files in a folder, or "" if the path is a file. Does not follow links. Raises
    BadInput if there are too many files or none.
    """
    if not os.path.isdir(path):
        yield ""
        return
    found = []
    for folder, folders, names in os.walk(path, onerror=lambda problem: skip("unreadable")):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [
            os.path.relpath(os.path.join(folder, name), path).replace(os.sep, "/")
            for name in names
            if name.lower().endswith((".md", ".markdown")) and _is_plain(os.path.join(folder, name))
        ]
        if len(found) > FOREIGN_FILES:
            raise BadInput(f"{path} holds more than {FOREIGN_FILES:,} pages", "keepstone import a part of it")
    if not found:
        raise BadInput(f"there is no markdown in {path}", "keepstone import FILE")
    yield from sorted(found)


def _is_plain(path: str) -> bool:
    """Tells whether a path is a plain file: a link may lead anywhere, and reading a pipe may never end."""
    return os.path.isfile(path) and not os.path.islink(path)


def _read(folder: str, name: str, skip: Callable[[str], None]) -> tuple[str, float]:
    """Returns (text, time of the last change) of a page. Returns "" as the text of a page that cannot be read."""
    path = os.path.join(folder, name) if name else folder
    try:
        with open(path, "rb") as file:
            data = file.read(FOREIGN_BYTES)
        return data.decode("utf-8", "replace"), os.stat(path).st_mtime
    except OSError:
        skip("unreadable")
        return "", 0.0
