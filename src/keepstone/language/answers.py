"""Makes one statement of a question and its answer: "Which database should billing use?", "PostgreSQL" becomes "Billing
should use PostgreSQL".
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern
from ..lib.text import words
from .alternatives import is_choice

FRAGMENT_WORDS = 3  # so many words behind a preposition say only where: "in Postgres"
_MODAL = r"should|shall|must|will|would|can|could|may|do|does|did"
_AUXILIARY = ("do", "does")  # they fall away in a statement: "do we format" is "we format"
# What is asked for, the verb's helper, who, and what is done: "Which database | should | the billing service | use".
_ASKED = Pattern(
    rf"^(?P<word>which|what|where|how|when|who)\b(?P<thing>[^?]*?)\s\b(?P<helper>{_MODAL})\b\s+(?P<rest>[^?]+)\?*$",
    re.IGNORECASE,
)
_VERBS = frozenset(
    "be use run live go store keep put write format name call handle deploy ship support target follow return log sort "
    "show look work default apply serve host test build read take expire start end cover own review release version "
    "import export send receive cache render validate retry fail need require prefer want have".split()
)
_PRONOUNS = frozenset("we i you it they this".split())
_DETERMINERS = frozenset("the our my its their a an this that all each every any no".split())
# A question of what something is, that has a name: "What is | the maximum upload size".
_IS = Pattern(
    r"^(?:what|which) (?P<verb>is|are) (?P<who>(?:the|our|my) (?:(?!to\b)[\w./-]+ ){0,3}?(?![\w-]+(?:ed|ing|en|to)\b)"
    r"[\w./-]+(?: (?:of|for|in|on) (?:[\w./-]+ ){0,3}(?!\w+(?:ed|to|for|in|on)\b)[\w./-]+)?)\?*$",
    re.IGNORECASE,
)
# A name or an amount with the reason for it: "Kafka, because it is there already", "2, the gateway owns timeouts"; and
# what is none, but takes the answer back or holds for now.
_REASONED = Pattern(
    r"^(?P<named>[^\s,]+(?: [^\s,]+){0,2}?)(?P<why>,? (?:because|since) .+|, (?!(?:and|but|then|except|unless|if|"
    r"only|is|are|for)\b)\S+(?: \S+){2,})$",
    re.IGNORECASE,
)
_NO_REASON = Pattern(
    r"\b(?:wait|actually|rather|for now|at least|at most|make (?:it|that)|i mean|sorry|never|not|no|until|or)\b|n't\b",
    re.IGNORECASE,
)
_NO_SUCH = Pattern(r"no \S+(?:,? (?:pls|please))?[.!]*", re.IGNORECASE)  # nothing without the question: "no emojis pls"
_JOINS = Pattern(
    r"[,:;()]|\s[–—-]\s|n't\b|\b(?:not|never|or|and|when|if|while|that|which|who|unless|because)\b", re.IGNORECASE
)
_PREPOSITION = Pattern(
    r"^(?:in|on|at|by|with|as|to|from|under|inside|outside|beside|next to|behind|via|into|per|after|before|every)\b",
    re.IGNORECASE,
)
# What is asked for this moment alone, and what says nothing without the talk around it.
_MOMENTARY = Pattern(
    r"\b(?:next|now|first|today|tonight|this time|at the moment|at present|so far|currently|proceed|continue|"
    r"go on|instead|help|start with|"
    r"fix|try|commit(?! (?:messages|titles)\b)|push|merge|run it|do you want|would you like|"
    r"should i|shall i|can i|may i|i should|"
    r"roll(?:ed)? back|rollback|revert(?:ed)?|be (?:dropped|deleted|removed)|tickets?|story|stories)\b",
    re.IGNORECASE,
)
_DEICTIC = Pattern(
    r"\b(?:option|approach|one|ones|way|step|task|part|issue|bug|error|problem|fix|change|branch|pr|file|files|test|"
    r"this|these|that|those|above|below)\b",
    re.IGNORECASE,
)
# What stands before such a word and names it: "the staging branch".
_NAMED = Pattern(
    r"\bthe (?!(?:new|old|last|next|other|same|right|wrong|current|existing|failing|open|first|second|\d\S*) )[a-z]\S* "
    r"(?:branch|file|test|step|task)\b",
    re.IGNORECASE,
)
# A standing order to the assistant, though it asks "what should I".
_STANDING = Pattern(r"\b(?:i|you) (?:never|always|ever)\b|\bwithout asking\b|\b(?:want|like) to avoid\b", re.IGNORECASE)
_POINTS = Pattern(r"\b(?:this|these|that|those|of|above|below)\b", re.IGNORECASE)
_REFERS = Pattern(
    r"^\W*(?:(?:option|number|the (?:first|second|third|last|other))\b|"
    r"(?:neither|none|all|any|either)(?: of (?:them|these|those|the above))?\W*$)",
    re.IGNORECASE,
)
# What is said beside the question itself, and questions that ask the user what "we" should do.
_ASIDE = Pattern(r"\s*\([^()]*\)\s*(?=\?|$)|(?<=\?)\s.*$")
_FRONT = Pattern(
    r"^(?P<where>(?:for|in|on|with) [^,?]+), (?P<asked>(?:which|what|where|how|when|who)\b.*?)\?*$", re.IGNORECASE
)
_LED = Pattern(r"^(?P<by>in|on|at|for|from|with|to|under|by|into) (?P<asked>(?:which|what)\b.*?)\?*$", re.IGNORECASE)
_OF_THESE = Pattern(r"^(which|what) of (?:these|the|those) (?=\w+s\b)", re.IGNORECASE)
_YOU = Pattern(
    r"\b(?:(?:do|would) you (?:want|like|prefer)(?: (?:me |us )?to use)?|(?:should|shall|can) i (?:use|choose|take)|"
    r"are you using)(?= (?:for|in|as|with|on)\b)",
    re.IGNORECASE,
)
# Asked so, only a name that is known is sure to last: "which package manager do you want", but not "which report".
_WANTED = Pattern(
    r"^((?:which|what) (?:(?!of\b)[\w./-]+ ){1,3})(?:do|would) you (?:want|like|prefer)(?=\?*$)", re.IGNORECASE
)
_PREFER = Pattern(r"^do you (?:prefer|want)\b(?! (?:to|me|us|that)\b)", re.IGNORECASE)
# "Do you want to hard delete users": of things in general, not of "the old branch".
_WANT_TO = Pattern(
    r"^do you want to (?=[^?]* or )(?!.*\b(?:the|this|that|it|my|your|me)\b)(?!(?:see|stop|wait|continue|go|keep)\b)",
    re.IGNORECASE,
)
_CHOICE = Pattern(
    r"^(?:should|shall|must|do|does|will|would|is|are|can|may) (?!(?:i|you|it|this|that|these|those|there|he|she)\b)"
    r"(?!.*\bor (?:not|no)\b)[^?]+ or [^?]+",
    re.IGNORECASE,
)
# A choice between names, each of them the verb's object: "Should | we | use | tabs or spaces | in this repo".
_NAME = r"(?!(?:or|and|to|the|an?|our|only|it|not)\b)[\w./+#-]+(?: (?:v?\d[\w.]*|(?-i:[A-Z])[\w.]*))*"
_NAMES = Pattern(
    rf"^(?P<helper>{_MODAL}) (?P<who>(?:[\w./'-]+ ){{0,5}}?[\w./'-]+) "
    r"(?P<verb>use|prefer|support|target|adopt|require) "
    rf"(?P<names>{_NAME}(?:, {_NAME})*,? or {_NAME})"
    r"(?P<more> (?:in|on|for|with|as|at|to|by|from|across|inside) [^?,]+)?"
    r"\?*$",
    re.IGNORECASE,
)
_NO_NAME = Pattern(
    r"^(?:yes|yep|no|nope|never|always|sometimes|not|none|nothing|only|keep|drop|wait|skip|move|stay|switch|build|write|"
    r"migrate|leave|stop|delete|remove|retry|fail|ignore|allow|deny|use|don't|do|let|make|both|neither|it depends|"
    r"postpone|defer|delay|pause|hold|revisit|research|investigate|benchmark|compare|evaluate|explain|discuss|chat|type|"
    r"enter|show|ask|need|run|try|decide|current|existing|(?:the )?same|custom|auto\w*|best|your|my|open|we|i|as|"
    r"whatever|some\w*|any\w*|other)\b|^\w+(?:ed|ing)$",
    re.IGNORECASE,
)
_YES_NO = Pattern(r"^(?:yes|yep|yeah|no|nope|sure|ok(?:ay)?|maybe|not (?:yet|sure|now)|later|skip)\b", re.IGNORECASE)
# An option by which nothing is decided.
_UNDECIDED = Pattern(
    r"\b(?:(?:to be |(?:not|isn'?t|rather not) )(?:decided?|determined)|decide (?:it |this )?(?:later|after)|undecided|"
    r"need more (?:info\w*|details?|time|context)|let claude)\b|"
    r"^(?:postpone|defer|delay|pause|hold|wait|open|current|existing|custom|undetermined|unknown|unclear|follow-?up)"
    r"(?: it| off)?\W*$|^(?:defer|chat|talk|type|enter) (?:this|about|something|manually)\b|"
    r"^(?:the )?same(?: as (?:now|before|today))?\W*$|"
    r"^(?:keep |leave (?:it )?)?(?:as (?:before|(?:it )?is|(?:it is )?now)|open)\W*$|"
    r"^(?:(?:we|i)'(?:ll|d)|i (?:will|would|want to|need to)|let me|your) "
    r"(?:decide|think|see|rather|recommend\w*|choice|check)|"
    r"^(?:you (?:decide|choose|pick|tell me)|(?:it'?s )?(?:up to you|your (?:call|choice|decision|pick))|"
    r"(?:decide|choose|pick|discuss|figure (?:it|this) out) (?:it |this |that )?(?:later|together|for me)|"
    r"(?:i'?m )?(?:not sure|unsure|undecided)|(?:i )?(?:don'?t|do not) (?:know|care|mind)|"
    r"no (?:idea|preference|opinion)|"
    r"(?:ask|remind) (?:me )?(?:again|later|tomorrow|next time)|doesn'?t matter|"
    r"whatever(?! is (?!fine|ok|good|best|eas)\w)|anything(?! (?:but|except|other than)\b)|surprise me|tbd|"
    r"let(?:'s| us) (?:discuss|talk|think)|something else|other|it depends|explain|tell me more)\b",
    re.IGNORECASE,
)
_NUMBER = Pattern(r"v?\d+(?:\.\d+)*")
# A name, an amount, or words behind an article.
_NOUN = Pattern(
    r"[^\s,?]+|[A-Za-z]\S*[A-Z\d]\S*(?: [a-z]\S*){1,2}|\d\S*(?: \S+){1,2}|"
    r"[A-Z]\S*(?: (?:[A-Z]\S*|v?\d\S*))+|(?:[Tt]he|[Aa]n?|[Oo]ur) \S+(?: \S+){0,2}"
)
_COMPOUND = Pattern(r"\b(?:error|test|file|bug|issue|task|branch|pr|this|these) (?=[a-z]{3,})", re.IGNORECASE)
_ADVICE = Pattern(r"\s*\((?:recommended|default|suggested)\)", re.IGNORECASE)
_PLACED = Pattern(
    r"^(?:where|how|when) (?P<verb>is|are) (?P<who>[^?]+?) (?P<done>\w+(?:ed|en|pt|lt|nt|wn|un|de|ld|et))\?*$",
    re.IGNORECASE,
)
_STRANDED = Pattern(r"\b(?:in|on|at|from|with|to|for|by|under|against|into|called|named)$", re.IGNORECASE)
_WHO_DOES = Pattern(r"^who (?P<does>(?!(?:is|was)\b)\w+s \S[^?]*?)\?*$", re.IGNORECASE)
_WHO_MAY = Pattern(
    r"^who (?P<does>(?:may|can|should|must|shall) (?!(?:i|we|you|help)\b)\w+ \S[^?]*?)\?*$", re.IGNORECASE
)
_ONLY = Pattern(r"^only ", re.IGNORECASE)
# An answer that asks for words, or puts the question off.
_ASKS_BACK = Pattern(
    r"^(?:what (?:do you|does|is|are|about|would)|why|how (?:do|does|is|about|come)|can you|could you|which one|"
    r"i need to|i have to (?:think|check|ask)|i'?ll|let me|(?:please )?(?:explain|elaborate|show me|give me)|"
    r"not (?:decided|relevant)|n/?a\b|skip|same|as (?:before|it is|now)|stop|wait|cancel|never ?mind)\b",
    re.IGNORECASE,
)
# What is chosen for things of a kind, not for the one in hand: "which approach | for caching".
_MANNER = frozenset(("approach", "way"))
_FOR_A_KIND = Pattern(r"\bfor (?!(?:the|it|my|your|a|an)\b)\w", re.IGNORECASE)
_OPEN = Pattern(
    r"^(?:which|what|who|how (?:many|much|long|often)|(?:pick|choose|select)(?= .* for )) ?(?P<asked>[^?]*?)\?*$",
    re.IGNORECASE,
)
# What is asked of the past or the present, not of what shall be.
_NEWS = Pattern(
    r"\b(?:did|was|were|went|broke|caused|introduced|crashed|are you|is it|have you|see|seeing|"
    r"do you (?:see|get|mean|think|know))\b|"
    r"^(?!.*\b(?:should|shall|must|do we)\b).*\b(?:happen|fail)\w*\b|^(?:is|are)\b.*\w+ing or\b",
    re.IGNORECASE,
)
# What is asked of one thing, of the user's own or of how things are, though it may be about something that lasts.
_AT_HAND = Pattern(
    r"\b(?:you|your|i|my|me|this(?! (?:repo|repository|project|codebase)\b)|these|those)\b|"
    r"\bthe (?:new|old|current|existing|latest|failing|other|right|\d+)\b|"
    r"\b(?:all|the|which|what) (?:two|three|four|five|six|seven)\b|"
    r"\bthe (?:pr|branch|issue|task|bug|commit|ticket) \w+\b(?!s\b)|"
    r"\b(?-i:the [a-z]*[a-rt-z]) be\b|^(?:which|what) \S+ should be \w+\?*$",
    re.IGNORECASE,
)
# What asks for a rule, a choice or a limit.
_OF_A_RULE = Pattern(
    r"\b(?:should|shall|must|will|may|can|we|needs?|requires?|allowed|default|minimum|maximum|limit|policy)\b|"
    r"\bdoes \S.* (?:use|support|target|follow)\b|"
    r"^(?:pick|choose|select) |^(?:where|how|when) (?:is|are)\b|^who (?!(?:is|was)\b)\w+s \S|"
    r"^(?:what|which) (?:is|are) (?:the|our) (?!\S+ of\b)\w\S* \w",
    re.IGNORECASE,
)
_HOW_MUCH = Pattern(r"^how (?!(?:should|shall|must|will|may|can|do|does|is|are)\b)", re.IGNORECASE)
_WH = Pattern(rf"^(?:(?:in|on|at|for|from|with|to|by) )?(?:which|what|where|how|when|who)\b.*\b(?:{_MODAL}|is|are)\b")


def decided(question: str, answer: str) -> tuple[str, bool]:
    """Returns what was decided by an answer to a question, and whether that is sure to be a decision that lasts: as one
    statement where the grammar is certain, otherwise the question and the answer; ("", False) if it holds for the
    moment alone or cannot be understood without the conversation.
    """
    asked = without_asides(question)
    question, answer = _plain(question), _ADVICE.sub("", " ".join(answer.split())).rstrip(".")
    if is_of_the_moment(question, answer):
        return "", False
    is_sure = _is_sure(question, answer)
    told = is_sure and _stated(question, answer) or _both(asked, question, answer)
    return told[:1].upper() + told[1:], is_sure


def stated(question: str, answer: str) -> str:
    """Returns what was decided by an answer to a question as one statement, "" if the grammar is not certain, or that
    it lasts.
    """
    question, answer = _plain(question), " ".join(answer.split()).rstrip(".")
    is_sure = not is_of_the_moment(question, answer) and _is_sure(question, answer)
    told = _stated(question, answer) if is_sure else ""
    return told[:1].upper() + told[1:]


def in_own_words(question: str, answer: str) -> tuple[str, bool]:
    """Returns what was decided by an answer in the user's own words, and whether the grammar is certain; ("", False)
    as for `decided`, and for an answer that asks back.
    """
    if answer.rstrip().endswith("?") or _ASKS_BACK.match(answer):
        return "", False
    given, why = _reasoned(answer)
    told = stated(question, given)
    told = f"{told}{why}" if told else ""
    return told or decided(question, answer)[0], bool(told)


def is_fragment(question: str, said: str) -> bool:
    """Tells whether words only say where, how, when, how many or which what the question asks for is."""
    if _reasoned(said)[1] or _NO_SUCH.fullmatch(said):
        return True
    plain = _plain(question)
    if not _PREPOSITION.match(said):
        return False
    return len(said.split()) <= FRAGMENT_WORDS or not is_of_the_moment(plain, said) and bool(_stated(plain, said))


def _reasoned(answer: str) -> tuple[str, str]:
    """Returns the name or amount that an answer gives, and the reason behind it; the answer and "" if it is another."""
    found = _REASONED.match(answer)
    if not found or _NO_REASON.search(found["why"]) or _NO_NAME.match(found["named"]) or not _is_noun(found["named"]):
        return answer, ""
    is_surely = found["named"][0].isdigit() or is_choice(found["named"])
    return (found["named"], found["why"]) if is_surely or found["why"][:2] != ", " else (answer, "")


def without_asides(question: str) -> str:
    return _ASIDE.sub("", " ".join(question.split()))


def points_to_the_talk(text: str) -> bool:
    """Tells whether a text cannot be understood without the talk around it."""
    return bool(_DEICTIC.search(_COMPOUND.sub("", text)))


def is_at_hand(question: str) -> bool:
    """Tells whether a question is of one thing, or of the user's own."""
    return bool(_AT_HAND.search(question))


