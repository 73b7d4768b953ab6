"""Reads and writes JSON for hooks, using the C half of the standard library. Hot module: importing
`json` takes 6 ms.
"""

from __future__ import annotations

try:
    from _json import encode_basestring_ascii as _quote
    from _json import make_scanner
except ImportError:  # a Python without the C half
    from json import JSONDecoder
    from json import dumps as _quote

    def make_scanner(context):  # type: ignore[no-untyped-def,no-redef]  # noqa: ANN001, ANN201
        return JSONDecoder(strict=context.strict).scan_once  # type: ignore[attr-defined]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Context:
    strict = False  # the client may send a raw control character in a string: that is no reason to lose the event
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}


def parse(text: str) -> Any:
    """Returns the value of a JSON document. Raises ValueError if the text is not a JSON document."""
    start = len(text) - len(text.lstrip(" \t\r\n"))
    try:
        value, end = make_scanner(_Context)(text, start)  # type: ignore[arg-type]
    except (StopIteration, SystemError):  # SystemError: the C half wants `json`'s error class, not loaded
        raise ValueError("not a JSON document") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if text[end:].strip(" \t\r\n"):
        raise ValueError("text after the JSON document")
    return value


def dump(value: Any) -> str:
    """Returns compact ASCII JSON for str, int, float, bool, None, and lists, tuples and string-keyed dicts of them.
    Raises TypeError for any other value.
    """
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, dict):
        return "{" + ",".join(_quote(key) + ":" + dump(item) for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(dump(item) for item in value) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return repr(value)
    raise TypeError("not a JSON value: " + type(value).__name__)
