"""The offline extractor: recognises the user's statements by their wording. It is free, runs locally and works best in
English.

A missed statement costs repeating a sentence; a false one misleads every later session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...claude_code.observation import OK
from ...claude_code.person import Answer
from ...claude_code.transcript import ASSISTANT, TOOL_RESULT, TOOL_USE, USER, Turn
from ...claude_code.window import Window
from ...language.answers import decided, in_own_words, is_fragment
from ...language.choices import Choice, choices
from ...language.duplicates import normalise
from ...language.others_speech import reports_others
from ...language.passages import passages, sentences, text_of
from ...language.pasted_lines import copied, restates, without_repeats, words_shown
from ...language.phrases import phrases
from ...language.prompt_parts import Part, names_rules, own_lines, parts
from ...language.reversal import may_correct
from ...language.reversal_subjects import ends_something
from ...language.statement_features import is_task
from ...language.withdrawals import DENIED_CHARS, DENIED_MAX, Withdrawal, amended, is_call, mended, taken_back_by
from ...language.yes_no_answers import decided_by_yes_no
from ...lib.limits import EXCERPT_CHARS, KEEP_SCORE, PASSAGE_CHARS
from ...lib.pattern import Pattern
from ...lib.text import clip
from ...model.candidate import CHOSEN, Candidate
from ..proven_solutions import verdict
from .score import UNSURE_SCORE, Scores, scored
from .statements import statements

CORRECTION_RELEVANCE = 0.95  # critical: nothing matters more than what the user had to say twice
PASTE_LINES = 2  # pasted lines in a prompt: the rest of it may be pasted text, too
PASTE_PENALTY = 0.15  # added to the required score beside pasted text
DOCUMENT_CHARS = 4_000  # a longer prompt is a document: its decisions were made elsewhere
DOCUMENT_PARTS = 60  # the same, in parts
SHOWN_PROMPTS = 8  # what tools were given and returned since so many prompts is looked for in a prompt
CALL_CHARS = 120  # of the call that was denied, in the evidence
OFFER_LIKELY = 0.3  # a choice is suggested where the judge scores what was offered so, as an answer to the offer
KEPT, SUGGESTED, DROPPED = "kept", "suggested", "dropped"  # what becomes of a passage

# A prompt with a text to work on: the statements in that text are not the user's. A verb counts as an order to the
# assistant only: "we never translate log messages" is a rule.
_ORDER = (
    r"(?:(?:^|[.!?:;\n])\W*|\b(?:please|pls|plz|(?:can|could|would|will) you|(?:want|need|like|ask) you to|"
    r"(?:want|need|like|have|trying) to|help me(?: to)?|let's|now|first|just|ok(?:ay)?|hey|hi)[,:]?\s+(?:please )?)"
)
_TEXT_TO_WORK_ON = Pattern(
    rf"{_ORDER}(?:translate|rephrase|reword|rewrite|proofread|paraphrase|summari[sz]e|"
    r"(?:write|create|make|draft|generate|add|put|compose|review)\b.{0,30}(?:cursorrules|agents\.md|claude\.md|"
    r"contributing(?:\.md)?|style guide|announcement|posting|job ad|newsletter|press release|system prompt)|"
    r"write (?:me )?(?:a|an|the|some) (?:\w+ ){0,3}(?:sentence|story|text|paragraph|post|mail|email|message|letter|"
    r"dialogue|example))\b",
    re.IGNORECASE,
)
# What shows that the text follows in the prompt. Otherwise it may be the next sentence, or lie elsewhere.
_FOLLOWS = Pattern(r"[:\n\"“«„`]|\b(?:that|which|saying|announcing|telling|about)\b", re.IGNORECASE)
_TEXT_OF_OTHERS = Pattern(
    rf"{_ORDER}(?:imagine|pretend|role-?play)\b|"
    r"\b(?:user story\s*:|as an? (?:user|admin|developer|customer),? i\b|"
    r"(?:i need|(?<!\bwe )wants?|i want) (?:a|an|some|new)\b.{0,30}(?:cursorrules|agents\.md|claude\.md|style guide|"
    r"announcement|posting|job ad|newsletter|press release|system prompt)|"
    r"(?:page|docs?|documentation|readme|article|website|blog|log|output|manual|changelog|vendor|wiki|guide|claude\.md|"
    r"agents\.md|readme\.md|contributing(?:\.md)?) (?:says?|said|states?|reads?|has it)\b(?! (?:nothing|no|not)\b)|"
    r"according to (?:the |our |its |your )?(?:readme|docs?|wiki|guide|claude|agents|contributing|manual)\b|"
    r"(?:this|these|following|here(?:'s| is) (?:the|a|an|my|our|some)) (?:\w+ ){0,2}"
    r"(?:text|draft|ticket|e?mail|message|transcript|article|essay|poem|tweet|press release)s?\b"
    r"(?=[^.!?\n]{0,60}[:\n\"“?]|\W*$|, ))",
    re.IGNORECASE,
)
_CONTRADICTS = Pattern(r"^\W*(?:no+|nope|nah|wrong|actually|stop|wait|not|don'?t|never|other way)\b", re.IGNORECASE)
RELEVANCE = {"decision": 0.85, "preference": 0.85, "convention": 0.8, "solution": 0.75, "fact": 0.7}  # by kind

# User scope is for universal statements, never for text that names a path, host, address, person or customer.
_UNIVERSAL = Pattern(
    r"\b(?:in|for|across|on|to) (?:all|every|any|each)(?: of)?(?: my| the)? "
    r"(?:projects?|repos?|repositories|codebases?)\b|\b(?:all|every repo of) mine\b|"
    r"\bi always (?:want|prefer|like)\b|\beverywhere i work\b|\bregardless of (?:the )?project\b|"
    r"\bin every (?:session|chat|conversation)\b",
    re.IGNORECASE,
)
_PARTICULAR = Pattern(
    r"\S/\S|\\\S|~/|\b[\w-]+\.[a-z]{2,}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|\S@\S|\b[A-Za-z]\w*-\w+(?:-\w+)*:?\d|:\d{2,5}\b|"
    r"(?i:\b(?:customers?|clients?|colleagues?|boss|manager|mr|mrs|ms|dr|he|she|his|her|contact|bill)\b)|"
    r"(?i:\b(?:ask|tell|ping|cc|call)) (?!(?i:me|first|before|for|questions?|if|when|whether|you)\b)\w+|"
    r"(?<=[a-z,] )[A-Z][a-z]{2,}\b|\b[A-Z][a-z]+'s\b"  # a name, even a tool's: then it is about the project
)


# The reason that is given for something. It may name trouble that is over, or elsewhere.
_REASON = Pattern(
    r"\b(?:because|due to|thanks to|owing to|on account of|since (?:the|it|we)|"
    r"(?:that|this|which)(?:'s| is) (?:why|the reason))\b.*",
    re.IGNORECASE | re.DOTALL,
)
_REASON_FIRST = Pattern(r"^(?:because of|due to|thanks to|owing to|on account of)\b[^,]*,", re.IGNORECASE)
# What goes wrong, as the predicate of a sentence. "Failed jobs are kept" and "error pages" are no trouble.
_TROUBLE = Pattern(
    r"\b(?:(?:is|are|was|were|be|been|gets?|got|keeps?|stays?|seems?)"
    r"(?: (?:so|too|very|still|always|often|again|just|now|really|getting|sometimes))* "
    r"(?:slow\w*|broken|down|red|flaky|wrong|stuck|lost|corrupt\w*|empty|blank|missing|failing|crashing|hanging|dead|"
    r"unstable|out of \w+|timing out|leaking|late|buggy)\b|"
    r"(?:fail(?:s|ed)?|crash(?:es|ed)?|hangs?|hung|breaks?|broke|leaks?|time[sd]? out|takes? (?:too|so|very|for) \w+|"
    r"died?|dies|lost|loses|stopped|stalls?)\b(?!.*\b(?:is|are|was|were|be|must|should|can|gets?|runs?|goes?)\b)|"
    r"(?:problem|issue|error|bug|failure|crash|leak|outage|delay|cause|culprit)s?"
    r"(?: (?:in|with|on|of|at|from) \S+(?: \S+)?)? (?:(?:is|was|are|were)$|(?:comes?|came|happens?|occurs?)\b))",
    re.IGNORECASE,
)


def _guesses(text: str, kind: str) -> bool:
    """Tells whether a part names a cause that is not proven yet and may be refuted soon. Reasons for a choice, a rule
    or a plain fact ("because of the price", "must be signed") are not guesses.
    """
    found = phrases(text)
    if "hedge" in found or kind not in ("fact", "solution") or "hypothesis" not in found:
        return "hedge" in found
    effect = _REASON.sub("", _REASON_FIRST.sub("", text)).strip()
    return not effect or bool(_TROUBLE.search(effect)) or "hypothesis" in phrases(effect)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement on a passage of a prompt: the `kind` that it is kept as ("" if dropped), and why. An `unsure`
    passage is only suggested. `score` is 0..1, None for a passage that needs none; `chosen` tells whether it is
    what the assistant offered. `waits` is why it waits for review, "" if it does not.
    """

    text: str
    kind: str
    why: str
    unsure: bool = False
    score: float | None = None
    chosen: bool = False
    waits: str = ""

    @property
    def outcome(self) -> str:
        """Returns what becomes of the passage: kept, suggested or dropped."""
        return DROPPED if not self.kind else SUGGESTED if self.unsure else KEPT