def is_of_the_moment(question: str, answer: str) -> bool:
    """Tells whether nothing that lasts is asked, or decided."""
    is_standing = _STANDING.search(question)
    if not is_standing and _MOMENTARY.search(_WANT_TO.sub("", question)) or _NEWS.search(question):
        return True
    return bool(_REFERS.match(answer) or _UNDECIDED.match(answer))


def _is_sure(question: str, answer: str) -> bool:
    """Tells whether a choice is sure to be made, of something that lasts: a name, an amount or a place, or one of those
    that the question lists.
    """
    question = _WANT_TO.sub("should we ", question)
    if is_at_hand(question) or is_at_hand(answer):
        return False
    if _CHOICE.match(question):
        chosen = set(words(answer))
        return "or" not in chosen and chosen <= set(words(question))
    if not _OF_A_RULE.search(question) and not is_choice(answer):
        return False
    if _HOW_MUCH.match(question) and not answer[:1].isdigit():
        return False
    if _PREPOSITION.match(answer):
        return True
    named = _ONLY.sub("", answer)
    return not _NO_NAME.match(named) and _is_noun(named)


def _stated(question: str, answer: str) -> str:
    told = _done(question, answer) or _is(question, answer) or _placed(question, answer)
    return told or _chosen(question, answer) or _open(question, answer)


