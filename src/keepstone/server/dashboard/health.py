"""Whether all is well: the checks, what was spent, the jobs, and what was done to memories."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from ...lib.limits import DASHBOARD_ROWS
from .page import PageView, sums

router = APIRouter(prefix="/health")


@router.get("")
def health(view: PageView) -> Response:
    status = view.memory.maintenance.status(everything=view.everything)
    values: dict[str, Any] = {"status": status, "counts": sums(status.kinds), "jobs": view.memory.maintenance.jobs()}
    return view.page("health.html", **values, copies=view.memory.backups.backup_list(), **_done(view, 1))


@router.get("/checks")
def checks(view: PageView) -> Response:
    """Every check of `keepstone doctor`; they take a moment."""
    return view.part("checks.html", checks=view.memory.maintenance.doctor())


@router.get("/audit")
def audit(view: PageView, page: Annotated[int, Query(ge=1, le=100_000)] = 1) -> Response:
    values = _done(view, page)
    return view.part("audit_rows.html", **values) if view.is_part else view.page("audit.html", **values)


def _done(view: PageView, page: int) -> dict[str, Any]:
    """A page of what was done to memories, the latest first, and whether there is more."""
    entries = view.memory.history.audit(limit=DASHBOARD_ROWS, page=page)
    return {"entries": entries, "page": page, "more": len(entries) == DASHBOARD_ROWS}
