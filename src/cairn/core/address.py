"""The address of a server, as a person gives it."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

TAKES = "an address as https://cairn.example.org, without a name and password in it"


def need_address(given: str) -> str:
    """The address without a slash at its end. Raises ValueError, which never quotes it: it may hold a password."""
    try:
        parts = urlsplit(given)
        port = parts.port
    except ValueError:
        raise ValueError(TAKES) from None
    sound = parts.scheme in ("http", "https") and parts.hostname and port != 0
    if (
        not sound
        or "@" in parts.netloc
        or parts.query
        or parts.fragment
        or not (given.isascii() and given.isprintable())
    ):
        raise ValueError(TAKES)
    return given.rstrip("/")


def is_private(address: str) -> bool:
    """Whether nobody on the way can read along: it is encrypted, or there is no way."""
    parts = urlsplit(address)
    if parts.scheme == "https" or parts.hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        return False
