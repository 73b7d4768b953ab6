"""Shapes of secrets: providers' keys, and secrets in headers and URLs.

Standard library only, for Python 3.9 and later. Every pattern runs in linear time: the text it scans before it fails is
bounded.
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern
from . import entropy
from .entropy import is_given, is_made, letters_and_digits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Judge = Callable[[str], bool]
    Span = tuple[int, int]


class Shape:
    """A pattern, and words of which one is in every text that it matches: they spare most texts the search. `needs` are
    more of such words: of them too, one is there. The secret is the group `s` where there is one. `judge` may say that
    it is none.

    A pattern is compiled at its first search: most processes search for few of them, and all take 20 ms to compile.
    """

    __slots__ = ("_pattern", "hints", "_needs", "judge")

    def __init__(
        self,
        pattern: Pattern,
        hints: tuple[str, ...] = (),
        needs: tuple[str, ...] = (),
        judge: Judge | None = None,
    ) -> None:
        self._pattern = pattern
        self.hints = hints
        self._needs = needs
        self.judge = judge

    def spans(self, text: str, lowered: str) -> Iterator[Span]:
        if not _has_any(lowered, self.hints) or not _has_any(lowered, self._needs):
            return
        pattern = self._pattern.compiled
        group = "s" if "s" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            if self.judge is None or self.judge(match.group(group)):
                yield match.span(group)


def _has_any(lowered: str, hints: tuple[str, ...]) -> bool:
    return not hints or any(hint in lowered for hint in hints)


def shape(pattern: str, *hints: str, needs: tuple[str, ...] = (), judge: Judge | None = None, flags: int = 0) -> Shape:
    return Shape(Pattern(pattern, flags), hints, needs, judge)


def is_bare_token(value: str) -> bool:
    return is_given(value) and entropy.is_token(value, quoted=False, adjoining=False)


def _is_session(cookies: str) -> bool:
    """Tells whether a cookie's value is more than a word or a number."""
    values = (cookie.partition("=")[2].strip() for cookie in cookies.split(";"))
    return any(len(value) >= 6 and letters_and_digits(value) and any(c.isdigit() for c in value) for value in values)


_I = re.IGNORECASE
SHAPES = (
    shape(r"A(?:KIA|SIA|BIA|CCA)[0-9A-Z]{16}(?![0-9A-Za-z])", "akia", "asia", "abia", "acca"),
    shape(r"(?:SK|AC)[0-9a-f]{32}(?![0-9a-z])"),
    shape(r"(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}", ".", judge=entropy.mixed),
    shape(r"(?<!\d)\d{8,10}:(?:[A-Za-z0-9_-]{35}|AA[A-Za-z0-9_-]{30,40})(?![\w-])", ":"),
    shape(
        r"\b(?:telegram|bots?|botfather)\b[^\n]{0,60}?(?<![\w.:-])(?P<s>\d{6,12}:[A-Za-z0-9_-]{20,60})(?![\w-])",
        *("telegram", "bot"),
        judge=lambda v: is_made(v.partition(":")[2]),
        flags=re.IGNORECASE,
    ),
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
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?=[^-]{0,400}[A-Za-z0-9+/=]{16})(?:\s|\\[nr]|[\"'+,>|]|"
        r"[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,200}|[A-Za-z0-9+/=]{8,}|[A-Za-z0-9+/]{1,7}={0,2}(?=\s*\Z)|…|\[…\])*"
        r"(?:[A-Za-z0-9+/=]{1,7}(?=\s|\Z))?",
        "private key",
    ),
    shape(r"Private-Lines: \d{1,3}\s{1,4}(?P<s>(?:[A-Za-z0-9+/=]{4,}\s{0,4})+)", "private-lines:"),
    shape(r"Private-MAC: (?P<s>[0-9a-f]{20,})", "private-mac:"),
    shape(
        r"\bbearer\s{1,4}(?P<s>[A-Za-z0-9._~+/%-]{8,}={0,2})",
        "bearer",
        judge=is_made,
        flags=_I,
    ),
    shape(r"\bbasic\s{1,4}(?P<s>(?=[A-Za-z0-9+/]{0,200}[\d=])[A-Za-z0-9+/]{8,}={0,2})", "basic", flags=_I),
    shape(
        r"\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:[A-Za-z0-9-]{2,20}\s{1,4})?(?P<s>[^\s\"'`<>${]{8,})",
        "authorization",
        judge=is_bare_token,
        flags=_I,
    ),
    shape(
        r"\b(?:set-)?cookie[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?P<s>[\w.%-]{1,60}=[^\"'`\r\n]{4,})",
        "cookie",
        judge=_is_session,
        flags=_I,
    ),
    # In a URL: a user's password, also percent-encoded; a user that is a token; a signature.
    shape(r"(?<=://)[^\s/:@\"'<>`]{0,200}:(?P<s>[^\s/\"'<>`]{1,300})(?=@)", "://", judge=is_given),
    shape(
        r"\b(?:postgres\w{0,12}|mysql\w{0,12}|mariadb|mongodb\w{0,8}|rediss?|amqps?|mssql\w{0,12}|clickhouse)://"
        r"[^\s/:@\"'<>`]{0,200}:(?P<s>[^\s\"'<>`]{1,200})(?=@[\w.\[-])",
        "://",
        judge=is_given,
    ),
    shape(
        r"%3A%2F%2F(?:[^\s%&\"']|%(?!3A|40)[0-9A-F]{2}){0,100}%3A(?P<s>(?:[^\s%&\"']|%(?!40)[0-9A-F]{2}){1,200})(?=%40)",
        "%3a%2f%2f",
        flags=_I,
    ),
    shape(r"(?<=://)(?P<s>[A-Za-z0-9_-]{16,200})(?=(?::[^\s/@]{0,100})?@)", "://", judge=is_made),
    shape(
        r"(?<=://)[^\s/:@\"'<>`]{1,200}:(?P<s>[^\s:@\"'<>`]{16,300})(?=@[\w-])",
        "://",
        judge=lambda v: is_given(v) and is_made(v),
    ),
    shape(
        r"[?&;#](?!(?:[\w.-]{0,30}[_-])?(?:id|ids|uuid|guid|v|ver|version|hash|sha\d*|commit|ref|rev|etag|digest|checksum|"
        r"md5|cursor|page|q|query|list|si|gclid|fbclid|msclkid|utm_\w+|file|image|node)=)[\w.-]{1,40}="
        r"(?P<s>[A-Za-z0-9_.~+/%-]{16,}={0,2})",
        "=",
        judge=lambda v: is_made(v) or entropy.scattered(v),
        flags=_I,
    ),
    shape(
        r"://[^\s\"'<>`?#]{1,200}?/(?:hooks?|webhooks?|catch|callbacks?|private|secrets?|tokens?|feeds?|invites?|joins?|"
        r"shared?|magic|reset|verify|confirm|unsubscribe|signed|auth|login|keys?|api-?keys?|t|s|k)/"
        r"(?:\d{1,12}/)?(?P<s>[A-Za-z0-9_.~+-]{16,200}={0,2})",
        "://",
        judge=is_made,
        flags=_I,
    ),
    shape(r"\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}", "re_"),
    shape(r"\b(?:sdk|mob|api|access-\w{4,12})-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "-"),
    shape(r"/private-(?P<s>[0-9a-f]{16,64})", "/private-"),
    shape(r"hooks\.zapier\.com/hooks/catch/(?P<s>[^\s\"'<>`]{8,})", "hooks.zapier.com"),
)