class Rules:
    """Extracts only from text that the user typed."""

    paid = False

    def extract(self, window: Window) -> list[Candidate]:
        found: list[Candidate] = []
        before = ""
        for turn, heard, _ in _prompts(window):
            back = _withdrawal(turn, heard, before)
            if back:
                found = [one for one in found if not _is_meant(back, one.content, one.record_uuid)]
            found += _decisions(turn)
            chosen = _choices(turn, heard)
            found += [_of_choice(choice, turn) for choice, judged in chosen if judged.kind]
            turn = _besides(turn, chosen)
            if not _passed_over(turn.text):
                found += _candidates(turn, heard)
            before = turn.uuid
        return found

    def likely(self, window: Window) -> list[str]:
        """Returns the passages of the new turns that are worth keeping, or may be."""
        return [one.text for _, judged in self.explain(window) for one in judged if one.outcome != DROPPED]

    def explain(self, window: Window) -> list[tuple[Turn, list[Judgement]]]:
        """Returns every prompt among the new turns with the judgements on its passages."""
        found: list[tuple[Turn, list[Judgement]]] = []
        for turn, heard, _ in _prompts(window):
            back = _withdrawal(turn, heard, found[-1][0].uuid if found else "")
            if back:
                found = [(one, [_taken_back(said, one.uuid, back) for said in judged]) for one, judged in found]
            why = _passed_over(turn.text)
            chosen = [
                Judgement(made.content, made.kind, "chosen by the user", made.unsure, chosen=True)
                for made in _decisions(turn)
            ]
            typed = _choices(turn, heard)
            chosen += [replace(judged, chosen=True) for _, judged in typed]
            left = _besides(replace(turn, text=_left(turn)), typed)
            rest = [Judgement(left.text, "", why)] if why else _judgements(left, heard)
            found.append((turn, chosen + (rest if left.text or not chosen else [])))
        return found


