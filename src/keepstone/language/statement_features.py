"""Computes the statement model's features of a part of a prompt: words, phrasings, their classes, and position."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from ..lib.pattern import Pattern
from .phrases import CLASSES, phrases
from .prompt_parts import Part

_TOKEN = Pattern(
    r"`[^`]*`|https?://\S+|\S+@\S+\.\w+|[\w.~-]*/[\w./*-]+|#[\w-]+|v?\d+(?:[.:]\d+)+|\d+[\w%]*|"
    r"[A-Za-z_]\w*(?:[.-]\w+)*(?:\(\))?(?:'[a-z]+)?|[^\w\s]"
)
_ADDRESS = Pattern(r"https?://\S+|\S+@\S+|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|[A-Za-z]\w*(?:\.\w+)+")
_VERSION = Pattern(r"v?\d+(?:[.:]\d+)+")
_CODE = Pattern(r"`.*|\w*_\w*|\w+\(\)|[a-z]+[A-Z]\w*")
_LEAD = Pattern(
    r"^(?:(?:hello|hi|hey|ok(?:ay)?|k|yes|yep|yeah|ye|right|so|alright|great|good|cool|"
    r"thanks(?! to\b)|thank you|thx|and|well|um|uh|hmm?|mhm|nice|perfect|oh|ah|ugh|lol|"
    r"wait|sorry|please|pls|plz|but|then|now|btw|by the way|fyi|also|actually)\b(?!-\w)"
    r"[\s,.!:;-]*)+",
    re.IGNORECASE,
)
_CLASS_OF: dict[str, list[str]] = {}
for _name, _members in CLASSES.items():
    for _word in _members.split():
        _CLASS_OF.setdefault(_word, []).append(_name)
# Phrasings that affect the features of a whole sentence, and of a whole prompt.
KIN = frozenset("question_start ask_you task_start only_for hedge status plan deictic cite because".split())
ANYWHERE = frozenset("sarcasm story textwork only_for ask_you want_task fixed_by official heads_up handed".split())
FUNCTION_WORDS = frozenset(
    "the a an of to in on at for with and or but is are was were be been it its this that these those we i you he she "
    "they my our your not no do does did have has had will would can could should must may if when then so as by "
    "from".split()
)
CAPITALS_MAX = 4
PARAGRAPHS_MAX = 2
TASKS = ("task_start", "want_task", "ask_you")  # phrasings of tasks to be done now
GRAM = 4  # letters per n-gram of a word
EXPLICIT = "p:x_"  # prefix of the plain phrasings
# Features that change the meaning of a plain phrasing.
NOT_MEANT = frozenset(
    "p:momentary p:dangling p:hypothesis p:question_start p:ask_you p:hedge p:sarcasm p:joke p:textwork p:story "
    "p:only_for p:cite p:deictic p:feature_subject kin:only_for any:sarcasm any:story any:textwork any:only_for "
    "ends:True".split()
)
# The same of what is plain enough to be suggested, and what it may be beside.
SUGGESTED = "p:s_"
PASSING = NOT_MEANT | frozenset("p:status p:past_i p:thanks p:error p:plan".split())
ALLOWED = {  # "we have one in lib/net already, use that", "users CAN have two addresses"
    "p:s_exists": frozenset({"p:dangling", "p:deictic"}),
    "p:s_emphatic": frozenset({"p:feature_subject", "p:deictic", "p:cite"}),
    "p:s_shouted": frozenset({"p:question_start"}),
}
NOT_RETOLD = frozenset("p:pronoun_start p:works_only p:happened n:0".split())


def may_be_plain(part: Part) -> bool:
    """Tells from little whether a part can be plain enough to be suggested: its features cost a millisecond."""
    return part.retold or any(name.startswith("s_") for name in phrases(bare(part.text)) | phrases(part.text))


def is_plain(found: set[str]) -> bool:
    """Tells whether a part with these features is plain enough to be suggested, and is meant to last."""
    forms = {name for name in found if name.startswith(SUGGESTED) and name.count(":") == 1 and "+" not in name}
    is_told = "retold" in found and found.isdisjoint(NOT_RETOLD)
    allowed = frozenset[str]().union(*(ALLOWED.get(form, frozenset()) for form in forms))
    if is_told:
        allowed |= {"p:feature_subject"}
    return (bool(forms) or is_told) and found.isdisjoint(PASSING - allowed)


def is_explicit(found: set[str]) -> bool:
    """Tells whether a part with these features is a plain statement and is meant."""
    return any(name.startswith(EXPLICIT) for name in found) and not found & NOT_MEANT


def bare(text: str) -> str:
    """Returns a part without its lead ("ok, "). A part that is only a lead is returned unchanged."""
    return _LEAD.sub("", text, count=1) or text


def is_lead(text: str) -> bool:
    """Tells whether a part is only a lead."""
    return not _LEAD.sub("", text + " ").strip(" .,!?:;-")


def is_task(text: str) -> bool:
    """Tells whether a part gives or asks for a task."""
    return not phrases(bare(text)).isdisjoint(TASKS)


def tokens(text: str) -> list[str]:
    """Returns the words in lower case without apostrophes. Numbers, versions, code, paths, addresses and names become
    signs.
    """
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
    """Returns the features of one part. `reply` tells whether the prompt follows a message of the assistant."""
    part = parts[at]
    text = bare(part.text)
    own = tokens(text)
    found = {*_words(own), *_frame(own)}
    said = sorted(phrases(text) | phrases(part.text))  # some phrasings begin with a lead
    found |= {f"p:{name}" for name in said} | {f"p:{name}:{reply}" for name in said}
    found |= {f"p:{one}+{two}" for one, two in combinations(said, 2)}
    lead = part.text[: len(part.text) - len(text)].lower()
    found |= set(_place(parts, at))
    found |= {f"lead:{word}" for word in re.findall(r"\w+", lead)}
    found |= {"retold"} if part.retold else set()
    found |= {f"ending:{'a' if part.ending.isalnum() else part.ending}"}
    found.add(f"capitals:{min(CAPITALS_MAX, sum(word[0].isupper() for word in part.text.split()[1:]))}")
    found |= {f"ends:{part.ending == '?'}", f"reply:{reply}", f"first:{at == 0}:{reply}", f"bullet:{part.bullet}"}
    sizes = (
        f"of:{_bucket(len(parts))}",
        f"chars:{_bucket(len(part.text) // 8)}",
        f"all:{_bucket(sum(len(said.text) for said in parts) // 32)}",
        f"tasks:{_bucket(_tasks(parts) + 1)}",
    )
    found |= set(sizes) | {f"{size}:{reply}" for size in sizes}
    found.add(f"pasted:{_bucket(part.pasted + 1)}")
    found.add(f"signs:{any(sign in part.text for sign in '@{<|')}")
    return found | set(_heading(part)) | set(_around(parts, at))


def _words(own: Sequence[str]) -> Iterator[str]:
    yield f"n:{min(len(own) // 4, 6)}"
    for word in own:
        yield f"w:{word}"
        if word.isalpha() and len(word) >= GRAM:
            framed = f"^{word}$"  # n-grams match across endings, compounds and typos
            yield from (f"g:{framed[at : at + GRAM]}" for at in range(len(framed) - GRAM + 1))
    for place, word in enumerate(own[:3]):
        yield f"s{place}:{word}"
        for name in _CLASS_OF.get(word, ()):
            yield f"sc{place}:{name}"
    classes = sorted({name for word in own for name in _CLASS_OF.get(word, ())})
    for name in classes:
        yield f"c:{name}"
    told = [
        _CLASS_OF[word][0] if word in _CLASS_OF else word for word in own if word in _CLASS_OF or word.startswith("<")
    ]
    for one, two in zip(told, told[1:], strict=False):
        yield f"q:{one} {two}"
    for one, two in zip(own, own[1:], strict=False):
        yield f"b:{one} {two}"


def _frame(own: Sequence[str]) -> Iterator[str]:
    """Yields the features of a part's structure: its function words and signs, with X for all other words."""
    told = [word if word in FUNCTION_WORDS or word.startswith("<") else "X" if word.isalpha() else "." for word in own]
    yield f"f0:{' '.join(told[:4])}"
    for at in range(len(told) - 2):
        yield f"f:{' '.join(told[at : at + 3])}"


def _tasks(parts: Sequence[Part]) -> int:
    """Returns how many parts of a prompt ask for a task."""
    return sum(is_task(part.text) for part in parts)


def _place(parts: Sequence[Part], at: int) -> Iterator[str]:
    """Yields the features of a part's position, and whether an earlier paragraph announces text from someone else."""
    place = min(parts[at].paragraph, PARAGRAPHS_MAX)
    before = (part for part in parts if part.paragraph < parts[at].paragraph)
    handed = any("handed" in phrases(bare(part.text)) for part in before)
    yield from (f"para:{place}", f"para:{place}:{handed}")


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
        if other is parts[at]:
            continue
        said = phrases(bare(other.text))
        yield from (f"any:{name}" for name in ANYWHERE & said)
        if other.sentence == parts[at].sentence:
            yield from (f"kin:{name}" for name in KIN & said)


def _classes(words: Iterable[str]) -> Iterator[str]:
    return (name for word in words for name in _CLASS_OF.get(word, ()))


def _bucket(count: int) -> int:
    """Returns the bucket of a count, by powers of two: 0 and 1, 2, 3-4, 5-8, 9-16, ..."""
    return max(0, count - 1).bit_length()
