"""Finds clusters of episodes about the same subjects, and summarises a cluster that expires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..lib.limits import CONTENT_CHARS, SUMMARY_RELEVANCE, TITLE_CHARS
from ..lib.text import clip, day, digest, one_line
from ..model.candidate import Candidate
from ..model.memory import StoredMemory

CLUSTER_EPISODES = 3  # episodes that a cluster needs before it is summed up
# A subject of more episodes than this, and of more than one in four, is too common to form a cluster.
CLUSTER_MANY = 20
CLUSTER_COMMON = 4
CLUSTER_NAMED = 3  # subjects in a summary's title

SUBJECTS = ("file", "symbol", "concept", "tag")  # the facets that are subjects of a memory


def clusters(
    episodes: Iterable[StoredMemory], about: Mapping[str, Iterable[str]]
) -> list[tuple[tuple[str, ...], list[StoredMemory]]]:
    """Returns (subjects, episodes) of each cluster: at least three episodes of a project about the same subject, from
    two sessions or more.

    `about` holds each episode's files, symbols, concepts and tags; a subject that a quarter of many episodes share is
    ignored. An episode is in one cluster only, that of its most frequent subject.
    """
    held = {memory.id: memory for memory in episodes if memory.kind != "summary"}
    of: dict[tuple[str | None, str, str], list[str]] = {}
    for memory in held.values():
        for subject in about.get(memory.id, ()):
            of.setdefault((memory.project_id, memory.scope, subject), []).append(memory.id)
    most = max(CLUSTER_MANY, len(held) // CLUSTER_COMMON)
    found, taken = [], set[str]()
    for place in sorted(of, key=lambda place: (-len(of[place]), place[2])):
        members = [held[memory_id] for memory_id in of[place] if memory_id not in taken]
        sessions = {memory.session_id for memory in members}
        if CLUSTER_EPISODES <= len(members) and len(of[place]) <= most and len(sessions) > 1:
            taken |= {memory.id for memory in members}
            found.append((_subjects(members, about), sorted(members, key=lambda one: (one.created_at, one.id))))
    return found


def _subjects(members: Sequence[StoredMemory], about: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    counts = Counter(subject for memory in members for subject in about.get(memory.id, ()))
    shared = [subject for subject, count in counts.items() if count > 1]
    return tuple(sorted(shared, key=lambda subject: (-counts[subject], subject))[:CLUSTER_NAMED])


def summary(subjects: Sequence[str], episodes: Sequence[StoredMemory]) -> Candidate:
    """Returns a cluster's summary: its episodes' own sentences, each once, in the order of time. It is named after the
    subjects; that of a session, which has none, after the day and what was noted first.
    """
    episodes = sorted(episodes, key=lambda memory: (memory.created_at, memory.id))
    said = {one_line(memory.content).casefold(): memory for memory in reversed(episodes)}
    lines = [f"{day(memory.created_at)}: {one_line(memory.title)}" for memory in reversed(said.values())]
    titles = [one_line(memory.title).rstrip(" .") for memory in episodes]
    about, began = ", ".join(subjects), day(episodes[0].created_at)
    name = f"What was learned about {about}: {titles[-1]}" if about else f"Session of {began}: {'; '.join(titles)}"
    head = f"About {about}:" if about else f"Noted in the session of {began}:"
    return Candidate(
        kind="summary",
        content=clip(f"{head}\n" + "\n".join(lines), CONTENT_CHARS),
        title=clip(name, TITLE_CHARS),
        relevance=max(SUMMARY_RELEVANCE, max(memory.relevance for memory in episodes)),
        confidence=min(memory.confidence for memory in episodes),
        record_uuid="cluster:" + digest(*sorted(memory.id for memory in episodes)),
        excerpt=clip("; ".join(one_line(memory.title) for memory in episodes), 500),
        method="summary",
        scope=episodes[0].scope,
        facets=tuple(("concept", subject) for subject in subjects),
    )
