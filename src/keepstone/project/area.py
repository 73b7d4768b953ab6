"""Areas: the parts of a repository that memories and sessions belong to (DESIGN 4). Hot module."""

from __future__ import annotations

from ..language.mentions import named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def area_of(files: Iterable[str]) -> str:
    """The common folder of files, "" for the whole repository."""
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
    """The paths below the repository that a text names."""
    return [word.rstrip("/") + "/x" if word.endswith("/") else word for word in named(text) if _is_path(word)]


def _is_path(word: str) -> bool:
    return "/" in word.strip("/") and not word.startswith(("/", "~", "@", "-")) and "*" not in word


def is_near(area: str, folder: str) -> bool:
    """Whether an area contains a folder or lies under it."""
    return not area or not folder or (folder + "/").startswith(area + "/") or (area + "/").startswith(folder + "/")
