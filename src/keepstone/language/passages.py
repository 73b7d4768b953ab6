"""Decides which statements of a prompt form one memory: a rule or fact with its reason, in the user's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..lib.limits import KEEP_SCORE, PASSAGE_CHARS
from ..lib.pattern import Pattern
from .others_speech import CUT
from .phrases import patterns, phrases
from .prompt_parts import TIED_WORDS, Part
from .statement_features import TASKS, bare, is_lead

_JOINTS = {"": ". ", ";": "; ", "-": " - ", "–": " – ", "—": " — "}  # between sentences, by what was typed there
PASSAGE_LOW = 0.05  # a neighbour below this score is a task or a question; tuned on the development half
PASSAGE_NEAR = 0.1  # a sentence from this score on joins its neighbour; tuned on the development half

# A sentence that depends on the one before it.
_LEANS = Pattern(
    r"^(?:and |but |so )?(?:thats|that's|that is|this is|these|those|they|it|its|it's|he|she|same|applies|goes for|"
    r"unless|otherwise|because|since|only|never|always|not|everything else|the (?:rest|others?|helper)|there|"
    r"here(?:'s| is) why)\b",
    re.IGNORECASE,
)
# A sentence that limits the one before it: a rule without its exception is another rule.
_EXCEPTS = Pattern(
    r"^\W*(?:(?:and|but|or|well|though)\W+)?(?:"
    r"(?:except(?:ing|ed)?|excluding|apart from|aside from|other than|barring|save for|"
    r"(?:with|making) (?:the|an|one|two|a few) (?:only |single |sole )?exceptions?|with exceptions?|"
    r"at least (?:not|in|on|for|with|during|when|if|where|until|outside))\b|"
    r"exceptions? ?:|exceptions? to (?:this|that|the rule)\b|"
    r"(?:the|our|one|an?|there is|there's)(?: (?:an?|one))?(?: (?:only|single|sole))? exception"
    r"(?::| (?:is|being|to)\b(?! \w+(?:ed|own|en)\b))|"
    r"(?:the|our) (?:only|sole|few|two) exceptions?\b|"
    r"(?!(?:we|i)\b)(?:[\w'/-]+ ){1,4}(?:is|are) (?:(?:the|an?|our) )?(?:only |sole |one )?"
    r"(?:exceptions?|exempt(?:ed)?|excepted)(?=\W*$| (?:to|from|here|there|though)\b)|"
    r"(?:this|that|it|which|the (?:rule|same)) (?:(?:does|do)(?:n't| not)|only) "
    r"(?:appl(?:y|ies)|holds?|counts?|goes?)\b)",
    re.IGNORECASE,
)
# Its main clause, in the same part or the next one: "Except for hotfixes we never deploy on Fridays."
_HAS_CLAUSE = Pattern(r"\b(?:we|i) (?:never|always|must|only|should)\b", re.IGNORECASE)
_STATED = Pattern(
    r"^(?:(?:we|i|our|my|please|never|always|all|every|each|no|only|the|use|don't|do not|nobody|nothing)\b|"
    r"(?:[\w-]+ ){1,2}(?:is|are|must|has|have)\b)",
    re.IGNORECASE,
)
# A sentence that gives the reason of the one before it.
_GIVES_REASON = Pattern(
    r"^(?:and |but |so )?(?:(?:why|reason(?:ing|s)?|rationale|background|motivation)\s*:|"
    r"(?:the|our|my) (?:main )?reasons?\b|"
    r"(?:this|that|doing (?:so|this)) (?:(?:also|always|just|only) )?(?:gives?|lets?|allows?|keeps?|saves?|helps?|"
    r"means|avoids?|prevents?|ensures?|guarantees?|protects?|reduces?|leaves?|enables?|spares?|stops?|simplifies|gave|"
    r"kept|saved|helped|avoided|makes? (?:it|them|us|the \w+|\w+s) "
    r"(?:\w+er|easy|simple|possible|safe|clear|cheap|fast))\b|"
    r"(?:this|that) way\b|so that\b|(?:that|which)(?:'s| is) (?:why|because)\b)",
    re.IGNORECASE,
)
_REASON_AHEAD = Pattern(r"^(?:why|reason(?:ing|s)?|rationale|background|motivation)\s*:", re.IGNORECASE)
# What speaks against what was not chosen: "Nginx was too hard to configure", "Redis kept losing jobs".
_COMPLAINS = Pattern(
    r"^(?!(?:we|i|you|never|always|please|don't|do|the (?:test|build|page|app)s?)\b)(?:[\w.+#/-]+ ){1,4}(?:"
    r"(?:is|are|was|were|felt|feels?|got|proved|turned out|would be|seemed|seems?|became)(?: to be)?"
    r"(?: (?:just|simply|far|way|much|always|often))* (?:too \w+|(?:a|such a) (?:pain|mess|nightmare)\b)|"
    r"had (?:no|too many|too few|too much)\b|"
    r"(?:couldn't|could not|can't|cannot|didn't|did not|doesn't|does not|wouldn't) "
    r"(?:handle|support|scale|work|fit|have|do|offer|cope|keep|run|give)\b|"
    r"(?:lacks?|lacked) \w|kept \w+ing\b|costs? (?:too|twice|more|us)\b|never (?:worked|"
    r"scaled|fit)\b)",
    re.IGNORECASE,
)
_CHOOSES = Pattern(
    r"\b(?:decided|chose|choose|chosen|picked?|switch\w*|mov(?:ed?|ing)|went|go(?:ing)? (?:with|for)|us(?:e[sd]?|ing)|"
    r"replac\w+|dropp?\w*|settled|prefer\w*|stick\w*|migrat\w+|kept|keep|stay\w*|adopt\w*|left)\b",
    re.IGNORECASE,
)
# How a rule begins that may be a statement of its own: "Never push to main."
_RULES = Pattern(r"^(?:only|never|always|not)\b", re.IGNORECASE)
_RULE_POINTS = Pattern(r"^(?:\S+ ){1,3}(?:it|them)\b(?! (?:is|are)\b)", re.IGNORECASE)  # "Never edit it by hand."
_I_DID = Pattern(r"^i(?:'ve)? (?:just |already )?\w+ed\b", re.IGNORECASE)
# A statement whose subject is missing: "Be drawn with large fonts", "must never be red".
_HEADLESS = Pattern(
    r"^(?:(?:also|and|but|so|always|never|only|which) )*(?:"
    r"(?:must|should|shall|can|cannot|may|will|(?:has|have|needs?) to)\b|"
    r"(?:is|are|was|were|isn't|aren't|has|gets?) |(?:instead of|rather than|without) being [^,]*(?:, \w+)?\W*$|"
    # "To be merged, a change must ..." has its subject behind it.
    r"(?:not |not to |to (?!.*, (?:we|i|you|an?|the|every|each|all|our|it|they)\b))?be (?:\w+ly )?"
    r"(?:\w{2,}ed|drawn|shown|written|hidden|kept|built|sent|given|taken|stored|made|done|run|set|known|seen|held|read|left|put|thrown|chosen|begun|split)\b)",
    re.IGNORECASE,
)
# The same without a verb, which goes with the sentence before: "Never by hand."
_NO_VERB = Pattern(
    r"^\S+ (?:by|in|on|at|for|with|without|from|to|of|into|through|via|under|before|after|the|an?|any|this|that|as|per|"
    r"if|when|where|while|until|during)\b",
    re.IGNORECASE,
)
# The same as all that is said: where, when or how, of what is not there. A verb may stand behind a comma.
_ADVERBIAL = Pattern(
    r"(?!never under any )(?:(?:always|never|only|not|except|everywhere|just) (?:by|in|on|at|for|with|without|from|to|"
    r"into|through|via|under|before|after|inside|outside|behind|during)|everywhere|nowhere)\b(?!.*\b(?:we|i|you|it|they|must|should|can|"
    r"may|do|does|is|are|has|have|will)\b)[^,;:]*"
    r"(?:[,;:]? (?:like|such as|e\.g\.|for example|because of|due to|even|as in|but|and|or|not|never|always|"
    r"only) [^,;:]*)*",
    re.IGNORECASE,
)
# The work is known by the way it is done: "never by hand, always with Terraform".
_WAYS = Pattern(r"\w+ (?:by|with|without|through|via)\b.*[,;] (?:not|never|always|only)\b", re.IGNORECASE)
# Names a thing, or says what does not hold of one that is not there: "Podman", "Never as floats", "not tabs", "never
# Docker". A verb would make a rule of it: "Never rebase".
_FRAGMENT = Pattern(
    r"(?i:not|never) (?:(?i:by|in|on|at|for|with|without|from|to|of|into|through|via|under|as|per|inside|outside)"
    r"(?: \S+){1,3}|[A-Z]\S*|\S*[^s\s]s)|(?i:not) \S+|[\w.+#-]+",
    re.ASCII,
)
# Says what something is that only the assistant has named: "It's pnpm".
_OF_WHAT = Pattern(
    r"(?:it|they)(?:'s| is|'re| are)(?: (?:not|now|always|only|actually|just))? \S+(?: \S+)?(?:, (?:not|never) \S+)?",
    re.IGNORECASE,
)
# Somebody's name, and no order: "Lena Krueger".
_NAMES = Pattern(
    r"(?!(?:use|prefer|avoid|keep|drop|run|call|ask|tell|deploy|never|always|no|only|not|make|put|add|write|test|store|"
    r"name|pin|ship|require|default|forget|skip|remove|update|install|support|import|log|mock|squash|follow|check)\b)"
    r"(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'.-]*){1,3}",
    re.IGNORECASE,
)
# How a statement of its own begins within a sentence: with who does it; behind "and", also with what it is about.
_SPEAKER = Pattern(r"^(?:and |but |so |also )*(?:we|i|i'm|we're|our|my|please)\b", re.IGNORECASE)
_ADDS = Pattern(
    r"^(?:and |but |so |also )*(?!(?:it|its|they|their|that|this|these|those|he|she|not)\b)\w", re.IGNORECASE
)
# A clause that says when, or why, the one behind it holds; also behind another statement: "..., but if CI fails".
_SUBORDINATE = (
    r"(?:(?:even|only|just|except|especially) )?(?:whenever|when|if|since|because|although|though|given|as long as|"
    r"as soon as|as (?:we|our|i|the|it|they|you|all|most)|unless|until|till|before|after|once|while|whilst|whereas|"
    r"wherever|where|in case|in the event|provided|providing|assuming|supposing|seeing|considering|now that|so long as|"
    r"by the time|insofar|whether|due to|because of|thanks to|despite|in spite of|regardless|inasmuch)\b"
)
_OPENS = Pattern(rf"^(?:(?:and|but|so|or|also) )*{_SUBORDINATE}", re.IGNORECASE)
_OPENS_AGAIN = Pattern(rf"(?:\b(?:and|but|so|or)|[:—–]),? {_SUBORDINATE}[^,]*$", re.IGNORECASE)
_TO_YOU = Pattern(r"^(?:\S+ ){1,3}you\b", re.IGNORECASE)  # "when you are done": it is about the task at hand
# A pronoun early in a sentence, behind a verb: "Keep them under 50 characters."
_POINTS = Pattern(r"^(?:\S+\s+){1,3}(?:them|it|those|these|this|that|so|one|ones|there)\b", re.IGNORECASE)
_POINTS_BACK = Pattern(r"\b(?:it|them|those|these|there)\b(?! (?:is|are)\b)", re.IGNORECASE)  # "we use Vite for it"
_NO = Pattern(
    r"^(?:(?:no+|nope|nah|oh|ah|hey|hmm+|well|wait)\s+)*(?:(?:no+|nope|nah|oh|ah|hey|hmm+|well|wait)[,.!:]+\s+)+(?=\w)",
    re.IGNORECASE,
)
# A sentence about what the assistant has said or done, which is not in the prompt.
_ABOUT_OTHERS = Pattern(r"^(?:(?:that|this|it|those|these)(?:'s|s| (?:is|are|was|were))|you(?:'\w+)?)\b", re.IGNORECASE)
_DENIES = Pattern(r"\b(?:never|not|no longer|cannot)\b|n't\b", re.IGNORECASE)
# What something does; "it's broken" or "it failed" tells how it is now.
_INSTEAD = Pattern(
    r"^(?:it|they) (?:(?:always|only|just) )?(?!(?:was|were|is|are|has|have)\b)[a-z]+(?<!ed)\b ", re.IGNORECASE
)
# A part whose subject is before it: "they should always be green".
_SUBJECT_BEFORE = Pattern(r"^(?:and |but |so )?(?:they|it|its|he|she|these|those)\b", re.IGNORECASE)
_CALLS = Pattern(
    r"(?:\b(?:no+|nope|nah|oh|ah|hey|hmm+|well|wait|sorry|but)\b\W*)+", re.IGNORECASE
)  # a part that says nothing
# What joins a statement to others.
_AND = Pattern(
    r"^(?:(?:and|but|so|also) |(?:first|second|third|fourth)ly\s+|"
    r"plus\s+(?=(?:we|i|our|my|the|never|always|all|please)\b)|"
    r"(?:also|and|next|finally|lastly|besides|plus|moreover|furthermore|p\.?s\.?|(?:first|second|third|fourth)(?:ly)?|"
    r"(?:one|another|two|three|some|a few|a couple of) (?:more )?(?:things?|rules?|notes?|points?))\s*[:,]\s+)+(?=\w)",
    re.IGNORECASE,
)
# Words that ask for a memory, and are not part of it.
_ASKED = Pattern(
    r"^(?:(?:please|pls) )?(?:(?:rule|convention|policy)(?=\s*:)|remember|note|keep in mind|be aware|"
    r"for the record|fyi|btw|(?:final )?decision)"
    r"(?:,? (?:this|that)\b)?\s*[:,;-]?\s+(?=\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """The run of a sentence's parts (`low` to `high`, exclusive) around its likeliest part `best`, which has `score`.
    `start` and `stop` bound the whole sentence.
    """

    low: int
    high: int
    best: int
    score: float
    start: int
    stop: int


def sentences(parts: Sequence[Part], scores: Sequence[float]) -> list[Sentence]:
    found: list[Sentence] = []
    start = 0
    for stop in range(1, len(parts) + 1):
        if stop == len(parts) or parts[stop].sentence != parts[start].sentence or _is_added(parts, scores, start, stop):
            found.append(_sentence(parts, start, stop, scores))
            start = stop
    return found


def _is_added(parts: Sequence[Part], scores: Sequence[float], start: int, at: int) -> bool:
    """Tells whether a part of a sentence is a statement of its own beside the one before it: "..., and we ..."."""
    if (
        _is_subordinate(parts[start].text)
        or _EXCEPTS.match(parts[start].text)
        or _OPENS_AGAIN.search(parts[at - 1].text)
    ):
        return False
    if _POINTS_BACK.search(parts[at].text):
        return False
    is_one_before = max(scores[start:at]) >= KEEP_SCORE
    begins = _ADDS if parts[at].added else _SPEAKER
    return is_one_before and scores[at] >= KEEP_SCORE and bool(begins.match(parts[at].text))


def _sentence(parts: Sequence[Part], start: int, stop: int, scores: Sequence[float]) -> Sentence:
    """Extends the likeliest part of a sentence by the neighbouring parts that are neither tasks nor questions."""
    best = low = max(range(start, stop), key=lambda at: (scores[at], -at))
    high = best + 1
    while low > start and _belongs_before(parts, scores, low):
        low -= 1
    while high < stop and (scores[high] >= PASSAGE_LOW or _belongs_behind(parts, high)):
        high += 1
    return Sentence(low, high, best, scores[best], start, stop)


def _belongs_before(parts: Sequence[Part], scores: Sequence[float], low: int) -> bool:
    """Tells whether the part before `low`, of the same sentence, belongs to it."""
    if parts[low - 1].withdrawn:
        return False
    before = parts[low - 1].text
    is_condition = (_is_subordinate(before) or _EXCEPTS.match(before)) and not _TO_YOU.match(bare(before))
    return bool(is_condition) or scores[low - 1] >= PASSAGE_LOW or bool(_SUBJECT_BEFORE.match(parts[low].text))


def _belongs_behind(parts: Sequence[Part], high: int) -> bool:
    """Tells whether a part belongs to the one before it, of the same sentence, whatever it scores: a condition needs
    it, and a denial is half of what "it" does instead: "our API never returns null, it omits the field".
    """
    before, behind = parts[high - 1].text, parts[high].text
    is_instead = _DENIES.search(before) and _INSTEAD.match(behind) and parts[high].ending != "?"
    return _is_subordinate(before) or bool(is_instead and not parts[high].withdrawn)


def _is_subordinate(text: str) -> bool:
    """Tells whether a part says only when, or why, the one behind it holds: "Whenever our build runs on Windows"."""
    return bool(_OPENS.match(_head(text)))


def _head(text: str) -> str:
    """Returns a part without its lead. "Now that" begins a clause, and is none."""
    head = bare(text)
    lead = text[: len(text) - len(head)]
    is_now_that = head.startswith("that ") and lead.casefold().endswith("now ")
    return lead[-4:] + head if is_now_that else head


def passages(parts: Sequence[Part], scores: Sequence[float], enough: float) -> list[tuple[int, int, int]]:
    """Returns the runs of parts to keep, as (low, high, likeliest): sentences that score `enough`, with neighbours that
    depend on them, that they depend on, or that score well themselves. List items stay separate.
    """
    found: list[tuple[int, int, int]] = []
    said = sentences(parts, scores)
    number = 0
    while number < len(said):
        here = said[number]
        if here.score < enough:
            number += 1
            continue
        low, high = here.low, here.high
        if number and not (found and found[-1][1] > said[number - 1].low):
            low = _back(parts, said[number - 1], low, high)
        while number + 1 < len(said) and _goes_on(parts, said[number + 1], low, enough):
            number += 1
            high = said[number].high
        if _is_whole(parts[low:high]) and not _needs_withdrawn(parts, low):
            found.append((low, high, max(range(low, high), key=lambda at: (scores[at], -at))))
        number += 1
    return found


def _is_whole(said: Sequence[Part]) -> bool:
    """Tells whether parts say something that can be understood: with their subject, and nothing left out."""
    text = text_of(said, 0, len(said))
    is_name = len(said) == 1 and _NAMES.fullmatch(said[0].text)
    is_fragment = _FRAGMENT.fullmatch(text) or (_ADVERBIAL.fullmatch(text) and not _WAYS.match(text))
    is_fragment = is_fragment or is_name or _limits(said) or (said[0].corrects and _OF_WHAT.fullmatch(text))
    return not (is_fragment or _HEADLESS.match(bare(said[0].text)) or any(CUT in part.text for part in said))


def _limits(said: Sequence[Part]) -> bool:
    """Tells whether the first of these sentences only says what the one before it does not hold for."""
    text = said[0].text
    if not _EXCEPTS.match(text) or _HAS_CLAUSE.search(text):
        return False
    return len(said) == 1 or said[1].sentence != said[0].sentence or not _STATED.match(said[1].text)


def _needs_withdrawn(parts: Sequence[Part], low: int) -> bool:
    """Tells whether a passage cannot be understood without what the user has taken back before it: "it's 8443"."""
    text = parts[low].text
    return low > 0 and parts[low - 1].withdrawn and (_depends(text) or bool(_SUBJECT_BEFORE.match(text)))


def _back(parts: Sequence[Part], before: Sentence, low: int, high: int) -> int:
    """Returns where a passage begins: at the sentence before it if it belongs to it, otherwise at `low`."""
    is_reason = bool(_REASON_AHEAD.match(parts[before.start].text))
    if parts[low].bullet:
        return low
    if parts[before.best].ending == "?" or (before.score < PASSAGE_LOW and not is_reason):
        is_answer = parts[before.best].ending == "?" and _ADVERBIAL.fullmatch(text_of(parts, low, high))
        return before.start if is_answer and not _is_apart(parts, before) else low
    leans = bool(_LEANS.match(parts[low].text)) and not _is_rule(parts[low].text)
    if _is_apart(parts, before) or (not leans and _ABOUT_OTHERS.match(parts[before.start].text)):
        return low
    start = before.start if leans or is_reason else before.low
    is_tied = leans or is_reason or (before.score >= PASSAGE_NEAR and _depends(parts[low].text))
    return start if is_tied and _length(parts, start, high) <= PASSAGE_CHARS else low


def _goes_on(parts: Sequence[Part], after: Sentence, low: int, enough: float) -> bool:
    """Tells whether a sentence belongs to the passage before it: its reason, or one that depends on it. A statement of
    its own is a memory of its own.
    """
    first, before = parts[after.low], parts[after.low - 1]
    if _limits(parts[after.start : after.stop]):
        return not any(part.withdrawn or CUT in part.text for part in parts[after.start : after.stop])
    if _REASON_AHEAD.match(parts[low].text) and before.sentence == parts[low].sentence:
        return after.score >= enough and before.paragraph == first.paragraph
    if not _may_join(parts, after, enough):
        return False
    if first.bullet or first.ending == "?" or _length(parts, low, after.high) > PASSAGE_CHARS:
        return False
    text = _ASKED.sub("", first.text)
    if _HEADLESS.match(bare(text)) and first.paragraph != before.paragraph:
        return False  # its subject is not in the paragraph before
    if _is_rule(text):
        return False
    if _is_against(before.text, after.score, text):
        return first.paragraph == before.paragraph
    is_reason = (after.score >= PASSAGE_NEAR or bool(_GIVES_REASON.match(text))) and not _is_of_now(text)
    return is_reason or (after.score >= PASSAGE_LOW and bool(_LEANS.match(first.text)))


def _may_join(parts: Sequence[Part], after: Sentence, enough: float) -> bool:
    """Tells whether a sentence is neither a statement of its own nor a task."""
    if after.score >= enough:
        return _explains(parts, after) and not _is_cut(parts, after)
    return not _is_apart(parts, after)


def _explains(parts: Sequence[Part], after: Sentence) -> bool:
    """Tells whether a likely sentence belongs to the one before it: it depends on it, or gives its reason."""
    text, before = parts[after.low].text, parts[after.low - 1].text
    return _depends(text) or bool(_GIVES_REASON.match(text)) or _is_against(before, after.score, text)


def _is_against(before: str, score: float, text: str) -> bool:
    """Tells whether a sentence speaks against what the one before it has not chosen."""
    return score < KEEP_SCORE and bool(_COMPLAINS.match(text) and _CHOOSES.search(before))


def _depends(text: str) -> bool:
    """Tells whether a sentence cannot be understood without the one before it."""
    rule = _AND.sub("", text)
    if _RULES.match(rule):
        is_verb = rule != text and len(rule.split()) > 1 and not _FRAGMENT.fullmatch(rule)  # "And always squash"
        return (len(rule.split()) < TIED_WORDS and not is_verb) or bool(
            _NO_VERB.match(rule) or _RULE_POINTS.match(rule)
        )
    return bool(_LEANS.match(text) or _POINTS.search(text))


def _is_rule(text: str) -> bool:
    """Tells whether a sentence is a rule of its own, also behind "and": "And never push to main"."""
    return bool(_RULES.match(_AND.sub("", text))) and not _depends(text)


def _is_of_now(text: str) -> bool:
    """Tells whether a sentence says how things are just now, or what the user has just done: no reason for a rule."""
    return not phrases(bare(text)).isdisjoint(("status", "momentary")) or bool(_I_DID.match(bare(text)))


def _is_cut(parts: Sequence[Part], said: Sentence) -> bool:
    """Tells whether something was left out of a sentence, which then says something else."""
    return any(CUT in part.text for part in parts[said.start : said.stop])


def _is_apart(parts: Sequence[Part], said: Sentence) -> bool:
    """Tells whether a sentence is unrelated to its neighbours: "ok thanks, nice", or a task."""
    if _is_cut(parts, said):
        return True
    own = [part.text for part in parts[said.start : said.stop]]
    return all(map(is_lead, own)) or any(patterns()[name].search(bare(own[0])) for name in TASKS)


def _length(parts: Sequence[Part], low: int, high: int) -> int:
    return sum(len(part.text) + 2 for part in parts[low:high])


def text_of(parts: Sequence[Part], low: int, high: int) -> str:
    """Returns the text of a passage: its sentences, without the lead of the first ("ok, ")."""
    while low + 1 < high and (is_lead(parts[low].text) or _CALLS.fullmatch(parts[low].text)):
        low += 1
    said = _AND.sub("", _ASKED.sub("", _NO.sub("", _head(parts[low].text))))
    is_limited = _is_subordinate(parts[low].text)  # "if CI runs on ARM, and we use Docker": both have to hold
    for before, part in zip(parts[low:high], parts[low + 1 : high], strict=False):
        joint = (
            ", " if before.sentence == part.sentence else " " if before.text[-1] in ".!?" else _JOINTS[part.joint[:1]]
        )
        is_and = part.added and is_limited and part.text[:4].casefold() != "and "
        said += joint + ("and " if is_and else "") + part.text
    return (said[0].upper() + said[1:]).rstrip(" .!,;")
