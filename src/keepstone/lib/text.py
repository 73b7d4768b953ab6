"""Cleans, clips, compares and hashes text. Hot module: no `re`."""

from __future__ import annotations

from time import gmtime, strftime

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

# C0 and C1 controls, zero-width and bidirectional marks, the byte order mark, Unicode's invisible tag letters, letters
# that look blank, surrogates. None of them is language, and all can hide or forge text.
_UNSEEN = (
    *((0x00, 0x08), (0x0B, 0x0C), (0x0E, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E)),
    *((0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB)),
    *((0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x2800, 0x2800), (0x3164, 0x3164), (0xFFA0, 0xFFA0)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
_BREAKS = {0x0D: "\n", 0x2028: "\n", 0x2029: "\n", 0x85: "\n"}
_JOINERS = frozenset("\u200c\u200d")
_SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE10)))


class _Visible(dict):  # type: ignore[type-arg]
    """A table for str.translate: turns every line break into \\n and removes invisible characters. Each character is
    checked once.
    """

    def __missing__(self, code: int) -> int | None:
        self[code] = None if any(low <= code <= high for low, high in _UNSEEN) else code
        return self[code]  # type: ignore[no-any-return]


_VISIBLE = _Visible(_BREAKS | {ord(char): char for char in _JOINERS})


MAIN_AGENT = "main"  # the agent of memories that no other agent stored
MASK = "[redacted]"  # replaces a secret

# Words that match almost every text.
STOP_WORDS = frozenset(
    "a about an and any are as at be been but by can did do does for from had has have how i if in into is it its just "
    "let me my no not of on or our should so than that the their them then there these they this to us use used using "
    "was we were what when where which who why will with would you your".split()
)
# Words in a question that say as little. Two statements may still differ in them ("ask him", "ask her").
_SMALL_WORDS = frozenset("he her hers him his ours out over she some theirs too up while whom whose yours".split())


def clean(text: str) -> str:
    """Returns text that is fit for storage: without controls, escapes, invisible characters or lone surrogates, line
    breaks as \\n.
    """
    if text.isascii() and text.isprintable():
        return text.strip()  # the common case: nothing to remove
    text = text.replace("\r\n", "\n").translate(_VISIBLE)
    text = text if _SELECTORS.isdisjoint(text) else _selected(text)
    return text.strip() if _JOINERS.isdisjoint(text) else _joined(text).strip()


def _selected(text: str) -> str:
    """Returns the text with at most one variation selector after each character: a row of them is invisible and can
    spell text.
    """
    before = " " + text
    return "".join(char for last, char in zip(before, text) if char not in _SELECTORS or _takes_form(last))  # noqa: B905


def _takes_form(char: str) -> bool:
    return char not in _SELECTORS and not char.isspace()


def _joined(text: str) -> str:
    """Returns the text without joiners, except those between two non-ASCII characters, where they form a letter or an
    emoji. Elsewhere they can hide one word in another.
    """
    sides = "".join(" " if char.isascii() or char.isspace() or char in _JOINERS else "x" for char in text)
    joining = (sides[at - 1 : at] + sides[at + 1 : at + 2] == "xx" for at in range(len(text)))
    return "".join(char for char, joins in zip(text, joining) if joins or char not in _JOINERS)  # noqa: B905


def one_line(text: str) -> str:
    """Returns cleaned text on one line, with each run of white space folded into one space."""
    return " ".join(clean(text).split())


def clip(text: str, limit: int) -> str:
    """Returns at most `limit` characters, with `…` in place of the rest. Cuts at a word boundary if there is one in the
    last third.
    """
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    if space >= limit * 2 // 3:
        cut = cut[:space]
    return cut.rstrip(" ,;:.-") + "…"


def cut(text: str, limit: int) -> str:
    """Returns at most `limit` characters, cut at the end of a sentence if there is one, otherwise as `clip` does."""
    if len(text) <= limit:
        return text
    end = max(text.rfind(sign, 0, limit) for sign in (". ", "! ", "? ", "; ", "\n"))
    return text[: end + 1].rstrip() if end > 0 else clip(text, limit)


def head_and_tail(text: str, limit: int) -> str:
    """Returns at most `limit` characters of a long message: two thirds from its head, the rest from its tail."""
    if len(text) <= limit:
        return text
    gap = "\n[…]\n"
    head = (limit - len(gap)) * 2 // 3
    return text[:head] + gap + text[len(text) - (limit - len(gap) - head) :]


def tokens(text: str) -> int:
    """Returns an estimate of the number of tokens: ceil(chars / 4)."""
    return -(-len(text) // 4)


def day(at: float) -> str:
    """Returns the UTC date of a unix time, as ISO 8601."""
    return utc(at, "%Y-%m-%d")


def utc(at: float, form: str) -> str:
    """Formats a unix time in UTC. Returns "unknown" for a time outside the calendar, which a damaged row may hold."""
    try:
        return strftime(form, gmtime(at))
    except (OverflowError, TypeError, ValueError, OSError):
        return "unknown"


_SECONDS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}


def span_seconds(text: str) -> float:
    """Returns the seconds of a span of time such as 30d, 12h, 45m or 3600. Raises ValueError if it is not one."""
    span = text.strip().lower()
    number, unit = (span[:-1], span[-1]) if span[-1:] in _SECONDS else (span, "s")
    if not number.isascii() or not number.isdigit() or len(number) > 9 or not int(number):
        raise ValueError("a span of time such as 30d, 12h, 45m or 3600")
    return int(number) * _SECONDS[unit]


def counted(count: int, one: str, many: str) -> str:
    """Returns a number and its noun: `1 memory`, `2 memories`."""
    return f"{count:,} {one if count == 1 else many}"


def words(text: str) -> list[str]:
    """Returns the lower-case runs of letters, digits and underscores, in order."""
    return "".join(c if c.isalnum() or c == "_" else " " for c in text.lower()).split()


def query_terms(text: str) -> list[str]:
    """Returns the distinct words of a query without stop words, in order. Returns all words if there are only stop
    words.
    """
    found = list(dict.fromkeys(words(text)))
    telling = [word for word in found if word not in STOP_WORDS and word not in _SMALL_WORDS]
    return telling or found


def title_and_content(title: str, content: str) -> str:
    """Returns a memory's text: its title, unless the content begins with it, and its content."""
    return content if content.startswith(title.rstrip("…")) else title + "\n" + content


def digest(*parts: str) -> str:
    """Returns 16 bytes of BLAKE2b as hex. The parts are separated, so that ("ab", "c") and ("a", "bc") differ."""
    joined = "\x1f".join(parts)
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def session_key(value: object) -> str:
    """Returns a client's session id as we store it: unchanged if it is a short plain word, otherwise `x-` and its
    digest.

    The id comes from outside: it may be an int, `../x` or ten kilobytes.
    """
    text = value if isinstance(value, str) else repr(value)
    return text if _is_plain(text, "-_") else "x-" + digest(text)


def agent_key(value: object) -> str:
    """Returns the name of a session's agent as we store it: `main` if the client gives none."""
    if not isinstance(value, str) or not value:
        return MAIN_AGENT
    return value if _is_plain(value, "-_:.") else "x-" + digest(value)


def _is_plain(text: str, signs: str) -> bool:
    return 0 < len(text) <= 64 and text.isascii() and all(c.isalnum() or c in signs for c in text)