def withdrawals(window: Window) -> list[Withdrawal]:
    """Returns what the new prompts of a window take back of what was said in earlier ones."""
    found = []
    before = next((turn.uuid for turn in reversed(window.processed) if turn.role == USER), "")
    for turn, heard, was in _prompts(window):
        back = _withdrawal(turn, heard, before)
        found += [back] if back else []
        found += _corrections(turn, heard, was)
        before = turn.uuid
    return found


def takes_back(turn: Turn) -> bool:
    """Tells whether a prompt may take back what was said in earlier ones."""
    return _taken_back_by(turn) is not None


def _taken_back(said: Judgement, record: str, by: Withdrawal) -> Judgement:
    if said.kind and _is_meant(by, said.text, record):
        return Judgement(said.text, "", "taken back in a later prompt")
    return said


def _is_meant(by: Withdrawal, text: str, record: str) -> bool:
    return by.means(text) and (bool(by.things) or record == by.before)


def _withdrawal(turn: Turn, heard: str, before: str) -> Withdrawal | None:
    """Returns what a prompt takes back of what was said before it; None if it takes back nothing, or only its own
    statement or task.
    """
    words, things = _taken_back_by(turn) or ("", ())
    if not words or turn.denied:
        return None
    if things:
        return Withdrawal(turn.uuid, things=things, words=words)
    said = parts(_left(turn), heard)
    is_own = any(
        part.withdrawn and (score >= UNSURE_SCORE or is_task(part.text))
        for part, score in zip(said, statements().scores(said, bool(heard)), strict=True)
    )
    return None if is_own else Withdrawal(turn.uuid, before, words=words)


