"""Kinds, tiers, scopes, and the stored memory. Hot module: plain classes and strings."""

from __future__ import annotations

from ..lib.errors import BadInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# group -> (icon, heading), in the order of the brief
GROUPS = {
    "preference": ("[*]", "Preferences"),
    "decision": ("[D]", "Decisions"),
    "fact": ("[F]", "Key Facts"),
    "solution": ("[S]", "Solutions"),
    "pattern": ("[P]", "Patterns"),
    "summary": ("[~]", "Summaries"),
}

# kind -> (group, tier of a new memory)
KINDS = {
    "preference": ("preference", "semantic"),
    "decision": ("decision", "semantic"),
    "architecture": ("decision", "semantic"),
    "fact": ("fact", "semantic"),
    "discovery": ("fact", "episodic"),
    "wiki": ("fact", "semantic"),
    "general": ("fact", "episodic"),
    "solution": ("solution", "episodic"),
    "incident": ("solution", "episodic"),
    "pattern": ("pattern", "semantic"),
    "convention": ("pattern", "semantic"),
    "sdlc_knowledge": ("pattern", "semantic"),
    "summary": ("summary", "episodic"),
}

# Kinds of other tools, accepted on input. The original word is kept as a tag.
ALIASES = {
    "bug_fix": "incident",
    "debugging": "incident",
    "insight": "discovery",
    "learning": "discovery",
    "integration": "architecture",
    "configuration": "architecture",
    "dependency": "architecture",
    "security": "architecture",
    "performance": "architecture",
    "documentation": "wiki",
    "refactoring": "solution",
    "implementation": "solution",
}

RULES = frozenset(("preference", "decision", "pattern"))  # the groups that ask for something
REWOUND = "rewound"  # the status_reason of a deleted memory whose prompt the user took back
SUPERSEDED = "superseded"  # the status_reason of an archived memory that a later statement supersedes
OUTDATED = "outdated"  # the status_reason of an active memory that was rated outdated
VOTES = ("up", "down", OUTDATED)  # that a person or a model gives a memory
WORKING = "working"  # the tier of memories that live for their session only, unless they are confirmed
PERSON, MODEL, WORKER = "person", "model", "worker"  # who has done what the audit tells
QUARANTINED = "quarantined"  # the trust of a memory that is not recalled until a person reviews it
SCOPES = ("project", "user")
TIERS = (WORKING, "episodic", "semantic", "procedural")
STATUSES = ("active", "archived", "deleted")
TRUSTS = ("trusted", QUARANTINED)


def group_of(kind: str) -> str:
    """Returns the display group of a kind. A kind unknown to this version counts as a fact."""
    return KINDS.get(kind, ("fact", ""))[0]


def kinds_of(word: str) -> tuple[str, ...]:
    """Returns the kinds that a `--type` word selects: all kinds of a group, or one kind; () for an unknown word."""
    if word in GROUPS:
        return tuple(kind for kind, (group, _) in KINDS.items() if group == word)
    word = ALIASES.get(word, word)
    return (word,) if word in KINDS else ()


def require_kinds(word: str) -> tuple[str, ...]:
    """Returns the kinds that a user's word selects, ignoring case. Raises BadInput with the valid words if it is
    unknown.
    """
    found = kinds_of(word.lower())
    if not found:
        kinds = ", ".join(kind for kind in KINDS if kind not in GROUPS)
        raise BadInput("there is no type " + repr(word[:40]), "one of " + ", ".join(GROUPS) + " (groups), " + kinds)
    return found


# The columns of `memory` that make a StoredMemory, in the order of its slots.
COLUMNS = (
    "seq",
    "id",
    "agent_id",
    "project_id",
    "scope",
    "kind",
    "tier",
    "status",
    "status_reason",
    "trust",
    "pinned",
    "title",
    "content",
    "relevance",
    "confidence",
    "access_count",
    "retrieval_count",
    "use_count",
    "up_votes",
    "down_votes",
    "origin",
    "session_id",
    "created_at",
    "updated_at",
    "accessed_at",
    "used_at",
    "verified_at",
    "expires_at",
    "deadline_at",
    "version",
    "pagerank",
    "community",
)
_COUNTS = "seq pinned access_count retrieval_count use_count up_votes down_votes version".split()
_SHARES = ("relevance", "confidence", "pagerank")
_ABSENT = "project_id status_reason session_id accessed_at used_at verified_at expires_at deadline_at".split()
_ABSENT += ("pagerank", "community")


def _types(name: str) -> frozenset[type]:
    if name in _COUNTS:
        return frozenset({int})
    sound = {float} if name in _SHARES or name.endswith("_at") else {str}
    return frozenset(sound | {type(None)} if name in _ABSENT else sound)


_TYPES = tuple(map(_types, COLUMNS))


def decoded(data: bytes) -> str:
    """Decodes bytes as UTF-8 and replaces invalid ones, so that a damaged text does not hide the rest of the row."""
    return data.decode("utf-8", "replace")


class StoredMemory:
    """One row of `memory`. Times are UTC unix seconds; `relevance` and `confidence` are 0..1."""

    __slots__ = COLUMNS

    if TYPE_CHECKING:
        seq: int
        id: str
        agent_id: str
        project_id: str | None
        scope: str
        kind: str
        tier: str
        status: str
        status_reason: str | None
        trust: str
        pinned: int
        title: str
        content: str
        relevance: float
        confidence: float
        access_count: int
        retrieval_count: int
        use_count: int
        up_votes: int
        down_votes: int
        origin: str
        session_id: str | None
        created_at: float
        updated_at: float
        accessed_at: float | None
        used_at: float | None
        verified_at: float | None
        expires_at: float | None
        deadline_at: float | None
        version: int
        pagerank: float | None
        community: str | None

    def __init__(self, row: Any) -> None:
        for name, value in zip(COLUMNS, row):  # noqa: B905  strict= needs Python 3.10, hooks run on 3.9
            setattr(self, name, value)
        sound = all(map(frozenset.__contains__, _TYPES, map(type, row)))
        if not (sound and 0.0 <= self.relevance <= 1.0 and 0.0 <= self.confidence <= 1.0):
            self._mend()

    def _mend(self) -> None:
        """Replaces values of the wrong type in a damaged row by text or a neutral value. `keepstone doctor` reports the
        row.
        """
        for name, types in zip(COLUMNS, _TYPES):  # noqa: B905
            value = getattr(self, name)
            if isinstance(value, bytes):
                value = decoded(value)
            if type(value) not in types:
                value = None if type(None) in types else _neutral(types, value)
            setattr(self, name, min(max(value, 0.0), 1.0) if name in _SHARES and value is not None else value)

    @property
    def group(self) -> str:
        return group_of(self.kind)

    @property
    def outdated(self) -> bool:
        """Tells whether a person or a session rated the memory outdated: it is labelled and ranked last."""
        return self.status_reason == OUTDATED


def _neutral(types: frozenset[type], value: Any) -> Any:
    if str in types:
        return "" if value is None else str(value)
    (number,) = types
    return number(value) if isinstance(value, int) else number()


class Provenance:
    """The evidence of a memory that a line of the brief shows. `sessions` is the number in which a person was there."""

    __slots__ = ("short_id", "user_said", "sessions", "stated_at", "program_said")

    def __init__(
        self, short_id: str, user_said: bool, sessions: int, stated_at: float, program_said: bool = False
    ) -> None:
        self.short_id = short_id
        self.user_said = user_said
        self.sessions = sessions
        self.stated_at = stated_at
        self.program_said = program_said
