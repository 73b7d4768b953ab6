"""Chooses the search engine for a database. Hot module."""

from __future__ import annotations

from .match_sql import Matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..db.reader import Reader


def matches_in(store: Reader, *scope: Any, **more: Any) -> Matches:
    """Returns the `Matches` of the reader's engine."""
    if store.is_postgres:
        from .match_postgres import PgMatches

        return PgMatches(store, *scope, **more)
    return Matches(store, *scope, **more)
