"""Areas: the parts of a repository that memories and sessions belong to. Hot module."""

from __future__ import annotations

from ..language.mentions import named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def area_of(files: Iterable[str]) -> str:
    """Returns the common folder of the files, or "" for the whole repository."""
    common: list[str] | None = None
    for file in files:
        parts = file.split("/")[:-1]
        if common is None:
            common = parts
        else:
            same = 0
            while same < min(len(common), len(parts)) and common[same] == parts[same]:
                same += 1
            common = common[:same]
    return "/".join(common or [])


def paths_in(text: str) -> list[str]:
    """Returns the relative paths that a text names. A folder gets a made-up file, so that `area_of`
    returns the folder.
    """
    return [word.rstrip("/") + "/x" if word.endswith("/") else word for word in named(text) if _is_path(word)]


def _is_path(word: str) -> bool:
    return "/" in word.strip("/") and not word.startswith(("/", "~", "@", "-")) and "*" not in word


def is_near(area: str, folder: str) -> bool:
    """Tells whether an area contains a folder or is inside it."""
    return not area or not folder or (folder + "/").startswith(area + "/") or (area + "/").startswith(folder + "/")
