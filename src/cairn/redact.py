"""Secrets out of text before it is written: the owner of the secret-detection library."""

from __future__ import annotations

import re
from functools import cache

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import RegexBasedDetector

from .core.text import MASK

# Detectors that flag what is no secret in prose; entropy needs care for hashes and UUIDs, which this does not take.
_UNFIT = {"IPPublicDetector"}
# Shapes of today that the library does not know, or knows only a part of.
_MORE = (
    re.compile(r"\bsk-(?:ant|proj|svcacct)-[A-Za-z0-9_-]{16,}"),
    re.compile(r"\b(?:github_pat_|glpat-|xox[abprs]-|hf_|npm_)[A-Za-z0-9_-]{16,}"),
    re.compile(r"\beyJ[A-Za-z0-9_=-]{8,}\.[A-Za-z0-9_=-]+(?:\.[A-Za-z0-9_.+/=-]*)?"),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}=*"),
    re.compile(r"(?<=://)[^\s/:@]+:[^\s/@]+(?=@)"),
    # a word for a secret and then a word with a digit in it, as no word of prose has
    re.compile(
        r"(?i)\b(?:password|passwd|passphrase|secret|token|api[ _-]?key|access[ _-]?key|credentials?)\b[\"']?"
        r"\s*(?:is|was|are|=|:|=>)\s*[\"'`]?(?=[^\s\"'`]*\d)[^\s\"'`,;]{6,}"
    ),
)


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    found = list(_MORE)
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
