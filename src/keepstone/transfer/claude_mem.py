"""Converts rows of claude-mem's database to memories: its observations, and its session summaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..lib.fast_json import parse
from ..lib.text import digest
from .foreign_memory import Foreign, kind_of, text

Row = Mapping[str, object]
TABLES = ("observations", "session_summaries")
# The parts of a summary, in order. Next steps are left out: they are outdated once the session is over.
_PARTS = (("request", "Asked"), ("investigated", "Looked at"), ("learned", "Learned"), ("completed", "Done"))
_SECONDS_MAX = 1e11  # a larger number is in milliseconds


def of_row(table: str, row: Row) -> Foreign | None:
    """Returns the memory in a row, or None if it is empty. `row` may lack columns that its schema version does not
    have.
    """
    return _observation(row) if table == "observations" else _summary(row)


def _observation(row: Row) -> Foreign | None:
    title, told = text(row, "title"), text(row, "narrative") or text(row, "text")
    facts = [f"- {fact}" for fact in _list(row, "facts")]
    lead = [part for part in (title, text(row, "subtitle")) if part]
    body = [told] if told else facts
    content = "\n".join([". ".join(part.rstrip(".") for part in lead), *body]).strip()
    if not content:
        return None
    files = [*_list(row, "files_modified"), *_list(row, "files_read")]
    word = text(row, "type")
    return Foreign(
        key=_key("observation", row, title or content),
        kind=kind_of(word),
        content=content,
        title=title,
        created_at=_at(row),
        project=_project(row),
        worktree_of=_project(row).partition("/")[0],
        session=text(row, "content_session_id"),
        word=word,
        facets=_named(concept=_list(row, "concepts"), file=files),
    )


def _summary(row: Row) -> Foreign | None:
    told = [f"{lead}: {text(row, name)}" for name, lead in _PARTS if text(row, name)]
    told += [text(row, "notes")] if text(row, "notes") else []
    if not told:
        return None
    return Foreign(
        key=_key("summary", row, text(row, "request")),
        kind="summary",
        content="\n".join(told),
        title=text(row, "request"),
        created_at=_at(row),
        project=_project(row),
        worktree_of=_project(row).partition("/")[0],
        session=text(row, "content_session_id"),
        facets=_named(file=[*_list(row, "files_edited"), *_list(row, "files_read")]),
    )


def _named(**facets: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((facet, value) for facet, values in facets.items() for value in values)


def _key(what: str, row: Row, says: str) -> str:
    """Returns a key without the row's number: other machines' databases also count from 1."""
    return f"{what}:{digest(text(row, 'memory_session_id'), repr(row.get('created_at_epoch')), says)}"


def _project(row: Row) -> str:
    return text(row, "merged_into_project") or text(row, "project")


def _at(row: Row) -> float | None:
    at = row.get("created_at_epoch")
    if isinstance(at, bool) or not isinstance(at, int | float) or at <= 0:
        return None
    return at / 1000 if at > _SECONDS_MAX else float(at)


def _list(row: Row, name: str) -> Iterator[str]:
    """Yields the strings of a column that contains a JSON list."""
    try:
        value = parse(text(row, name) or "[]")
    except ValueError:
        return iter(())
    return (item.strip() for item in value if isinstance(item, str)) if isinstance(value, list) else iter(())
