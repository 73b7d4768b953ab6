"""Reads and writes an export as JSON lines: a header, one line for each row of a table, and a final line with the row
count. An archive may come from a stranger, so every value is checked against its column, whatever the header says.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..lib.limits import ARCHIVE_TEXT_CHARS, AT_MAX, EXCERPT_CHARS, TITLE_CHARS
from ..model.memory import KINDS, SCOPES, STATUSES, TIERS, TRUSTS
from ..model.suggestion import STATES as SUGGESTION_STATES
from ..model.turn import SPEAKERS
from .records import Column

AT_MIN = -62_135_596_800.0  # Unix seconds of the year 1, the first that `datetime` can represent

FORMAT, VERSION = "keepstone-export", 1
_MEMORY_ID = re.compile(r"mem-[0-9a-f]{16}")
_SUGGESTION_ID = re.compile(r"sug-[0-9a-f]{16}")
_DIGEST = re.compile(r"[0-9a-f]{32}")
# Constraints on the values of columns, beyond their types.
_WORDS = {
    ("memory", "kind"): frozenset(KINDS),
    ("memory", "scope"): frozenset(SCOPES),
    ("memory", "tier"): frozenset(TIERS),
    ("memory", "status"): frozenset(STATUSES),
    ("memory", "trust"): frozenset(TRUSTS),
    ("evidence", "trust"): frozenset(TRUSTS),
    ("suggestion", "kind"): frozenset(KINDS),
    ("suggestion", "scope"): frozenset(SCOPES),
    ("suggestion", "trust"): frozenset(TRUSTS),
    ("suggestion", "state"): frozenset(SUGGESTION_STATES),
    ("turn", "speaker"): frozenset(SPEAKERS),
    ("turn", "trust"): frozenset(TRUSTS),
}
_SHAPES = {
    ("memory", "id"): _MEMORY_ID,
    ("memory", "row_digest"): _DIGEST,
    ("suggestion", "id"): _SUGGESTION_ID,
    ("memory", "content_hash"): _DIGEST,
    ("evidence", "row_digest"): _DIGEST,
}
_LENGTHS = {
    ("memory", "title"): TITLE_CHARS,
    ("memory_version", "title"): TITLE_CHARS,
    ("evidence", "excerpt"): EXCERPT_CHARS,
    ("suggestion", "excerpt"): EXCERPT_CHARS,
}
_SHARES = frozenset(("relevance", "confidence", "weight", "pagerank"))
_WHOLE = 2**63
_COUNT_MAX = 10**15  # more than any counter reaches; adding one still gives a whole number in SQLite and JSON


@dataclass(frozen=True, slots=True)
class ArchiveHead:
    """The header of an archive: its schema, the version of Keepstone that wrote it, and the time (ISO 8601)."""

    schema: int
    keepstone: str
    at: str


def head_line(schema: int, keepstone: str, at: str) -> str:
    return _line({"format": FORMAT, "version": VERSION, "schema": schema, "keepstone": keepstone, "at": at})


def row_line(table: str, row: Mapping[str, Any]) -> str:
    texts = {name: base64.b64encode(value).decode() for name, value in row.items() if isinstance(value, bytes)}
    return _line({"table": table, "row": {**row, **texts}})


def end_line(rows: int) -> str:
    return _line({"end": rows})


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def parsed(line: str) -> dict[str, Any]:
    """Returns the JSON object in a line. Raises ValueError with a readable message."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("this is no JSON") from None
    if not isinstance(value, dict):
        raise ValueError("this is no JSON object")
    return value


def read_head(value: Mapping[str, Any], schema: int) -> ArchiveHead:
    """Returns the header in a first line. Raises ValueError if this code, which writes `schema`, cannot read the
    archive.
    """
    if value.get("format") != FORMAT:
        raise ValueError("this is no export of Keepstone's")
    version, made = value.get("version"), value.get("schema")
    if type(version) is not int or type(made) is not int or version < 1 or made < 1:
        raise ValueError("it does not say which version and schema it is of")
    if version > VERSION or made > schema:
        raise ValueError(f"a newer Keepstone made it (schema {made}, this one reads up to {schema})")
    return ArchiveHead(made, str(value.get("keepstone", ""))[:40], str(value.get("at", ""))[:40])


def read_row(value: Mapping[str, Any], tables: Mapping[str, tuple[Column, ...]]) -> tuple[str, dict[str, Any]]:
    """Returns (table, row) of a line, with every value checked against its column. Raises ValueError with a readable
    message.
    """
    table, row = value.get("table"), value.get("row")
    if not isinstance(table, str) or not isinstance(row, dict):
        raise ValueError("this is no row of a table")
    if table not in tables:
        raise ValueError(f"there is no table {table[:40]!r}")
    columns = tables[table]
    strange = set(row) - {column.name for column in columns}
    if strange:
        raise ValueError(f"{table} has no column {min(strange)[:40]!r}")
    return table, {column.name: _fit(table, column, row) for column in columns}


def _fit(table: str, column: Column, row: Mapping[str, Any]) -> Any:
    place = f"{table}.{column.name}"
    value = row.get(column.name, column.default)
    if value is None:
        if column.nullable:
            return None
        raise ValueError(f"{place} is missing")
    if column.type is str:
        return _text(table, column.name, value)
    if column.type is bytes:
        return _bytes(place, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{place} is no number")
    return _whole(place, value) if column.type is int else _real(place, column.name, float(value))


def _text(table: str, name: str, value: Any) -> str:
    place = f"{table}.{name}"
    if not isinstance(value, str):
        raise ValueError(f"{place} is no text")
    most = _LENGTHS.get((table, name), ARCHIVE_TEXT_CHARS)
    if len(value) > most:
        raise ValueError(f"{place} has {len(value):,} characters, {most:,} are the most")
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise ValueError(f"{place} holds half a character")
    if (table, name) in _WORDS and value not in _WORDS[table, name]:
        raise ValueError(f"{place} is {value[:40]!r}, not one of {', '.join(sorted(_WORDS[table, name]))}")
    if (table, name) in _SHAPES and not _SHAPES[table, name].fullmatch(value):
        raise ValueError(f"{place} has not the form of one")
    return value


def _bytes(place: str, value: Any) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError):
        raise ValueError(f"{place} is no base64") from None


def _whole(place: str, value: int | float) -> int:
    if not isinstance(value, int) or not -_WHOLE <= value < _WHOLE:
        raise ValueError(f"{place} is no whole number")
    if value < 0 and not place.endswith(".place"):
        raise ValueError(f"{place} is below 0")
    return max(-_COUNT_MAX, min(_COUNT_MAX, value))


def _real(place: str, name: str, value: float) -> float:
    """Returns a share limited to 0..1, or a time limited to the years that `datetime` can represent."""
    if math.isnan(value):
        raise ValueError(f"{place} is no number")
    low, high = (0.0, 1.0) if name in _SHARES else (AT_MIN, AT_MAX)
    return min(high, max(low, value))
