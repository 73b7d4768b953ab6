"""Serves the hooks and the worker of another machine, which read a copy and report their sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..context import Context
from ..db import sessions
from ..lib.errors import BadInput
from ..lib.limits import COPY_ROWS
from ..lib.text import session_key
from ..lifecycle.add_sql import Origin
from ..recall.complete_memories import writing
from ..redaction.redact import redact
from . import serve_copy_sql
from .codec import LARGEST, IntRange
from .copy_format import CopyChanges, Page, SessionReport
from .protocol import served
from .store_session_reports import count_deliveries, store_report

if TYPE_CHECKING:
    from ..db.writer import Writer


@served(answers=str | None)
def settled(context: Context) -> str | None:
    """Returns the id of the caller's project, which is created if it is new; None outside a project."""
    with writing(context) as to, to.transaction() as tx:
        return sessions.project(tx, context.caller.identity, "", context.clock())


@served(answers=CopyChanges, takes={"since": IntRange(0, LARGEST)})
def changes(context: Context, *, since: int, projects: Sequence[str], whole: bool) -> CopyChanges:
    """Returns the changes for a copy of these projects that knows the audit up to `since`. With `whole`, returns
    everything.
    """
    with context.reader() as reader:
        return serve_copy_sql.changes(reader, since, projects, whole)


@served(answers=Page)
def rows_of(context: Context, ids: Sequence[str], *, projects: Sequence[str]) -> Page:
    """Returns the rows of as many of these memories as fit in one answer, if they are recallable in one of these
    projects.
    """
    if not 0 < len(ids) <= COPY_ROWS:
        raise BadInput(f"that is too much at once: {len(ids)} memories", f"at most {COPY_ROWS} at a time")
    with context.reader() as reader:
        return serve_copy_sql.page(reader, ids, projects)


@served(answers=None, takes={"rows": list[tuple[str, str, int, float]]})
def count_shown(context: Context, session: str, rows: Sequence[tuple[str, str, int, float]]) -> None:
    """Counts what a session was shown on another machine: (memory id, event, characters, time)."""
    with writing(context) as to:
        count_deliveries(to, _origin(context, to, session, ""), rows, context.clock())


@served(answers=tuple[list[str], list[str]], takes={"told": SessionReport})
def learn(context: Context, session: str, told: SessionReport, *, branch: str = "") -> tuple[list[str], list[str]]:
    """Stores what another machine has captured from one of its sessions. Returns the ids of new and
    repeated memories.
    """
    if not context.settings["archive_days"]:
        told = replace(told, said=[])
    with writing(context) as to:
        return store_report(to, _origin(context, to, session, redact(branch)), told, redact, context.clock())


def _origin(context: Context, to: Writer, session: str, branch: str) -> Origin:
    with to.transaction() as tx:
        project = sessions.project(tx, context.caller.identity, "", context.clock())
    return Origin("hook", project, session_key(session), branch or None, context.caller.agent)
