"""A filter that narrows a listing within its scope. Hot module."""

from __future__ import annotations


class Filter:
    """A filter of memories within a scope; "" and None mean no restriction. `file` is a file's name or the end of its
    path; `since` and `before` bound the time of creation, in UTC unix seconds.
    """

    __slots__ = ("tag", "file", "tier", "since", "before", "agent", "of_session")

    def __init__(
        self,
        tag: str = "",
        file: str = "",
        tier: str = "",
        since: float | None = None,
        before: float | None = None,
        agent: str = "",
        of_session: str = "",
    ) -> None:
        self.agent = agent
        self.of_session = of_session
        self.tag = tag
        self.file = file
        self.tier = tier
        self.since = since
        self.before = before

    @property
    def is_empty(self) -> bool:
        """Tells whether the filter keeps every memory."""
        return all(getattr(self, name) in ("", None) for name in self.__slots__)


NO_FILTER = Filter()
