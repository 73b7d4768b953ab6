"""What ties a memory to a file: that it is there, and the identifiers and spans of it that the memory quotes. Hot
module: no `re`.
"""

from __future__ import annotations

from ..lib.limits import ANCHORS_MAX

ANCHOR_CHARS = 60  # of an identifier or span that ties a memory to a file: longer ones are rewrapped

FACET, LOST = "anchor", "lost"  # facets of a memory: what is in the file still, and what was last seen missing
CONTRADICTS = "contradicts"  # `core.relate` has the types, which a hook need not load
BRANCH = "branch"  # the facet of a memory whose anchors are on that branch, and not on the default branch yet
_SIGN = "#"  # between a file and what is quoted of it


class Doubt:
    """Why what a memory says may not hold where it is shown: the `file` no longer has what it quotes, or it comes from
    another `branch`, whose files have it; and the short ids of the `rivals` that it may contradict.
    """

    __slots__ = ("file", "branch", "rivals")

    def __init__(self, file: str = "", branch: str = "") -> None:
        self.file = file
        self.branch = branch
        self.rivals: list[str] = []


NO_DOUBT = Doubt()


def quoted(text: str) -> list[str]:
    """The identifiers and spans that a text quotes, in order: in backticks, with brackets behind, or in a case that
    plain words don't have.
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
    """The facet's value for what is quoted of a file, "" for the file itself."""
    return file + _SIGN + what


def parted(value: str) -> tuple[str, str]:
    """(file, what is quoted of it) of a facet's value."""
    file, _, what = value.partition(_SIGN)
    return file, what


def holds(text: str | None, what: str) -> bool:
    """Whether a file's text has what is quoted, not as a part of a longer name; None is the text of no file."""
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
