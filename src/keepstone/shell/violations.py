"""Tells whether a shell line is about to break a rule that a memory states. Hot module: no `re`.

Recognises things that must not be done ("never push to main"), things that are gone ("Biome replaced Prettier"),
required flags ("always with `--frozen-lockfile`"), required places ("from services/api", "only in CI"), alternatives in
use ("we use pnpm", "tests run with `make test`"), and files that must not be changed ("data/raw/ is write-once").
"""

from __future__ import annotations

from ..language.mentions import hands_off, mentions
from ..language.tool_families import are_rivals
from .command import Doing, stem

FORBIDDEN, LACKS, ELSEWHERE, INSTEAD, OBEYS = 4, 3, 2, 1, -1  # how surely a line breaks a rule, the surest highest

_NOT = frozenset("never not no don't dont avoid without stop nothing nobody nicht kein keine nie cannot can't".split())
_NOT_ALSO = frozenset("only just yet sure necessarily necessary need needed have longer".split())
_GONE = frozenset("replaced replaces dropped removed ditched retired superseded banned".split())
_BANNED = frozenset(
    "forbidden banned prohibited deprecated disallowed verboten retired off-limits gone replaced removed "
    "dropped".split()
)
_ALWAYS = frozenset("always must need needs require requires required immer only".split())
_USE = frozenset(
    "use uses using only prefer prefers always standard standardise standardize switched moved migrated adopted chose "
    "stick everything all instead through via run runs".split()
)
_RUN = frozenset("run runs ran start started starts execute executed call called invoke work works only must".split())
_WITH = frozenset("with via through by using mit über per".split())
_PLACE = frozenset("from in inside aus im within".split())
_ROOT = frozenset("root top repo repository".split())
_MACHINES = frozenset(
    "ci workflow workflows pipeline pipelines actions bot jenkins github gitlab argocd buildkite".split()
)
_ENDERS = frozenset(
    "because since as so but use unless until when if it they which that this for weil da sondern denn instead then "
    "before after while".split()
)
_ALTERNATIVES = frozenset("or nor and oder und noch".split())
_CONDITIONS = frozenset("on in at for from within auf in".split())
# Words of a rule that a command need not contain.
_FILL = frozenset(
    "a an the any our your their this that these those it to on in at of with by from into for us we you me i be is "
    "are use used using run running runs call calling do does doing try let directly straight ever please just "
    "command commands manually locally again anymore more longer bare plain raw all here there hand anything new "
    "was were lines line my shall come back".split()
)


class Word:
    """A word of a memory. `quote` is the number of its quotation (0 for none), `end` is the punctuation after it."""

    __slots__ = ("text", "quote", "end")

    def __init__(self, text: str, quote: int, end: str) -> None:
        self.text = text
        self.quote = quote
        self.end = end


def breaks(text: str, doing: Doing, is_rule: bool) -> int:
    """Returns how surely a command breaks a rule in the text, 0 if it does not, OBEYS if it does what the text
    prescribes. `is_rule` tells whether the memory's kind states rules: a preference, a decision, a convention.
    """
    if any(mentions(text, path) for path in doing.changes) and hands_off(text):
        return FORBIDDEN
    best = 0
    words = _words(text)
    if _does(words, doing):
        return OBEYS
    for sentence in _sentences(words):
        if _forbids(sentence, doing):
            return FORBIDDEN
        if _is_named(sentence, doing):
            best = max(best, LACKS * _lacks(sentence, doing), ELSEWHERE * _elsewhere(sentence, doing))
        if is_rule and _is_wrapped(sentence, doing):
            best = max(best, INSTEAD)
    if not best and is_rule and _instead(words, doing):
        best = INSTEAD
    return best


def _does(words: list[Word], doing: Doing) -> bool:
    """Tells whether a command does what a text prescribes: it matches a quotation of at least two words that the text
    does not rule out, or has a flag that the text asks for.
    """
    for sentence in _sentences(words):
        flags = [word.text for word in sentence if _is_flag(word.text)]
        if any(map(doing.has, flags)) and not any(word.text in _NOT for word in sentence):
            return True
    for at, word in enumerate(words):
        if not word.quote or (at and words[at - 1].quote == word.quote):
            continue
        spoken = [one.text for one in words[at:] if one.quote == word.quote]
        ruled_out = any(one.text in _NOT or one.text in ("of", "than") for one in words[max(0, at - 4) : at])
        plain = [one for one in spoken if not one.startswith("<")]
        if len(plain) > 1 and not ruled_out and plain[0] in doing.said and all(map(doing.has, plain)):
            return True
    return False


def _words(text: str) -> list[Word]:
    found: list[Word] = []
    quote = number = 0
    text = text.replace('"', "`") if text.count('"') % 2 == 0 else text
    for raw in text.replace("`", " ` ").replace("—", " ; ").replace("–", " ; ").split():
        if raw == "`":
            number += quote == 0
            quote = 0 if quote else number
            continue
        if raw[0] in ".,;:!?)" and found and not quote and not raw[1:2].isalnum():
            found[-1].end = "," if raw[0] == "," else "."
        if raw.startswith("(") and found and not quote:
            found[-1].end = found[-1].end or "."
        word = raw.strip("\"'()[]{},;:!?").rstrip(".").lower()
        if word:
            found.append(Word(word, quote, "" if quote else _ending(raw)))
    return found


