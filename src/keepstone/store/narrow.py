"""What a listing is narrowed to beside its scope. Hot module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HAS = "EXISTS (SELECT 1 FROM memory_facet x WHERE x.memory_id = m.id AND x.facet = '{}' AND {})"

# Which memories a listing of what is not recalled is about.
STATES = {
    "forgotten": "(m.status = 'deleted' OR (m.status = 'active' AND m.expires_at <= :now))",
    "archived": "m.status = 'archived'",
}


class Narrow:
    """What a listing is narrowed to beside its scope, "" and None for nothing: a tag, a file's name or the end of its
    path, a tier, when a memory was made, in UTC unix seconds, and which agent's it is and of which session.
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
    def sql(self) -> str:
        """A condition of memories `m`, with values by the names of the slots."""
        found = [
            _HAS.format("tag", "x.value = :tag") if self.tag else "",
            _HAS.format("file", "(x.value = :file OR substr(x.value, length(x.value) - length(:file)) = '/' || :file)")
            if self.file
            else "",
            "m.tier = :tier" if self.tier else "",
            "m.created_at >= :since" if self.since is not None else "",
            "m.created_at < :before" if self.before is not None else "",
            "m.agent_id = :agent" if self.agent else "",
            "m.session_id = :of_session" if self.of_session else "",
        ]
        return "".join(" AND " + part for part in found if part)

    @property
    def values(self) -> dict[str, Any]:
        return {name: _stored(getattr(self, name)) for name in self.__slots__}


def _stored(value: object) -> object:
    """A value as SQLite takes it: no memory holds half a character."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


WHOLE = Narrow()
