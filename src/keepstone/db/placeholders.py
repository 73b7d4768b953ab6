"""Converts parameters for psycopg: `:name` becomes `%(name)s`. Changes nothing else."""

from __future__ import annotations

import re
from functools import lru_cache

_NAMED = re.compile(r"(?<![:\w]):(\w+)")


@lru_cache(1_024)
def placeholders(sql: str) -> str:
    return _NAMED.sub(r"%(\1)s", sql.replace("%", "%%"))