def _corrections(turn: Turn, heard: str, was: str) -> list[Withdrawal]:
    """Returns what a prompt says of whatever was said before it: the texts that it denies, such as what it mends
    (`was`), and those that say what holds no longer or stand behind a "no".
    """
    own = "\n".join(line for _, line in own_lines(turn.text))
    if turn.answers or turn.chosen or turn.denied or _passed_over(turn.text) or not own:
        return []
    said = [part for part in parts(own, heard) if len(part.text) <= DENIED_CHARS]
    denied = tuple(text for text in (was, *(part.text for part in said if part.denied)) if text)[:DENIED_MAX]
    calls = ["", *(f"{part.text} " if is_call(part.text) else "" for part in said)]
    texts = [
        mended(call + part.text) or (part.text if part.corrects or ends_something(part.text) else "")
        for call, part in zip(calls, said, strict=False)
        if not part.withdrawn
    ]
    holds = tuple(filter(may_correct, texts))[: DENIED_MAX - len(denied)]
    return [Withdrawal(turn.uuid, denied=denied, holds=holds)] if denied or holds else []


def _taken_back_by(turn: Turn) -> tuple[str, tuple[str, ...]] | None:
    """Returns what `taken_back_by` does; what stands behind "and" may be a task: "forget the pnpm rule and run it"."""
    found = taken_back_by("\n".join(line for _, line in own_lines(turn.text)))
    return found and (found[0], (*found[1][:1], *(thing for thing in found[1][1:] if not is_task(thing))))


def _prompts(window: Window) -> Iterator[tuple[Turn, str, str]]:
    """Yields the user's new turns, each with what the assistant had said before, and what the user had said that the
    turn mends by a word. Then its text is that with the word mended, and `said` are its own words. What a prompt
    repeats of the assistant's words is left out: it is at most approved. `shown` are the words that tools were given
    and have returned since a few prompts ago.
    """
    heard: list[str] = []
    said: list[str] = []
    shown: list[list[str]] = [[]]
    for at, turn in enumerate((*window.processed, *window.new)):
        if turn.role == ASSISTANT:
            heard += [turn.text] if turn.text else []
        elif turn.role in (TOOL_USE, TOOL_RESULT):
            shown[-1].append(turn.shown)
        elif turn.role == USER:
            own = "" if turn.chosen else without_repeats(turn.text, heard, said)
            was, slip = amended(own, said[-1]) if said and not (turn.answers or turn.denied) else ("", "")
            if at >= len(window.processed):
                texts = [] if turn.chosen else [text for since in shown[-SHOWN_PROMPTS:] for text in since]
                text, its_own = (turn.text, "") if turn.answers or turn.chosen else (slip or own, slip and own)
                turn = replace(turn, text=text, said=its_own, shown=words_shown(texts, said))
                yield turn, heard[-1] if heard else "", was
            shown.append([])
            said += [] if turn.chosen else [slip or own]


def _passed_over(text: str) -> str:
    """Returns why a whole prompt is skipped, or ""."""
    if len(text) > DOCUMENT_CHARS:
        return "a document"
    order = _TEXT_TO_WORK_ON.search(text)
    if _TEXT_OF_OTHERS.search(text) or order and _FOLLOWS.search(text, order.end()):
        return "hands over a text to work on"
    return ""


@dataclass(frozen=True, slots=True)
class _Decided:
    """What an answer to the assistant's question decides, bound to the question. It is `unsure` where the grammar is,
    or what is asked may be of the moment.
    """

    answer: Answer
    content: str
    unsure: bool


def _decided(turn: Turn) -> list[_Decided]:
    """Returns what the user has decided by choosing among the assistant's options, or by words of their own that are no
    statement without the question.
    """
    found, asked = [], set()
    for answer in turn.answers:
        content, unsure = _bound(answer) if answer.question and answer.question not in asked else ("", False)
        asked.add(answer.question)
        if content:
            found.append(_Decided(answer, content, unsure))
    return found


def _bound(answer: Answer) -> tuple[str, bool]:
    content, is_sure = decided_by_yes_no(answer.question, answer.text)
    if content:
        return content, not is_sure
    if not answer.is_own:
        content, is_sure = decided(answer.question, answer.text)
        return content, not is_sure
    content, is_sure = in_own_words(answer.question, answer.text)
    is_unsure = not is_sure or "hedge" in phrases(answer.text)
    return ("", False) if not content or _is_whole(answer) else (content, is_unsure)


