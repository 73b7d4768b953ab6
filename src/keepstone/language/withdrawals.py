"""Finds what a person takes back within the prompt that says it: "We use Redis. Just kidding!", or in a later prompt:
"forget what I said about Redis"; and what they report only to deny it: "Nobody said we use Redis".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..lib.pattern import Pattern
from .claims import own_words, sentences, shared, telling
from .openers import judges_said
from .tool_families import are_rivals

ALONE_WORDS = 3  # a sentence of fewer words goes with the one before it: "Never by hand."

_CALLS = Pattern(
    r"^(?:(?:no+(?![ -]?(?:one|more|longer)\b)|nope|nah|wait|stop(?=\s*[,.!])|hey|hmm*|u[hm]m*|oh|ah|argh|ugh|oops|"
    r"whoops|well|actually|sorry|but|and|or|ok(?:ay)?|hold on|hang on|come on|lol|haha\w*|please|pls|apologies|pardon|"
    r"damn|yeah|i'm sorry)\b"
    r"[\s,.!:…—–-]*)+",
    re.IGNORECASE,
)
# Of these calls, those that mend what was said right before; "and", "but" or "well" only go on.
_MENDS = Pattern(
    r"\b(?:no+|nope|nah|wait|stop|actually|sorry|oops|whoops|hold on|hang on|apologies|pardon|argh)\b", re.IGNORECASE
)
# Mends what was said right before by one word: "Sorry, i meant 50", "No, 50, not 500".
_VALUE = Pattern(r"[\w.+#:%/-]*[\w%]")
_SLIP = Pattern(
    rf"(?P<calls>(?:{_CALLS.pattern[1:]})?)"
    r"(?P<mends>(?:(?:i )?(?:meant|mean)(?: to say)?|(?:it |that )?should (?:be|read|say|have been)|make (?:it|that)|"
    r"rather|typo)[,:]? )?(?:it's |that's )?"
    rf"(?P<value>{_VALUE.pattern})(?: (?P<unit>[a-z]+))??(?:,? (?:not|instead of) (?P<was>{_VALUE.pattern}))?[\s.!*]*",
    re.IGNORECASE,
)
_OWN_SLIP = Pattern(r"\b(?:mean(?:t)?|typo|sorry|oops|whoops|apologies|pardon|argh)\b", re.IGNORECASE)
_ADDS = Pattern(r"\b(?:and|also|too|either|neither|as well)\b", re.IGNORECASE)
_CLAUSE = r"(?=\s*(?:$|[,.;:!?…—–]|-\s|\b(?:we|i|our|please|it's|use)\b))"
_STATEMENT = (
    r"(?:(?:everything|all|what) (?:that )?(?:i|we)(?:'ve| have)?(?: just)? (?:said|wrote|typed|told you)|"
    r"(?:all (?:of )?)?(?:that|this)|it|them|everything|both(?! (?:of|the|rules|statements|points)\b)|"
    r"both (?:of (?:them|those|these)|(?:the )?(?:rules|statements|points))|"
    r"(?:the|that|this|my)(?: (?:last|whole|previous|final))? (?:idea|plan|thing|rule|decision|note|part|point|bit|one|"
    r"sentence|statement|line|lot))"
)
# Takes back what was said right before. What stands behind it may be said instead.
_UNSAYS = Pattern(
    rf"(?:(?:please|actually|just|let's|you can|i)\s+)*(?:(?:scratch|strike|forget(?: about)?|ignore|disregard|unset|"
    rf"undo|cancel|withdraw|delete|scrap|discard|retract) {_STATEMENT}|(?:take|took) (?:that|it|this|all that) back|"
    r"never ?mind(?: (?:that|this|it|me))?|(?:i )?spoke too soon|on second thoughts?|"
    r"(?:i(?:'ve| have)?|we(?:'ve| have)?) (?:just )?changed (?:my|our) minds?|my (?:bad|mistake|error|fault)|"
    r"(?:i )?misspoke|(?:small |slight |quick )?correction|(?:i|we) (?:was|were|am) (?:wrong|mistaken|mixed up)|"
    rf"(?:i )?(?:got|mixed|had|messed) (?:that|it|this|them)(?: all)? (?:wrong|up|backwards?))"
    rf"(?: (?:again|there|please))?{_CLAUSE}",
    re.IGNORECASE,
)
_KIDDING = (
    r"(?:(?:i'm|i was|i am|only|just|that's|that was|this is|this was|a|totally) )*"
    r"(?:kidding|joking|jokes?|jk|j/k|messing with you|pulling your leg|teasing|trolling|psych|sarcasm|being sarcastic|"
    r"april fools?)\b(?! aside\b)"
)
_NOT_MEANT = Pattern(
    rf"{_KIDDING}|if only(?=\W*$)|(?:not|not really|as if|yeah,? right)(?=\W*$)|"
    r"i (?:wish|meant(?! it\b))\b",
    re.IGNORECASE,
)
_MEANT = Pattern(r"\bno (?:kidding|jokes?)\b", re.IGNORECASE)
_MEANS = Pattern(r"i mean\b", re.IGNORECASE)
_OVER = Pattern(
    r"(?:at least )?(?:not (?:any ?more|any longer|now|these days)|no longer|(?:but )?not since\b.*|"
    r"(?:that|this|it) (?:was|used to be)(?: (?:so|true|the (?:case|rule|plan)|how it was))?"
    r"(?: (?:before|once|then|back then|in the past|years? ago|last (?:week|month|year|summer)|until .*|till .*))?|"
    r"(?:that|this)(?:'s| is| has)(?: all| now| since)* (?:changed|history|over|in the past|the past|gone)|"
    r"those days are (?:over|gone))\W*",
    re.IGNORECASE,
)
_USED_TO = Pattern(
    r"(?P<doubt>(?:at least|or rather|or|rather)[ ,]+)*(?:(?:we|i|they|it|that's what we) (?:used to|did|once did)|"
    r"that's (?:how it|what it) (?:was|used to be))(?: (?:before|once|then|back then|until .*|till .*|last \w+))?\W*",
    re.IGNORECASE,
)
_NEGATED = Pattern(r"\b(?:no|not|never|without|only)\b|n't\b", re.IGNORECASE)
_EARLIER = Pattern(r"\b(?:earlier|before|yesterday|previous(?:ly)?|last (?:time|message|prompt|week))\b", re.IGNORECASE)
_EVERYTHING = Pattern(r"\b(?:everything|all|both|none)\b", re.IGNORECASE)
_LEANS = Pattern(
    r"^(?:and |but |so )?(?:it|its|it's|they|their|that|that's|this|these|those|because|same|not)\b", re.IGNORECASE
)
_TWO_WORDS = Pattern(r"(?:we|i|our|the)\W+[\w'-]+", re.IGNORECASE)
# What somebody is said to have claimed, or not to have.
_CLAIMS = (
    r"(?:,? (?:that|how|as if|like) (?=(?:we|our|i|i'm|we're|we've|this|the|it|it's|my|you|never|always|all)\b)|"
    r" (?=(?:we|i|we're|we've|i'm)\b))"
)
_SAID = (
    r"(?:said|claimed|told \w+|stated|insisted|suggested|decided|agreed|meant|implied|promised|wrote|thought|assumed)"
)
_SAY = r"(?:say|claim|tell \w+|state|insist|suggest|mean|imply|think|assume|believe|pretend)"
_SAYING = (
    r"(?:saying|claiming|telling \w+|stating|insisting|repeating|suggesting|pretending|thinking|assuming|believing|"
    r"acting|writing)"
)
_DENIES = Pattern(
    rf"(?:(?:nobody|no[ -]?one|none of us|neither of us)(?: here)?(?: has| have| is|'s)?(?: ever)? "
    rf"(?:{_SAID}|{_SAY}s?|{_SAYING})|"
    rf"(?:i|we)(?: have| had|'ve)? ?never(?: ever| once| actually)? {_SAID}|"
    rf"(?:i|we) (?:didn't|did not|haven't|wouldn't)(?: ever| actually)? (?:{_SAY}|{_SAID})|"
    rf"(?:please )?(?:stop|quit|enough of|no more) (?:(?:always|constantly) )?{_SAYING}|"
    r"(?:please )?(?:don't|do not) (?:say|claim|tell me|pretend|insist)|"
    rf"you(?:'ve|'re| have| are| just| always| still| keep| kept)* (?:{_SAID}|{_SAY}|{_SAYING})|"
    r"it(?:'s| is| was)?(?:n't| not)(?: (?:quite|at all|really|even|actually))?"
    r"(?: (?:true|right|correct|so|accurate|the case))?|"
    r"it(?:'s| is| was)(?: (?:simply|just|plain|a|an|completely|totally))* (?:false|wrong|untrue|incorrect|myth|lie|"
    r"rumou?r|misunderstanding|misconception|nonsense)|"
    r"(?:it'?s )?not(?: true)?(?= that (?:we|our|i)\b)|i (?:doubt|deny)|there(?:'s| is) no (?:rule|decision|policy))"
    rf"{_CLAIMS}|you(?:'ve| have| just)* (?:said|claimed|told me) (?=(?:our|the|this|it|it's|my)\b)|"
    r"as if (?:we|i|they|you|anyone|anybody|someone)(?:'d| would| could| should)\b",
    re.IGNORECASE,
)
# Labels of which one says that what stands behind it is not so, and the other that it is: "Wrong: ... Right: ...".
# "No:" is one only where "yes:" follows on its line: else it answers questions.
_OPPOSITES = (
    (
        r"wrong|incorrect|false|untrue|invalid|not (?:true|right|correct|valid)|bad|myth",
        r"right|correct|true|valid|good|better|fact|truth|instead",
    ),
    (r"old|outdated|obsolete|formerly|previously", r"new|current(?:ly)?|now|today"),
    (r"(?:don'?t|do not)s?(?: (?:do|use|write|say))?|avoid", r"do'?s?|use|write|say|instead"),
)
_OF_WHAT = r"(?: (?:ways?|ones?|versions?|rules?|examples?|practices?|policy|convention|setup))?"
_LABEL = (
    r"(?:^|(?:(?<=[.!?;,…])|\s+[–—/|-])\s+)(?:(?:but|and) )?(?:the |this is )?(?:%s)"
    rf"{_OF_WHAT}(?:\s*:|\s+(?:[–—→-]|->|=>))(?=\s|$)\s*"
)
_SCOPE = Pattern(r"(?:(?<=[.!?;] )|^)(?:for|in|on|at) [\w-]+(?: [\w-]+)?, ?$", re.IGNORECASE)  # before a label
_LABELS = tuple((Pattern(_LABEL % no, re.IGNORECASE), Pattern(_LABEL % yes, re.IGNORECASE)) for no, yes in _OPPOSITES)
_NO_YES = (Pattern(r"^no:\s", re.IGNORECASE), Pattern(_LABEL % "yes", re.IGNORECASE))
# A heading of a list of what is not so, or not done.
_NOT_SO = Pattern(
    r"(?:(?:please|we|you|the|things?|what|to|that|are|is|should|must|all) )*(?:never|not to|"
    rf"{'|'.join(no for no, _ in _OPPOSITES)}){_OF_WHAT}(?: do(?:ne)?| use)?",
    re.IGNORECASE,
)
# The same behind what is not so, or as a mark before it: "We use npm (wrong)".
_MARKED_NOT_SO = Pattern(
    r"^[✗✘✖❌👎]\s|(?:\((?:that's |this is )?(?:wrong|incorrect|false|untrue|outdated|obsolete|"
    r"not true|no longer(?: true)?)|[✗✘✖❌👎])\W*$",
    re.IGNORECASE,
)
# A label that says that what stands behind it holds no more. "Not any more: we use pnpm now" says what holds now.
_HELD = r"(?:valid|true|correct|right|so|the case|current|applicable|in (?:use|force|effect))"
_HOLDS_NO_MORE = Pattern(
    rf"[*_(]*(?:this is (?!.*\b(?:now|instead)\b))?(?:no longer {_HELD}|not {_HELD} any ?(?:more|longer)|"
    r"(?:all |now |long )?(?:out ?dated|out of date|obsolete|old news|"
    r"previously|formerly)|(?:no longer|not any ?(?:more|longer))(?!.*\b(?:now|instead)\b))(?:\s*:|[*_]*\))[*_]*\s",
    re.IGNORECASE | re.DOTALL,
)
# What forbids something is a rule below "Don't:", too.
_FORBIDS = Pattern(r"^(?:please )?(?:never|don'?t|do not|avoid)\b", re.IGNORECASE)


def opposed(lines: Iterable[str]) -> list[tuple[Pattern, Pattern]]:
    """Returns the pairs of labels, denying and affirming, of which both stand in these lines."""
    every = list(lines)
    found = [(no, yes) for no, yes in _LABELS if all(any(label.search(line) for line in every) for label in (no, yes))]
    return found + [_NO_YES] * any(all(label.search(line) for label in _NO_YES) for line in every)


def labelled(line: str, pairs: Sequence[tuple[Pattern, Pattern]]) -> list[tuple[str, bool]]:
    """Returns a line in pieces, each without the label that it begins with, and whether that label denies it."""
    found = sorted(
        (*_cut(line, match), denies)
        for pair in pairs
        for label, denies in zip(pair, (True, False), strict=True)
        for match in label.finditer(line)
    )
    spans = [(0, 0, False), *found, (len(line), 0, False)]
    pieces = [(line[end:stop], denies) for (_, end, denies), (stop, *_) in pairwise(spans)]
    return [(piece, denies) for piece, denies in pieces if piece.strip()]


def _cut(line: str, label: re.Match[str]) -> tuple[int, int]:
    """Returns where the piece before a label ends, and where that behind it begins, which keeps where it holds: "For
    dev, now: ...".
    """
    scope = _SCOPE.search(line[: label.start()])
    return (scope.start(), scope.start()) if scope else label.span()


def heads_what_is_not_so(heading: str) -> bool:
    """Tells whether a heading says that what is listed below it is wrong, not done or over: "Don't:"."""
    return bool(_NOT_SO.fullmatch(heading)) or says_over(f"{heading}: ")


def forbids(sentence: str) -> bool:
    """Tells whether a sentence forbids something in so many words."""
    return bool(_FORBIDS.match(sentence))


def says_over(sentence: str) -> bool:
    """Tells whether a label says that a sentence holds no more: "Outdated: we use Jenkins", "We use npm (wrong)"."""
    return bool(_HOLDS_NO_MORE.match(sentence) or _MARKED_NOT_SO.search(sentence))


# What a later prompt takes back. The verb begins a clause: "I always forget the VPN" and "don't forget it" take back
# nothing.
_BEGINS = (
    r"(?:^|[.!?;,\n–—-]\s*|\b(?:please|pls|just|actually|ok(?:ay)?|so|and|but|hm+|no|nah|wait|oh|sorry|argh|oops|hey|"
    r"(?:can|could|would|will) you|you (?:can|may|should)|we can|let's|let us|i(?:'d| would) like (?:you )?to|i|btw:?|"
    r"correction:|update:)[\s,]+)(?<!\bi )"
)
_SAYING_OF = (
    r"(?:(?:what|everything|anything|all|whatever|the things?)(?: that)? (?:i|we)(?:'ve| have| had)?(?: just)? "
    r"(?:said|told you|wrote|typed|mentioned|claimed|decided|asked)(?: \w+)? "
    r"(?:about|on|regarding|concerning|re|of|w\.?r\.?t\.?|with)|"
    r"(?:(?:the|my|our|that|this|those|these|all|any|last|previous|earlier|whole|other|\w+ly) )+(?:rule|decision|"
    r"idea|plan|note|point|part|bit|thing|comment|remark|statement|sentence|preference|convention|policy|instruction|request|line)s?"
    r"(?: i (?:gave|told|made|said|wrote)(?: you)?)? (?:about|on|regarding|concerning|re|of|for|with)) "
)
_SAID_THING = (
    r"(?:rule|decision|idea|plan|note|point|thing|comment|remark|statement|preference|convention|policy|"
    r"instruction|stuff|business)s?"
)
_GENERAL = (
    r"(?:last|previous|above|whole|idea|plan|things?|rules?|decision|note|part|point|bit|ones?|rest|lot|first|second|"
    r"statement|comment|remark|sentence|line|earlier|other|preference|convention|policy|instruction|stuff|same|final)"
)
_UNSAY = (
    r"(?:forget|scratch|strike|disregard|withdraw|retract|unset|scrap|park|drop|ignore|cancel|undo|delete|remove|"
    r"discard)"
)
_OBJECT = r"(?P<named>[^.!?;:\n,()]{2,80})"
_NAMING = tuple(
    Pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_BEGINS}(?:{_UNSAY}|(?:i )?(?:want to )?(?:take|took) back|never ?mind)(?: about)? {_SAYING_OF}{_OBJECT}",
        rf"{_BEGINS}(?:{_UNSAY}|(?:i )?(?:take|took) back|never ?mind)(?: about)? "
        r"(?:the|my|our|that|this|those|these) "
        rf"(?P<named>(?!{_GENERAL}\b(?!-))(?:[\w.+#/'-]+ ){{1,4}}?{_SAID_THING}"
        rf"(?: and the (?:[\w.+#/'-]+ ){{1,3}}?{_SAID_THING})?)\b(?! (?:in|on|of|from|file|table)\b)",
        rf"{_BEGINS}(?:forget|scratch|strike)(?: about)? (?:the|my|our|those|that|these) "
        rf"(?!{_GENERAL}\b(?!-)){_OBJECT}",
        r"\b(?:actually|hm+|wait|no)[, ]+(?:no[, ]+)?forget (?!(?:it|that|this|what|about|everything|all|to|the|my|"
        rf"our|i|we)\b){_OBJECT}",
        rf"{_BEGINS}(?:what|everything) (?:i|we)(?: just)? (?:said|told you|wrote) (?:about|on|regarding) "
        rf"(?P<named>[\w .+#/'-]{{2,60}}?)[,:]? (?:{_UNSAY}|never ?mind)(?: (?:it|that|all that))?\W*$",
    )
)
_THEN = r"(?: (?:again|please|pls|there|before|earlier|above|just now))?"
_SAID_BEFORE = Pattern(
    rf"{_BEGINS}(?!forget (?:about )?(?:that|this) (?:we|i|our|it's)\b)"
    r"(?:(?:scratch|scrap|strike|unset|withdraw|retract|forget(?: about)?|park|ignore|disregard|discard) "
    rf"{_STATEMENT}{_THEN}{_CLAUSE}|never ?mind(?: (?:that|what i (?:just )?said))?{_THEN}{_CLAUSE})|"
    r"\b(?:(?:take|took) (?:that|it) back|spoke too soon|not so (?:fast|final)|"
    r"nothing(?:'?s| is) (?:settled|decided|fixed|final)|"
    r"nothing decided|(?:everything(?:'?s)?|stays?|it'?s(?: all)?) (?:still |all |again )?open\b|called off|"
    r"(?:back to|put it back to|leave \w+(?: \w+)?) (?:how|as|like|where) (?:it|they|everything) (?:was|were)|"
    r"(?:i )?(?:need|have) to (?:think|sleep) (?:about|on|it)|picked nothing|"
    r"(?:vetoed|overruled) (?:it|that|this)|mixed (?:it|that) up)\b",
    re.IGNORECASE,
)
_NEVER_MIND = Pattern(r"never ?mind\b", re.IGNORECASE)  # "never mind, I found it" takes back a question at most
# "Forget it, I'll look myself" takes back a task.
_MYSELF = Pattern(
    r"(?:forget|scratch|never ?mind)(?: about)?(?: (?:it|that|this))?\W+"
    r"(?:i(?:'ll| will|'m going to|'m gonna| can| found)|let me)\b",
    re.IGNORECASE,
)
_JOKES = Pattern(rf"(?:^|[.!?…,;–—-])\s*(?:(?:only|just|ha)+\w*\W+)*{_KIDDING}", re.IGNORECASE)
_SHORT_QUOTES = Pattern(r"\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`|(?<!\w)'[^'\n]+'(?!\w)")
_ENDS_NAME = Pattern(
    r"\s+(?:(?:for good|again|please|pls|completely|entirely|altogether|then|earlier|before|above|yesterday|thanks|"
    r"because|since|as|it|they|that|we|i|so|but|instead|now|anymore|any ?more)\b.*|[–—-]\s.*)",
    re.IGNORECASE | re.DOTALL,
)
# Not for good, or a threat: "forget the tests and I'll be sad".
_NOT_FOR_GOOD = Pattern(
    r"\b(?:for (?:now|a (?:moment|sec\w*|minute|while)|the moment|today|this \w+)|right now|at first|this time|"
    r"just once|until|till|today|tonight|temporarily|first|when|while|if|unless|"
    r"(?:and|or) (?:i|you|we|it)(?:'ll| will|'d)?)\b",
    re.IGNORECASE,
)
_REQUESTS = Pattern(r"\b(?:can|could|would|will) you\b|\bplease\b", re.IGNORECASE)
_AND = Pattern(r"\s+(?:and|or|&)\s+", re.IGNORECASE)
_FILLERS = frozenset(
    telling(
        "rule rules decision idea plan note point part bit thing things comment remark statement preference convention "
        "policy instruction stuff business vs versus old previous last earlier whole said says always never use using "
        "usage"
    )
)
WITHDRAWN_CHARS = 200  # read from the start of a prompt
DENIED_CHARS, DENIED_MAX = 400, 10  # of a text that a prompt denies, and texts: each is compared with many memories


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What a prompt (`by`, its record) takes back of what its session has said in earlier ones: the `things` that it
    names, or all that the prompt right before it (`before`, its record) has said; `words` do it. Or what it says, at
    `said_at`, of whatever session has said it: the texts that do not hold (`denied`), and those that do now (`holds`).
    """

    by: str
    before: str = ""
    things: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    said_at: float | None = None
    words: str = ""

    @property
    def corrects(self) -> bool:
        """Tells whether it is of every session, not of what its own has said."""
        return bool(self.denied or self.holds)

    def means(self, content: str) -> bool:
        """Tells whether it takes a statement back that an earlier prompt, or the one right before, has made."""
        return not self.things or is_named(content, self.things)