def _plain(question: str) -> str:
    """Returns a question as one that asks what "we" should do, without asides, and with what it is about behind."""
    plain = without_asides(question)
    plain = _PREFER.sub("should we use", _YOU.sub("should we use", plain.replace("hat's ", "hat is ")))
    plain = _WANTED.sub(r"\1would be preferred", _OF_THESE.sub(r"\1 ", plain))
    if found := _FRONT.match(plain):
        plain = f"{found['asked']} {found['where'].lower()}?"
    if found := _LED.match(plain):
        plain = f"{found['asked']} {found['by'].lower()}?"
    return plain


def _both(asked: str, question: str, answer: str) -> str:
    """Returns a question and its answer as they are, or "" if they say nothing without the talk around them."""
    if _CHOICE.match(question) or _WANT_TO.match(question):
        is_state = question[:3].lower() in ("is ", "are")
        is_vague = bool(_YES_NO.match(answer)) or is_state and bool(_DEICTIC.search(question))
    else:
        found = _ASKED.match(question)
        about = _head(found["thing"]) if found else question
        is_open = _WH.match(question.lower()) or _OPEN.match(question)
        about = _NAMED.sub("", _COMPOUND.sub("", about))
        is_vague = not is_open or _is_vague(about, found["rest"] if found else "")
    return "" if is_vague or not answer else f"{asked.rstrip('? ')}? {answer}"


