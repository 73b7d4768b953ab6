"""What a person gives for a memory, checked: what is kept of it, or BadInput with what would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .defaults import CONTENT_CHARS, TAG_CHARS, TAGS_MAX
from .errors import BadInput
from .model import need_kinds
from .text import clean, one_line


def need_text(text: str) -> str:
    content = clean(text)
    if not content:
        raise BadInput("there is no text: a memory is one sentence with its why", "cairn store 'Deploys need the VPN'")
    if len(content) > CONTENT_CHARS:
        raise BadInput(
            f"the text has {len(content):,} characters, a memory holds {CONTENT_CHARS:,}",
            "keep the one sentence that matters, with its why",
        )
    return content


def need_kind(word: str) -> str:
    """The kind a word means on input: a kind itself, or an alias of another tool's."""
    kinds = need_kinds(word)
    return word.lower() if word.lower() in kinds else kinds[0]


def need_relevance(value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise BadInput(f"relevance is a number from 0 to 1, not {value:g}", "--relevance 0.9")
    return value


def need_tags(tags: Sequence[str], redact: Callable[[str], str]) -> list[str]:
    """Tags as they are kept: lower case, each once, and none of them a secret."""
    if any(redact(tag) != tag for tag in tags):
        raise BadInput("a tag looks like a secret", "--tag billing")
    found = list(dict.fromkeys(one_line(tag).lower() for tag in tags))
    if any(not tag or len(tag) > TAG_CHARS for tag in found) or len(found) > TAGS_MAX:
        raise BadInput(f"a tag has 1 to {TAG_CHARS} characters, and a memory at most {TAGS_MAX} tags", "--tag billing")
    return found
