"""The token that a server asks for: `KEEPSTONE_TOKEN`, else one that is made once and kept in the data home (0600); and
the cookie that a browser has in its place.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Mapping

from ..config import runtime
from ..lib import files
from ..lib.errors import BadInput

TOKEN_CHARS_MIN = 16  # of 64 letters more than anybody can try

VARIABLE = runtime.TOKEN


def token_file(home: str) -> str:
    return os.path.join(home, "token")


def token(home: str, environ: Mapping[str, str]) -> str:
    """Raises BadInput for one that is too short to keep anybody out."""
    given = environ.get(VARIABLE, "")
    kept = given or files.read(token_file(home)).strip()
    if kept:
        if len(kept) < TOKEN_CHARS_MIN or not kept.isascii() or not kept.isprintable() or " " in kept:
            where = VARIABLE if given else token_file(home)
            says = f"the token in {where} has to be at least {TOKEN_CHARS_MIN} characters of ASCII without spaces"
            raise BadInput(says, f"unset {VARIABLE}" if given else f"rm '{token_file(home)}': a new one is made")
        return kept
    made = secrets.token_urlsafe(32)
    os.makedirs(home, mode=0o700, exist_ok=True)
    files.write(token_file(home), made + "\n")
    return made


def cookie_name(port: int) -> str:
    """Each server has its own: browsers send a cookie to every port of a host."""
    return f"keepstone-{port}"


def cookie(token: str, until: int) -> str:
    """What a browser shows instead of the token, up to a moment in UTC unix seconds: who reads it learns no token, and
    a new token ends it.
    """
    return f"{until}.{hmac.new(token.encode(), f'keepstone dashboard {until}'.encode(), 'sha256').hexdigest()}"


def is_cookie(given: str, token: str, now: float) -> bool:
    """Whether a browser was let in by this token, and its time is not over."""
    until = given.partition(".")[0]
    if not (until.isascii() and until.isdigit() and len(until) < 12):
        return False
    return int(until) > now and is_same(given, cookie(token, int(until)))


def is_same(one: str, other: str) -> bool:
    """In a time that tells nothing of where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
