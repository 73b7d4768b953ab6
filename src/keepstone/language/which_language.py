"""Tells in which language a text is, by its script and its most frequent words."""

from __future__ import annotations

import re
from collections import Counter

from ..lib.pattern import Pattern
from ..lib.text import words

_LOOKED_AT = 5_000  # characters of a text
_WORDS_MIN = 3  # frequent words that a language is told by
_LETTERS_MIN = 8  # letters of another script
_LEAD = 2  # times as many frequent words as of any other language
_SCRIPTS = {
    "Cyrillic": Pattern(r"[\u0400-\u04ff]"),
    "Greek": Pattern(r"[\u0370-\u03ff]"),
    "Hebrew": Pattern(r"[\u0590-\u05ff]"),
    "Arabic": Pattern(r"[\u0600-\u06ff]"),
    "Indic": Pattern(r"[\u0900-\u0dff]"),
    "Thai": Pattern(r"[\u0e00-\u0e7f]"),
    "Japanese": Pattern(r"[\u3040-\u30ff]"),
    "Chinese": Pattern(r"[\u4e00-\u9fff]"),
    "Korean": Pattern(r"[\uac00-\ud7af]"),
}
_FREQUENT = {
    "en": "the of and to is in that it for with are this be not you must before after when from always never use",
    "de": "der die das und ist nicht ein eine zu mit für auf wird werden dem den von im sich auch muss immer vor nie",
    "fr": "le la les des et est une pour dans que qui pas sur avec ne il du au être sont toujours jamais avant doit",
    "es": "el los las y es una para en que no con por se del al son como más siempre nunca antes debe hay usar",
    "it": "il lo gli e è una per che non con di del della si sono come più sempre mai prima deve nel usare",
    "pt": "o os as e é uma para em que não com por se do da dos são como mais sempre nunca antes deve usar",
    "nl": "de het een en is van niet voor met op te dat zijn wordt worden aan bij ook altijd nooit moet eerst",
    "pl": "i w na z do nie jest się to że o jak przed po przez zawsze nigdy musi należy oraz dla od",
    "sv": "och att det är en ett som på för med av inte till den vara ska alltid aldrig innan måste från",
    "tr": "ve bir bu için ile değil da de her önce sonra olarak daha gibi asla kullan gerekir olmalı",
}
_LANGUAGES = {
    word: [one for one in _FREQUENT if word in _FREQUENT[one].split()]
    for text in _FREQUENT.values()
    for word in text.split()
}
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def language_of(text: str) -> str:
    """Returns the name of a text's language or script, or "" if it can't be told: it is short, code, or mixed."""
    seen = _CODE.sub(" ", text[:_LOOKED_AT])
    if not seen.isascii():
        scripts = Counter({name: len(script.findall(seen)) for name, script in _SCRIPTS.items()})
        if scripts["Japanese"] >= _LETTERS_MIN // 2:
            return "Japanese"
        name, count = scripts.most_common(1)[0]
        if count >= _LETTERS_MIN:
            return name
    counts = Counter(language for word in set(words(seen)) for language in _LANGUAGES.get(word, ()))
    (first, most), (_, second) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    return first if most >= max(_WORDS_MIN, _LEAD * second) else ""
