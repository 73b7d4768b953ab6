"""Makes an in-memory copy of the database for dry runs. Writes nothing to disk."""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager

from ..lib.errors import StoreError
from .integrity import untouched
from .migrations import run

MODE = "mode=memory&cache=shared"


@contextmanager
def rehearsal(path: str) -> Iterator[str]:
    """Yields the URI name of a copy that a Writer can open with MODE. The copy of a missing database is empty. Raises
    StoreError if the database cannot be read.
    """
    name = f"keepstone-rehearsal-{uuid.uuid4().hex}"
    with closing(sqlite3.connect(f"file:{name}?{MODE}", uri=True, isolation_level=None)) as copy:
        try:
            if os.path.exists(path):
                with closing(untouched(path)) as database:
                    database.backup(copy)
            run.apply(copy, run.SQLITE)
        except sqlite3.Error as problem:
            raise StoreError(f"{path} can't be read: {problem}", "keepstone doctor") from problem
        yield name
