"""Shapes of secrets as people say them: a code of digits, a login with its password, a passphrase.

Standard library only, for Python 3.9 and later. Every pattern runs in linear time: the text it scans before it fails is
bounded.
"""

from __future__ import annotations

import re

from . import entropy
from .entropy import is_given, is_named, is_strong
from .provider_keys import shape

_I = re.IGNORECASE
_OF = r"(?: (?:for|at|of|to|on|für|de|del|du|do|da) [^\n,.:;=]{1,30}?)?"
_PASSWORD = r"(?:password|passwd|passphrase|passcode|pass|pw)"
_VALUE = r"[\"'`]?(?P<s>[^\s\"'`,;]{5,60})[\"'`]?"
# Words that a sentence about a passphrase has, and a passphrase hardly ever.
_FUNCTION = (
    "(?:the|in|of|on|to|for|is|a|an|by|with|and|we|you|it|not|be|at|from|as|or|so|if|when|that|this|our|your|my|its|has|"
    "have|was|were|are|will|must|should|can|may|never|only|also|too|always|per|into|about|there|here|which|who|asked|"
    "stored|shown|kept|words?|string|phrase|required|needed|random)"
)


def _is_password(value: str) -> bool:
    return (
        is_given(value)
        and any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and entropy.is_password(value, quoted=False, adjoining=False, words=False)
    )


