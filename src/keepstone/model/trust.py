"""Detects suspect memories: those that read as an order to a model, or that come from content that anyone can write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from unicodedata import combining, name, normalize

from ..lib.pattern import Pattern
from ..lib.text import one_line

INSTRUCTS = "reads as instructions to a model"

# Phrases that planted text uses, and that people do not say to an assistant about a project.
_INSTRUCTS = Pattern(
    r"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |every |of )*(?:"
    r"(?:previous|prior|earlier|above|system|safety)\b[^.]{0,40}\b(?:instructions?|prompts?|rules?|messages?|"
    r"guidelines?|context)|(?:other|existing) (?:instructions?|prompts?|guidelines?)|system prompts?)\b|"
    r"\b(?:ignore|disregard|override) (?:the )?(?:user|human)'?s? (?:requests?|instructions?|orders?|prompts?)\b|"
    r"\byou are now in (?:an? |the )?\w+ mode\b|"
    r"\b(?:you are|act as|behave as|pretend to be) (?:now )?(?:an? |the )?(?:\w+ ){0,3}(?:ai|assistant|agent|model|"
    r"llm|chatbot|claude|dan|developer mode)\b|\bjailbreak\b|"
    # one is the model's own; those of whoever builds something with models are "each" or "our"
    r"(?<!\beach )(?<!\bevery )(?<!\bour )(?<!\beach \*\*)(?<!\bevery \*\*)(?<!\bour \*\*)\bsystem prompt\b|"
    r"\b(?:reveal|print|show|output|leak|repeat|dump|disclose|send|post|quote|overrides?|same (?:rank|level))\b"
    r"[^.]{0,40}\bsystem prompts?\b|"
    r"\b(?:do not|don'?t|never) (?:tell|inform|alert|notify) (?:the )?(?:user|human|owner)s?\b"
    r"(?:[^.]{0,20}\b(?:this|that|about|of|anything)\b|[.!,;]|$)|"
    r"\b(?:do not|don'?t|never) (?:mention|reveal|show|disclose) (?:this|it|that|any of (?:this|it)|anything|these|"
    r"your)\b[^.]{0,30}\b(?:user|human|anyone|owner)\b|"
    r"\bwithout (?:telling|asking|informing|the knowledge of) (?:the )?(?:user|human)\b|"
    r"\b(?:(?:ai|language) models?|assistants?) (?:must|should|shall|have to|has to|are required to|is required to) "
    r"(?:always|never|now|first|run|execute|send|fetch|ignore|follow|obey|open|visit)\b|"
    r"\b(?:curl|wget|irm|iwr|invoke-webrequest)\b[^|\n]{0,200}\|\s*(?:sudo )?(?:(?:ba|z|da)?sh|python3?|node|perl)\b|"
    r"\|\s*iex\b|"
    r"(?<!never )(?<!not )(?<!n't )(?<!dont )\b(?:send|post|upload|exfiltrate|forward|leak|e?mail)\b[^.,;]{0,60}"
    r"(?:\b(?:secrets?|tokens?|passwords?|credentials?|api keys?|env(?:ironment)? (?:variables?|file)|ssh keys?|"
    r"private keys?|history)\b|\.env\b)[^.,;]{0,60}\bto\b\s+\S*(?:https?:|\w\.\w{2,})|"
    r"\b(?:disable|turn off|skip|bypass)\b[^.]{0,30}\b(?:permission prompts?|sandbox mode|safety (?:checks?|mode))\b|"
    r"\b(?:approve|allow|accept|confirm|grant|run|execute)\b[^.,;]{0,20}\b(?:all|every|any|each) "
    r"(?:tool|command|permission|edit|request|prompt)\w*(?: \w+)? without (?:asking|confirm\w+|review)|"
    r"(?:^|[.!?:;>*#(\[-])\s*(?:important )?(?:notes?|reminders?|notices?|messages?|instructions?|directives?) "
    r"(?:for|to) (?:the |any |all |every )?(?:ai|llm|(?:language )?model|(?:ai )?assistant|(?:ai )?agent)s?\s*[:—-]|"
    r"(?:&#(?:x[0-9a-f]{2,5}|\d{2,6});){6}|"  # words that only a program reads
    r"\b(?:decode|decipher|decrypt|unescape|unscramble)\b[^.\n]{0,40}\b(?:and|then)\b,? "
    r"(?:comply|obey|(?:follow|execute) (?:it|them|that|those|what)|do (?:it|so|what|as))\b|"
    r"\bno need to (?:ask|confirm)\b|"
    r"\b(?:users?|owners?|admins?|operator) ha(?:s|ve) (?:already )?(?:approved|authori[sz]ed|consented|allowed)\b|"
    r"--dangerously-skip-permissions|</?(?:system|assistant|instructions?|important)>|</user>|\bnew instructions?:",
    re.IGNORECASE,
)

# What the user may ask a model to do to what waits or was forgotten.
_ASKS = {
    "accept": Pattern(r"\baccept\b", re.IGNORECASE),
    "restore": Pattern(r"\b(?:restore|bring\b.*\bback)\b", re.IGNORECASE),
    "undo": Pattern(r"\bundo\b", re.IGNORECASE),
    "reject": Pattern(r"\b(?:reject|forget)\b", re.IGNORECASE),
}
_OPPOSITE = {"accept": "reject", "reject": "accept"}
_TAKES_BACK = Pattern(r"\b(?:forget|erase|delete|remove|undo)\b", re.IGNORECASE)
_DECLINES = Pattern(r"\b(?:never|not|no|none|nothing|cannot|except|unless|if|but|dont)\b|n['\u2019]t\b", re.IGNORECASE)

# Letters of other scripts that look like Latin ones, beside those, and the apostrophe that phones type. A capital
# counts as the small letter.
_ALIKE = (
    ("\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u04cf", "aeopcyxijsdhl"),  # Cyrillic
    ("\u0432\u043d\u043a\u043c\u0442\u0433\u044c\u051d\u051b\u0475\u0461\u0493\u0451", "bhkmtrbwqvwfe"),
    (
        "\u03bf\u03bd\u03b9\u03ba\u03c1\u03b1\u03c5\u03c4\u03c7\u03b3\u03c9\u03b7\u03b5\u03b2\u03bc\u03c3\u03f2\u03f3\u03b6",
        "ovikpautxywnebuocjz",
    ),  # Greek
    (
        "\u0585\u057d\u0570\u0578\u057c\u0581\u0566\u0563\u0575\u0561\u056c\u0582\u0584\u057f\u0565",
        "ouhnngqqjwlifst",
    ),  # Armenian
    ("\u2c9f\u2ca5\u2ca3\u2c93\u2c95\u2c9b\u2ca7\u2ca9\u2c81\u2c83\u2c89\u2c8f\u2cad", "ocpikntyabehx"),  # Coptic
    (
        "\u13aa\u13a0\u13ac\u13bb\u13ab\u13e6\u13de\u13b7\u13e2\u13da\u13a2\u13d9\u13b3\u13c3\u13a1\u13c0\u13df\u13f4\u13f3\u13a5",
        "adehjklmpstvwzrgcbgi",
    ),  # Cherokee
    ("\u0131\u0269\u0251\u0261\u026d\u1d0f\u028b\u028f\u0280\u0274\u2019", "iiaglovyrn'"),
)


class _Looks(dict):  # type: ignore[type-arg]
    """A table for str.translate: removes combining characters, and turns a letter into the Latin one that it looks
    like, from the tables above or as Unicode names it ("LATIN LETTER SMALL CAPITAL A"). Each character is checked once.
    """

    def __missing__(self, code: int) -> str | int | None:
        char = chr(code)
        called = name(char, "")
        last = called.rpartition(" ")[2]
        is_latin = len(last) == 1 and ("LATIN" in called or "REGIONAL" in called)
        alike = self.get(ord(char.lower()), code) if len(char.lower()) == 1 else code
        self[code] = None if combining(char) else last.lower() if is_latin and code > 0x7F else alike
        return self[code]  # type: ignore[no-any-return]


_LOOKS = _Looks({ord(other): latin for others, latins in _ALIKE for other, latin in zip(others, latins, strict=True)})
_LOOKS.update({code: code for code in range(0x80)})


def suspicion(texts: Iterable[str], outside: str = "") -> str:
    """Returns why a memory must be quarantined, or "" if it need not be. `outside` is the reason why the assistant's
    text may come from untrusted content.
    """
    return INSTRUCTS if any(map(_instructs, texts)) else outside


def is_asked_for(what: str, names: Sequence[str], said: str) -> bool:
    """Tells whether the user's words ask to accept, restore, undo or reject something by one of its names. A sentence
    that also declines something asks for nothing.
    """
    return any(name in sentence for name in names for sentence in askings(said, (what,)))


def askings(said: str, what: Iterable[str] = tuple(_ASKS)) -> list[str]:
    """Returns the sentences that ask for such a thing."""
    sentences = [one for one in re.split(r"[.;!?\n]", said) if not _DECLINES.search(one)]
    return [one for one in sentences if any(_asks(one, name) for name in what)]


def _asks(sentence: str, what: str) -> bool:
    opposite = _OPPOSITE.get(what)
    return bool(_ASKS[what].search(sentence)) and not (opposite and _ASKS[opposite].search(sentence))


def takes_back(said: str) -> bool:
    """Tells whether the user's words ask to forget something: then they do not ask to keep what they name."""
    return bool(_TAKES_BACK.search(said))


def _instructs(text: str) -> bool:
    """Tells whether a text reads as an order to a model. Also checks names of files and branches, whose words are
    joined by dashes.
    """
    seen = as_it_looks(text)
    spaced = " ".join(map(_spaced, seen.split(" ")))
    return bool(_INSTRUCTS.search(seen)) or (spaced != seen and bool(_INSTRUCTS.search(spaced)))


def _spaced(word: str) -> str:
    """Returns a name of three words or more as separate words. Underscores are replaced only in file names, because
    code is full of such words ("user_has_approved_terms").
    """
    if word.count("-") >= 2:
        word = word.replace("-", " ")
    return word.replace("_", " ") if "." in word and word.count("_") >= 2 else word


def as_it_looks(text: str) -> str:
    """Returns text as it looks: without invisible and combining characters, and with look-alike
    letters as Latin ones.
    """
    seen = one_line(text)
    if seen.isascii():
        return seen
    return normalize("NFKD", seen).translate(_LOOKS)