def _is_whole(answer: Answer) -> bool:
    """Tells whether an answer in the user's own words says a whole statement, which is kept without its question."""
    said = parts(answer.text)
    values = scored(said, "").values
    kept = passages(said, values, KEEP_SCORE)
    return any(not is_fragment(answer.question, text_of(said, low, high)) for low, high, _ in kept)


def _decisions(turn: Turn) -> list[Candidate]:
    return [
        Candidate(
            kind="decision",
            content=made.content,
            relevance=RELEVANCE["decision"],
            record_uuid=turn.uuid,
            excerpt=f"{made.answer.question} {made.answer.text}",
            method=CHOSEN,
            scope=_scope(made.content),
            unsure=made.unsure,
        )
        for made in _decided(turn)
    ]


def _left(turn: Turn) -> str:
    """Returns what a turn says beside the answers that are decisions already."""
    made = [one.answer for one in _decided(turn)]
    if not made:
        return turn.text
    return "\n".join(answer.text for answer in turn.answers if answer.is_own and answer not in made)


def _choices(turn: Turn, heard: str) -> list[tuple[Choice, Judgement]]:
    """Returns what a typed reply chooses of what the assistant offered, each with the judgement on it."""
    if turn.answers or turn.chosen or turn.denied or takes_back(turn):
        return []
    return [(choice, _judged_choice(choice)) for choice in choices(heard, turn.text)]


def _judged_choice(choice: Choice) -> Judgement:
    """A plain statement is kept, as an answer to the client's own question is. Another one is suggested if it can be
    understood alone, or the judge finds what was offered likely to last.
    """
    if choice.is_plain:
        return Judgement(choice.content, "decision", "chosen by the user")
    if choice.is_clear:
        return Judgement(choice.content, "decision", "chosen by the user, in words of a question", unsure=True)
    score = max((one.score for one in scored(parts(choice.content), choice.offered).opinions), default=0.0)
    why = f"chosen by the user, judge {_floor(score)}"
    return Judgement(choice.content, "decision" if score >= OFFER_LIKELY else "", why, score >= OFFER_LIKELY, score)


def _of_choice(choice: Choice, turn: Turn) -> Candidate:
    return Candidate(
        kind="decision",
        content=choice.content,
        relevance=RELEVANCE["decision"],
        record_uuid=turn.uuid,
        excerpt=f"{choice.offered} {choice.words}",
        method=CHOSEN,
        scope=_scope(choice.content),
        unsure=not choice.is_plain,
    )


def _besides(turn: Turn, chosen: Sequence[tuple[Choice, Judgement]]) -> Turn:
    """Returns a turn with what it says besides the choices that are kept or suggested."""
    return replace(turn, text=chosen[-1][0].left) if any(judged.kind for _, judged in chosen) else turn


def _candidates(turn: Turn, heard: str) -> list[Candidate]:
    said = parts(_left(turn), heard)
    if len(said) > DOCUMENT_PARTS:
        return []
    found = []
    scores = scored(said, heard, (_taken_back_by(turn) or ("",))[0])
    for low, high, best in _runs(turn, scores):
        kind = scores.kind(low, high, best)
        against = bool(turn.denied) or scores.reply and (said[low].corrects or bool(_CONTRADICTS.match(said[low].text)))
        corrects = against and kind in ("preference", "convention")
        excerpt = _excerpt(turn.text, said[low:high])
        excerpt = f"{excerpt} ({turn.said})" if turn.said else excerpt
        found.append(
            Candidate(
                kind=kind,
                content=text_of(said, low, high),
                relevance=CORRECTION_RELEVANCE if corrects else RELEVANCE[kind],
                record_uuid=turn.uuid,
                excerpt=f"{excerpt} (to {clip(turn.denied, CALL_CHARS)})" if turn.denied else excerpt,
                method="user",
                scope=_scope(excerpt),
                unsure=bool(_doubt(turn, scores, (low, high, best), kind)),
            )
        )
    return found


def _doubt(turn: Turn, scores: Scores, run: tuple[int, int, int], kind: str) -> str:
    """Returns why a passage is unsure, or "". A `run` is (its first part, the part after its last, its best part)."""
    low, high, best = run
    text = turn.text
    passage = [part.text for part in scores.said[low:high]]
    if any(_guesses(part, kind) for part in passage) and verdict(text) != OK:
        return "a guess, "
    if any(reports_others(part) for part in passage):
        return "said by others, "
    if restates(" ".join(passage), scores.before):
        return "the assistant's words, "
    if _is_copied(scores.said[low:high], copied(text, turn.shown)):
        return "what the assistant wrote or read, "
    if _TEXT_TO_WORK_ON.search(text):
        return "maybe of a text to work on, "
    enough = _enough(text, scores.said)
    return f"below {enough:.2f}, " if scores.values[best] < enough else ""