def _ending(raw: str) -> str:
    """Returns the punctuation that ends a word: "," for a comma, "." for the end of a sentence, "" for none."""
    end = raw.rstrip("\"']}`")[-1:]
    return "," if end == "," else "." if end in ".;:!?)" else ""


def _sentences(words: list[Word]) -> list[list[Word]]:
    """Splits words at each full stop, colon, semicolon or bracket."""
    found: list[list[Word]] = [[]]
    for word in words:
        found[-1].append(word)
        if word.end == ".":
            found.append([])
    return [sentence for sentence in found if sentence]


def _is_named(words: list[Word], doing: Doing) -> bool:
    """Tells whether a sentence is about this command: it names the program with its task, or only its task."""
    for at, word in enumerate(words):
        if word.text not in (doing.program, doing.runner):
            continue
        quoted = [one.text for one in words[at + 1 :] if word.quote and one.quote == word.quote]
        plain = [one for one in quoted if not one.startswith("-")]
        after = words[at + 1] if at + 1 < len(words) and not word.end else None
        if plain or word.quote:
            told = all(map(doing.has, plain))
        else:
            told = after is None or not doing.has_tasks or _is_no_task(after.text) or stem(after.text) in doing.actions
        if told:
            return True
    return any(word.text in doing.tasks for word in words if not word.quote)


def _is_no_task(word: str) -> bool:
    return word.startswith("-") or word in _FILL or word in _ALWAYS or word in _NOT or word in _WITH or word in _BANNED


def _forbids(words: list[Word], doing: Doing) -> bool:
    return any(_rules_out(words, at, doing) for at, word in enumerate(words) if not word.quote)


def _rules_out(words: list[Word], at: int, doing: Doing) -> bool:
    """Tells whether a sentence rules the command out with the word at `at`."""
    word, after = words[at].text, words[at + 1].text if at + 1 < len(words) else ""
    if word in _BANNED and not (word in _GONE and after and after not in ("by", "with", "in") and not words[at].end):
        before = [one.text for one in words[max(0, at - 7) : at]]
        return bool({doing.program, doing.runner} & set(before)) and not _NOT & set(before[-1:])
    if word in _GONE or (word in ("instead", "rather") and after in ("of", "than")):
        return _any_done(_phrase(words, at + 1 + (word in ("instead", "rather"))), words, doing)
    if word in _NOT and after and after not in _NOT_ALSO and not (word == "without" and at):
        return _any_done(_phrase(words, at + 1), words, doing)
    return False


def _phrase(words: list[Word], start: int) -> list[list[Word]]:
    """Returns the phrases that are ruled out from `start` on: one, or several joined by `or`."""
    found: list[list[Word]] = [[]]
    for at in range(start, len(words)):
        word = words[at]
        if word.text in _ENDERS and not word.quote and at > start:
            break
        if word.text in _ALTERNATIVES and not word.quote:
            found.append([])
        else:
            found[-1].append(word)
        if word.end == "." or (word.end == "," and not _goes_on(words, at + 1)):
            break
        if word.end == ",":
            found.append([])
    return [phrase for phrase in found if phrase]


def _goes_on(words: list[Word], at: int) -> bool:
    """Tells whether a list continues after a comma: `npm, yarn or pip`."""
    near = words[at : at + 3]
    return bool(near) and (near[0].text in _ALTERNATIVES or any(word.text in _ALTERNATIVES for word in near[1:]))


def _any_done(phrases: list[list[Word]], sentence: list[Word], doing: Doing) -> bool:
    if _is_done([word for phrase in phrases for word in phrase], sentence, doing):
        return True
    # One of several alternatives is enough if each is one word (`npm or yarn`), or if it names the program or a flag.
    single = all(len(_telling(phrase)) == 1 for phrase in phrases)
    return any(_is_done(phrase, sentence, doing) and (single or _is_plain(phrase, doing)) for phrase in phrases)


def _is_plain(phrase: list[Word], doing: Doing) -> bool:
    return any(
        word.text in (doing.program, doing.runner) or word.text.startswith("-") or doing.quotes(word.text)
        for word in phrase
    )


def _telling(phrase: list[Word]) -> list[str]:
    return [word.text for word in phrase if word.text not in _FILL]


