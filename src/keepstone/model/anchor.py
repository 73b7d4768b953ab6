"""Anchors: the files that a memory names, and the identifiers and spans that it quotes from them.
Hot module: no `re`.
"""

from __future__ import annotations

from ..lib.limits import ANCHORS_MAX

ANCHOR_CHARS = 60  # the longest identifier or span that is an anchor: longer ones are often rewrapped in the file

FACET, LOST = "anchor", "lost"  # facets of a memory: anchors found in the file, and missing at the last check
CONTRADICTS = "contradicts"  # as in relationship.py, which hooks need not load
BRANCH = "branch"  # the facet of a memory whose anchors exist on that branch, but not yet on the default branch
_SIGN = "#"  # separates a file from the text quoted from it


class Doubt:
    """Reasons why a memory may not hold here: `file` no longer has the quoted text, or the memory comes from another
    `branch`, whose files have it; `rivals` are the short ids of memories that it may contradict.
    """

    __slots__ = ("file", "branch", "rivals")

    def __init__(self, file: str = "", branch: str = "") -> None:
        self.file = file
        self.branch = branch
        self.rivals: list[str] = []


NO_DOUBT = Doubt()


def quoted(text: str) -> list[str]:
    """Returns the identifiers and spans that a text quotes, in order: those in backticks, before "()", or in a case
    that plain words do not have. At most ANCHORS_MAX.
    """
    found = [span.strip() for span in text.split("`")[1::2]]
    plain = " ".join(text.split("`")[0::2])
    found += [word for raw in plain.split() if (word := _identifier(raw))]
    return [one for one in dict.fromkeys(found) if 2 < len(one) <= ANCHOR_CHARS][:ANCHORS_MAX]


def _identifier(raw: str) -> str:
    word = raw.strip("\"'()[]{},;:!?.")
    if raw.rstrip(",;:.!?\"'").endswith("()"):
        return word
    name = word.rsplit(".", 1)[-1]
    inner = name[1:]
    cased = name[:1].isalpha() and inner != inner.lower() and name != name.upper() and not name[1:].islower()
    return name if name.replace("_", "").isalnum() and ("_" in name.strip("_") or (cased and name.isalnum())) else ""


def anchor(file: str, what: str) -> str:
    """Returns the facet value for a text quoted from a file. With `what` "", the anchor is the file itself."""
    return file + _SIGN + what


def parted(value: str) -> tuple[str, str]:
    """Splits a facet value into (file, quoted text)."""
    file, _, what = value.partition(_SIGN)
    return file, what


def holds(text: str | None, what: str) -> bool:
    """Tells whether a file's text contains the quoted text as a whole name. `text` is None if the file does not exist.
    With `what` "", the file only has to exist.
    """
    if text is None or not what:
        return text is not None
    what = what.rstrip("()") if what.endswith("()") else what
    at = text.find(what)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(what) : at + len(what) + 1]
        if not (_goes_on(before) and _goes_on(what[:1])) and not (_goes_on(after) and _goes_on(what[-1:])):
            return True
        at = text.find(what, at + 1)
    return False


def _goes_on(char: str) -> bool:
    return char == "_" or char.isalnum()
