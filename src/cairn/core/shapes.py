"""Shapes of secrets: what providers' keys, URLs and command lines look like, and how people say a secret aloud.

Standard library only, for any Python from 3.9 on. Every pattern is linear: what it scans before it fails is bounded.
"""

from __future__ import annotations

import re

from . import randomness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Judge = Callable[[str], bool]
    Span = tuple[int, int]


class Shape:
    """A pattern, and words of which one is in every text that it matches: they spare most texts the search. The secret
    is the group `s` where there is one. `judge` may say that it is none.
    """

    __slots__ = ("pattern", "hints", "judge")

    def __init__(self, pattern: re.Pattern[str], hints: tuple[str, ...] = (), judge: Judge | None = None) -> None:
        self.pattern = pattern
        self.hints = hints
        self.judge = judge

    def spans(self, text: str, lowered: str) -> Iterator[Span]:
        if self.hints and not any(hint in lowered for hint in self.hints):
            return
        group = "s" if "s" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(text):
            if self.judge is None or self.judge(match.group(group)):
                yield match.span(group)


def shape(pattern: str, *hints: str, judge: Judge | None = None, flags: int = 0) -> Shape:
    return Shape(re.compile(pattern, flags), hints, judge)


def _letters_and_digits(value: str) -> bool:
    return not value.isdigit() and not value.isalpha() and randomness.is_given(value)


def _token(value: str) -> bool:
    return randomness.is_given(value) and randomness.is_token(value, quoted=False, adjoining=False)


_I = re.IGNORECASE
SHAPES = (
    shape(r"A(?:KIA|SIA|BIA|CCA)[0-9A-Z]{16}(?![0-9A-Za-z])", "akia", "asia", "abia", "acca"),
    shape(r"(?:SK|AC)[0-9a-f]{32}(?![0-9a-z])"),
    shape(r"(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}", ".", judge=randomness.mixed),
    shape(r"(?<!\d)\d{8,10}:[A-Za-z0-9_-]{35}(?![\w-])", ":"),
    shape(r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}", "q~"),
    shape(r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", "pat"),
    shape(r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}", ".atlasv1."),
    shape(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_=-]*){1,4}", "eyj"),
    shape(r"hooks\.slack\.com/(?P<s>[^\s\"'<>`]{20,})", "hooks.slack.com"),
    shape(r"discord(?:app)?\.com/api/webhooks/\d{1,30}/(?P<s>[\w-]{20,})", "/api/webhooks/"),
    shape(r"webhook\.office\.com/(?P<s>[^\s\"'<>`]{20,})", "webhook.office.com"),
    shape(
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*"
        r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----",
        "private key",
    ),
    shape(
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]|[\"'+,>|]|"
        r"[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,200}|[A-Za-z0-9+/=]{8,}|[A-Za-z0-9+/]{1,7}={0,2}(?=\s*\Z)|…|\[…\])*"
        r"(?:[A-Za-z0-9+/=]{1,7}(?=\s|\Z))?",
        "private key",
    ),
    shape(r"Private-Lines: \d{1,3}\s{1,4}(?P<s>(?:[A-Za-z0-9+/=]{4,}\s{0,4})+)", "private-lines:"),
    shape(r"Private-MAC: (?P<s>[0-9a-f]{20,})", "private-mac:"),
    shape(
        r"\bbearer\s{1,4}(?P<s>[A-Za-z0-9._~+/%-]{8,}={0,2})",
        "bearer",
        judge=lambda v: randomness.mixed(v, True),
        flags=_I,
    ),
    shape(r"\bbasic\s{1,4}(?P<s>(?=[A-Za-z0-9+/]{0,200}[\d=])[A-Za-z0-9+/]{8,}={0,2})", "basic", flags=_I),
    shape(
        r"\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:[A-Za-z0-9-]{2,20}\s{1,4})?(?P<s>[^\s\"'`<>${]{8,})",
        "authorization",
        judge=_token,
        flags=_I,
    ),
    shape(
        r"\b(?:set-)?cookie[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?P<s>[\w.%-]{1,60}=[^\"'`\r\n]{4,})",
        "cookie",
        judge=_letters_and_digits,
        flags=_I,
    ),
    # in a URL: a user's password, also percent-encoded; a user that is a token; a signature
    shape(r"(?<=://)[^\s/:@\"'<>`]{0,200}:(?P<s>[^\s/\"'<>`]{1,300})(?=@)", "://", judge=randomness.is_given),
    shape(
        r"\b(?:postgres\w{0,12}|mysql\w{0,12}|mariadb|mongodb\w{0,8}|rediss?|amqps?|mssql\w{0,12}|clickhouse)://"
        r"[^\s/:@\"'<>`]{0,200}:(?P<s>[^\s\"'<>`]{1,200})(?=@[\w.\[-])",
        "://",
        judge=randomness.is_given,
    ),
    shape(
        r"%3A%2F%2F(?:[^\s%&\"']|%(?!3A|40)[0-9A-F]{2}){0,100}%3A(?P<s>(?:[^\s%&\"']|%(?!40)[0-9A-F]{2}){1,200})(?=%40)",
        "%3a%2f%2f",
        flags=_I,
    ),
    shape(r"(?<=://)(?P<s>[A-Za-z0-9_-]{16,200})(?=@)", "://", judge=lambda v: randomness.mixed(v, True)),
    shape(
        r"[?&;](?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|code|key|auth|hmac|state|sid|t)="
        r"(?P<s>[A-Za-z0-9_.~+/%-]{16,}={0,2})",
        "=",
        judge=lambda v: randomness.mixed(v, True),
        flags=_I,
    ),
    # on a command line, in .netrc, in docker's and npm's files
    shape(
        r"\b(?:curl|wget|https?|xh)\s[^\n]{0,200}?(?<=\s)(?:-u|--user|--proxy-user|-a|--auth)[ =]{0,2}[\"']?"
        r"[^\s:\"']{1,80}:(?P<s>[^\s\"']{3,200})",
        "curl",
        "wget",
        "http",
        "xh",
        judge=randomness.is_given,
    ),
    shape(
        r"\b(?:mysql\w{0,10}|mariadb\w{0,10}|sshpass|docker\s{1,4}login|redis-cli|mongo\w{0,10})\s[^\n]{0,120}?(?<=\s)"
        r"(?:-p|-a|-p=)[ ]?[\"']?(?P<s>[^\s\"'-][^\s\"']{4,200})",
        "mysql",
        "mariadb",
        "sshpass",
        "docker",
        "redis-cli",
        "mongo",
        judge=_letters_and_digits,
    ),
    shape(
        r"\blogin\s{1,20}\S{1,200}\s{1,20}password\s{1,20}(?P<s>\S{3,300})",
        "password",
        judge=randomness.is_given,
        flags=_I,
    ),
    shape(
        r"\"(?:auth|identitytoken|registrytoken)\\?\"\s{0,4}:\s{0,4}\\?\"(?P<s>[A-Za-z0-9+/_.-]{8,}={0,2})",
        "auth",
        "token",
        judge=lambda v: randomness.mixed(v, True),
    ),
    shape(
        r"_(?:auth|authToken|password)[\"']?\s{0,4}=\s{0,4}[\"']?(?P<s>[^\s\"'`]{6,})",
        "_auth",
        "_password",
        judge=_token,
    ),
)

