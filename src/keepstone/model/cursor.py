"""How far a session's transcript has been read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cursor:
    """The position of a session's capture: bytes read, the last turn's uuid, a digest of the bytes before, and the
    offset of the turns that overlap with the next window.
    """

    offset: int = 0
    uuid: str = ""
    digest: str = ""
    carry: int = 0
