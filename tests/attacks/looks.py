"""Text as it looks to who reads it quickly: what could pass for a mark of ours, whatever characters it is made of."""

from __future__ import annotations

import re
import unicodedata

ANGLES = "<\u2039\u27e8\u2329\u3008\u276e\u276c\u1438\u02c2\u29fc\u226e\uff1c\ufe64\u2770\u2991\u27ea\u22d6\u227a"
SLASHES = "/\u2044\u2215\u29f8\uff0f\u2571\u29f5"
BRACKETS = "[\uff3b\u27e6\u3010\u3014\u2772\u2045\ufe5d\ufe47\u301a"
_ALIKE = {ord(char): "<" for char in ANGLES} | {ord(char): "/" for char in SLASHES}
_ALIKE |= {ord(char): "[" for char in BRACKETS}
_ALIKE |= dict(
    zip(
        map(ord, "\u0430\u0441\u0456\u0131\u0433\u0578\u0455\u043e\u0442\u0435\u0421\u03f9\u0410\u0406\u039d\u217d"),
        "aciirnsoteCCAINc",
        strict=True,
    )
)
OURS = re.compile(
    r"<\s*/?\s*(?:keepstone|system|user|human|assistant|memory|session|function|invoke|antml)|<\s*/|\[\s*/?\s*keepstone"
)
# Controls but the line break, marks of direction, and what has no width: none of it may reach a screen or a model.
UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)


def folded(text: str) -> str:
    """Without what is unseen or stands over letters, look-alikes as what they look like, in small letters."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text.translate(_ALIKE)) if _shows(char))
    return bare.translate(_ALIKE).lower()


def _shows(char: str) -> bool:
    return not unicodedata.combining(char) and (char == "\n" or unicodedata.category(char) not in ("Cf", "Cc", "Cs"))


def marks(text: str) -> list[str]:
    """What in a text could pass for a mark of ours, or of the client's."""
    return OURS.findall(folded(text))


def unseen(text: str) -> list[str]:
    """The names of the characters in it that should not be there."""
    return sorted({f"U+{ord(char):04X}" for char in UNSEEN.findall(text)})
