"""Validates the fields that a person gives for a memory. Raises BadInput, with an example that works, if a field is not
valid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from ..lib.errors import BadInput
from ..lib.limits import CONTENT_CHARS, DAY_SECONDS, TAG_CHARS, TAGS_MAX
from ..lib.text import MASK, clean, one_line, span_seconds
from .memory import TIERS, require_kinds


def require_text(text: str) -> str:
    content = clean(text)
    if not content:
        raise BadInput(
            "there is no text: a memory is one sentence with its why", "keepstone store 'Deploys need the VPN'"
        )
    if len(content) > CONTENT_CHARS:
        raise BadInput(
            f"the text has {len(content):,} characters, a memory holds {CONTENT_CHARS:,}",
            "keep the one sentence that matters, with its why",
        )
    return content


def require_rest(text: str) -> str:
    """Returns what redaction has left of a text. Raises BadInput if that says nothing: all of it was secret."""
    if not text or (MASK in text and not any(map(str.isalnum, text.replace(MASK, "")))):
        raise nothing_left()
    return text


def nothing_left() -> BadInput:
    return BadInput("nothing is left of this text to store", 'keepstone store "one sentence with the why"')


def require_kind(word: str) -> str:
    """Returns the kind that a word means: the kind itself, or the kind of another tool's alias. Raises BadInput if it
    is unknown.
    """
    kinds = require_kinds(word)
    return word.lower() if word.lower() in kinds else kinds[0]


def require_relevance(value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise BadInput(f"relevance is a number from 0 to 1, not {value:g}", "--relevance 0.9")
    return value


def require_tags(tags: Sequence[str], redact: Callable[[str], str]) -> list[str]:
    """Returns the tags as stored: lower case, without duplicates. Raises BadInput if one looks like a secret or is too
    long, or if there are too many.
    """
    if any(redact(tag) != tag for tag in tags):
        raise BadInput("a tag looks like a secret", "--tag billing")
    found = list(dict.fromkeys(one_line(tag).lower() for tag in tags))
    if any(not tag or len(tag) > TAG_CHARS for tag in found) or len(found) > TAGS_MAX:
        raise BadInput(f"a tag has 1 to {TAG_CHARS} characters, and a memory at most {TAGS_MAX} tags", "--tag billing")
    return found


def require_span(text: str) -> float:
    """Returns the seconds of a duration such as 30d, 12h, 45m or 3600. Raises BadInput if it is not valid."""
    try:
        return span_seconds(text)
    except ValueError:
        raise BadInput(f"{text[:40]!r} is no span of time", "--ttl 30d, 12h, 45m or 3600 (seconds)") from None


def require_day(text: str, now: float) -> float:
    """Returns the last second (UTC) of a day, given as 2026-12-24, or as 7d for a week from now. Raises BadInput if it
    is not a day or has passed.
    """
    try:
        if re.fullmatch(r"\d{1,5}d", text.strip()):
            at = now + int(text.strip()[:-1]) * DAY_SECONDS
        else:
            at = datetime.strptime(text.strip(), "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise BadInput(f"{text[:40]!r} is no day", "--until 2026-12-24, or 7d") from None
    end = at - at % DAY_SECONDS + DAY_SECONDS - 1
    if end < now:
        raise BadInput(f"{text[:40]} is over", "--until takes a day to come")
    return end


def require_tier(tier: str, ends: bool) -> str:
    """Checks a tier; "" means the kind's. Raises BadInput if it is unknown, or procedural with an end: procedural
    memories never expire.
    """
    if tier and tier not in TIERS:
        raise BadInput(f"there is no tier {tier[:40]!r}", f"one of {', '.join(TIERS)}")
    if tier == "procedural" and ends:
        raise BadInput("a procedural memory does not end by itself", "keepstone store without --ttl and --until")
    return tier
