"""Defines the page of memories that a project's team shares in its repository: one memory a line, reviewed
like code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..lib.text import clean, digest, one_line
from .foreign_memory import Foreign, kind_of

FOLDER, PAGE, ATTRIBUTES = ".keepstone", "memories.md", ".gitattributes"
SHARED = "shared"  # the format of such a page, and the method of its evidence
WAITS = "shared in the repository"  # why a shared memory waits for each reader's review
HEAD = """# Shared memories

What the people of this project share with Keepstone, one memory a line: `keepstone share ID` adds one. Look at a line
as you
look at code; Claude is told it only after you have accepted it, once, in `keepstone review`. The order means nothing.

"""
# git merges the additions of two branches without a conflict
UNION = f"{PAGE} merge=union\n"
_LINE = re.compile(r"[-*] ([a-z_]{1,40}): (\S.*)")


def line_of(kind: str, content: str) -> str:
    """Returns a memory as a line."""
    return f"- {kind}: {one_line(content)}"


def lines_of(page: str) -> Iterator[Foreign]:
    """Yields the memories of a page. A memory's key is made from its text, so an edited line is another memory. Other
    lines, such as conflict markers, are skipped, so that both sides of a conflict count.
    """
    for line in clean(page).split("\n"):
        found = _LINE.fullmatch(line.strip())
        if found:
            word, content = found.groups()
            yield Foreign(digest(kind_of(word), content)[:16], kind_of(word), content, word=word)


def with_lines(page: str, lines: list[str]) -> str:
    """Returns a page with these lines added at its end, each once. Returns it unchanged if it has all of them."""
    there = {line.strip() for line in page.split("\n")}
    new = [line for line in dict.fromkeys(lines) if line not in there]
    if not new:
        return page
    before = page or HEAD
    return before + ("" if before.endswith("\n") else "\n") + "".join(line + "\n" for line in new)