SPOKEN = (
    shape(
        rf"\b(?:pin|(?:door|alarm|gate|safe|entry|access|unlock) ?code|passcode)(?: number| code)?{_OF}"
        r"(?: is| =|:|=)\s{0,2}(?P<s>\d[\d -]{2,10}\d[#*]?)(?![\w.])",
        *("pin", "code"),
        flags=_I,
    ),
    shape(
        r"\b(?:logins?|log in|credentials?|creds|account|user(?:name)?)\b[^\n]{0,60}?(?: (?:is|are|with|as)|:|=) "
        r"[\w.@+-]{2,60}\s{0,2}[/|:]\s{0,2}"
        r"(?P<s>(?=[^\s,;]{0,60}\d)(?=[^\s,;]{0,60}[^\w\s,;./-])[^\s,;]{6,60})",
        *("login", "log in", "cred", "account", "user"),
        flags=_I,
    ),
    shape(
        r"\b(?:logins?|log in|sign in|try|connect|credentials?|creds)\b[^\n]{0,40}?(?: (?:is|are|with|as)|:|=) "
        r"[\w.@+-]{2,60}\s{0,2}[/|:]\s{0,2}(?P<s>[^\s,;]{5,60})",
        *("login", "log in", "sign in", "try", "connect", "cred"),
        judge=lambda v: _is_password(v) or v.count("-") >= 2,
        flags=_I,
    ),
    *(
        shape(
            rf"(?<![\w/.]){auth}(?: (?:credentials?|login|user))?(?: (?:is|are|with|uses?|using|as)|\s?[:=]|,| -)? ?"
            r"[\"'`]?[\w.@+-]{2,60}(?::| / )(?P<s>[^\s\"'`,;/:]{5,60})",
            hint,
            judge=judge,
            flags=_I,
        )
        for auth, hint, judge in (
            ("(?:basic|http)[ -]?auth", "auth", _is_password),
            ("(?:htpasswd|htaccess)", "ht", _is_password),
            ("auth", "auth", lambda v: _is_password(v) and not v.islower() and not v.isupper()),
        )
    ),
    shape(
        rf"\buser(?:name)? (?!and |or )[\w.@+-]{{2,60}},? (?:and|with|/) (?:the )?{_PASSWORD} (?P<s>[^\s,;]{{5,60}})",
        "user",
        flags=_I,
    ),
    shape(
        rf"\buser(?:name)? (?!and |or )[\w.@+-]{{2,60}},? (?:the )?{_PASSWORD} (?P<s>[^\s,;]{{5,60}})",
        "user",
        judge=_is_password,
        flags=_I,
    ),
    shape(
        rf"\b(?:use|with|using|enter|type|try) (?:the )?{_PASSWORD} (?P<s>[^\s,;]{{5,60}})",
        "pass",
        "pw",
        judge=_is_password,
        flags=_I,
    ),
    shape(rf"\b{_PASSWORD}\b[^\n.,;:]{{0,40}} from (?P<s>[^\s,;]{{5,60}}) to\b", "from", judge=_is_password, flags=_I),
    shape(
        rf"\b{_PASSWORD}\b[^\n.,;:]{{0,40}} from [^\s,;]{{4,60}} to (?P<s>[^\s,;]{{5,60}})",
        "from",
        judge=_is_password,
        flags=_I,
    ),
    shape(
        rf"(?<!\S){_VALUE} (?:is|was|as|=) (?:(?:still|now) )?(?:the |our |my |your |an? )?(?:[\w-]{{1,30}} ){{0,4}}"
        rf"{_PASSWORD}\b(?! (?:column|field|hash|table|manager|policy|input|box|reset|page|form|store|vault|safe|"
        rf"keeper|generator))",
        "pass",
        "pw",
        judge=_is_password,
        flags=_I,
    ),
    shape(
        rf"\b(?:is|was|has|does|would) {_VALUE} (?:an? )?(?:[\w-]{{1,20}} ){{0,4}}{_PASSWORD}\b",
        "pass",
        judge=_is_password,
        flags=_I,
    ),
    shape(
        rf"\b{_PASSWORD},? \(?[\"'`]?(?P<s>[^\s\"'`,;()]{{5,60}})[\"'`]?[,)]",
        "pass",
        "pw",
        judge=_is_password,
        flags=_I,
    ),
    shape(
        rf"\b{_PASSWORD}\b[^\n.;:=]{{0,60}}?(?: (?:is|was|è|é|es|est|ist|jest|är|er|on|to)|:|=|->|→|,) [\"'`]?"
        r"(?P<s>[^\s\"'`,;]{7,60})",
        "pass",
        "pw",
        judge=is_strong,
        flags=_I,
    ),
    shape(
        rf"(?<![a-z]){_PASSWORD} (?P<s>[^\s\"'`,;]{{7,60}})",
        "pass",
        "pw",
        judge=is_strong,
        flags=_I,
    ),
    shape(
        rf"\b{_PASSWORD}\b[^\n]{{0,60}}\?[\"']?\n[^\n]{{0,40}}?(?:\s|:)(?P<s>[^\s\"'`,;]{{6,60}})(?=\n|\Z)",
        "pass",
        "pw",
        judge=_is_password,
        flags=_I,
    ),
    shape(r"\b(?:password|passphrase) for [^\n:]{1,80}: (?P<s>\S{4,80})", "pass", judge=_is_password, flags=_I),
    shape(
        r"(?<![a-z])(?:password|passphrase|passcode) (?P<s>[^\s\"'`,;]{7,60})",
        *("password", "passphrase", "passcode"),
        judge=is_named,
        flags=_I,
    ),
    shape(
        rf"\b(?:pass ?phrase|(?:recovery|backup) phrase){_OF}(?:(?: is| are| lautet|:| ?=|,)\s{{1,2}}| - )[\"'`]?"
        rf"(?P<s>(?:(?!{_FUNCTION}\b)[a-z]{{2,20}}(?: |(?=[\"'`,.;\n]|\Z))){{3,8}})",
        "phrase",
        flags=_I,
    ),
    shape(
        rf"\b(?:pass ?phrase|password|passwd|pwd|pass){_OF}[\"']?(?: is|:|=| [-–])?[ \t]{{0,2}}[\"']?"
        r"(?P<s>[A-Za-z]{3,12}(?:-[A-Za-z]{3,12}){2,7})(?![\w-])",
        "pass",
        "pwd",
        judge=lambda v: v.lower().split("-")[0] not in ("must", "the", "less", "protected", "reset"),
        flags=_I,
    ),
    shape(r"\bpass\w{0,6}\b[^\n:=]{0,40}?(?: is|:|=)\s{1,2}[\"']?(?P<s>(?:[a-z]{4} ){3}[a-z]{4})\b", "pass", flags=_I),
    shape(r"(?<![a-z])pw(?: is|\s?[:=])\s{0,2}(?P<s>[^\s,;]{5,60})", "pw", judge=_is_password, flags=_I),
    shape(
        r"(?:\bA(?:KIA|SIA)[0-9A-Z]{16}|\[redacted\])[\"']?\s{0,2}[/:,| ]\s{0,2}[\"']?"
        r"(?P<s>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        *("akia", "asia", "[redacted]"),
    ),
)
