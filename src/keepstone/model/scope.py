"""The memories that a listing or search covers."""

from __future__ import annotations

from ..lib.fast_json import dump
from .filter import NO_FILTER, Filter
from .memory import require_kinds


class Scope:
    """The memories that a listing covers: those of a project and user scope, or all with `everything`. `kinds` is a
    JSON array, or "" for all; `narrow` filters further. `root` is the project's folder, "" for none.
    """

    __slots__ = ("project", "everything", "kinds", "narrow", "root")

    def __init__(
        self,
        project: str | None,
        everything: bool = False,
        kind: str | None = None,
        narrow: Filter = NO_FILTER,
        root: str = "",
    ) -> None:
        """`kind` is a kind, a group or an alias. Raises BadInput with the valid ones if it is unknown."""
        self.root = root
        self.project = project
        self.everything = everything
        self.kinds = dump(require_kinds(kind)) if kind else ""
        self.narrow = narrow
