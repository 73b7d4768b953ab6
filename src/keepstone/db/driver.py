"""Loads the bare SQLite driver, the C half of `sqlite3`. Hot module.

All that it needs of `functools` is `lru_cache`, but `functools` loads seven more modules: 3 ms, a tenth of a hook. So
while it loads, a stand-in offers the C function that `lru_cache` is made of.
"""

from __future__ import annotations

import _functools  # type: ignore[import-not-found]
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_is_first = "functools" not in sys.modules
if _is_first:
    _stand_in: Any = type(sys)("functools")
    _stand_in.lru_cache = lambda size: lambda function: _functools._lru_cache_wrapper(function, size, False, tuple)
    sys.modules["functools"] = _stand_in
sqlite: Any = None
try:
    import _sqlite3 as sqlite
except ImportError:
    pass
if _is_first:
    del sys.modules["functools"]
if sqlite is None:
    import sqlite3 as sqlite
