"""Recalls the memories about a file that is about to be read or changed. Hot module."""

from __future__ import annotations

from ..language.mentions import BY_PATH, mentions
from ..lib.limits import QUERY_TERMS
from ..lib.text import words
from ..model import render
from .moment import Recalled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.memory import StoredMemory
    from .moment import Moment

FILE_LIMIT = 3  # memories for one file
FILE_CHARS = 300  # characters of each
FILE_FOUND = 60  # candidates that name the file in some way, the best by words
FILE_SESSION_CHARS = 8_000  # characters for all files of a session: about a page and a half


def at_file(moment: Moment, path: str) -> Recalled:
    """Returns the memories about the file at a path, relative to the project and with `/` as separator."""
    if moment.is_spent(FILE_SESSION_CHARS):
        return Recalled()
    found = [(memory, close) for memory, close in about(moment, path) if close]
    chosen = moment.untold(memory for memory, _ in found)[:FILE_LIMIT]
    lines = moment.lines(chosen, FILE_CHARS)
    parts = [render.retrieved(path, line) for line in lines]
    shown = zip([memory.id for memory in chosen], map(len, parts))  # noqa: B905  strict= needs Python 3.10
    return Recalled("\n".join(parts), shown)


def about(moment: Moment, path: str) -> list[tuple[StoredMemory, int]]:
    """Returns memories with how closely each is about a file, the closest first. The closeness is 0 if a memory only
    shares words with the file's name.
    """
    matches = moment.matches()
    parts = path.split("/")
    ends = ["/".join(parts[start:]) for start in range(len(parts) - 1)] or [path]
    matches.by_facets([path, *ends], ("file",))
    named = {seq for seq, one in matches.found.items() if one.named}
    phrases = matches.rarest(_phrases(parts), QUERY_TERMS)
    if phrases:
        matches.by_words(phrases)
    found = []
    for memory in matches.taken(FILE_FOUND):
        spoken = mentions(memory.content, path)
        found.append((memory, max(spoken, BY_PATH if memory.seq in named and memory.kind != "summary" else 0)))
    return sorted(found, key=lambda pair: (pair[0].outdated, -pair[1], -pair[0].relevance, -pair[0].seq))


def _phrases(parts: list[str]) -> list[str]:
    """Returns FTS5 phrases for a file's name, its folders and its extension."""
    name = parts[-1]
    found = [name, *("/".join(parts[:end][-2:]) for end in range(1, len(parts)))]
    if "." in name[1:]:
        found.append(name.rpartition(".")[2])
    spoken = (" ".join(words(part.replace("_", " "))) for part in found)
    return ['"' + phrase + '"' for phrase in dict.fromkeys(spoken) if phrase]
