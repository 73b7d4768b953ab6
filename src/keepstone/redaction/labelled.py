"""Finds secrets next to a name for a secret: right after it, or anywhere in its line.

Standard library only, for Python 3.9 and later. Every pattern runs in linear time: the text it scans before it fails is
bounded.
"""

from __future__ import annotations

import re
from itertools import chain

from ..lib.pattern import Pattern
from . import entropy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

VALUE_CHARS = 300  # read of the value next to a name
NEAR_CHARS = 160  # on either side of a name, within which a machine-generated string counts as its value
MADE_CHARS = 16  # the shortest machine-generated string
ALONE_CHARS = 32  # the shortest one in hex if only a setting's name suggests a secret

# Parts of names for secrets. WEAK names are often used for other things: only values that look random count.
PASS, SECRET, WEAK = "pass", "secret", "weak"
NAMES = {
    **dict.fromkeys(
        ("pass", "pwd", "psk", "mnemonic", "seed phrase", "mot de passe", "kennwort", "contraseña", "senha", "пароль"),
        PASS,
    ),
    **dict.fromkeys(("secret", "token", "cred", "bearer", "schlüssel", "clave"), SECRET),
    **dict.fromkeys(("key", "auth", "sess", "sid", "csrf", "xsrf", "signature", "dsn", "salt", "nonce", "otp"), WEAK),
}
_WHOSE_KEY = Pattern(
    r"(?:api|access|private|secret|signing|encryption|auth|master|account|shared|service|admin|app|client|license|"
    r"storage|subscription|consumer|webhook|deploy|session|hmac|aes|jwt|cookie|application|webpush|publishable)"
    r"[ _.-]?(?:access[ _.-]?)?\Z"
)
_WHOLE = (
    r"(?:word|wort|wd|phrase|code|w|ential|(?<=sess)(?:ion)?(?:[_-]?id)?)?s?"
    r"(?:[ _.-]?(?:value|base|key|prod|production|dev|staging|stage|test|live|old|new|primary|secondary|string|id|"
    r"v?\d{1,3}))?"
    r"(?![a-z])"
)
_THEN = Pattern(
    _WHOLE + r"[\\\"'`\]*]{0,4}"
    r"(?:(?P<op>\s{0,4}(?::\s{0,2}[A-Za-z]{1,12}\s{0,2}=|=>|:=|===?|!==?|->|[=:>(：–—|]|(?<=\s)-(?=\s))"
    r"[ \t*]{0,20}(?:\r?\n[ \t]{0,40}(?=\S))?)"
    r"|(?P<word>(?:['’]s\s{1,4}|\s{1,4}(?:(?:for|of|to|on|at|in)\s{1,4}(?:[\w.@/'-]{1,30}\s{1,4}){1,6}|here\s{1,4})?"
    r"(?:is|was|are|to|as|now|from|reads|becomes)(?:\s{1,4}(?:now|set to|still|just|from))?\s{0,2}[:=]?\s{1,4}))"
    r"|(?P<gap>[ \t]{1,4}))"
)
# The name is in one field, the value in another: the next argument, a default, `value:`.
_APART = Pattern(
    _WHOLE + r"[\\\"'`\]]{0,3}(?:"
    r"(?P<field>\s{0,3}[,;{]?\s{0,40}(?:(?:type|description|sensitive)\s{0,10}[=:][^\n]{0,80}\s{1,40}){0,3}"
    r"-?\s{0,4}[\\\"']{0,2}(?:value|default)[\\\"']{0,2}\s{0,20}[=:]\s{0,4}"
    r"|</(?:key|name)>\s{0,40}<(?:string|value)>|>\s{0,40}<value>|\s[\w:]{1,20}=[^<>\n]{1,60}>)"
    r"|\s{0,3}\)?\s{0,3}(?:,|\|\||\?\?|\bor\b)\s{0,20}(?=[bru@]?[\\\"'`]))"
)
_QUOTED = Pattern(
    r"(?:(?:new )?(?:String(?:::from|Ref)?|(?:aws|pointer)\.String|bytes|\[\]byte|Buffer\.from|Some|Ok|Just|"
    r"Secret(?:Str|String)?(?:::\w{3,4})?|(?:base64\.)?b64decode)\(\s{0,4})?"
    r"(?:[bBrRuUfFN@]{1,2}(?=[\"']))?\\{0,3}(?P<q>[\"'`]{1,3})(?P<s>(?:(?!\\{0,3}(?P=q))[^\n]){1,300})",
    re.DOTALL,
)
# Ends where another assignment, a list or a sentence continues.
_BARE = Pattern(r"(?P<s>(?:[^\s\"'`<>,;&\\]|[,;&](?!\s|[\w.-]{1,40}\s?[=:]|\Z|[\"'`])|\\(?![nr\"'])){1,300})")
_REST = Pattern(r"[^\s\"'`<>,;&]*")
# After these, a blank separates name and value as `=` does.
_SETS = Pattern(r"(?:\A|\s)(?:--\S*|-[a-z]{3,}|(?:ENV|ARG|setx|setenv|set -\w{1,3})\s{1,4}\w*)\Z")