def taken_back_by(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Returns the words by which a prompt takes something back of what was said in earlier ones, and what: the things
    that it names ("forget what I said about the VPN"), none for what was said right before ("forget it"). Returns None
    if it takes nothing back.
    """
    said = _SHORT_QUOTES.sub('""', own_words(text[:WITHDRAWN_CHARS])).strip()
    for pattern in _NAMING:
        found = pattern.search(said)
        if found:
            is_a_joke = _JOKES.search(said, found.start("named"))
            things = None if is_a_joke or _is_not_meant(said, found) else _things(found["named"])
            return (_words_of(found), things) if things else None
    found = _SAID_BEFORE.search(said)
    if not found or _is_not_meant(said, found):
        return None
    is_of_a_search = _NEVER_MIND.match(said[found.start() :]) and telling(said[found.end() :])
    return None if is_of_a_search or _MYSELF.search(said, found.start()) else (_words_of(found), ())


def _words_of(found: re.Match[str]) -> str:
    return " ".join(found[0].strip(" \n,.;:!?…–—-").split())


def _is_not_meant(said: str, found: re.Match[str]) -> bool:
    """Tells whether what takes something back holds for a moment only, or asks."""
    rest = re.split(r"(?<=[.!?;\n])\s", said[found.start() :].lstrip(" .!?;,\n") + " ", maxsplit=1)[0]
    asks = rest.rstrip().endswith("?") and not _REQUESTS.search(said)
    return asks or bool(_NOT_FOR_GOOD.search(rest.split(",")[0]))


def _things(named: str) -> tuple[str, ...] | None:
    first, *others = _AND.split(_ENDS_NAME.sub("", f"{named} ").strip())
    return tuple(one for one in (first, *others) if set(telling(one)) - _FILLERS) or None


def is_named(content: str, things: Sequence[str]) -> bool:
    """Tells whether a statement is about one of the things that a prompt takes back: it has all of its words."""
    worded = [*things, *(thing.replace("-", " ") for thing in things)]  # "the no-fridays rule"
    keys = (set(telling(thing)) - _FILLERS for thing in worded)
    return any(mine and mine <= set(shared(thing, content)) for thing, mine in zip(worded, keys, strict=True))


def denies_claim(text: str) -> bool:
    """Tells whether a part reports a claim, to deny it or as the assistant's: "Nobody said we deploy on Fridays"."""
    return bool(_DENIES.match(_without_calls(text)))


def withdraws_what_is_before(sentence: str, before: str) -> bool:
    """Tells whether a sentence, or clause, takes back the one before it in the same prompt."""
    plain = _without_calls(sentence)
    if _UNSAYS.match(plain) or judges_said(plain):
        return not _EARLIER.search(plain)
    if (_NOT_MEANT.match(plain) and not _MEANT.search(sentence)) or _OVER.fullmatch(plain):
        return True
    calls = sentence[: len(sentence) - len(plain)]
    used = _USED_TO.fullmatch(plain)
    if used:
        return bool(calls or used["doubt"]) or not _NEGATED.search(before)
    return bool(calls) and (bool(_MEANS.match(plain)) or (bool(mended(sentence)) and _says_again(plain, before)))


def mended(sentence: str) -> str:
    """Returns what stands behind words that mend what was said right before ("No, we use pnpm"), "" without them."""
    plain = _without_calls(sentence)
    mends = _MENDS.search(sentence[: len(sentence) - len(plain)]) and not _ADDS.search(sentence)
    return plain if mends else ""


def _says_again(text: str, before: str) -> bool:
    """Tells whether a sentence begins as the one before it does: "We use Redis. No, we use Kafka"."""
    one, other = _TWO_WORDS.match(text), _TWO_WORDS.match(_without_calls(before))
    return one is not None and other is not None and one[0].casefold() == other[0].casefold()


def amended(text: str, before: str) -> tuple[str, str]:
    """Returns the sentence of the prompt before that a prompt mends by another number or name alone ("Sorry, i meant
    50"), as it was and as it is meant; two empty texts unless it is plain which one that is.
    """
    found = _SLIP.fullmatch(text.strip())
    if not found or not (found["was"] or _OWN_SLIP.search(found["calls"] + (found["mends"] or ""))):
        return "", ""  # "no, 2" and "make it 50" may answer what the assistant said
    value, was, unit = (found[name] or "" for name in ("value", "was", "unit"))
    places = [
        (line, one.start(), one.end())
        for line in sentences(own_words(before))
        for one in _VALUE.finditer(line)
        if (one[0].casefold() == was.casefold() if was else _is_of_a_kind(value.casefold(), one[0].casefold()))
    ]
    if len(places) != 1:
        return "", ""
    line, start, end = places[0]
    is_plain = line[end:].lstrip().casefold().startswith(unit.casefold().removesuffix("s"))
    return (line, line[:start] + value + line[end:]) if is_plain and start else ("", "")


def _is_of_a_kind(value: str, other: str) -> bool:
    return other[0].isdigit() if value[0].isdigit() else are_rivals(value, other)


def without_withdrawal(sentence: str) -> str:
    """Returns a sentence without the words at its beginning that take back what is before it."""
    plain = _without_calls(sentence)
    found = _UNSAYS.match(plain)
    return plain[found.end() :].lstrip(" ,.;:!?…—–-") if found else sentence


def first_withdrawn(sentences: Sequence[str], by: str) -> int:
    """Returns from which of the sentences on a prompt is taken back by the one that follows them."""
    if _EVERYTHING.search(by):
        return 0
    at = len(sentences) - 1
    while at > 0 and needs_one_before(sentences[at]):
        at -= 1
    return at


def needs_one_before(sentence: str) -> bool:
    """Tells whether a sentence says nothing without the one before it."""
    plain = _without_calls(sentence)
    return len(plain.split()) < ALONE_WORDS or bool(_LEANS.match(plain))


def is_call(text: str) -> bool:
    """Tells whether a text says nothing: "No, wait"."""
    return not _without_calls(text)


def _without_calls(text: str) -> str:
    return _CALLS.sub("", text)
