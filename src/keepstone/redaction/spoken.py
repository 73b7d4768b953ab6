"""Shapes of secrets as people say them: a code of digits, a login with its password, a passphrase.

Standard library only, for Python 3.9 and later. Every pattern runs in linear time: the text it scans before it fails is
bounded.
"""

from __future__ import annotations

import re

from . import entropy
from .entropy import is_given, is_named, is_strong
from .languages import is_word
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


# What is said of a password between quotes, and is none: what to type, or what it has to be.
_TOLD = (
    "your",
    "enter",
    "type",
    "please",
    "pass",
    "secret",
    "confirm",
    "invalid",
    "wrong",
    "too",
    "characters",
    "chars",
)
# Numbered things that a sentence names behind the word for a password.
_NUMBERED = ("field", "screen", "step", "page", "form", "test", "case", "user", "input", "hash", "box", "slot", "level")


def _is_phrase(value: str) -> bool:
    """Tells whether words between quotes can be a password: nothing that is said of one, and no sentence."""
    parts = value.lower().split()
    return not any(part.startswith(_TOLD) for part in parts) and any(is_word(part.ljust(5, "x")) for part in parts)


def _is_numbered(value: str) -> bool:
    """Tells whether a word with a number behind it can be a password, and is no algorithm and no numbered thing."""
    plain = value.rstrip("0123456789").lower()
    return _is_password(value) and plain not in _NUMBERED and is_word(plain)


def _is_answer(value: str) -> bool:
    """Tells whether what follows is a password, with hyphens also one without a digit."""
    return is_given(value) and (_is_password(value) or is_strong(value) or value.count("-") >= 2)


SPOKEN = (
    # words between quotes, where a value stands
    shape(
        rf"(?<![a-z])(?:{_PASSWORD}|secret)[\"'`]?(?: is|:| ?=|,)\s{{0,2}}(?P<q>[\"'`])"
        rf"(?P<s>(?:(?!{_FUNCTION}\b)[A-Za-z]{{2,20}}(?: (?=\S)|(?=(?P=q)))){{2,8}})(?P=q)",
        *("pass", "pw", "secret"),
        judge=_is_phrase,
        flags=_I,
    ),
    shape(
        r"(?<![a-z])(?:jwt|hmac|signing|webhook|session|client|api|app|shared|cookie|encryption|access|deploy|admin)"
        r"[ _-]?(?:secret|key|token)(?: is| was|:| ?=) ?(?P<q>[\"'`])(?P<s>[A-Za-z]{10,40})(?P=q)",
        *("secret", "key", "token"),
        judge=lambda v: v.islower() and is_word(v.ljust(5, "x")[:24]),
        flags=_I,
    ),
    # at the end of a clause, a word with a number: "the keystore password changeit2"
    shape(
        rf"(?<![a-z]){_PASSWORD} (?P<s>[A-Za-z]{{5,20}}\d{{1,4}}[!.]?)(?=[,;)]?(?:\s{{0,2}}\n|\Z|[ ][-—(])|[,;.]\s)",
        *("pass", "pw"),
        judge=lambda v: _is_numbered(v.rstrip("!.")),
        flags=_I,
    ),
    # the value is told later in the sentence: "hasn't changed, still Pelikan_5", "the password, it's kiwi-Anker-3"
    shape(
        rf"\b{_PASSWORD}\b[^\n.;:=]{{0,40}}[,;:–—-] ?(?:(?:it|that)(?:'s| is| was| remains| stays)?|remains|namely)?"
        rf"(?: (?:still|now|always|simply))? ?(?<=[a-z'] ){_VALUE}",
        *("pass", "pw"),
        judge=_is_answer,
        flags=_I,
    ),
    shape(
        r"\b(?:shared secret|pre-?shared key|psk)\b[^\n.:=]{0,60}?(?: is| was|:| ?=) [\"'`]?"
        r"(?P<s>[a-z]{3,12}(?:[- ][a-z]{3,12}){2,7})(?=[\"'`]?(?:[.,;)]|\s{0,2}\n|\s{0,2}\Z))",
        *("shared", "psk"),
        judge=lambda v: "-" in v,
        flags=_I,
    ),
    # what opens a device or a place of one's own
    shape(
        r"\bunlock(?:s|ed|ing)? (?:[\w-]{1,20} ){0,4}?(?:laptop|phone|i?pad|tablet|mac|"
        r"screen|door|gate|safe|alarm|locker|device|machine|terminal|keypad|garage|vault|sim|card)"
        r"(?: (?:with|using|by)|:) (?:the (?:code|pin) )?(?P<s>\d{4,10}#?)(?=[.,;!)]?(?:\s|\Z))(?! \w{3,})",
        "unlock",
        flags=_I,
    ),
    # what only its owner knows, and is asked for it
    shape(
        r"(?:\b(?:answer to (?:the |my |our |his |her )?(?:security|secret|recovery) question"
        r"|(?:security|secret|recovery)(?: question)? answer)\b[^\n.:=]{0,40}?(?: is| was|:| ?=)"
        r"|\bmother'?s maiden name(?: is| was|:| ?=|,)) [\"'`]?(?P<s>[^\W\d_][\w'-]{2,30}(?: [A-Z][\w'-]{1,30}){0,2})"
        r"(?=[\"'`]?(?:[.,;)]|\s{0,2}\n|\s{0,2}\Z))",
        *("question", "answer", "maiden"),
        judge=lambda v: is_word(v.split()[0].ljust(5, "x")),
        flags=_I,
    ),
    shape(
        r"\b(?:cvv2?|cvc2?|card security code|card verification (?:code|value))(?: code| number)?"
        r"(?: is |: ?| ?= ?|, ?| )(?P<s>\d{3,4})(?![\w.-]| (?:digits|characters|numbers))",
        *("cvv", "cvc", "card"),
        flags=_I,
    ),
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
        rf"(?<![^\W_])(?:pass ?phrase|password|passwd|pwd|pass){_OF}[\"']?(?: is|:|=| [-–])?[ \t]{{0,2}}[\"']?"
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