# Next to these names, a machine-generated string is a secret too.
_GIVERS = (
    "pepper salt hmac wallet signer deployer 2fa mfa totp airtable alchemy algolia amplitude anthropic asana braintree "
    "bugsnag circleci clerk cloudflare codecov contentful datadog deepgram dropbox elevenlabs etherscan fastly hubspot "
    "infura intercom launchdarkly linode mailchimp mailgun mapbox maxmind mistral mixpanel newrelic nuget okta openai "
    "openweather opsgenie pagerduty paypal plaid postmark pusher quicknode replicate rollbar segment sendgrid shodan "
    "snyk sonar splunk square stripe supabase tomtom trello twilio typeform virustotal vultr wandb zendesk"
).split()
_PAT = Pattern(r"\bPATs?\b")
# in hex and called a key, without saying of what
_PLAIN_KEY = Pattern(
    r"(?<![\w-])(?<!cache )(?<!primary )(?<!foreign )(?<!object )(?<!s3 )(?<!public )[kK]ey\s{0,2}[:=]\s{0,2}"
    r"(?:Buffer\.from\(|bytes\.fromhex\(|unhexlify\(|hex\.DecodeString\()?[\"'`]?"
    r"(?P<s>(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{48}|[0-9a-fA-F]{64}))(?![\w-])"
)
# a key that is handed over: "use this key ..."
_THIS_KEY = Pattern(
    r"\b(?:this|the|our|my|your|license|licence|api|new|old) key[ :=]{1,3}[\"'`]?(?P<s>[\w-]{20,100})(?![\w-])",
    re.IGNORECASE,
)
_CHOSEN = Pattern(r"(?<![^\s\"'`(:=])(?=[^\s]{0,40}[A-Za-z]{2})[\w+-][\w!@#$%^*&?+.-]{7,40}(?=[\s\"'`),;]|\Z)")
_MADE = Pattern(r"(?<![\w+/=~.-])[\w+/=~.:-]{16,400}")
# a file, a version, a URL, a time, a constant, an option
_PLAIN = Pattern(
    r"[\w./-]*\.[a-z]{1,5}(?::\d+){0,2}\Z|.*[:@]v?\d+\.\d+|\w*:?//|\d{4}-\d\d-\d\dT|[A-Z0-9]+(?:_[A-Z0-9]+)+\Z|[-.]"
)
_UUID = Pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_PIECES = Pattern(r"[\w+~-]{16,}={0,2}")
# Words before a digest or an id that is not secret.
_PUBLIC = Pattern(
    r"(?:commit|txn?|txid|transaction|transfer|checkout|cherry-pick|reset|merge|message|event|issue|deployment|oid|sha-?\d{0,3}|rev|revision|digest|checksum|hash|integrity|etag|md5|blob|tree|parent|branch|image|uuid|"
    r"guid|trace|span|request|(?<!secret[ _-])(?<!token[ _-])(?<!key[ _-])\bid|(?<!secret)(?<!token)(?<!key)_id)s?"
    r"[\"'`)]{0,2}(?: is)?\s{0,2}[:=@ (#]?\s{0,2}[\"'`(]?\Z",
    re.IGNORECASE,
)
# what a chain of blocks shows to everybody: a hash of 64 digits after such a word, and after no word for a key
_ON_CHAIN = Pattern(
    r"\b(?:txn?|txid|transaction|transfer|hash|block|receipt|digest|bytecode|topic)(?:s|es)?\b(?:(?!key)[^\n]){0,40}\Z",
    re.IGNORECASE,
)
_HASH = Pattern(r"0x[0-9a-fA-F]{64}\Z")
_SETTING = Pattern(
    r"(?<![\w$])(?!\w{0,60}(?:COMMIT|SHA|HASH|DIGEST|REV|REF|BUILD|CHECKSUM|MD5|VERSION|UUID|GUID|IMAGE|TAG|TRACE|"
    r"PUBLIC|(?<!SECRET)(?<!TOKEN)(?<!KEY)_ID\b))[A-Z][A-Z0-9]{0,30}(?:_[A-Z0-9]{1,30}){1,8}"
    r"[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?P<s>[A-Za-z0-9_+/~.-]{16,400}={0,2})"
)


