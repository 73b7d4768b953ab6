"""The options that several commands take."""

from __future__ import annotations

import functools
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import click

from ..api.types import Filter
from ..lib import limits
from ..model.memory import GROUPS, TIERS

TYPES = ", ".join(GROUPS)


def project_option(command: Callable[..., None]) -> Callable[..., None]:
    return click.option("--project", metavar="PATH", help="Another project's folder, instead of this one.")(command)


def json_option(command: Callable[..., None]) -> Callable[..., None]:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


class Day(click.ParamType[float]):
    """A day as 2026-11-22, or so many days ago as 7d, as UTC unix seconds."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if re.fullmatch(r"\d{1,5}d", str(value)):
            return time.time() - 86_400.0 * int(value[:-1])
        try:
            return datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
        except ValueError:
            self.fail(f"{value!r} is no day; give 2026-11-22, or 7d for seven days ago", param, ctx)


def listing_options(limit: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The filters that every listing and search has, those beside type and project as `narrow`."""

    def wrap(told: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(told)
        def command(
            *args: Any, tag: str, file: str, tier: str | None, since: float | None, before: float | None, **more: Any
        ) -> None:
            told(*args, narrow=Filter(tag.lower(), file, tier or "", since, before), **more)

        command = click.option("--before", type=Day(), help="Only what was made before that day.")(command)
        command = click.option("--since", type=Day(), help="Only what was made since a day: 2026-11-22, or 7d.")(
            command
        )
        command = click.option("--tier", type=click.Choice(TIERS), help="Only this tier.")(command)
        command = click.option("--file", default="", metavar="PATH", help="Only what came of this file.")(command)
        command = click.option("--tag", default="", metavar="WORD", help="Only what has this tag.")(command)
        bounds = click.IntRange(1, limits.LISTING_LIMIT_MAX)
        command = click.option("--limit", type=bounds, default=limit, show_default=True, help="At most so many.")(
            command
        )
        command = click.option("--type", "kind", metavar="TYPE", help=f"Only this type: {TYPES}, or a kind.")(command)
        command = click.option("--all", "everything", is_flag=True, help="Every project, not only this one.")(command)
        return project_option(json_option(command))

    return wrap