# As people say them: a code of digits, a login and its password, a phrase of words.
_OF = r"(?: (?:for|at|of|to|on|für|de|del|du) [^\n,.:;=]{1,30}?)?"
SPOKEN = (
    shape(
        rf"\b(?:pin|(?:door|alarm|gate|safe|entry|access|unlock) ?code|passcode)(?: number| code)?{_OF}"
        r"(?: is| =|:|=)\s{0,2}(?P<s>\d[\d -]{2,10}\d[#*]?)(?![\w.])",
        "pin",
        "code",
        flags=_I,
    ),
    shape(
        r"\b(?:logins?|log in|credentials?|creds|account|user(?:name)?)\b[^\n]{0,60}?(?: (?:is|are|with|as)|:|=) "
        r"[\w.@+-]{2,60}\s{0,2}[/|]\s{0,2}"
        r"(?P<s>(?=[^\s,;]{0,60}\d)(?=[^\s,;]{0,60}[^\w\s,;./-])[^\s,;]{6,60})",
        "login",
        "log in",
        "cred",
        "account",
        "user",
        flags=_I,
    ),
    shape(
        r"\buser(?:name)? [\w.@+-]{2,60},? (?:and|with|/) (?:the )?(?:password|passwd|pass|pw) (?P<s>[^\s,;]{5,60})",
        "user",
        flags=_I,
    ),
    shape(
        rf"\b(?:passwort|kennwort|contraseña|mot de passe|wachtwoord|senha){_OF}"
        r"(?: (?:ist|lautet|es|est|is|é)|:|=)\s{1,2}(?P<s>[^\s,;]{5,60})",
        "passwort",
        "kennwort",
        "contrase",
        "mot de passe",
        "wachtwoord",
        "senha",
        judge=_letters_and_digits,
        flags=_I,
    ),
    shape(
        rf"\bpass ?phrase{_OF}(?: is|:)\s{{1,2}}"
        r"(?P<s>(?:(?!(?:the|in|of|on|to|for|is|a|an|by|with|and|we|you|it|not|be)\b)[a-z]{2,20}"
        r"(?: |(?=[,.;\n]|\Z))){3,8})",
        "phrase",
        flags=_I,
    ),
    shape(r"\bpw(?: is| =|:|=)\s{0,2}(?P<s>[^\s,;]{5,60})", "pw", judge=_letters_and_digits, flags=_I),
    shape(
        r"(?:\bA(?:KIA|SIA)[0-9A-Z]{16}|\[redacted\])\s{0,2}[/:,|]\s{0,2}(?P<s>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        "akia",
        "asia",
        "[redacted]",
    ),
)
