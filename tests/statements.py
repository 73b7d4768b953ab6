"""Every SQL statement that a module holds as a constant, ready to be prepared by an engine.

A statement is a string that begins with a verb of SQL, or an `Sql` pair, as an attribute of a module or an item of a
tuple, a list or a dict there. A template is filled with every fragment that the code fills in.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import re
import string
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

import keepstone
from keepstone.db import filter_sql
from keepstone.db.sql import Sql
from keepstone.model.filter import Filter
from keepstone.recall.match_archive_sql import ArchiveScope
from keepstone.recall.match_postgres import _VECTORS, NAMING, PLACES

SQLITE, POSTGRES = "sqlite", "postgres"
_VERB = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s")
_TABLE = re.compile(r"\s*CREATE (VIRTUAL )?TABLE IF NOT EXISTS\s")
_NAME = re.compile(r"(?<![:\w]):(\w+)|%\((\w+)\)s")  # as we write it, or as psycopg takes it
_EVERY_FILTER = Filter("tag", "file", "tier", 0.0, 1.0, "agent", "session")
_SCOPES = tuple(
    filter_sql.in_scope(project, everything, "[]") + filter_sql.condition(_EVERY_FILTER)
    for project, everything in ((None, False), ("prj-1", False), (None, True))
)
# what the code puts into the fields of templates, by the field's name or by the statement's
FRAGMENTS: dict[str, tuple[str, ...]] = {
    "scope": _SCOPES,
    "where": tuple(
        f"{state} AND {scope}"
        for state in (filter_sql.RECALLABLE, filter_sql.VISIBLE, *filter_sql.STATES.values())
        for scope in _SCOPES
    ),
    "turns": tuple(
        ArchiveScope(*scope).condition()
        for scope in ((None, False), ("prj-1", False, "session", 1.0), (None, True, "", None, 1.0, True))
    ),
    "session_scope": (filter_sql.is_project(None, "s"), filter_sql.is_project("prj-1", "s"), "TRUE"),
    "user": ("''",),
    "found": (NAMING,),
    "near": ("v.near", "CAST(v.near AS halfvec(16))"),
    "asked": ("CAST(:asked AS halfvec(16))",),
    "vectors": (_VECTORS,),
    "of": ("v.model = :model",),
    "of_these": ("", "AND m.id IN (SELECT value FROM json_each(:ids))"),
    "serve_copy_sql.CHANGED": ("audit",),
    "adopt_sql.TEXTS_OF_PLACE": ("project_id IS NULL", "project_id = :project"),
}
# a statement that the code goes on with: what it ends with, and what may follow
ENDINGS = {" FROM ": "audit", " AND ": "TRUE", " AND\n": "TRUE", " WHERE ": "TRUE"}
# statements of one engine: FTS5, SQLite's catalogue and the numbers of its rows; PostgreSQL's text search and sequences
_OF_SQLITE = {
    "match_sql": (
        "_TEXTS",
        "_EVIDENCE",
        "_TURNS",
        "_NUMBERS",
        "_NUMBERED",
        "_LAST_VECTOR",
        "_NEW_VECTORS",
        "_FREQUENCY",
        "_SINCE",
    )
    + ("_SAYS", "_STEMS"),
    "read_copy_sql": ("UNTOLD_DELIVERIES",),
    "reader": ("FOREIGN",),
}
_OF_POSTGRES = {
    "present_rows_sql": ("RESERVE", "MAY_NUMBER"),
    "vectors_sql": ("WEIGHTS", "SAME_WEIGHTS", "KEEP_WEIGHTS"),
}
_MODULES_OF_POSTGRES = ("pgvector", "postgres")


class Statement(NamedTuple):
    """A statement, the module and the name of its constant, and the engines that it is for."""

    module: str
    name: str
    text: str
    engines: tuple[str, ...]


def statements() -> list[Statement]:
    """Returns the statements of all modules that may hold SQL, templates filled in."""
    return [one._replace(text=text) for module in _modules() for one in _constants(module) for text in _filled(one)]


def more_tables() -> list[str]:
    """Returns the statements that make tables of SQLite which no migration makes."""
    values = [value for module in _modules() for value in vars(module).values() if isinstance(value, str)]
    return [value for value in values if _TABLE.match(value)]


def named(sql: str) -> list[str]:
    """Returns the names of a statement's parameters, each once, in order."""
    return list(dict.fromkeys(found[1] or found[2] for found in _NAME.finditer(sql)))


def numbered(sql: str) -> str:
    """Returns a statement with `$1`, `$2` and so on for its parameters, as PREPARE takes it."""
    names = named(sql)
    if "%(" in sql:
        sql = sql.replace("%%", "%")
    return _NAME.sub(lambda found: f"${names.index(found[1] or found[2]) + 1}", sql)


def _modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(keepstone.__path__, "keepstone."):
        parts = info.name.split(".")
        if "migrations" not in parts and (parts[1] in ("store", "db") or parts[-1].endswith(("_sql", "_postgres"))):
            yield importlib.import_module(info.name)


def _constants(module: ModuleType) -> Iterator[Statement]:
    place = module.__name__.rpartition(".")[2]
    for name, value in vars(module).items():
        items = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else (value,)
        for item in items:
            if isinstance(item, Sql):
                sides = ((item.sqlite, (SQLITE,)), (item.postgres, (POSTGRES,)))
            else:
                sides = ((item, _engines(place, name)),)
            yield from (
                Statement(place, name, text, engines)
                for text, engines in sides
                if isinstance(text, str) and _VERB.match(text)
            )


def _engines(place: str, name: str) -> tuple[str, ...]:
    if place.endswith("_postgres") or place in _MODULES_OF_POSTGRES or name in _OF_POSTGRES.get(place, ()):
        return (POSTGRES,)
    return (SQLITE,) if name in _OF_SQLITE.get(place, ()) else (SQLITE, POSTGRES)


def _filled(one: Statement) -> Iterator[str]:
    fields = {field: None for _, field, _, _ in string.Formatter().parse(one.text) if field is not None}
    if not fields.keys() - {""} and f"{one.module}.{one.name}" not in FRAGMENTS:  # braces may be of JSON
        yield one.text + next((more for end, more in ENDINGS.items() if one.text.endswith(end)), "")
        return
    indexes = [{"index": index, "table": table, "joined": joined} for index, (table, joined) in PLACES.items()]
    free = [field for field in fields if field not in indexes[0]]
    choices = [_fragments(one, field) for field in free]
    for index in indexes if len(free) < len(fields) else ({},):
        for chosen in itertools.product(*choices):
            given = {**index, **dict(zip(free, chosen, strict=True))}
            yield one.text.format(given[""]) if "" in given else one.text.format(**given)


def _fragments(one: Statement, field: str) -> tuple[str, ...]:
    name = f"{one.module}.{one.name}"
    found = FRAGMENTS.get(name) or FRAGMENTS.get(field)
    assert found, f"FRAGMENTS does not say what stands in {{{field}}} of {name}"
    return found
