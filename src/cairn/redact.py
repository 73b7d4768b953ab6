"""Secrets out of text before it is written: the owner of the secret-detection library."""

from __future__ import annotations

import re
from functools import cache

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import RegexBasedDetector

from .core.secrets import SHAPES
from .core.text import MASK

# Detectors that flag what is no secret in prose; entropy needs care for hashes and UUIDs, which this does not take.
_UNFIT = {"IPPublicDetector"}


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    found = list(SHAPES)
    detectors: list[type[object]] = list(get_mapping_from_secret_type_to_class().values())
    for detector in detectors:
        if issubclass(detector, RegexBasedDetector) and detector.__name__ not in _UNFIT:
            found += list(detector().denylist)
    return tuple(found)


def redact(text: str) -> str:
    """The text with every known shape of a secret replaced by `[redacted]`."""
    for pattern in _patterns():
        text = pattern.sub(MASK, text)
    return text
