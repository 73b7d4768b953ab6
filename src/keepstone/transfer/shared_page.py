"""Memories that a project's people share in its repository: one a line of a page that is reviewed as code is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..lib.text import clean, digest, one_line
from .foreign import Foreign, kind_of

FOLDER, PAGE, ATTRIBUTES = ".keepstone", "memories.md", ".gitattributes"
SHARED = "shared"  # the format of such a page, and the method of its evidence
WAITS = "shared in the repository"  # why a line waits for each reader's word
HEAD = """# Shared memories

What the people of this project share with Keepstone, one memory a line: `keepstone share ID` adds one. Look at a line
as you
look at code; Claude is told it only after you have accepted it, once, in `keepstone review`. The order means nothing.

"""
# git joins what two branches have added, instead of asking
UNION = f"{PAGE} merge=union\n"
_LINE = re.compile(r"[-*] ([a-z_]{1,40}): (\S.*)")


def line_of(kind: str, content: str) -> str:
    """A memory as a line."""
    return f"- {kind}: {one_line(content)}"


def lines_of(page: str) -> Iterator[Foreign]:
    """The memories of a page, each known by what it says: an edited line is another memory. What is no such line, as
    the marks of a conflict, is passed over, so that both sides of one count.
    """
    for line in clean(page).split("\n"):
        found = _LINE.fullmatch(line.strip())
        if found:
            word, content = found.groups()
            yield Foreign(digest(kind_of(word), content)[:16], kind_of(word), content, word=word)


def with_lines(page: str, lines: list[str]) -> str:
    """A page with these lines at its end, each once; as it was where all are there."""
    there = {line.strip() for line in page.split("\n")}
    new = [line for line in dict.fromkeys(lines) if line not in there]
    if not new:
        return page
    before = page or HEAD
    return before + ("" if before.endswith("\n") else "\n") + "".join(line + "\n" for line in new)
