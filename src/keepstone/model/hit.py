"""A memory as the interfaces show it: the fields of `--json`, and the two-line form of a listing."""

from __future__ import annotations

from ..lib.text import MASK, clean, clip, day, one_line, utc
from .anchor import NO_DOUBT
from .candidate import BY_CLAUDE, CHOSEN, PROGRAM, RUN_BY
from .memory import GROUPS, StoredMemory
from .relationship import RELATIONS, SYMMETRIC
from .render import escape, headline, project_word
from .tiers import BY_HAND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .relationship import Edge


class Hit:
    """A memory with its project's name, facets, evidence and score. `doubt` is the reason why it may not hold here;
    `importance` is its current importance, 0..1, or None if it was not computed; `ratings` are (vote, note, time).
    """

    __slots__ = (
        *("memory", "short_id", "project", "facets", "evidence", "score", "related", "doubt", "importance"),
        "ratings",
    )

    def __init__(
        self,
        memory: StoredMemory,
        short_id: str,
        project: str | None,
        facets: list[tuple[str, str]],
        evidence: list[tuple[str | None, str, str, str, float]],
        score: float | None = None,
    ) -> None:
        self.memory = memory
        self.short_id = short_id
        self.project = project
        self.facets = facets
        self.evidence = evidence
        self.score = score
        self.related: list[tuple[str, str, bool]] = []
        self.doubt = NO_DOUBT
        self.importance: float | None = None
        self.ratings: list[tuple[str, str, float]] = []

    def facet(self, name: str) -> list[str]:
        return [value for facet, value in self.facets if facet == name]

    @property
    def attended(self) -> bool:
        """Tells whether a person was there when it was said; otherwise a program ran its session."""
        return PROGRAM not in self.facet(RUN_BY)


NAMED = ("supersedes", "contradicts", "derived_from", "caused_by", "depends_on")  # listed one by one
# The meaning of each factor of importance.
MEANS = {
    "recency": "how little it has faded",
    "uses": "fetched, rated up, or seen used",
    "searches": "found by searches",
    "confidence": "how sure it still is",
    "last use": "fades: a third is left after a month",
    "ratings": "votes up and down",
    "links": "how central it is, as of the last night",
}
# The meaning of each method of evidence.
METHOD_LABELS = {
    "user": "the user said",
    CHOSEN: "chosen by the user",
    PROGRAM: "a program said",
    "assistant": "Claude said",
    "manual": "stored by hand",
    BY_CLAUDE: "Claude stored, unasked",
    "api": "stored by a program",
    "merge": "merged",
    "summary": "the session began with",
    "auto_memory": "Claude's own memory file",
}
UNATTENDED = "a session that a program ran"
# The meaning of each kind of proposal.
PROPOSED = {
    "quarantine": "Waits for your word",
    "suggestion": "Maybe worth remembering",
    "merge": "Nearly the same",
    "promote": "A habit by now",
    "prune": "Old, idle and of little worth",
}
STAYS = ("merge", "unmerged", "erase")  # actions of a session that undo does not revert


def iso(at: float | None) -> str | None:
    """Formats a unix time as ISO 8601 in UTC. Returns None for None."""
    return None if at is None else utc(at, "%Y-%m-%dT%H:%M:%SZ")


def moment(at: float) -> str:
    """Formats a unix time for people, to the minute, in UTC."""
    return utc(at, "%Y-%m-%d %H:%M UTC")


def as_object(shown: Hit) -> dict[str, Any]:
    """Returns the fields of a memory in JSON. Unknown values are null or []."""
    memory = shown.memory
    return {
        "id": memory.id,
        "kind": memory.kind,
        "tier": memory.tier,
        "status": memory.status,
        "trust": memory.trust,
        "scope": memory.scope,
        "project": shown.project,
        "title": memory.title,
        "content": memory.content,
        "excerpt": shown.evidence[0][2] if shown.evidence else None,
        "tags": shown.facet("tag"),
        "concepts": shown.facet("concept"),
        "files": shown.facet("file"),
        "symbols": shown.facet("symbol"),
        "relevance": memory.relevance,
        "importance": None if shown.importance is None else round(shown.importance, 3),
        "confidence": memory.confidence,
        "access_count": memory.access_count,
        "retrieval_count": memory.retrieval_count,
        "use_count": memory.use_count,
        "created_at": iso(memory.created_at),
        "last_accessed_at": iso(memory.accessed_at),
        "origin": memory.origin,
        "session_id": memory.session_id,
        "attended": shown.attended,
        "pagerank": memory.pagerank,
        "community": memory.community,
        "expires_at": iso(memory.expires_at),
        "changed": shown.doubt.file or None,
        "may_contradict": list(shown.doubt.rivals),
        "from_branch": shown.doubt.branch or None,
    }


def edge_object(edge: Edge) -> dict[str, Any]:
    """Returns the fields of a relationship in JSON."""
    return {
        "source": edge.source,
        "target": edge.target,
        "type": edge.type,
        "method": edge.method,
        "weight": round(edge.weight, 3),
        "bidirectional": edge.type in SYMMETRIC,
        "notes": edge.notes,
    }


def icon(memory: StoredMemory) -> str:
    return GROUPS[memory.group][0]


def place(shown: Hit) -> str:
    """Returns the place where a memory holds, for people."""
    return "every project" if shown.memory.scope == "user" else one_line(shown.project or "outside any project")


def listing_lines(shown: Hit) -> tuple[str, str]:
    """Returns two lines: the headline, then id, project, relevance, accesses and date."""
    memory = shown.memory
    facts = [
        f"ID: {max(shown.short_id, memory.id[4:12], key=len)}",
        place(shown),
        f"Relevance: {memory.relevance:.2f}",
        f"Accessed: {memory.access_count}x",
        f"Created: {day(memory.created_at)}",
    ]
    return f"{icon(memory)} {headline(memory)}", " | ".join(facts + states(shown))