def _runs(turn: Turn, scores: Scores) -> list[tuple[int, int, int]]:
    """Returns the passages of a turn that are likely enough, as (first part, the part after the last, best part)."""
    found: list[tuple[int, int, int]] = []
    is_pair = False
    for low, high, best in passages(scores.said, scores.values, UNSURE_SCORE):
        is_pair = bool(found) and not is_pair and _goes_with(turn, scores, found[-1], (low, high, best))
        if is_pair:
            low, _, other = found.pop()
            best = max(other, best, key=lambda at: scores.values[at])
        found.append((low, high, best))
    return found


def _goes_with(turn: Turn, scores: Scores, one: tuple[int, int, int], after: tuple[int, int, int]) -> bool:
    """Tells whether two passages are one suggestion: neighbours on a line, neither of them sure, and one of them no
    statement by its wording. What is sure is a memory of its own.
    """
    said, enough = scores.said, _enough(turn.text, scores.said)
    line = _excerpt(turn.text, said[one[0] : after[1]])
    is_plain = min(max(scores.wordings[low:high]) for low, high, _ in (one, after)) >= UNSURE_SCORE
    return (
        one[1] == after[0]
        and max(scores.values[one[2]], scores.values[after[2]]) < enough
        and not (is_plain or said[after[0]].bullet or "\n" in line or " … " in line)
        and len(line) <= PASSAGE_CHARS
    )


def _is_copied(said: Sequence[Part], lines: Sequence[str]) -> bool:
    """Tells whether any part of a passage stands in these lines."""
    found = [f" {normalise(line)} " for line in lines]
    return any(f" {normalise(part.text)} " in line for part in said for line in found)


def _enough(text: str, said: Sequence[Part]) -> float:
    """Returns the score that a statement needs, which is higher if part of the prompt is or may be pasted. A prompt of
    one line that names a file of rules quotes nothing of it.
    """
    is_of_a_file = "\n" in text.strip() and names_rules(text)
    beside_others = bool(said) and (said[0].pasted >= PASTE_LINES or is_of_a_file)
    return KEEP_SCORE + PASTE_PENALTY * beside_others


def _judgements(turn: Turn, heard: str) -> list[Judgement]:
    said = parts(turn.text, heard)
    if not said or len(said) > DOCUMENT_PARTS:
        return [Judgement(turn.text, "", "a document" if said else "no words of the user's own")]
    scores = scored(said, heard, (_taken_back_by(turn) or ("",))[0])
    runs = _runs(turn, scores)
    found, told = [], set()
    for sentence in sentences(said, scores.values):
        run = next((run for run in runs if run[0] <= sentence.best < run[1]), None)
        if run in told:
            continue
        told |= {run} if run else set()
        low, high, best = run or (sentence.start, sentence.stop, sentence.best)
        kind = scores.kind(*run) if run else ""
        doubt = _doubt(turn, scores, run, kind) if run else ""
        score = scores.values[best]
        why = f"{doubt}{_floor(score)} ({scores.reasons(best)})"
        if all(part.withdrawn for part in said[low:high]):
            why = "taken back in the same prompt"
        found.append(Judgement(text_of(said, low, high), kind, why, bool(doubt), score))
    return found


def _floor(score: float) -> str:
    """Returns a score in two digits, rounded down: 0.689 must not look like the threshold 0.69."""
    return f"{int(score * 100) / 100:.2f}"


def _excerpt(text: str, said: Sequence[Part]) -> str:
    """Returns the passage verbatim, as it is in the turn. Returns the joined parts if it is not found or too long."""
    plain = text.replace("’", "'").replace("‘", "'")
    start = plain.find(said[0].text)
    last = plain.find(said[-1].text, max(start, 0))
    end = last + len(said[-1].text)
    if start < 0 or last < 0 or end - start > EXCERPT_CHARS:
        return " … ".join(part.text for part in said)
    return text[start:end]


def _scope(said: str) -> str:
    universal = _UNIVERSAL.search(said) and not _PARTICULAR.search(said)
    return "user" if universal else "project"