def places(text: str, word: str) -> Iterator[int]:
    """Yields the positions of a word in a text, without overlaps."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def named(text: str, lowered: str) -> Iterator[Span]:
    """Yields the spans of values next to names for secrets that look given rather than computed. `lowered` has the
    length of `text`.
    """
    for word, kind in NAMES.items():
        behind = 0
        looked = {True: 0, False: 0}  # up to where it has looked near such names
        for at, end, sort in _names(lowered, word, kind):
            if sort != WEAK:
                chosen = sort == PASS
                first, last = _surroundings(text, lowered, end)
                yield from _near(text, max(first, text.rfind(" ", first, looked[chosen]) + 1), last, chosen)
                looked[chosen] = max(last, looked[chosen])
            span = at >= behind and (_adjoining(text, lowered, at, end, sort) or _apart(text, lowered, end, sort))
            if span:
                behind = span[1]
                yield span
    if any(c.isdigit() for c in text):
        yield from _given(text, lowered)
    yield from (match.span("s") for match in _PLAIN_KEY.finditer(text))
    yield from (match.span("s") for match in _THIS_KEY.finditer(text) if _is_made(match.group("s")))
    for match in _SETTING.finditer(text):
        if _is_made(match.group("s"), hexes=len(match.group("s")) >= ALONE_CHARS):
            yield match.span("s")


def _given(text: str, lowered: str) -> Iterator[Span]:
    """Yields machine-generated strings next to names of services that issue secrets."""
    for giver in _GIVERS:
        for at in places(lowered, giver):
            yield from _near(text, *_surroundings(text, lowered, at + len(giver)), False)
    for pat in _PAT.finditer(text):
        yield from _near(text, *_surroundings(text, lowered, pat.end()), False)


def _names(lowered: str, word: str, kind: str) -> Iterator[tuple[int, int, str]]:
    """Yields (start, end, kind) of each occurrence of a word for a secret. "key" counts as SECRET after words such as
    "api".
    """
    for at in places(lowered, word):
        if not lowered.endswith(_OTHERS, max(0, at - 12), at):
            known = word == "key" and _WHOSE_KEY.search(lowered[max(0, at - 30) : at])
            yield at, at + len(word), SECRET if known else kind


def _adjoining(text: str, lowered: str, at: int, end: int, kind: str) -> Span | None:
    """Returns the span of the value right after a name at `at` to `end`, if it is a secret."""
    then = _THEN.match(lowered, end)
    if then is None:
        return None
    value, quoted, span = _value(text, then.end())
    flag = bool(_SETS.search(text[max(0, at - 40) : at]))
    if value and _is_secret(text[at : then.end()], kind, flag, then, value, quoted):
        return _whole(text, span)
    return None


def _apart(text: str, lowered: str, end: int, kind: str) -> Span | None:
    """Returns the span of the value in the field after a name's, if it is a secret."""
    then = _APART.match(lowered, end) if kind != WEAK else None
    if then is None:
        return None
    value, quoted, span = _value(text, then.end())
    field = then["field"] is not None
    if not value or not entropy.is_given(value):
        return None
    if kind == PASS:
        given = entropy.is_password(value, quoted and field, field, words=False)
    else:
        given = entropy.is_token(value, quoted, field)
    return _whole(text, span) if given else None


def _value(text: str, start: int) -> tuple[str, bool, Span]:
    """Returns (value, whether it is quoted, span) at a position."""
    quoted = _QUOTED.match(text, start)
    match = quoted or _BARE.match(text, start)
    if match is None:
        return "", False, (start, start)
    given = match.group("s") if quoted else match.group("s").rstrip(".,;:!?)]}*_|\\")
    if match.group("s").endswith("..."):
        given = ""  # a placeholder
    return given, quoted is not None, (match.start("s"), match.start("s") + len(given))


