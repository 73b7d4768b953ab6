"""Checks the address of a server. Parses by hand, because hooks import this module and `urllib.parse` would take as
long as the rest of the hook. Hot module.
"""

from __future__ import annotations

TAKES = "an address as https://keepstone.example.org, without a name and password in it"
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")
_UNRESERVED = _NAME | {"~"}
_NUMBER = frozenset("0123456789abcdefABCDEF:.")  # of an IPv6 address in brackets


def require_address(given: str) -> str:
    """Returns the address without a trailing slash. Raises ValueError if it is not valid; the error never quotes it,
    because it may hold a password.
    """
    scheme, host, port = _parts(given)
    plain = given.isascii() and given.isprintable() and not set("?# \\") & set(given)
    named = host and set(host) <= (_NUMBER if ":" in host else _NAME)
    numbered = not port or (port.isdigit() and len(port) <= 5 and 0 < int(port) < 65_536)
    if scheme not in ("http", "https") or not (plain and named and numbered):
        raise ValueError(TAKES)
    return scheme + given[len(scheme) :].rstrip("/")  # `is_private` compares the scheme in lower case


def is_private(address: str) -> bool:
    """Tells whether no one can read the traffic: it is encrypted, or it stays on this machine."""
    return _parts(address)[0] == "https" or is_loopback(address)


def is_loopback(address: str) -> bool:
    """Tells whether an address is this machine's own."""
    host = _parts(address)[1]
    parts = host.split(".")
    is_number = parts[0] == "127" and len(parts) == 4 and all(part.isdigit() and int(part) < 256 for part in parts)
    return host == "localhost" or host == "::1" or is_number


def quoted(text: str) -> str:
    """Returns a text as a value in the query of an address (RFC 3986, 2.1)."""
    return "".join(chr(byte) if chr(byte) in _UNRESERVED else f"%{byte:02X}" for byte in text.encode())


def _parts(address: str) -> tuple[str, str, str]:
    """Returns the scheme, host and port of an address, each "" if it is missing or malformed."""
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
