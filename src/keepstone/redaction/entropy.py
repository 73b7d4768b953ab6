"""Tells whether a string looks random or chosen as a password, rather than written as code or language."""

from __future__ import annotations

import re
from math import log2

from ..lib.pattern import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

BARE_CHARS = (24, 200)  # a shorter string says too little, a longer one is data
LINE_CHARS = 60  # a line this long without anything else is one of many: of a certificate or an image
ALGORITHM_CHARS = 12  # the longest name of an algorithm: argon2id, scrypt16384
BITS = 2.8  # Shannon entropy per character, over the string's own characters: sixteen random ones have 3.3 and more
WORDY = 0.42  # at most this share of common letter pairs: language and names have 0.5 to 0.8, random strings 0.18
CHANGES = 0.42  # least share of neighbours of different kinds without other evidence of a secret: random
# letters and digits have 0.45 to 0.65, camelCase has 0.2 to 0.35
SHORT_CHANGES = 0.5  # of a word with fewer than sixteen characters: camelCase with a number has 0.3 to 0.45

_HEX = Pattern(r"(?:0x)?[0-9a-fA-F-]+\Z")
# the commonest letter pairs in English and in programs, nearly a fifth of all pairs
_PAIRS = frozenset(
    "th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de se le sa si ar "
    "ve ra ld ur ro me co ne ta ma ri li io ic ll ho no ce be us ch el la pe ec ac em om pr tr ex ut un im ad "
    "po ca di pa so fo wi ss ow ge ag op ol il id ie ee ai ke ey lo tu am ab ns ts rs nc ct ul up ir mo sh ap "
    "ev iv ue do fi fr ot ck ly mi ni ef sc pl ob ub fa ov wa gr qu".split()
)
_IDENTIFIER = Pattern(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*\Z")
_CALL = Pattern(
    r"[A-Za-z_$][\w$.:>-]*[(\[{]|[!-]?[\w.]+\(|\(|\[|\{|new\b|await\b|lambda\b|=>|[a-z_]{0,20}=\Z|==|\|\||&&|\+\+"
)
_NUMBER = Pattern(r"[-+~^<>=]{0,2}[\d.,:_/x%-]+(?:[a-zA-Z]{1,3})?\Z")
_PATH = Pattern(r"(?:[A-Za-z]:)?[~.@]{0,2}[/\\][\w@.+*/\\-]*\Z|[\w.@-]+(?:/[\w.@*-]+)+\Z|[\w-]+\.[a-z][a-z0-9]{1,4}\Z")
_POSITION = Pattern(r"(?::\d+){1,2}\Z")  # of a line in a file
_URL = Pattern(r"[a-z][a-z0-9+.-]{1,20}://|[\w.+-]+@[\w-]+\.\w|(?:sha\d+|md5|h1)[:-]|data:", re.IGNORECASE)
_ALGORITHM = Pattern(
    r"(?:sha|md|aes|rsa|utf|base|int|uint|float|oauth|http|bcrypt|scrypt|argon|pbkdf|iso|rfc|hmac|tls|ssl)[-_]?\d+|"
    r"(?:hs|rs|es|ps|ec|ed|k)[-_]?\d+(?![a-z]{3})",  # K8s, not K4rtoffel
    re.IGNORECASE,
)
_PLACEHOLDER = Pattern(
    r"\$\{?[A-Za-z_]\w*\}?\Z|--|[A-Za-z_-]*[_-]\Z|0x[0-9a-fA-F]{40}\Z|![a-z]+\Z|\?\w|.*\.\.\.\Z|\$[({]|%[({]?\w{1,30}[)}]?s?%?\Z|\{\{|\{\w*\}|<|\*{3,}|[xX]{3,}[-xX]*\Z|\.{2,}|…|\[|@\w+\Z|"
    r"(?:password|passwd|pass|pwd|passphrase|token|key|api[_-]?key|username|user)\Z|"
    r"(?:your|my|the|a|an|some|example|placeholder|changeme|change[_-]me|dummy|redacted|todo|tbd)(?:[ _-]|\Z)|"
    r"(?:none|null|nil|true|false|undefined|string|required|optional|empty|unset|missing|stored|needed|valid|invalid|"
    r"expired|hidden|secret|unknown|default|bearer|basic|import)(?:\W|\Z)|(?:process|os|env|self|this|settings|config)\.",
    re.IGNORECASE,
)
_NAMES = Pattern(
    r"(?:\b|_)(?i:pass|pwd|secret|token|key|cred|auth|user|arg|param|value|field|input|login)|"
    r"(?:Pass|Pwd|Secret|Token|Key|Cred|Auth|User|Arg|Param|Value|Field|Input|Login)"
)
_SIGN = Pattern(r"[!@#$%^*?~&]")
_VERSIONED = Pattern(r"[:@]v?\d+\.\d+")
_WORDS = Pattern(r"[A-Za-z]{3,12}(?:-[A-Za-z]{3,12}){2,7}\Z")  # a passphrase as a password: Reinhold's Diceware
_PHRASED = Pattern(
    r"\d{4}[A-Za-z]{3,14}[-_.][A-Za-z]{3,14}\Z|[A-Za-z]{3,14}(?:(?:[-_.][A-Za-z]{3,14}){1,4}[-_.]?|[-_])\d{2,4}\Z"
)
_TURNS = Pattern(r"\d(?=[a-z])|[a-z](?=\d)")
_SLUG = Pattern(r"[A-Za-z]{2,}\d{0,4}(?:[-_.:/][A-Za-z]*\d{0,4})+\Z")

_BARE = Pattern(r"(?<![A-Za-z0-9_+/~%@-])[A-Za-z0-9_+/-]{24,}={0,2}(?![A-Za-z0-9_+/=-])")
_SEGMENT = Pattern(r"[A-Za-z0-9_+-]{24,}={0,2}")
# An id as APIs return it: `req_...`, `cus_...`, but not one whose prefix names a key.
_ID = Pattern(
    r"(?!SK|AC)[A-Z]{2}[0-9a-f]{32}\Z|Qm\w{44}\Z|0x[0-9a-fA-F]{40}\Z|(?!(?:sk|rk|pk|key|secret|token|tok|pat|live|prod)_)[a-z]{2,12}_[A-Za-z0-9]+\Z"
)
# The text before a digest, an image or a public key.
_DATA = Pattern(r"(?:sha\d{1,3}[-:]|h1:|base64,|ssh-[a-z0-9]{3,8} |integrity\W{1,4}|[0-9a-f]+:)\Z", re.IGNORECASE)
_PUBLISHED = Pattern(r"(?:PUBLIC KEY|CERTIFICATE)[^-\n]{0,20}-----[\s\\n]{0,9}\Z")
_LINE_BEFORE = Pattern(r"[A-Za-z0-9+/=]{40}(?:\\n)?[\"'+,\\ \t]{0,6}\r?\n[\"'+ \t]{0,20}\Z")
_LINE_AFTER = Pattern(r"(?:\\n)?[\"'+,\\ \t]{0,6}\r?\n[\"'+ \t]{0,20}[A-Za-z0-9+/=]{20}")
_DIGEST = Pattern(r"sha\d{1,3}-|AAAA")
# The part of a URL before the name of a document, a picture, a file or a package.
_SHARED = Pattern(
    r"://(?:[^\s/]*(?:youtu|spotify|figma|miro|notion|loom|medium|imgur|unsplash|cdn|static|assets|img|images|media)"
    r"[^\s/]*/\S*|\S*/(?:d|file|files|design|board|boards|documents?|spreadsheets|folders|folder|view|blob|commit|tree|"
    r"packages|assets|static|_next|chunks|img|images?|media|avatars?|videos?|watch|playlist|posts?|p|e)/\S*)\Z",
    re.IGNORECASE,
)


def bare(text: str) -> Iterator[tuple[int, int]]:
    """Yields the spans of strings that look random, even without a name for a secret. Digests and data do not count."""
    for match in _BARE.finditer(text):
        word, start = match.group(), match.start()
        if len(word) > BARE_CHARS[1] or not _three_kinds(word) or _DIGEST.match(word) or _is_data(text, match):
            continue
        if _at_random(word):
            yield match.span()
            continue
        for piece in _SEGMENT.finditer(word) if "/" in word else ():
            if _at_random(piece.group()):
                yield start + piece.start(), start + piece.end()


def _at_random(word: str) -> bool:
    word = word.lstrip("/")
    return scattered(word) and not _ID.match(word) and mixed(word)


def scattered(word: str) -> bool:
    """Tells whether capitals, small letters and digits alternate as often as in a random string."""
    return _three_kinds(word) and _changes(word) >= CHANGES


def _three_kinds(word: str) -> bool:
    digits = sum(c.isdigit() for c in word)
    return digits >= 2 and sum(c.isupper() for c in word) >= 2 and sum(c.islower() for c in word) >= 2


def _is_data(text: str, match: re.Match[str]) -> bool:
    start, end = match.span()
    before = text[max(0, start - 200) : start]
    if _DATA.search(before) or _SHARED.search(before + match.group()):
        return True
    if _PUBLISHED.search(before):
        return True
    return end - start >= LINE_CHARS and bool(_LINE_BEFORE.search(before) or _LINE_AFTER.match(text, end))


def mixed(word: str, hex_too: bool = False) -> bool:
    """Tells whether letters and digits, or letters of both cases, are mixed in a way that language and names do not
    have.
    """
    word = word.rstrip("=")
    if not word or word.isdigit():
        return False
    if _HEX.match(word):
        return hex_too and len(word) >= 16 and any(c.isdigit() for c in word)
    if not any(c.isdigit() for c in word) and (word.islower() or word.isupper() or len(word) < 16):
        return False
    return _wordy(word) <= WORDY and _bits(word) >= min(BITS, log2(len(word)) * 0.75)


def _wordy(word: str) -> float:
    """Returns the share of letter pairs that are common in language."""
    lowered = word.lower()
    pairs = [lowered[at : at + 2] for at in range(len(lowered) - 1) if lowered[at : at + 2].isalpha()]
    return sum(pair in _PAIRS for pair in pairs) / len(pairs) if pairs else 0.0


def _changes(word: str) -> float:
    """Returns the share of neighbours of different kinds: digits, capitals, small letters, signs."""
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" if c.islower() else "s" for c in word]
    return sum(a != b for a, b in zip(kinds, kinds[1:])) / max(1, len(kinds) - 1)  # noqa: B905  strict= needs Python 3.10


def _bits(word: str) -> float:
    shares = [word.count(c) / len(word) for c in set(word)]
    return -sum(share * log2(share) for share in shares)


def is_given(value: str) -> bool:
    """Tells whether a value can be a secret: it is no variable, placeholder, URL, or word such as "none"."""
    return len(value) >= 4 and not _PLACEHOLDER.match(value) and not _URL.match(value)


def letters_and_digits(value: str) -> bool:
    """Tells whether a value can be a secret and is neither a number nor a plain word."""
    return not value.isdigit() and not value.isalpha() and is_given(value)


def is_strong(value: str) -> bool:
    """Tells whether a value has letters, digits and a sign that names and versions do not have."""
    return (
        len(value) >= 7
        and is_given(value)
        and any(c.isalpha() for c in value)
        and any(c.isdigit() for c in value)
        and bool(_SIGN.search(value))
        and not _CALL.match(value)
    )


def is_jumbled(value: str) -> bool:
    """Tells whether capitals and small letters are mixed in a way that no word or name has."""
    upper, lower = sum(c.isupper() for c in value), sum(c.islower() for c in value)
    return len(value) >= 8 and upper >= 3 and lower >= 3 and value.isascii() and _wordy(value) <= WORDY / 2


def is_worded(value: str) -> bool:
    """Tells whether the letters are distributed as in language."""
    return _wordy(value) > WORDY


def is_named(value: str) -> bool:
    """Tells whether a value consists of words and a number, as passwords that people choose: `cobalt-banana-41`."""
    return bool(_PHRASED.match(value))


def alternates(word: str) -> bool:
    """Tells whether capitals, small letters and digits of a word of any length alternate, as in no name."""
    kinds = (any(c.isupper() for c in word), any(c.islower() for c in word), any(c.isdigit() for c in word))
    return len(word) >= 7 and sum(kinds) >= 2 and _changes(word) >= (CHANGES if len(word) >= 16 else SHORT_CHANGES)


def turns(word: str) -> bool:
    """Tells whether a word changes between letters and digits more often than names do."""
    return word.isalnum() and len(_TURNS.findall(word)) * 4 >= len(word) and not is_hex(word)


def is_id(value: str) -> bool:
    """Tells whether a value is an id as APIs return it."""
    return bool(_ID.match(value))


def is_hex(value: str) -> bool:
    """Tells whether a value consists of hex digits only. A UUID counts."""
    return bool(_HEX.match(value))


def is_made(value: str) -> bool:
    """Tells whether a value looks machine-generated. Hex counts."""
    return mixed(value, hex_too=True)


def is_password(value: str, quoted: bool, adjoining: bool, words: bool) -> bool:
    """Tells whether the value next to a password's name is a password. People choose passwords, so a digit or a sign is
    enough.

    `adjoining`: the context allows nothing but a value, as in an environment file; `words`: the value may have several
    words.
    """
    if any(c.isspace() for c in value):
        return words and len(value) >= 12
    if value.isdigit():
        return len(value) >= 6
    if _WORDS.match(value) and (adjoining or quoted or value.count("-") >= 3):
        return True
    if not quoted and _NUMBER.match(value):
        return False
    if not quoted and _CALL.match(value) or _is_place(value):
        return False
    if not quoted and not adjoining and _ALGORITHM.match(value) and len(value) <= ALGORITHM_CHARS:
        return False
    if _IDENTIFIER.match(value):
        plain = not any(c.isdigit() for c in value)
        named = _NAMES.search(value) and sum(c.isdigit() for c in value) < 3
        return mixed(value) or is_jumbled(value) or not named and len(value) >= 6 and (adjoining or quoted or not plain)
    return len(value) >= 6 and (
        any(c.isdigit() for c in value) or is_jumbled(value) or bool(re.search(r"[!@#$%^*?=~&+]", value))
    )


def is_token(value: str, quoted: bool, adjoining: bool) -> bool:
    """Tells whether the value next to a token's or key's name is one. Machines generate these."""
    if any(c.isspace() for c in value) or len(value) < 6:
        return False
    if not quoted and _CALL.match(value) or _is_place(value) or _NUMBER.match(value):
        return False
    if mixed(value, hex_too=True) and len(value) >= 16:
        return True
    if _ALGORITHM.match(value) or _VERSIONED.search(value):
        return False
    if len(value) >= 16 and scattered(value):
        return True
    digits = sum(c.isdigit() for c in value)
    if _IDENTIFIER.match(value) or _SLUG.match(value):
        return (adjoining or digits >= 3 or quoted and is_named(value)) and not _NAMES.search(value)
    return digits > 0 or adjoining


def _is_place(value: str) -> bool:
    """Tells whether a value is a path, a file or a module. A random string with slashes is not."""
    return bool(_PATH.match(_POSITION.sub("", value.lstrip("([{")))) and not (len(value) >= 16 and mixed(value))