def _is_vague(thing: str, more: str) -> bool:
    """Tells whether what is asked for can only be one of those just talked about."""
    is_manner = _head(thing).lower() in _MANNER and _FOR_A_KIND.search(more) and not _DEICTIC.search(more)
    return not is_manner and bool(_DEICTIC.search(_head(thing)))


def _placed(question: str, answer: str) -> str:
    """Returns the statement for a question of where or how something is kept, or who does it."""
    found = _PLACED.match(question)
    if found and _PREPOSITION.match(answer) and not _JOINS.search(question):
        return f"{found['who']} {found['verb']} {found['done']} {answer[0].lower()}{answer[1:]}"
    if (may := _WHO_MAY.match(question)) and not _JOINS.search(may["does"]) and not _DEICTIC.search(may["does"]):
        return f"{answer} {may['does']}" if _is_noun(_ONLY.sub("", answer)) else ""
    who = _WHO_DOES.match(question)
    is_one = _is_noun(answer) and not answer.endswith("s") and ", " not in answer
    return f"{answer} {who['does']}" if who and is_one and not _JOINS.search(who["does"]) else ""


def _chosen(question: str, answer: str) -> str:
    """Returns the statement for a choice between names that a question lists."""
    found = _NAMES.match(question)
    among = re.split(r",? or |, ", found["names"].casefold()) if found else []
    is_one = found and answer.casefold() in among and not _JOINS.search(found["who"])
    if not found or not is_one or any(map(_NO_NAME.match, among)):
        return ""
    helper = found["helper"].lower()
    verb = _present(found["verb"], helper) if helper in _AUXILIARY else f"{helper} {found['verb']}"
    return f"{found['who']} {verb} {answer}{found['more'] or ''}"