def states(shown: Hit) -> list[str]:
    """Describes the unusual states of a memory, in words."""
    memory = shown.memory
    found = ["pinned"] if memory.pinned else []
    if memory.outdated or memory.status != "active":
        found.append(memory.status_reason or memory.status)
    if memory.trust != "trusted":
        why = memory.status_reason if memory.status == "active" else None  # otherwise the reason is already in the list
        found.append(memory.trust + (f": {why}" if why else ""))
    if MASK in memory.title or MASK in memory.content:
        found.append("redacted")
    if memory.status == "active":  # otherwise the contradiction no longer matters
        found += [f"may contradict {one}" for one in shown.doubt.rivals]
    if shown.doubt.branch:
        found.append(f"from branch {project_word(shown.doubt.branch)}")
    return found + ([f"{escape(one_line(shown.doubt.file))} changed since: verify"] if shown.doubt.file else [])


def source_lines(shown: Hit) -> list[str]:
    """Returns the lines that say where a memory comes from, for who decides on it: its origin, then each evidence, with
    its words if the memory does not hold them.
    """
    memory = shown.memory
    ran = [] if shown.attended else [UNATTENDED]
    lines = [f"from: {', '.join([memory.origin, *ran, *map(one_line, shown.facet('file'))])}"]
    for session, _, excerpt, method, at in shown.evidence:
        quoted = "" if one_line(excerpt).rstrip("…") in one_line(memory.content) else f": “{one_line(excerpt)}”"
        within = f" in session {one_line(session)}" if session else ""
        lines.append(f"{METHOD_LABELS.get(method, method)}{within}, {moment(at)}{quoted}")
    return lines


def markdown_line(shown: Hit) -> str:
    """Returns one bullet, for pipes and for the model, escaped as in the brief."""
    memory = shown.memory
    notes = [shown.short_id, memory.kind, escape(place(shown)), day(memory.created_at), *states(shown)]
    return f"- {icon(memory)} {escape(headline(memory))} ({', '.join(notes)})"


def _about(shown: Hit) -> list[str]:
    """Returns the lines for a memory's relationships, deadline, end and facets."""
    lines = [f"- {RELATIONS[type][received]}: {other}" for type, other, received in shown.related if type in NAMED]
    others = {other for type, other, _ in shown.related if type not in NAMED}
    if others:
        lines.append(f"- hangs together with {len(others)} more: keepstone graph related {shown.short_id}")
    if shown.memory.deadline_at:
        lines.append(f"- until: {day(shown.memory.deadline_at)}")
    if shown.memory.expires_at:
        unless = (
            "" if shown.memory.origin in BY_HAND else f", unless it earns another tier (keepstone why {shown.short_id})"
        )
        lines.append(f"- ends: {moment(shown.memory.expires_at)}{unless}")
    named = [name for name in ("file", "symbol", "concept") if shown.facet(name)]
    if shown.memory.origin != "auto_memory":
        lines += [f"- {name}s: {', '.join(map(escape, shown.facet(name)))}" for name in named]
    return lines


def _worth(shown: Hit) -> str:
    return "" if shown.importance is None else f" · importance now: {shown.importance:.2f}"


def full(shown: Hit, versions: list[tuple[int, str, float, float, str]]) -> str:
    """Returns the whole memory as markdown: text, facts, evidence, earlier texts."""
    memory = shown.memory
    lines = [f"# {icon(memory)} {escape(memory.title)}", ""]
    if one_line(memory.content) != one_line(memory.title):
        lines += [f"> {escape(line)}" for line in clean(memory.content).split("\n")] + [""]
    lines += [
        f"- id: {memory.id}",
        f"- kind: {memory.kind} · tier: {memory.tier} · status: {', '.join([memory.status, *states(shown)])}",
        f"- project: {escape(place(shown))}",
        f"- relevance: {memory.relevance:.2f} · confidence when last stated: {memory.confidence:.2f}{_worth(shown)}",
        f"- accessed: {memory.access_count}x · found: {memory.retrieval_count}x · used: {memory.use_count}x"
        f" · votes: +{memory.up_votes} -{memory.down_votes}",
        f"- created: {iso(memory.created_at)} ({memory.origin}) · updated: {iso(memory.updated_at)}",
    ]
    if not shown.attended:
        lines += [f"- from: {UNATTENDED}"]
    if memory.origin == "auto_memory":
        lines += [f"- from: Claude's own memory file {', '.join(map(escape, shown.facet('file')))}"]
    lines += _about(shown)
    lines += [f"- tags: {', '.join(map(escape, shown.facet('tag')))}"] if shown.facet("tag") else []
    if shown.ratings:
        lines += ["", "## Ratings"]
        lines += [
            f"- {day(at)}, {vote}{': ' if note else ''}{escape(one_line(note))}" for vote, note, at in shown.ratings
        ]
    if shown.evidence:
        lines += ["", "## Evidence"]
        for session_id, _, excerpt, method, at in shown.evidence:
            said = METHOD_LABELS.get(method, method)
            lines.append(f"- {day(at)}, {said}, session {clip(session_id or 'unknown', 40)}: “{escape(excerpt)}”")
    after = [text for _, text, *_ in versions[1:]] + [memory.content]
    earlier = [one for one, text in zip(versions, after, strict=False) if one[1] != text]
    if earlier:
        lines += ["", "## Earlier"]
        lines += [f"- until {day(to)} ({one_line(reason)}): {escape(text)}" for _, text, _, to, reason in earlier]
    return "\n".join(lines)
