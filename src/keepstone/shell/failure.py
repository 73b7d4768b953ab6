"""The errors that a failed command prints, made comparable: what differs from run to run is left out. Hot module: no
`re`.
"""

from __future__ import annotations

from ..lib.limits import ERROR_LINES
from ..lib.text import clean, head_and_tail, words

ERROR_CHARS = 200  # of a line as it is compared: two terminal lines
ERROR_LOOK_CHARS = 8_000  # of an output, from both ends: a hundred lines
ERROR_WORDS = 3  # that a line must have to be told from others
# that two errors share to be one, and of the shorter; by the development situations
ALIKE_WORDS = 6
ALIKE_SHARE = 0.76
QUOTED_WORDS = 3  # of an output that a memory quotes, so that it is about it

# Parts of words by which a line says that it is about an error.
_TELLS = (
    *("error", "exception", "fatal", "panic", "denied", "refused", "cannot", "can't", "could not", "couldn't"),
    *("unable", "not found", "no such", "unknown", "undefined", "unexpected", "unsupported", "invalid", "missing"),
    *("mismatch", "timed out", "timeout", "expired", "exceeded", "out of memory", "already in use", "conflict"),
    *("failed to", "illegal", "violat", "unresolved", "no module", "not installed", "must be", "err!", "eacces"),
    *("enoent", "econn", "eaddr", "killed", "segmentation", "forbidden", "unauthorized", "deadlock", "overflow"),
)
# Lines that say no more than that something failed.
_GENERAL = (
    *("exit code", "exit status", "exited with", "elifecycle", "a complete log of this run", "command failed"),
    *(
        "traceback (most recent",
        "process completed",
        "build failed",
        "test failed",
        "tests failed",
        "compilation failed",
    ),
    *("short test summary", "could not compile", "aborting due to", "errors during", "npm err! errno", "npm err! code"),
)
_SHORT = frozenset("error errors exception fatal failed failure warning err npm e line at in code status exit".split())


def signatures(output: str) -> list[str]:
    """Each telling line of a failed command's output without numbers, paths, hashes and times, most telling first."""
    found: dict[str, int] = {}
    for number, line in enumerate(telling_lines(output)):
        made = signature(line)
        if made:
            found.setdefault(made, number)
    return list(found)[:ERROR_LINES]


def telling_lines(output: str) -> list[str]:
    """The lines that name an error: what comes last first, as most programs say it at the end."""
    lines = [line.strip() for line in clean(head_and_tail(output, ERROR_LOOK_CHARS)).split("\n")]
    return [line for line in reversed(lines) if _tells(line)]


def _tells(line: str) -> bool:
    low = line.lower()
    long = len(line) > 4 * ERROR_CHARS
    return not long and any(part in low for part in _TELLS) and not any(part in low for part in _GENERAL)


def signature(line: str) -> str:
    """A line as it reads in every run; "" for one that says nothing by itself."""
    kept = [_plain(word) for word in line.split()]
    made = " ".join(word for word in kept if word)
    said = [word for word in words(made) if word not in _SHORT and not word.isdigit() and len(word) > 1]
    return made[:ERROR_CHARS].strip() if len(said) >= ERROR_WORDS else ""


def are_alike(one: str, other: str) -> bool:
    """Whether two signatures are of one error in other circumstances: they share nearly all words of the shorter."""
    mine, theirs = set(words(one)), set(words(other))
    both = len(mine & theirs)
    return both >= ALIKE_WORDS and both > ALIKE_SHARE * min(len(mine), len(theirs))


def quotes(text: str, output: str) -> bool:
    """Whether a text quotes several words of an output."""
    printed = " ".join(output.lower().split())
    for mark in "`'\"":
        for part in text.lower().split(mark)[1::2]:
            if len(words(part)) >= QUOTED_WORDS and " ".join(part.split()) in printed:
                return True
    return False


def _plain(word: str) -> str:
    """A word without what differs from run to run: a path is its file's name, a number or a hash is `#`."""
    core = word.strip("\"'`()[]{}<>,;:.!")
    if not core:
        return ""
    if "://" in core:
        return "#"
    if core.startswith(("/", "./", "../", "~")) or core[1:3] in (":\\", ":/") or core.count("/") > 1:
        core = core.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        if any(char.isdigit() for char in core.split(":", 1)[0]):
            return "#"  # a file that is named anew each time
    core = core.split(":", 1)[0] if core.partition(":")[2][:1].isdigit() else core
    if _is_hash(core):
        return "#"
    made = " ".join(part if _is_code(part) else _unnumbered(part) for part in core.replace("[", " ").split())
    return "#" if "#" in made and not made.strip("#.:-_+,smhxkbgiz%") else made.lower()


def _is_code(word: str) -> bool:
    """Whether a word is an error's own number: E0308, TS2345, ORA-00942."""
    letters = word.rstrip("0123456789").rstrip("-")
    return 0 < len(letters) <= 6 and letters.isupper() and letters.isalpha() and len(word) - len(letters) >= 3


def _unnumbered(word: str) -> str:
    made = ""
    for char in word:
        if not char.isdigit():
            made += char
        elif not made.endswith("#"):
            made += "#"
    return made


def _is_hash(word: str) -> bool:
    plain = word.replace("-", "")
    return len(plain) >= 7 and all(char in "0123456789abcdefABCDEF" for char in plain) and any(map(str.isdigit, plain))
