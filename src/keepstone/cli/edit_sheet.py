"""Memories as one page to edit, and what an edited page asks for. A block begins with `## ID KIND`, or
`## ID KIND, pinned`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..lib.errors import BadInput
from ..lib.text import clean
from ..model.memory import StoredMemory, require_kinds

_HEAD = re.compile(r"## +(?P<id>\S+) +(?P<kind>[^\s,]+)(?P<pinned> *, *pinned)?\s*\Z")
_NOTE = """<!--
{count} of {place}. Change a text to revise that memory; its earlier text stays readable in `keepstone show ID`.
Write `, pinned` behind the kind, or take it off. Change the kind. Delete a block, with its heading, to forget it.
You see what will be done, and are asked, before anything happens. An empty page changes nothing.
-->
"""


@dataclass(frozen=True, slots=True)
class Edited:
    """What is asked for one memory: another text or kind, a pin or its end, or that it be forgotten. None: as it is."""

    id: str
    text: str | None = None
    kind: str | None = None
    pinned: bool | None = None
    forget: bool = False

    @property
    def says(self) -> list[str]:
        """What is done, in the words of the commands."""
        if self.forget:
            return ["forget"]
        done = ["revise"] if self.text is not None or self.kind is not None else []
        return done + ([] if self.pinned is None else ["pin" if self.pinned else "unpin"])


def sheet(memories: Mapping[str, StoredMemory], place: str) -> str:
    """The page of memories, by their short ids; `place` says whose they are."""
    count = "1 memory" if len(memories) == 1 else f"{len(memories):,} memories"
    return _NOTE.format(count=count, place=place) + "".join(
        f"\n## {short_id} {memory.kind}{', pinned' if memory.pinned else ''}\n{_shielded(memory.content)}\n"
        for short_id, memory in memories.items()
    )


def read(page: str, memories: Mapping[str, StoredMemory]) -> list[Edited]:
    """What an edited page asks for, in the page's order, what is to be forgotten last. Raises BadInput with the line
    that can't be read; a page without any block asks for nothing.
    """
    blocks = list(_blocks(re.sub(r"\A\s*<!--.*?-->", "", page, flags=re.DOTALL)))
    found: dict[str, Edited] = {}
    for heading, lines in blocks:
        head = _HEAD.match(heading)
        if head is None or head["id"] not in memories:
            raise BadInput(f"no memory of this page: {heading[:60]!r}", "leave the ids as they were")
        if head["id"] in found:
            raise BadInput(f"{head['id']} is there twice", "leave one of the two blocks")
        found[head["id"]] = _edited(memories[head["id"]], head, "\n".join(lines).strip())
    gone = [Edited(memory.id, forget=True) for short_id, memory in memories.items() if short_id not in found]
    return [one for one in found.values() if one.says] + (gone if blocks else [])


def _edited(memory: StoredMemory, head: re.Match[str], written: str) -> Edited:
    text = clean(_bared(written))
    if not text:
        raise BadInput(f"{head['id']} has no text any more", "delete its heading too, to forget it")
    kind = head["kind"].lower()
    require_kinds(kind)
    pinned = bool(head["pinned"])
    return Edited(
        memory.id,
        None if text == clean(memory.content) else text,
        None if kind == memory.kind else kind,
        None if pinned == bool(memory.pinned) else pinned,
    )


def _blocks(page: str) -> Sequence[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in page.splitlines():
        if line.startswith("## "):
            found.append((line, []))
        elif found:
            found[-1][1].append(line)
        elif line.strip():
            raise BadInput(f"text before the first heading: {line[:60]!r}", "put it below a heading `## ID KIND`")
    return found


def _shielded(content: str) -> str:
    """A text none of whose lines could be taken for a heading."""
    return re.sub(r"^(\\*## )", r"\\\1", content, flags=re.MULTILINE)


def _bared(written: str) -> str:
    return re.sub(r"^\\(\\*## )", r"\1", written, flags=re.MULTILINE)
