"""The address of a server, as a person gives it. Taken apart by hand: hooks read it, and what the standard library has
for that takes as long as a hook. Hot module.
"""

from __future__ import annotations

TAKES = "an address as https://keepstone.example.org, without a name and password in it"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")
_NUMBER = frozenset("0123456789abcdefABCDEF:.")  # of version 6, between brackets


def need_address(given: str) -> str:
    """The address without a slash at its end. Raises ValueError, which never quotes it: it may hold a password."""
    scheme, host, port = _parts(given)
    plain = given.isascii() and given.isprintable() and not set("?# \\") & set(given)
    named = host and set(host) <= (_NUMBER if ":" in host else _NAME)
    numbered = not port or (port.isdigit() and len(port) <= 5 and 0 < int(port) < 65_536)
    if scheme not in ("http", "https") or not (plain and named and numbered):
        raise ValueError(TAKES)
    return scheme + given[len(scheme) :].rstrip("/")  # in small letters: by these it is known whether it is encrypted


def is_private(address: str) -> bool:
    """Whether nobody on the way can read along: it is encrypted, or there is no way."""
    scheme, host, _ = _parts(address)
    parts = host.split(".")
    is_loopback = parts[0] == "127" and len(parts) == 4 and all(part.isdigit() and int(part) < 256 for part in parts)
    return scheme == "https" or host == "localhost" or host == "::1" or is_loopback


def _parts(address: str) -> tuple[str, str, str]:
    """Scheme, host and port of an address, each "" where it has none that could be one."""
    scheme, _, rest = address.partition("://")
    place = rest.partition("/")[0]
    if place.startswith("["):
        host, closed, behind = place[1:].partition("]")
        host = host if closed and ":" in host else ""
    else:
        host, mark, behind = place.partition(":")
        behind = mark + behind
    if behind and not behind.startswith(":"):
        host = ""
    return scheme.lower(), host.lower(), behind[1:]
