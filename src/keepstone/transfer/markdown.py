"""Writes memories as markdown pages, and reads memories from any markdown page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ..lib.text import digest, one_line, utc
from ..model.candidate import title_of
from .foreign_memory import Foreign, kind_of

_ID = re.compile(r"mem-[0-9a-f]{16}")
_OURS = frozenset(("id", "kind", "scope", "created", "updated"))
_SLUG_WORDS, _SLUG_CHARS = 8, 60
# The length of a link is limited: otherwise each of many unclosed brackets would be searched to the end of the text.
_LINK = re.compile(r"\[[^\[\]]{0,300}\]\(([^)\s]{1,300})\)|`([^`\s]{1,300}\.md)`|^([\w./-]+\.md)\b")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*)")
Fields = dict[str, Any]


def page(memory: Mapping[str, Any], tags: Sequence[str], project: str) -> str:
    """Returns a memory as a page: fields in front matter, then the content."""
    fields: Fields = {
        "id": memory["id"],
        "kind": memory["kind"],
        "scope": memory["scope"],
        **({"project": project} if project else {}),
        **({"title": memory["title"]} if memory["title"] != title_of(memory["content"]) else {}),
        "tags": list(tags),
        "created": iso(memory["created_at"]),
        "updated": iso(memory["updated_at"]),
    }
    front = "\n".join(f"{name}: {_written(name, value)}" for name, value in fields.items())
    return f"---\n{front}\n---\n\n{memory['content']}\n"


def _written(name: str, value: Any) -> str:
    """Returns a value as YAML. JSON is valid YAML, and values that Keepstone itself has made need no quotes."""
    return str(value) if name in _OURS else json.dumps(value, ensure_ascii=False)


def iso(at: float) -> str:
    return utc(at, "%Y-%m-%dT%H:%M:%SZ")


def file_name(memory: Mapping[str, Any]) -> str:
    """Returns a readable file name that is unique to the memory."""
    return f"{slug(memory['title'])}-{memory['id'].removeprefix('mem-')[:12]}.md"


def slug(text: str) -> str:
    """Returns words that are a valid name on any file system."""
    words = re.findall(r"[a-z0-9]+", text.lower())[:_SLUG_WORDS]
    return "-".join(words)[:_SLUG_CHARS].strip("-") or "memory"


def read(text: str, name: str, changed_at: float) -> Foreign | None:
    """Returns the memory in a page, or None if it is empty. `name` is the page's path within its folder. The title is
    the page's own, otherwise its first heading.
    """
    fields, body = split(text)
    heading = next((line.lstrip("#").strip() for line in body.split("\n")[:1] if line.startswith("#")), "")
    title = _word(fields, "title") or _word(fields, "description") or heading
    if heading and "\n" in body and not _word(fields, "id"):
        body = body.partition("\n")[2].strip() or body
    if not body:
        return None
    own = _word(fields, "id")
    kind = _word(fields, "kind") or _word(fields, "type")
    tags = fields.get("tags")
    return Foreign(
        key=own if _ID.fullmatch(own) else f"page:{digest(name, body)}",
        kind=kind_of(kind),
        content=body,
        title=title,
        created_at=_at(_word(fields, "created") or _word(fields, "date")) or changed_at,
        project=_word(fields, "project"),
        user=_word(fields, "scope") == "user",
        word=kind,
        tags=tuple(tags) if isinstance(tags, list) else (),
        named=own if _ID.fullmatch(own) else "",
    )


def split(text: str) -> tuple[Fields, str]:
    """Returns the fields in front of a page, with lower-case names, and the rest."""
    lines = text.replace("\r\n", "\n").lstrip("\ufeff").strip().split("\n")
    marks = [number for number, line in enumerate(lines) if line.rstrip() == "---"]
    if not marks or marks[0] != 0 or len(marks) < 2:
        return {}, "\n".join(lines).strip()
    return dict(_fields(lines[1 : marks[1]])), "\n".join(lines[marks[1] + 1 :]).strip()


def _fields(lines: list[str]) -> Iterator[tuple[str, Any]]:
    name, items = "", []
    for line in [*lines, ":"]:
        entry = _BULLET.fullmatch(line)
        if entry and name:
            items.append(_plain(entry[1]))
            continue
        if name and items:
            yield name, items
        key, colon, value = line.partition(":")
        name, items = (key.strip().lower(), []) if colon else ("", [])
        if name and value.strip():
            yield name, _value(value.strip())


def _value(text: str) -> Any:
    """Returns a word, or the list of words in brackets."""
    if not text.startswith("["):
        return _plain(text)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = [_plain(word) for word in text.strip("[]").split(",")]
    return [word for word in found if isinstance(word, str)] if isinstance(found, list) else []


def _plain(text: str) -> str:
    text = text.strip()
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except (ValueError, RecursionError):
            pass
    return text.strip("\"'")


def _word(fields: Fields, name: str) -> str:
    value = fields.get(name)
    return one_line(value) if isinstance(value, str) else ""


def _at(text: str) -> float | None:
    try:
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def index_items(text: str, files: Sequence[str]) -> Iterator[Foreign]:
    """Yields the memories in the client's index itself: its items and paragraphs, each with its heading. Leaves out
    lines that only link to one of the memory `files`.
    """
    heading = ""
    for block in _blocks(split(text)[1]):
        if block.startswith("#"):
            heading = "" if block.startswith("# ") else block.lstrip("#").strip()
        elif not _names(block, files):
            content = f"{heading}: {block}" if heading else block
            yield Foreign(f"index:{digest(content)}", "general", content)


def _blocks(text: str) -> Iterator[str]:
    """Yields headings, items with the lines indented below them, and paragraphs."""
    block: list[str] = []
    for line in [*text.split("\n"), ""]:
        point = _BULLET.fullmatch(line) if not line.startswith((" ", "\t")) else None
        if block and (not line.strip() or point or line.startswith("#")):
            yield "\n".join(block)
            block = []
        if line.strip():
            block.append(point[1] if point else line.strip())
    if block:
        yield "\n".join(block)


def linked(text: str) -> list[str]:
    """Returns the local pages that a text links to, in order. Leaves out addresses and paths outside the folder."""
    found = (one.removeprefix("./") for link in _LINK.finditer(text) for one in link.groups() if one)
    return [one for one in dict.fromkeys(found) if one.endswith(".md") and ".." not in one and not one.startswith("/")]


def _names(block: str, files: Sequence[str]) -> bool:
    return any(one.removeprefix("./") in files for found in _LINK.finditer(block) for one in found.groups() if one)
