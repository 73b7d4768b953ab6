"""The index of the client's own memory, which every session is shown: what it says need not be said twice. Hot module.

Untrusted text: anybody's repository may have filled it.
"""

from __future__ import annotations

from ..lib.limits import INDEX_BYTES

# The client's own memory: what it shows of its index
INDEX_LINES = 200
INDEX_CONTEXT = 4  # words on either side of a text that may deny it

INDEX_FILE = "MEMORY.md"  # lists the memory files in a line each, and holds no memory of its own

# Around a text these turn it into another: then it is rather said twice.
NEGATIONS = frozenset(
    "not no never none neither nor without instead cannot longer stop avoid except unless dont doesnt isnt arent wont "
    "cant shouldnt mustnt wasnt werent didnt".split()
)
# Bytes, for they are translated in a fiftieth of the time: what is no letter or digit parts words, some marks do not.
_PARTS = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))
_INSIDE = b"'`*"
_MARKS = "–—…“”„«»·•→"
# what a file's name in the index is made of: `style.md` does not name `code-style.md`
_OF_NAMES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/\\")


class Index:
    """The part of an index that the client injects."""

    __slots__ = ("text", "said", "lines")

    def __init__(self, text: str) -> None:
        lines = text.split("\n", INDEX_LINES)[:INDEX_LINES]
        self.lines = len(lines)
        self.text = "\n".join(lines).encode("utf-8", "replace")[:INDEX_BYTES].decode("utf-8", "ignore")
        self.said = _plain(self.text)

    def names(self, file: str) -> bool:
        """Whether it names a memory file."""
        start = self.text.find(file)
        while start >= 0:
            before, after = self.text[start - 1 : start], self.text[start + len(file) :][:1]
            if self.text[max(0, start - 2) : start] == "./":
                before = ""
            if before not in _OF_NAMES and after not in _OF_NAMES:
                return True
            start = self.text.find(file, start + 1)
        return False

    def says(self, text: str) -> bool:
        """Whether a text stands in it, but for case, punctuation and white space, and with no negation close by."""
        wanted = _plain(text)
        start = self.said.find(wanted) if wanted.strip() else -1
        while start >= 0:
            before = self.said[:start].rsplit(None, INDEX_CONTEXT)[-INDEX_CONTEXT:]
            after = self.said[start + len(wanted) :].split(None, INDEX_CONTEXT)[:INDEX_CONTEXT]
            if NEGATIONS.isdisjoint(before + after):
                return True
            start = self.said.find(wanted, start + 1)
        return False


def _plain(text: str) -> str:
    """Lower-case words, a space around each."""
    text = text.lower().replace("’", "")
    for mark in _MARKS:
        text = text.replace(mark, " ")
    parted = text.encode("utf-8", "replace").translate(_PARTS, _INSIDE).decode("utf-8")
    return " " + " ".join(parted.split()) + " "