def _is_done(phrase: list[Word], sentence: list[Word], doing: Doing) -> bool:
    """Tells whether a command does what a phrase forbids. A phrase with "without X" does not match a command that has
    X.
    """
    cut = next((at for at, word in enumerate(phrase) if word.text == "without"), len(phrase))
    needed = _telling(phrase[cut + 1 :])
    if needed and all(map(doing.has, needed)):
        return False
    phrase = phrase[:cut]
    quoted = [word.text for word in phrase if word.quote]
    if not all(doing.has(word) for word in quoted if word.startswith("-")):
        return False
    flags = [word.text for word in phrase if word.text.startswith("-") and doing.has(word.text)]
    if flags and {doing.program, doing.runner} & {word.text for word in sentence}:
        return True
    if any(map(doing.is_act, quoted)):  # a quoted command is what is ruled out
        return _covers([word for word in quoted if word not in _FILL], sentence, doing)
    if _covers(_telling(phrase), sentence, doing):
        return True
    # Something ruled out under a condition that a command does not show: `no force pushes on shared branches`.
    at = next((at for at, word in enumerate(phrase) if word.text in _CONDITIONS and at), 0)
    first = _telling(phrase[:at])
    sure = len(first) == 1 and first[0] in (doing.program, doing.runner)
    sure = sure or any("--" + word in doing.flags or word in doing.flags for word in first)
    return sure and _covers(first, sentence, doing)


def _covers(telling: list[str], sentence: list[Word], doing: Doing) -> bool:
    """Tells whether a command has a phrase's distinctive words, one of which names its action."""
    held = [word for word in telling if doing.has(word)]
    if len(telling) == 1 and [stem(telling[0])] == doing.actions[:1] and telling[0] != doing.program:
        named = {word.text for word in sentence}
        if doing.program != "git" and not {doing.program, doing.runner} & named:
            return False  # `never edit it` does not forbid `edit` of another program
    about = any(doing.quotes(word) for word in held) and any(word.text in doing.tasks for word in sentence)
    enough = len(held) == len(telling) if len(telling) < 3 else 3 * len(held) >= 2 * len(telling)
    return bool(held) and enough and (about or any(map(doing.is_act, held)))


def _lacks(words: list[Word], doing: Doing) -> bool:
    """Tells whether a sentence about this command requires a flag or setting that it does not have."""
    said = {word.text for word in words if not word.quote}
    if doing.only_asks:
        return False
    asked = [word for word in words if _is_flag(word.text)]
    if said & _NOT:
        at = next((at for at, word in enumerate(words) if word.text in ("without", "ohne") and at), len(words))
        asked = [word for word in words[at:] if _is_flag(word.text)]
    elif not said & _ALWAYS:
        asked = [word for word in asked if not word.quote] if said & _WITH else []
    return bool(asked) and not any(doing.has(word.text) for word in asked)


def _is_flag(word: str) -> bool:
    name = word.partition("=")[0]
    option = word.startswith("-") and word.strip("-") != "" and not word.strip("-").isdigit()
    return option or ("=" in word and name.replace("_", "").isalnum() and not name.isdigit())


def _elsewhere(words: list[Word], doing: Doing) -> bool:
    """Tells whether a sentence about this command requires another folder or another machine."""
    said = {word.text for word in words if not word.quote}
    if not said & _RUN:
        return False
    if "only" in said and said & _MACHINES:
        return True
    for at, word in enumerate(words[:-1]):
        if word.text not in _PLACE or word.quote:
            continue
        near = [one.text for one in words[at + 1 : at + 4] if one.text not in ("the", "a", "our")]
        place = near[0].strip("/") if near else ""
        if "/" in place and "." not in place and "<" not in place and not place.startswith(("http", "~")):
            return not (doing.folder + "/").endswith(place + "/") and place not in doing.folder
        if word.text == "from" and _ROOT & set(near[:2]):
            return doing.folder != ""
    return False


def _is_wrapped(words: list[Word], doing: Doing) -> bool:
    """Tells whether a sentence says that another command, which it quotes, does this command's task."""
    for at, word in enumerate(words):
        if word.quote or word.text not in doing.tasks:
            continue
        if at and words[at - 1].text not in _FILL and words[at - 1].text not in _RUN:
            continue  # only some of them, as in `the e2e tests`
        behind = words[at + 1 :]
        with_at = next(
            (number for number, one in enumerate(behind) if one.text in _WITH and not one.quote), len(behind)
        )
        first = next((one for one in behind[with_at + 1 : with_at + 2] if one.quote), None)
        if first is not None:
            asked = [one.text for one in behind if one.quote == first.quote]
            return asked[0] not in (doing.program, doing.runner) and not all(map(doing.has, asked))
    return False


def _instead(words: list[Word], doing: Doing) -> bool:
    """Tells whether a text prescribes a rival of the program without naming the program itself."""
    named = {word.text for word in words} | {part for word in words for part in word.text.split("/")}
    for name in (doing.program, doing.runner):
        if name in named:
            continue
        for at, word in enumerate(words):
            if are_rivals(name, word.text) and _is_asked(words, at):
                return True
    return False


def _is_asked(words: list[Word], at: int) -> bool:
    same = [number for number, word in enumerate(words) if word.text == words[at].text]
    if any(word.text in _NOT for number in same for word in words[max(0, number - 3) : number] if not word.quote):
        return False
    near = words[max(0, at - 4) : at] + words[at + 1 : at + 3]
    return at == 0 or any(word.text in _USE for word in near if not word.quote)
