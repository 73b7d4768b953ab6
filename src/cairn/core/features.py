"""What the statement model sees of a part of a prompt: its words and phrasings, their classes, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from .parts import Part
from .phrases import CLASSES, PHRASES, phrases

_TOKEN = re.compile(
    r"`[^`]*`|https?://\S+|\S+@\S+\.\w+|[\w.~-]*/[\w./*-]+|#[\w-]+|v?\d+(?:[.:]\d+)+|\d+[\w%]*|"
    r"[A-Za-z_]\w*(?:[.-]\w+)*(?:\(\))?(?:'[a-z]+)?|[^\w\s]"
)
_ADDRESS = re.compile(r"https?://\S+|\S+@\S+|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|[A-Za-z]\w*(?:\.\w+)+")
_VERSION = re.compile(r"v?\d+(?:[.:]\d+)+")
_CODE = re.compile(r"`.*|\w*_\w*|\w+\(\)|[a-z]+[A-Z]\w*")
_LEAD = re.compile(
    r"^(?:(?:hello|hi|hey|ok(?:ay)?|k|yes|yep|yeah|ye|right|so|alright|great|good|cool|thanks|thank you|thx|and|well|"
    r"um|uh|hmm?|mhm|nice|perfect|oh|ah|ugh|lol|wait|sorry|please|pls|plz|but|then|now|btw|"
    r"by the way|fyi|also|actually)\b"
    r"[\s,.!:;-]*)+",
    re.IGNORECASE,
)
_CLASS_OF: dict[str, list[str]] = {}
for _name, _members in CLASSES.items():
    for _word in _members.split():
        _CLASS_OF.setdefault(_word, []).append(_name)
KIN = ("question_start", "ask_you", "task_start")  # phrasings of the rest of a sentence that color all of it


def bare(text: str) -> str:
    """A part without its lead ("ok, ")."""
    return _LEAD.sub("", text, count=1) or text


def tokens(text: str) -> list[str]:
    """Lower-case words without apostrophes, and signs for numbers, versions, code, paths, addresses and names."""
    return [_sign(match.group(), match.start()) for match in _TOKEN.finditer(text)]


def _sign(token: str, start: int) -> str:
    word = token.lower().replace("'", "")
    if len(token) == 1 or word in _CLASS_OF or not word:
        return word
    for pattern, sign in ((_CODE, "<code>"), (_ADDRESS, "<host>"), (_VERSION, "<version>")):
        if pattern.fullmatch(token):
            return sign
    if "/" in token:
        return "<path>"
    if token[0].isdigit():
        return "<number>"
    return "<name>" if start and token[0].isupper() else word


def features(parts: Sequence[Part], at: int, reply: bool) -> set[str]:
    """The features of one part. `reply`: the prompt comes after something that the assistant said."""
    part = parts[at]
    text = bare(part.text)
    found = set(_words(tokens(text)))
    said = phrases(text)
    found |= {f"p:{name}" for name in said} | set(_pairs("pp", said))
    lead = part.text[: len(part.text) - len(text)].lower()
    found |= {f"lead:{word}" for word in re.findall(r"\w+", lead)}
    found |= {f"ends:{part.ending == '?'}", f"reply:{reply}", f"first:{at == 0}:{reply}", f"bullet:{part.bullet}"}
    found |= {f"of:{_bucket(len(parts))}", f"chars:{_bucket(len(part.text) // 8)}"}
    found.add(f"signs:{any(sign in part.text for sign in '@{<|')}")
    return found | set(_heading(part)) | set(_around(parts, at))


def _words(own: Sequence[str]) -> Iterator[str]:
    yield f"n:{min(len(own) // 4, 6)}"
    for word in own:
        yield f"w:{word}"
    for one, two in zip(own, own[1:], strict=False):
        yield f"b:{one} {two}"
    for place, word in enumerate(own[:3]):
        yield f"s{place}:{word}"
        for name in _CLASS_OF.get(word, ()):
            yield f"sc{place}:{name}"
    classes = sorted({name for word in own for name in _CLASS_OF.get(word, ())})
    for name in classes:
        yield f"c:{name}"
    yield from _pairs("cc", classes)
    told = [
        _CLASS_OF[word][0] if word in _CLASS_OF else word for word in own if word in _CLASS_OF or word.startswith("<")
    ]
    for one, two in zip(told, told[1:], strict=False):
        yield f"q:{one} {two}"


def _pairs(kind: str, names: Sequence[str]) -> Iterator[str]:
    for place, one in enumerate(names):
        for two in names[place + 1 :]:
            yield f"{kind}:{one}+{two}"


def _heading(part: Part) -> Iterator[str]:
    if part.heading:
        yield "heading"
        words = tokens(part.heading)
        yield from (f"h:{word}" for word in words)
        yield from (f"hc:{name}" for name in _classes(words))


def _around(parts: Sequence[Part], at: int) -> Iterator[str]:
    for step, name in ((-1, "before"), (1, "after")):
        if not 0 <= at + step < len(parts):
            yield f"{name}:none"
            continue
        near = parts[at + step]
        same = "=" if near.sentence == parts[at].sentence else ""
        yield from (f"{name}{same}:{kind}" for kind in _classes(tokens(bare(near.text))[:2]))
        yield f"{name}:?{near.ending == '?'}"
    for other in parts:
        if other.sentence == parts[at].sentence and other is not parts[at]:
            plain = bare(other.text).replace("'", "")
            yield from (f"kin:{name}" for name in KIN if PHRASES[name].search(plain))


def _classes(words: Iterable[str]) -> Iterator[str]:
    return (name for word in words for name in _CLASS_OF.get(word, ()))


def _bucket(count: int) -> int:
    """0 and 1, 2, 3-4, 5-8, 9-16, ...: by powers of two."""
    return max(0, count - 1).bit_length()
