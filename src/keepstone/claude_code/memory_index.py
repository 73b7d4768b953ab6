"""The index of the client's own memory. Every session is shown it, so Keepstone need not show the same again. Hot
module.

The text is untrusted: a repository from anyone may have filled it.
"""

from __future__ import annotations

from ..lib.limits import INDEX_BYTES

# The part of the index that the client shows
INDEX_LINES = 200
INDEX_CONTEXT = 4  # words on either side of a text that may negate it

INDEX_FILE = "MEMORY.md"  # lists the memory files, one per line, and contains no memory itself

# Words near a text that change its meaning. The text is then shown again, to be safe.
NEGATIONS = frozenset(
    "not no never none neither nor without instead cannot longer stop avoid except unless dont doesnt isnt arent wont "
    "cant shouldnt mustnt wasnt werent didnt".split()
)
# Bytes, because `bytes.translate` takes a fiftieth of the time. Characters other than letters and digits separate
# words, except for a few marks.
_PARTS = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))
_INSIDE = b"'`*"
_MARKS = "–—…“”„«»·•→"
# Characters of a file's name in the index: `style.md` does not name `code-style.md`.
_OF_NAMES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/\\")


class Index:
    """The part of an index that the client shows."""

    __slots__ = ("text", "said", "lines")

    def __init__(self, text: str) -> None:
        lines = text.split("\n", INDEX_LINES)[:INDEX_LINES]
        self.lines = len(lines)
        self.text = "\n".join(lines).encode("utf-8", "replace")[:INDEX_BYTES].decode("utf-8", "ignore")
        self.said = _plain(self.text)

    def names(self, file: str) -> bool:
        """Tells whether the index names a memory file."""
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
        """Tells whether the index contains a text, ignoring case, punctuation and white space, without a negation near
        it.
        """
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
    """Returns the lower-case words, with a space around each."""
    text = text.lower().replace("’", "")
    for mark in _MARKS:
        text = text.replace(mark, " ")
    parted = text.encode("utf-8", "replace").translate(_PARTS, _INSIDE).decode("utf-8")
    return " " + " ".join(parted.split()) + " "