def _whole(text: str, span: Span) -> Span:
    """Returns the span, extended to the end of a value that is longer than VALUE_CHARS."""
    rest = _REST.match(text, span[1]) if span[1] - span[0] >= VALUE_CHARS else None
    return (span[0], rest.end()) if rest else span


def _is_secret(name: str, kind: str, flag: bool, then: re.Match[str], value: str, quoted: bool) -> bool:
    if not entropy.is_given(value):
        return False
    if then["op"] == "(" and not quoted:
        return False  # a call
    gap = then["gap"] is not None and not flag
    if kind == WEAK:
        return not gap and entropy.mixed(value) and len(value) >= MADE_CHARS
    if gap and kind == PASS and (entropy.is_strong(value) or entropy.is_jumbled(value) or _WORDED.match(value)):
        return True
    if gap and not (quoted and kind == PASS and len(value) >= 8 and any(c.isdigit() for c in value)):
        return len(value) >= 12 and (entropy.mixed(value, hex_too=True) or entropy.turns(value))
    adjoining = flag or (name.endswith("=") and name.isupper())
    if kind == PASS:
        words = name.lower().startswith(("passphrase", "mnemonic", "seed"))
        return entropy.is_password(value, quoted, adjoining, words)
    return entropy.is_token(value, quoted, adjoining)


_WORDED = Pattern(r"[A-Za-z]{10,20}\d{2,4}\Z")  # two words and a number
_ENDS = Pattern(_WHOLE)
# To the end of the line, or of the next one if this one is nearly over.
_LINE = Pattern(rf"[^\n]{{0,20}}\n\s{{0,20}}[^\n]{{0,{NEAR_CHARS}}}|[^\n]{{0,{NEAR_CHARS}}}(?=\n)")
# Prefixes that change a name's meaning: a public token, to bypass.
_OTHERS = (*("public", "publickey", "public_", "public-", "public ", "by", "com", "sur", "tres", "over", "under"),)


def _surroundings(text: str, lowered: str, end: int) -> Span:
    """Returns the part of its line around a name that ends at `end`, empty if the name goes on there."""
    if not _ENDS.match(lowered, end):
        return end, end
    ends = _LINE.match(text, end)
    last = ends.end() if ends else min(len(text), end + NEAR_CHARS)
    return max(text.rfind("\n", max(0, end - NEAR_CHARS), end) + 1, end - NEAR_CHARS), last


def _near(text: str, first: int, last: int, chosen: bool) -> Iterator[Span]:
    """Yields machine-generated strings in the surroundings of a name: a text rarely has both without a secret.
    `chosen`: yields strings that look like chosen passwords too.
    """
    if chosen:
        yield from (match.span() for match in _CHOSEN.finditer(text, first, last) if entropy.is_strong(match.group()))
    for match in _MADE.finditer(text, first, last):
        before = text[max(0, match.start() - 60) : match.start()]
        if not _PUBLIC.search(before[-24:]) and not (_HASH.match(match.group()) and _ON_CHAIN.search(before)):
            yield from _made(match)


def _made(match: re.Match[str]) -> Iterator[Span]:
    """Yields the machine-generated parts of a run without blanks: all of it, the part after its name, or pieces."""
    word, start = match.group(), match.start()
    behind = word.rfind("=", 0, len(word.rstrip("=")) - 1) + 1
    if _is_made(word[behind:].strip(".:-=")):
        yield start + behind, match.end()
        return
    for piece in chain(_PIECES.finditer(word), _UUID.finditer(word)):
        in_path = _UUID.fullmatch(piece.group()) and word[max(0, piece.start() - 1) : piece.start()] == "/"
        if _is_made(piece.group()) and not in_path:
            yield start + piece.start(), start + piece.end()


def _is_made(word: str, hexes: bool = True) -> bool:
    if len(word) < MADE_CHARS or not any(c.isdigit() for c in word) or _PLAIN.match(word) or entropy.is_id(word):
        return False
    return entropy.mixed(word, hex_too=hexes) or entropy.scattered(word) or entropy.turns(word)
