"""Memories as pages of markdown: what Keepstone writes of one, and what any page says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ..lib.text import digest, one_line, utc
from ..model.candidate import title_of
from .foreign import Foreign, kind_of

_ID = re.compile(r"mem-[0-9a-f]{16}")
_OURS = frozenset(("id", "kind", "scope", "created", "updated"))
_SLUG_WORDS, _SLUG_CHARS = 8, 60
# A link's words and its place have an end: of many brackets that are never closed each would be looked for to the last.
_LINK = re.compile(r"\[[^\[\]]{0,300}\]\(([^)\s]{1,300})\)|`([^`\s]{1,300}\.md)`|^([\w./-]+\.md)\b")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*)")
Fields = dict[str, Any]


def page(memory: Mapping[str, Any], tags: Sequence[str], project: str) -> str:
    """A memory as a page: what it is in front, then what it says."""
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
    """A value as YAML reads it: JSON is YAML, and what Keepstone itself has made needs no quotes."""
    return str(value) if name in _OURS else json.dumps(value, ensure_ascii=False)


def iso(at: float) -> str:
    return utc(at, "%Y-%m-%dT%H:%M:%SZ")


def file_name(memory: Mapping[str, Any]) -> str:
    """A name that says something, and is no other memory's."""
    return f"{slug(memory['title'])}-{memory['id'].removeprefix('mem-')[:12]}.md"


def slug(text: str) -> str:
    """Words that any file system takes as a name."""
    words = re.findall(r"[a-z0-9]+", text.lower())[:_SLUG_WORDS]
    return "-".join(words)[:_SLUG_CHARS].strip("-") or "memory"


def read(text: str, name: str, changed_at: float) -> Foreign | None:
    """What a page says, None for an empty one; `name` is its path within its folder. The title is its own, else its
    first heading.
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
    """The fields in front of a page, with lower-case names, and the rest."""
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
    """A word, or the words of a list in brackets."""
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
    """What the client's index says by itself: its points and paragraphs, each under its heading, but for the lines that
    only name one of its memory `files`.
    """
    heading = ""
    for block in _blocks(split(text)[1]):
        if block.startswith("#"):
            heading = "" if block.startswith("# ") else block.lstrip("#").strip()
        elif not _names(block, files):
            content = f"{heading}: {block}" if heading else block
            yield Foreign(f"index:{digest(content)}", "general", content)


def _blocks(text: str) -> Iterator[str]:
    """Headings, points with what is indented under them, and paragraphs."""
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
    """The pages beside it that a text links to, in their order: no address, and nothing outside its folder."""
    found = (one.removeprefix("./") for link in _LINK.finditer(text) for one in link.groups() if one)
    return [one for one in dict.fromkeys(found) if one.endswith(".md") and ".." not in one and not one.startswith("/")]


def _names(block: str, files: Sequence[str]) -> bool:
    return any(one.removeprefix("./") in files for found in _LINK.finditer(block) for one in found.groups() if one)
