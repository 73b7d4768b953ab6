"""Statements as psycopg takes them. Readers name their parameters its way and change nothing else; the ORM's statements
are translated from SQLite's words, too. No statement holds a value from outside: values travel as parameters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_NAME = re.compile(r"(?<![:\w]):(\w+)")


@lru_cache(1_024)
def placeholders(sql: str) -> str:
    """Returns a statement with `:name` parameters as psycopg takes it. Nothing else changes."""
    return _NAME.sub(r"%(\1)s", sql.replace("%", "%%"))


# what needs no reading of the whole
_RULES = (
    (re.compile(r"\bCROSS JOIN (\w+ \w+) ON\b"), r"JOIN \1 ON"),
    # to SQLite nothing is less than anything; a seq is never missing, and read backwards by its index
    (re.compile(r"(?<!seq )\bDESC\b(?! NULLS)"), "DESC NULLS LAST"),
    (re.compile(r"\bIS NOT (?=:|%\(|\w+\.\w)"), "IS DISTINCT FROM "),
    (re.compile(r"\bIS (?=\w+\.\w)"), "IS NOT DISTINCT FROM "),
)
_SAME = re.compile(r"\bIS (?::(\w+)|%\((\w+)\)s)")
_NAMED = re.compile(r"(?<![:\w]):(\w+)")
_EITHER = re.compile(r"\b(max|min)\(")
_OF_TWO = {"max": "GREATEST", "min": "LEAST"}


def translated(sql: str, values: Mapping[str, object]) -> str:
    """A statement with named parameters, whose values decide what `IS :name` becomes: `=` can use an index."""
    if sql.lstrip().startswith("CREATE"):  # PostgreSQL's own words already
        return sql
    asked = (one or other for one, other in _SAME.findall(sql))
    return _translated(sql, frozenset(name for name in asked if values.get(name) is None))


@lru_cache(1_024)
def _translated(sql: str, absent: frozenset[str]) -> str:
    made = _SAME.sub(lambda found: "IS NULL" if (found[1] or found[2]) in absent else f"= {found[0][3:]}", sql)
    for pattern, other in _RULES:
        made = pattern.sub(other, made)
    return _NAMED.sub(r"%(\1)s", _of_two(made))


def _of_two(sql: str) -> str:
    """SQLite's max and min of several values are no aggregates."""
    found = _EITHER.search(sql)
    while found:
        if _parts(sql, found.end()) > 1:
            sql = sql[: found.start()] + _OF_TWO[found[1]] + sql[found.end(1) :]
        found = _EITHER.search(sql, found.end())
    return sql


def _parts(sql: str, start: int) -> int:
    """How many arguments stand between the parenthesis before `start` and its end."""
    depth, parts = 1, 1
    for sign in sql[start:]:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        parts += sign == "," and depth == 1
        if not depth:
            break
    return parts
