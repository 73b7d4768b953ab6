"""The dashboard: pages for people, rendered here, over the same operations as everything else."""

from __future__ import annotations

from fastapi import FastAPI

from . import delivery, ending, entry, graph, health, memories, memory, review, sessions


def install(app: FastAPI) -> None:
    """Adds the pages to an application. They are no part of its description: programs have the API."""
    for part in (entry, memories, memory, sessions, review, graph, ending, delivery, health):
        app.include_router(part.router, include_in_schema=False)
    app.mount("/static", entry.assets(), "static")
