"""Finds what stands before a statement and judges the assistant's words, or says how often the user has said it: "No,
that's wrong: ...". It is no part of the statement.
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern

CLAUSES = 4  # openers that may follow one another
CLAUSE_WORDS = 14  # of a clause that may be an opener
LEFT_WORDS = 3  # so many words have to follow an opener that nothing separates from the statement

_END = Pattern(r"\s*[:,;.!?…]+(?=\s|$)\s*|\s+(?:—|–|-{1,2})\s+|—|\s+(?=because\b)|$")
_LEAD = Pattern(
    r"^(?:(?:no+|nope|nah|nein|wait|stop|hey|hmm*|u[hm]m*|ugh+|argh+|oh|ah|well|actually|sorry|but|look|listen|please|"
    r"ok(?:ay)?|hold on|come on|i'm afraid|i(?:'m| am) sorry|dude|man|claude|and)\b[,.!:]*(?:\s+|$))+",
    re.IGNORECASE,
)
_REASON = Pattern(r"^(?:because|since|cause|bc)\s+(?=\w)", re.IGNORECASE)
# What is judged: the assistant, and what it has said or done.
_THAT = (
    r"(?:that|this|it|those|these|both|neither|all (?:of )?(?:that|this)|none of (?:that|this)|you|u|the above|"
    r"(?:what|how|where|everything) (?:you|u)\b.*|(?:your|this|that|these|those) (?:\w+ ){0,2}\w+)"
)
_IS = (
    r"(?:'s|'re|s|re|'ve| (?:is|are|was|were|am|sounds?|looks?|seems?|feels?|has been|have been|(?:has|have|had|got)"
    r"(?: (?:it|this|that|them|things))?))"
)
_ADVERBS = (
    r"(?: (?:just|simply|still|all|totally|completely|absolutely|plain|also|really|so|exactly|actually|entirely|"
    r"clearly|obviously|partly|already|even|once|again|always|quite|a|an|the|pure|utter|common|total|complete|big|some))*"
)
_FALSE = (
    r"(?:wrong|incorrect|false|untrue|inaccurate|mistaken|bogus|backwards?|upside[- ]down|confused|mixed up|made up|"
    r"nonsense|rubbish|garbage|bullshit|bs|crap|misleading|out ?dated|out of date|stale|"
    r"(?:(?:way|far) )?off (?:the mark|base)|(?:only )?(?:half|partly|partially) "
    r"(?:right|true|correct))"
)
# What is said so of the assistant's words, but is a state of a thing: "The flag is off".
_OFF = r"(?:(?:way |far |a bit |a little |slightly )?off|obsolete)"
_FALSE_WORD = (
    rf"(?:{_FALSE}|mistakes?|errors?|misunderstandings?|misreading|misconception|mix-?up|myth|lie|opposite|"
    r"bad (?:idea|guess|assumption)|other way (?:a?round))"
)
# What is judged by a word for it. It is a thing that the statement may be about, unless it is something said.
_FALSE_THING = (
    rf"(?:{_FALSE}(?<!right)(?<!true)(?<!correct)|old)"
    r"(?: (?!to\b|for\b|if\b|when\b|in\b|on\b|not\b|of\b)[\w-]+){1,2}"
)
_WORDS = (
    r"answers?|assumptions?|claims?|conclusions?|facts?|guess(?:es)?|ideas?|impressions?|info|information|memory|"
    r"notion|premise|readings?|statements?|thinking|understanding|advice|summary|explanation|description|reasoning|theory"
)
_SAID = (
    rf"(?:{_WORDS}|ways?|again|here|there|now|then|about \w+|"
    r"anymore|at all|though|too|as usual|sorry|man|mate|dude|claude|completely|entirely|totally|either)"
)
_YOUR_WORDS = rf"(?:your|that|this|those|these) (?:\w+ )?(?:{_WORDS})"
_TRUE = (
    r"(?:(?: (?:quite|exactly|even|at all|really|entirely|sound|look|seem|be|been|make))* (?:right|correct|true|so|it|"
    r"accurate|sense|the case|(?:how|what|where|why|the way) (?:it|this|that|we|i|things|one)\b(?: \S+){0,5}))"
)
_NOT = r"(?: (?:not|never|no longer|no|makes? no|(?:is|was|are|were|does|did|can|could|wo|ai)n'?t|can'?t))"
_SWAPS = r"(?:swapp?|switch|invert|revers|flipp?)(?:ed|ing)"
_ERRS = (  # what the assistant does wrong: misreads, forgets, ignores it
    r"(?:(?:keep|kept) (?:on )?\w+ing\b.*|for(?:get|got)\w*\b.*|ignor\w+\b.*|overlook\w*\b.*|hallucinat\w*\b.*|"
    r"mis(?:read|under|took|heard|quot|remember|interpret)\w*\b.*|miss(?:ed)? (?:that|this|it|the point|something)\b.*|"
    r"(?:mix|confus)\w*\b.*|(?:do not|don't|did not|didn't|never|not|aren't) (?:listen|get it|understand|remember|read|"
    r"pay|hear)\w*\b.*|(?:did|do|doing|done) (?:it|that|this) again|(?:made|making) (?:that|this|it|things) up|"
    r"(?:should |must |ought to )?know (?:that|this|it|better|by now|the rules?)\b.*|"
    r"(?:write|wrote|sa(?:y|id)|claim(?:ed)?|stated?) [\"“].*|"
    rf"{_SWAPS} (?:them|it|that|this|those|these|the two|both|things|the \w+)(?: around)?|"
    r"(?:made|making|make) (?:a|the same) (?:\w+ )?(?:mistake|error)\b.*|(?:thinking of|looking at) .*|"
    r"(?:invent|guess|assum|dream|imagin)\w* (?:that|this|it|things|wrong\w*)\b.*|"
    r"mess(?:ed)? (?:that|this|it|\w+ )?up\b.*|"
    r"(?:got|get|have|had|do|did|doing|done) .*\b(?:wrong|backwards?|mixed up|upside down|the wrong \w+(?: \w+)?|"
    r"other way (?:a?round)))"
)
_TELL = (
    r"(?:told|said|mentioned|explained|wrote|written|repeated|stated|corrected|covered|discussed|agreed|went over|"
    r"been (?:over|through))"
)
_SAY = r"(?:say|tell|repeat|mention|explain|write)(?:ing)?"
_OFTEN = (
    r"(?: (?:you|it|this|that|so|already|before|above|twice|again|earlier|now|once|yesterday|enough|myself|to you|"
    r"(?:last|so many|too many|many|several|(?:a )?(?:hundred|thousand|million|dozen)|\w+|\d+) times?))*"
)
_I = r"(?:(?:like|as) )?(?:i|we)(?:'ve|'d|'m|'ll| have| had| am| will| must|ve)?(?: (?:already|just|clearly))*"
_REST = (
    r"(?: (?:again|here|there|now|about (?:that|this|it)|at all|though|then|twice|before|as usual|i'm afraid|sorry|man|"
    r"mate|dude|claude|completely|entirely|totally|either))*"
)
# How sure one is of the judgement.
_HEDGE = (
    r"(?:(?:(?:i|we)(?:'m| am)? )?(?:just )?(?:think|thought|believe|guess|suspect|feel|fear|afraid|fairly sure|"
    r"pretty sure|quite sure|sure|certain|positive|reckon|would say|'d say)(?: that)?,? |"
    r"(?:(?:it|that) )?(?:looks|seems)(?: to me)?(?: like| as if| that)? )?"
)
# Texts that may be wrong about what is stated next.
_TEXTS = (
    r"(?:(?:the|our|your|those|these|that|this) )?(?:[\w.-]+ ){0,2}(?:docs?|documentation|read-?me|wiki|comments?|"
    r"notes?|tickets?|plan|summary|answer|memor(?:y|ies)|page|docstrings?|article|tutorial|guide|description|[\w-]+\.md)"
)
_OPENERS = tuple(
    Pattern(rf"{_HEDGE}{clause}{_REST}", re.IGNORECASE)
    for clause in (
        rf"{_THAT}{_IS}{_ADVERBS} {_FALSE_WORD}(?: {_SAID})?",
        rf"{_THAT}{_IS}{_ADVERBS} (?:old|{_FALSE}) (?:\w+ )?{_SAID}",
        rf"(?:that|this|it|you|u|{_YOUR_WORDS}){_IS}{_ADVERBS} {_OFF}(?: {_SAID})?|(?:way|far) off",
        rf"(?:that|this|it|{_YOUR_WORDS})(?: does)?{_NOT}{_ADVERBS} "
        r"(?:hold|apply|stand)s?(?: (?:up|true|water|any ?more))?",
        rf"{_THAT}{_IS}{_ADVERBS} (?:opposite|reverse|contrary) (?:of|to) (?:what|how|that)\b.*",
        rf"(?:i|we)(?: (?:was|were|am|are)|'m){_ADVERBS} (?:wrong|mistaken|confused|mixed up|off)",
        r"(?:that(?:'s| is| was) )?my (?:mistake|bad|fault|error)",
        rf"{_THAT}(?:{_IS})?{_ADVERBS}{_NOT}{_ADVERBS}{_TRUE}",
        rf"(?:(?:all|just|still|\w+ly) )*{_FALSE}(?: way (?:a?round))?",
        rf"(?:not|isn'?t|can'?t be|doesn'?t)(?: (?:quite|really|exactly|at all)|{_TRUE})",
        r"(?:quite )?(?:the )?(?:opposite|reverse|contrary)(?: is (?:true|right|the case))?|on the contrary",
        r"negative|no+(?: no+)+",
        rf"(?:you|u)(?:'ve|'re|ve|re| have| are)?{_ADVERBS} {_ERRS}",
        r"(?:stop|quit) (?:ignoring|forgetting|guessing|hallucinating|inventing|making|assuming)\b.*",
        rf"{_I} {_TELL}{_OFTEN}|as (?:\w+ly )?{_TELL}{_OFTEN}",
        rf"(?:{_I}|let me|to|do i)(?: (?:keep|have to|need to|must))* {_SAY}{_OFTEN}",
        rf"(?:it|this|that)(?:'s| was| is| has)(?: been)?(?: already)? {_TELL}{_OFTEN}",
        r"how (?:often|many(?: more)? times)(?: (?:do|does|must|did|have|will|should) (?:i|we)\b.*)?",
        rf"(?:did|have|has|do|must)(?:n't| not|nt)? (?:i|we)\b.*\b(?:{_TELL}|{_SAY})\b.*",
        r"(?:where did (?:you get|(?:that|this|it) come)|who told you|says who|"
        r"why (?:do|would|did|are) you (?:keep|think|assum|say|believ)\w*)\b.*",
        r"i (?:do not|don't|dont|have no) (?:know|idea|understand|see) (?:where|why|how|what) (?:you|u)\b.*",
        r"(?:this is )?(?:(?:and|yet|once|one more time) )?again|(?:once|one) more(?: time)?",
        r"(?:for |this is |that's )?the (?:\w+ )?\w+ time(?: (?:that )?i\b.*)?",
        r"(?:re-?)?read (?:what|my|that|it|this|again)\b.*|(?:small |a |one )?corrections?",
        r"(?:i|we) (?:(?:strongly|have to|must|beg to) )*(?:disagree|differ|object)"
        r"(?: with (?:that|this|it|you))?",
        r"(?:i|we) (?:do not|don't|dont|can't|cannot) (?:agree|think so|believe (?:that|this|it|so)|"
        r"buy (?:that|it|this))(?: with (?:that|this|it|you))?",
        rf"(?:i|we) (?:do not|don't|dont) (?:think|believe|feel) (?:that )?(?:{_THAT})(?:{_IS})?{_ADVERBS}{_TRUE}",
        r"(?:(?:please )?(?:let|allow) me(?: to)?|i(?:'ll| will| have to| must| need to|'d like to| want to)|to) "
        r"(?:correct|clarify|rephrase)(?: (?:you|that|this|it|your \w+|one thing|something))?",
        r"correct yourself|(?:correct|check) your (?:facts|notes|memory)",
        r"(?:just )?to be (?:clear|precise|exact)|i meant(?: to say)?|"
        r"what i (?:meant|mean|said|wanted)(?: (?:is|was))?",
        rf"(?:(?:remember|recall|don't forget|do not forget|keep in mind|think of|look at|mind) )?"
        rf"(?:what|as) {_I} {_TELL}{_OFTEN}",
        r"(?:i|we|nobody|no one) (?:never|didn't|did not|haven't|ever)? ?(?:say|said|ask|asked|mean|meant|want|wanted|"
        r"told you)(?: you)?(?: for)? (?:that|this|it)",
        r"(?:hell|hard|god|lord) no|no way|(?:absolutely|definitely|certainly|of course|surely|"
        r"clearly|obviously|please) not|not at all|far from it|quite the contrary|"
        r"(?:none|neither)(?: of (?:these|those|them|the above|the (?:two|three|options)))?|almost|nearly|"
        r"(?:nice|good) (?:try|guess)",
        r"there(?:'s| is| was|'s been| has been) (?:a|an|some) (?:small |slight |big )?(?:mistake|misunderstanding|"
        r"mix-?up|confusion|error (?=in ))(?: ?(?:here|there|in (?:that|this|your \w+)))?",
        r"(?:that|this|it) (?:never happened|won't (?:do|work)|can't be|cannot be)",
        r"(?:stop|quit|drop|cut)(?: doing)? (?:it|that|this)(?: (?:out|now|already|please|right (?:now|there)))?|"
        r"knock it off|(?:that's )?enough(?: (?:of (?:this|that)|already))?",
        r"(?:contrary|opposed|in contrast|as opposed) to (?:what )?(?:you\b|your \w+).*|"
        r"(?:unlike|despite|in spite of|regardless of|whatever|no matter|forget) (?:what )?(?:you\b|your \w+).*",
        r"(?:that(?:'s| is) )?(?:not|no) (?:good|ok(?:ay)?|great|nice|acceptable|what (?:i|we) \w+.*)|"
        r"(?:(?:it's |that's )?the )?same (?:old )?(?:mistake|error|problem|thing)"
        r"(?: (?:again|as before|as always|twice))+",
    )
)
# Judges a thing. What follows may be about that thing, and then is nothing without it: "This is the old API: never call
# it from the app."
_NAMES_THING = tuple(
    Pattern(rf"{_HEDGE}{clause}{_REST}", re.IGNORECASE)
    for clause in (
        rf"{_THAT}{_IS}{_ADVERBS} {_FALSE_THING}",
        rf"{_TEXTS}(?: (?:is|are|was|were|has been|got it|have it|gets? (?:it|that|this))|'s){_ADVERBS} {_FALSE}",
        rf"{_TEXTS}{_NOT}{_ADVERBS}{_TRUE}",
        rf"{_FALSE} {_SAID}",
        rf"(?:you|u)(?:'ve|'re|ve|re| have| are)?{_ADVERBS} {_SWAPS} .*",
    )
)
_POINTS = Pattern(r"^(?:[\w']+,? ){0,4}(?:it|its|it's|they|they're|them|their|these|those)\b", re.IGNORECASE)
# Judges what was said right before, as untrue: "That's wrong", "Not true". A thing may be outdated, and "it" be one.
_UNTRUE = r"(?:wrong|incorrect|false|untrue|inaccurate|mistaken|backwards?|the (?:opposite|other way a?round))"
_JUDGES = tuple(
    Pattern(rf"{clause}{_REST}", re.IGNORECASE)
    for clause in (
        rf"(?:that|this|it|all (?:of )?(?:that|this)|what i(?: just)? (?:said|wrote)){_IS}{_ADVERBS} {_UNTRUE}",
        rf"(?:that|this|all (?:of )?(?:that|this)){_IS}{_ADVERBS} (?:{_FALSE}|{_OFF}|my (?:mistake|error|bad))",
        rf"(?:that|this|it|none of (?:that|this))(?:{_IS})?{_ADVERBS}{_NOT}{_ADVERBS}{_TRUE}",
        rf"(?:(?:all|just|still|\w+ly) )*{_UNTRUE}",
        rf"not(?: (?:quite|really|exactly|at all)|{_TRUE})",
    )
)
# Judges so what the assistant has said, and nobody else.
_DISPUTES = tuple(
    Pattern(rf"{_HEDGE}{clause}{_REST}", re.IGNORECASE)
    for clause in (
        rf"{_THAT}{_IS}{_ADVERBS} {_FALSE_WORD}(?: {_SAID})?",
        r"(?:i|we) (?:(?:strongly|have to|must|beg to) )*(?:disagree|differ|object)(?: with (?:that|this|it|you))?",
        r"negative|(?:quite )?(?:the )?(?:opposite|contrary)(?: is (?:true|right|the case))?",
        r"(?:you|u)(?:'ve| have)? (?:got|have|had) (?:it|that|this) .*",
    )
)
_STATES = (  # how a statement begins, told from "that" alone: "I said that yesterday, ..."
    r"(?:(?:we|i|our|my|an?|the|all|every|each|no|only|never|always)\b|(?:[\w-]+ ){1,3}(?:is|are|has|have|must|should|"
    r"can|cannot|may|will|never|always|only|needs?|(?:do|does|is|are|ca)n't|lives?|runs?|uses?|goe?s?|belongs?|"
    r"returns?)\b)"
)
_BEGINS = Pattern(_STATES, re.IGNORECASE)
# "I said we deploy on Tuesdays", "you forgot that prices are in cents", "close, but no: we deploy on Tuesdays": the
# statement follows at once.
_I_SAID = Pattern(
    rf"(?:{_I} {_TELL}{_OFTEN}|(?:you|u)(?:'ve| have| just| always| still| again| keep| kept)* (?:forg[eo]t\w*|"
    rf"ignor\w+|overlook\w*|miss(?:ed|ing)?)) that (?={_STATES})|"
    rf"{_I} (?:told you|said|mentioned|wrote|explained)(?: that)? (?=(?:we|our|the|to|never|always|don't|do not)\b)|"
    r"(?:no+|nope|nah) (?=(?:we|our|it's|they)\b)|"
    r"(?:close|almost|nearly|(?:nice|good) (?:try|guess)),? but\s+(?:(?:no|not (?:quite|right))\b\W*\s)?",
    re.IGNORECASE,
)
# Calls the assistant right. What follows is stated with it, and corrects nothing.
_AGREES = Pattern(
    r"^(?:(?:yes|yeah|yep|yup|no|nope|ok(?:ay)?|right|correct|exactly|sure|indeed)\b[,.!]*\s+)*(?:that|this|it|you|u)"
    rf"(?:'s|'re|s|re| is| are| was| were){_ADVERBS} (?:right|correct)"
    r"(?: (?:there|here|then|again|on that|about (?:that|this|it)))?(?:\s*[:,;.!…]+(?=\s|$)\s*|\s+(?:—|–|-{1,2})\s+|$)",
    re.IGNORECASE,
)
# Tells that the user has said before what follows, or had to.
_AGAIN = Pattern(
    rf"\b(?:{_I} {_TELL}\b|{_I} (?:keep|have to) {_SAY}\b|how (?:often|many)\b|(?:the|this) \w+ time\b|"
    r"(?:you|u)(?:'ve|ve| have)? (?:always|still|just|keep|kept|constantly|again|once more|never)?(?: on)? ?"
    r"(?:forg[eo]t|ignor|overlook|miss|skip|remember)\w*|(?:we|i)(?:'ve| have) been (?:over|through))",
    re.IGNORECASE,
)

# Answers what the assistant has said in two words: "No it isn't, the config is ...". "We do not, ever, log emails" is a
# statement, so one has to follow.
_TAG = Pattern(
    r"(?:it|that|this|those|these|they|we|i|you|he|she|there|nobody|no one) "
    r"(?:(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must)(?:n't| not)?|cannot|can't|"
    r"won't|ain't|dont|doesnt|isnt|arent)(?: (?:any ?more|at all|either|so|too|though))?",
    re.IGNORECASE,
)
# Repeats the assistant and judges it, or grants it a part: "You said floats, which is wrong: ...", "True, but ...".
_GRANTS = Pattern(
    r"(?:(?:you|u)(?:'ve|'d| have| just| also)* (?:said|say|wrote|write|claim(?:ed)?|told me|mentioned|assum(?:ed?|es)|"
    r"suggest(?:ed)?|thought|think|answered|put|stated|listed|described|meant)\b[^:.;!?]{1,100}?"
    rf"(?:,? (?:which|(?:and |but )?(?:that|this|it))"
    rf"(?:{_IS}{_ADVERBS} {_FALSE_WORD}|(?:{_IS})?{_ADVERBS}{_NOT}{_ADVERBS}{_TRUE})"
    rf"{_REST}|,? (?:but )?(?:no|wrong|nope|not (?:true|so|quite)))\s*(?:[:,;.!…]+\s+|\s(?:—|–|-{{1,2}})\s+)|"
    r"(?:(?:(?:yes|yeah|ok(?:ay)?|sure)\W+)?(?:you|u)(?:'re| are|re|'ve| have)? (?:partly |half |almost )?"
    r"(?:right|correct|(?:have|got|made) a (?:good )?point|said|say|wrote|claim(?:ed)?|thought|think|assumed)\b"
    r"[^:.;!?]{0,100}?|true|fair(?: enough| point)?|granted|good (?:point|idea)|right|correct|"
    r"i (?:see|know|get|understand|hear)(?: (?:that|it|you|your point|what you mean|where you[^,]*))?)"
    rf",? but (?={_STATES}))",
    re.IGNORECASE,
)


def without_agreement(sentence: str) -> str:
    """Returns a sentence without the words at its beginning that call the assistant right: "You're right, we ..."."""
    return _AGREES.sub("", sentence)


def without_opener(sentence: str) -> str:
    """Returns a sentence without the clauses at its beginning that are no part of what it states."""
    for _ in range(CLAUSES):
        rest = _behind_opener(sentence)
        if rest == sentence:
            break
        sentence = rest
    return sentence


def says_again(opener: str) -> bool:
    """Tells whether the words before a statement complain that it was said before: "How often do I have to say it"."""
    return bool(_AGAIN.search(opener))


def judges_said(sentence: str) -> bool:
    """Tells whether a sentence begins with the judgement that what was said right before is untrue."""
    end = _END.search(sentence)
    clause = sentence[: end.start()] if end else sentence
    begins_example = end is not None and ":" in end[0] and " " not in clause  # "Wrong: fooBar"
    return (
        not begins_example
        and len(clause.split()) <= CLAUSE_WORDS
        and any(judges.fullmatch(clause) for judges in _JUDGES)
    )


def disputes(opener: str) -> bool:
    """Tells whether the words before a statement call untrue what the assistant has said."""
    clauses = (_LEAD.sub("", clause + " ").strip() for clause in _END.split(opener))
    return any(one.fullmatch(clause) for clause in clauses if clause for one in (*_JUDGES, *_DISPUTES))


def _behind_opener(sentence: str) -> str:
    lead = _LEAD.match(sentence)
    for start in (lead.end() if lead else 0, 0):
        told = _I_SAID.match(sentence, start)
        if told and len(sentence[told.end() :].split()) >= LEFT_WORDS:
            return sentence[told.end() :].removeprefix("to ")
        granted = _GRANTS.match(sentence, start)
        if granted and len(sentence[granted.end() :].split()) >= LEFT_WORDS:
            return sentence[granted.end() :]
        end = _END.search(sentence, start)
        if end and _is_opener(sentence[start : end.start()], sentence[end.end() :]):
            return _REASON.sub("", sentence[end.end() :])
    return sentence


def _is_opener(clause: str, rest: str) -> bool:
    if len(clause.split()) > CLAUSE_WORDS:
        return False
    if _TAG.fullmatch(clause):
        return bool(_BEGINS.match(rest))
    names_thing = rest and not _POINTS.match(rest) and any(one.fullmatch(clause) for one in _NAMES_THING)
    return bool(names_thing) or any(opener.fullmatch(clause) for opener in _OPENERS)
