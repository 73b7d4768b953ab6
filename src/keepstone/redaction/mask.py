"""Finds and masks secrets in a text: by their shapes, and next to names for secrets.

Standard library only, for Python 3.9 and later. Every pattern runs in linear time: the text it scans before it fails is
bounded.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain

from ..lib.pattern import Pattern
from ..lib.text import MASK
from . import entropy
from .by_use import BY_USE
from .codes import CODES
from .given_away import GIVEN_AWAY
from .in_commands import COMMANDS
from .labelled import named, places
from .provider_keys import SHAPES
from .published import published
from .spoken import SPOKEN
from .worded import WORDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .provider_keys import Shape

    Span = tuple[int, int]

ROUNDS = 4  # masking may reveal another secret; a text is stable after one or two rounds
KEY_CHARS = 12_000  # the text of a private key is shorter

# Only letters whose lower case is as long, so that places stay the same.
_LOWER = {code: chr(code).lower() for code in range(0x41, 0x530) if len(chr(code).lower()) == 1}
# Letters that a pattern takes for one of ASCII's where case does not count.
_LOWER |= {ord("İ"): "i", ord("ı"): "i", ord("ſ"): "s", 0x212A: "k"}
# Signs that people and programs write for another: quotes, arrows, blanks, wide letters. One character for one.
_PLAIN = {
    **dict.fromkeys(map(ord, "“”„‟«»「」『』〝〞"), '"'),
    **dict.fromkeys(map(ord, "‘’‚‛‹›"), "'"),
    **dict.fromkeys(map(ord, "→⇒➜➔➙➝➞➡⟶⟹↦⇨►▶＝"), ":"),
    **dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u200a\u202f\u3000"), " "),
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code != ord("＝")},
    **dict.fromkeys(map(ord, "、。"), ","),
}
_PRIVATE = Pattern(r"<\s{0,4}(/?)\s{0,4}private\b[^<>]*>", re.IGNORECASE)


def without_private(text: str) -> str:
    """Returns the text without `<private>...</private>` sections, nested ones too. An open section runs to the end."""
    if "<" not in text:
        return text
    kept, depth, at = [], 0, 0
    for tag in _PRIVATE.finditer(text):
        if not depth:
            kept.append(text[at : tag.start()])
        depth = max(0, depth - 1) if tag.group(1) else depth + 1
        at = tag.end()
    return "".join(kept) + ("" if depth else text[at:])


def mask(text: str, more: Iterable[Shape] = ()) -> str:
    """Returns the text with each secret replaced by `[redacted]`, without its private sections. Masking the result
    again changes nothing.

    `more` are additional shapes.
    """
    text = without_private(text)
    for _ in range(ROUNDS):
        spans = _merged(text, _spans(text, more))
        if not spans:
            break
        kept, at = [], 0
        for start, end in spans:
            kept += [text[at:start], MASK]
            at = end
        text = "".join(kept) + text[at:]
    return text


def _spans(text: str, more: Iterable[Shape]) -> Iterator[Span]:
    text = text if text.isascii() else text.translate(_PLAIN)
    lowered = text.lower() if text.isascii() else text.translate(_LOWER)
    yield from _prefixed(text)
    for shape in chain(_worth_a_search(lowered), more):
        yield from shape.spans(text, lowered)
    if "private key" in lowered:
        yield from _tails(text)
    yield from named(text, lowered)
    yield from entropy.bare(text)


def _worth_a_search(lowered: str) -> Iterable[Shape]:
    """Returns the shapes of which a hint is in the text, and those without hints. Looks each hint up once: to ask each
    shape takes ten times as long.
    """
    always, by_hint = _shapes()
    hinted = chain.from_iterable(shapes for hint, shapes in by_hint.items() if hint in lowered)
    return dict.fromkeys(chain(always, hinted))


@cache
def _shapes() -> tuple[list[Shape], dict[str, list[Shape]]]:
    """Returns the shapes without hints, and the others by hint."""
    always: list[Shape] = []
    by_hint: dict[str, list[Shape]] = {}
    for shape in chain(SHAPES, COMMANDS, SPOKEN, WORDED, GIVEN_AWAY, BY_USE, CODES):
        if not shape.hints:
            always.append(shape)
        for hint in shape.hints:
            by_hint.setdefault(hint, []).append(shape)
    return always, by_hint


def _merged(text: str, spans: Iterable[Span]) -> list[Span]:
    """Returns the spans in order and without overlaps, each extended over a line break that cuts the secret. Skips
    masks, and what is made to be published.
    """
    found: list[Span] = []
    spans = sorted(set(spans))  # what stands near several names is found for each
    public = list(published(text)) if spans else []
    for start, end in spans:
        if start >= end or text[start:end] in MASK or any(low <= start and end <= high for low, high in public):
            continue
        end = max(end, _wrapped(text, end))
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


_WRAP = Pattern(r"\\?\r?\n[ \t>|]{0,40}(?P<s>[A-Za-z0-9_+/=-]{6,200})(?=[\s\"'`.,;)]|\Z)")


def _wrapped(text: str, end: int) -> int:
    """Returns the end of a secret that continues on the next line, otherwise `end`."""
    rest = _WRAP.match(text, end)
    return rest.end() if rest and entropy.mixed(rest.group("s")) else end


# Private keys

_END = Pattern(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
# Matched backwards from the end: the last line, full lines before it, the rest of a cut one.
_BREAK = r"(?:\s|[nr]\\|[\"'+,>|])"
_BODY = Pattern(rf"{_BREAK}{{0,9}}[A-Za-z0-9+/=]{{1,80}}(?:{_BREAK}{{1,9}}[A-Za-z0-9+/=]{{16,80}})*")


def _tails(text: str) -> Iterator[Span]:
    """Yields the spans of private keys whose beginning was cut off."""
    for end in _END.finditer(text):
        before = text[max(0, end.start() - KEY_CHARS) : end.start()][::-1]
        body = _BODY.match(before)
        if body and len(body.group()) > 30:
            yield end.start() - body.end(), end.end()


# Prefixes of providers' keys. A name such as `sk-fading-circle` is not a key: the rest has to contain a digit or look
# random.
PREFIXES = (
    *("sk-", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "gsk_", "xai-", "pplx-", "r8_", "hf_", "key-"),
    *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glft-", "glsoat-", "glcbt-"),
    *("glptt-", "glagent-", "gloas-", "ATATT3", "ATBB", "xoxa-", "xoxb-", "xoxp-", "xoxo-", "xoxr-", "xoxs-", "xoxc-"),
    *("xoxd-", "xoxe-", "xoxe.", "xapp-", "npm_", "pypi-", "rubygems_", "dckr_pat_", "dckr_oat_", "AIza", "GOCSPX-"),
    *("ya29.", "1//0", "SG.", "hvs.", "hvb.", "hvr.", "dp.pt.", "dp.st.", "dop_v1_", "doo_v1_", "dor_v1_", "dapi"),
    *("shpat_", "shpca_", "shppa_", "shpss_", "sq0csp-", "sq0atp-", "sq0idp-", "NRAK-", "glsa_", "glc_", "lin_api_"),
    *("secret_", "ntn_", "PMAK-", "figd_", "sbp_", "sb_secret_", "fo1_", "fm2_", "sntrys_", "sntryu_", "pul-"),
    *(
        "AGE-SECRET-KEY-",
        "pscale_tkn_",
        "pscale_pw_",
        "tskey-",
        "nfp_",
        "EAAA",
        "HRKU-",
        "phx_",
        "cfut_",
        "AccountKey=",
    ),
    *("SharedAccessKey=", "CLOJARS_", "ops_eyJ", "lsv2_pt_", "lsv2_sk_", "tvly-", "jina_", "nvapi-"),
    *(
        "p8e-",
        "rnd_",
        "bkua_",
        "AKCp",
        "cmVmd",
        "LTAI",
        "dt0c01.",
        "duffel_",
        "EZAK",
        "EZTK",
        "FLWSECK",
        "fio-u-",
        "ico-",
        "mlsn.",
    ),
    *(
        "perm:",
        "pnu_",
        "rdme_",
        "shippo_",
        "sm_aat_",
        "xkeysib-",
        "xsmtpsib-",
        "s-s4t2ud-",
        "sha256~",
        "tk-us-",
        "tfp_",
    ),
    *("glffct-", "glimt-", "ccipat_", "CCIPAT_"),
)
UNSURE = ("key-", "secret_", "perm:", "ico-", "r8_", "EAAA", "dapi", "pul-")  # prefixes of ordinary words too
_KEY = Pattern(r"[A-Za-z0-9_-]{16,}(?:[.~+/=][A-Za-z0-9_-]{2,})*={0,2}")


def _prefixed(text: str) -> Iterator[Span]:
    for prefix in PREFIXES:
        behind = 0
        for at in places(text, prefix):
            if at < behind or text[max(0, at - 1) : at].isalnum():
                continue
            key = _KEY.match(text, at + len(prefix))
            if key:
                behind = key.end()
                if _is_key(prefix, key.group()):
                    yield at, behind


def _is_key(prefix: str, body: str) -> bool:
    return entropy.mixed(body, hex_too=True) or prefix not in UNSURE and any(c.isdigit() for c in body)