def _open(question: str, answer: str) -> str:
    """Returns what a few words ask for, with the answer: "Which formatter?"."""
    asks = _OPEN.match(question)
    if not asks or not asks["asked"] or _DEICTIC.search(asks["asked"]):
        return ""
    if len(asks["asked"].split()) > 1 and question[0] not in "pPcCsS":
        return ""
    return f"{asks['asked'].removeprefix('a ').removeprefix('an ')}: {answer}"


def _done(question: str, answer: str) -> str:
    """Returns the statement for a question of what somebody should do or does."""
    found = _ASKED.match(question)
    parts = clause(found["rest"].strip()) if found else None
    if not found or not parts or _is_vague(found["thing"], parts[2]):
        return ""
    helper, thing, word = found["helper"].lower(), found["thing"].strip(), found["word"].lower()
    who, done, more = parts
    if who.lower() in _PRONOUNS - {"we"}:
        return ""
    verb = _present(done, helper) if helper in _AUXILIARY else f"{found['helper']} {done}"
    leads, is_stranded = bool(_PREPOSITION.match(answer)), bool(_STRANDED.search(more))
    if leads:
        end = f"{answer[0].lower()}{answer[1:]}"
        return "" if is_stranded or thing.split()[:1] else f"{who} {verb} {more} {end}".replace("  ", " ")
    if word not in ("which", "what") or not _is_noun(answer) or _NO_NAME.match(answer):
        return ""
    if is_stranded:
        kind = f"the {thing} " if thing and answer[0].isdigit() else ""
        return f"{who} {verb} {more} {kind}{answer}"
    if more and not _PREPOSITION.match(more) and not more.lower().startswith("for "):
        return ""
    article = "the " if verb.endswith(("have", "has")) and thing else ""
    named = f"{article}{thing} {answer}" if thing and (article or _NUMBER.fullmatch(answer)) else _joined(answer)
    return f"{who} {verb} {named}{' ' + more if more else ''}"


