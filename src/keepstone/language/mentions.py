"""Tells whether a text is about a file: by its path, name, folder or a pattern. Hot module: no `re`."""

from __future__ import annotations

BY_PATH, BY_NAME, BY_PATTERN, BY_FOLDER = 4, 3, 2, 1  # how closely, the closest highest

# Folders that contain most of a project: a text about one is not about each of its files.
_WIDE = frozenset("src lib app apps test tests docs packages services pkg cmd internal source main scripts".split())


# Words that forbid changes, or changes by hand. A text that uses one about a folder or pattern is about each file
# there.
_HANDS_OFF = frozenset(
    "frozen generated overwritten overwrites overwrite append-only read-only readonly write-once vendored immutable "
    "edit edits edited touch touched modify modified hand vanish vanishes tidy refactor refactoring "
    "eingefroren generiert".split()
)


def mentions(text: str, path: str) -> int:
    """Returns how closely a text is about the file at a path in its project, 0 if it is not. `path` has `/` between its
    parts.
    """
    found = named(text)
    best = max((_means(word, path) for word in found), default=0)
    if best == BY_FOLDER and not hands_off(text):
        return 0
    if best == BY_NAME and "/" in path and _names_others(found, path):
        return 0
    return best


def hands_off(text: str) -> bool:
    """Tells whether a text says that something must not be changed, or not by hand."""
    return any(word.strip("\"'()[]{},;:!?.`") in _HANDS_OFF for word in text.lower().split())


def _names_others(found: list[str], path: str) -> bool:
    """Tells whether a text with a file's bare name is about files in another folder."""
    folders = {
        word.rsplit("/", 1)[0].lstrip("/")
        for word in found
        if "/" in word.strip("/") and "." in word.rsplit("/", 1)[-1]
    }
    home = "/" + path.rsplit("/", 1)[0]
    return bool(folders) and not any(home.endswith("/" + folder) for folder in folders)


def named(text: str) -> list[str]:
    """Returns the words of a text that may name a file, a folder or a pattern."""
    found = []
    for raw in text.replace("`", " ").replace("\\", "/").split():
        word = raw.strip("\"'()[]{},;:!?<>").rstrip(".")
        head, colon, line = word.rpartition(":")
        word = head if colon and line.isdigit() else word
        if "://" not in word and (
            "/" in word or "." in word[1:] or word[:1] == "." or "*" in word or word[:1].isupper()
        ):
            found.append(word[2:] if word.startswith("./") else word)
    return found


def _means(word: str, path: str) -> int:
    name = path.rsplit("/", 1)[-1]
    if "*" in word:
        return (BY_FOLDER if word.endswith(("/*", "/**")) else BY_PATTERN) if _fits(word, path) else 0
    if word == path or ("/" in word and path.endswith("/" + word.lstrip("/"))):
        return BY_PATH if "/" in path else BY_NAME
    if word == name and len(word) > 2:
        return BY_NAME
    if word.startswith(".") and name.startswith(word + "."):  # `.env` covers .env.local
        return BY_PATTERN
    folder = word.strip("/")
    if "/" in word and folder and folder not in _WIDE and ("/" + folder + "/") in "/" + path:
        return BY_FOLDER
    return 0


def _fits(pattern: str, path: str) -> bool:
    """Tells whether a path has a pattern's beginning, at the start of a folder, and its end. With several `*`, the
    middle is not compared.
    """
    start, end = pattern.split("*")[0], pattern.rsplit("*", 1)[-1]
    if not end.strip("./") and not start.strip("./"):
        return False
    return ("/" + path).find("/" + start) >= 0 and path.endswith(end)
