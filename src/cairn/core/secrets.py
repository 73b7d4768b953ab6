"""Shapes of secrets: today's that the library does not know, and the commonest, for what has to do without it."""

from __future__ import annotations

import re

from .text import MASK

SHAPES = (
    re.compile(r"\bsk-[A-Za-z0-9][A-Za-z0-9_-]{19,}"),
    re.compile(r"\b(?:github_pat_|glpat-|xox[abprs]-|hf_|npm_)[A-Za-z0-9_-]{16,}"),
    re.compile(r"\beyJ[A-Za-z0-9_=-]{8,}\.[A-Za-z0-9_=-]+(?:\.[A-Za-z0-9_.+/=-]*)?"),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"(?i)\bbearer\s+[A-Za-z0-9._~+/-]{16,}=*"),
    re.compile(r"(?i)\bbasic\s+(?=[A-Za-z0-9+/]*[\d=])[A-Za-z0-9+/]{12,}={0,2}"),
    re.compile(r"(?<=://)[^\s/:@]+:[^\s/@]+(?=@)"),
    re.compile(r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,}"),
    re.compile(r"\bAIza[0-9A-Za-z_-]{35}"),
    re.compile(r"\b[rs]k_live_[0-9A-Za-z]{16,}"),
    re.compile(r"\bpypi-[A-Za-z0-9_-]{50,}"),
    re.compile(r"\b(?:SK|AC)[0-9a-f]{32}\b|\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    re.compile(r"https://hooks\.slack\.com/\S{20,}"),
    # an environment's variable that is named for one, whatever its value
    re.compile(
        r"\b[A-Z][A-Z0-9_]*(?:PASSWORD|PASSWD|PWD|SECRET|TOKEN|(?:API|ACCESS|PRIVATE|SECRET)_KEY)\s*=\s*"
        r"[\"']?[^\s\"']{6,}"
    ),
    # a word for a secret, also at a name's end, and then a word with a digit in it, as no word of prose has
    re.compile(
        r"(?i)(?:password|passwd|passphrase|secret|token|(?:api|access|private|secret)[ _-]?key|"
        r"credentials?)(?![a-z])"
        r"[\"']?"
        r"\s*(?:is|was|are|=|:|=>)\s*[\"'`]?(?=[^\s\"'`]*\d)[^\s\"'`,;]{6,}"
    ),
)


def mask(text: str) -> str:
    """The text with these shapes replaced by `[redacted]`: all that the standard library alone can do."""
    for shape in SHAPES:
        text = shape.sub(MASK, text)
    return text