def clause(rest: str, verb: str = "") -> tuple[str, str, str] | None:
    """Returns who does something, the verb, and what follows; None unless one word alone can be the verb. `verb` is one
    that is known to be.
    """
    words = rest.split()
    ends = [at for at, word in enumerate(words) if at and (_PREPOSITION.match(word) or word.lower() in ("for", "of"))]
    before = words[: ends[0]] if ends else words
    at_verb = [
        at
        for at, word in enumerate(before)
        if at
        and (word.lower() == verb or not verb and word.lower() in _VERBS)
        and before[at - 1].lower() not in _DETERMINERS - _PRONOUNS
    ]
    if words[0].lower() in _PRONOUNS and at_verb[:1] == [1]:
        at_verb = [1]
    if len(at_verb) != 1 or _JOINS.search(rest):
        return None
    at = at_verb[0]
    return " ".join(words[:at]), words[at], " ".join(words[at + 1 :])


def _is_noun(answer: str) -> bool:
    """Tells whether each option of an answer is surely a name or an amount, not what somebody does: "25 MB"."""
    return all(map(_NOUN.fullmatch, re.split(r", (?:and )?", answer)))


def _head(thing: str) -> str:
    """Returns a noun without those before it that say which: of a "test runner", "runner"."""
    return thing.split()[-1] if thing.split() and not _POINTS.search(thing) else thing


def _is(question: str, answer: str) -> str:
    """Returns the statement for a question of what something is."""
    found = _IS.match(question)
    is_sure = found and _is_noun(answer) and not _DEICTIC.search(question) and not _NO_NAME.match(answer)
    return f"{found['who'].strip()} {found['verb']} {answer}" if found and is_sure else ""


def _present(verb: str, helper: str) -> str:
    """Returns the verb after "do" or "does" without them."""
    if helper == "do":
        return verb
    if verb == "have":
        return "has"
    if verb == "be":
        return "is"
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s")


def _joined(answer: str) -> str:
    """Returns the options of an answer with "and" before the last."""
    head, comma, last = answer.rpartition(", ")
    return f"{head} and {last}" if comma and "," not in last else answer
