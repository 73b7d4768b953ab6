"""Makes errors of failed commands comparable: parts that differ from run to run are removed. Hot module: no `re`."""

from __future__ import annotations

from ..lib.limits import ERROR_LINES
from ..lib.text import clean, head_and_tail, words

ERROR_CHARS = 200  # per compared line: two terminal lines
ERROR_LOOK_CHARS = 8_000  # read from both ends of an output: about a hundred lines
ERROR_WORDS = 3  # a line with fewer words is too general
# Words that two errors must share to be the same, and their share of the shorter one. Tuned on the development
# situations.
ALIKE_WORDS = 6
ALIKE_SHARE = 0.76
QUOTED_WORDS = 3  # words in a row of an output that a memory must quote to be about it

# Parts of words by which a line reports an error.
_TELLS = (
    *("error", "exception", "fatal", "panic", "denied", "refused", "cannot", "can't", "could not", "couldn't"),
    *("unable", "not found", "no such", "unknown", "undefined", "unexpected", "unsupported", "invalid", "missing"),
    *("mismatch", "timed out", "timeout", "expired", "exceeded", "out of memory", "already in use", "conflict"),
    *("failed to", "illegal", "violat", "unresolved", "no module", "not installed", "must be", "err!", "eacces"),
    *("enoent", "econn", "eaddr", "killed", "segmentation", "forbidden", "unauthorized", "deadlock", "overflow"),
)
# Parts of lines that say only that something failed.
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
    """Returns the signature of each line that reports an error, the last line first. At most ERROR_LINES."""
    found: dict[str, int] = {}
    for number, line in enumerate(telling_lines(output)):
        made = signature(line)
        if made:
            found.setdefault(made, number)
    return list(found)[:ERROR_LINES]


def telling_lines(output: str) -> list[str]:
    """Returns the lines that name an error, the last first, because most programs print it at the end."""
    lines = [line.strip() for line in clean(head_and_tail(output, ERROR_LOOK_CHARS)).split("\n")]
    return [line for line in reversed(lines) if _tells(line)]


def _tells(line: str) -> bool:
    low = line.lower()
    long = len(line) > 4 * ERROR_CHARS
    return not long and any(part in low for part in _TELLS) and not any(part in low for part in _GENERAL)


def signature(line: str) -> str:
    """Returns a line without the parts that differ from run to run, or "" if the rest is too general."""
    kept = [_plain(word) for word in line.split()]
    made = " ".join(word for word in kept if word)
    said = [word for word in words(made) if word not in _SHORT and not word.isdigit() and len(word) > 1]
    return made[:ERROR_CHARS].strip() if len(said) >= ERROR_WORDS else ""


def are_alike(one: str, other: str) -> bool:
    """Tells whether two signatures are of the same error: they share nearly all words of the shorter one."""
    mine, theirs = set(words(one)), set(words(other))
    both = len(mine & theirs)
    return both >= ALIKE_WORDS and both > ALIKE_SHARE * min(len(mine), len(theirs))


def quotes(text: str, output: str) -> bool:
    """Tells whether a text quotes at least QUOTED_WORDS words of an output."""
    printed = " ".join(output.lower().split())
    for mark in "`'\"":
        for part in text.lower().split(mark)[1::2]:
            if len(words(part)) >= QUOTED_WORDS and " ".join(part.split()) in printed:
                return True
    return False


def _plain(word: str) -> str:
    """Returns a word without the parts that differ from run to run: a path becomes its file's name, a number or hash
    `#`.
    """
    core = word.strip("\"'`()[]{}<>,;:.!")
    if not core:
        return ""
    if "://" in core:
        return "#"
    if core.startswith(("/", "./", "../", "~")) or core[1:3] in (":\\", ":/") or core.count("/") > 1:
        core = core.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        if any(char.isdigit() for char in core.split(":", 1)[0]):
            return "#"  # a file with a generated name
    core = core.split(":", 1)[0] if core.partition(":")[2][:1].isdigit() else core
    if _is_hash(core):
        return "#"
    made = " ".join(part if _is_code(part) else _unnumbered(part) for part in core.replace("[", " ").split())
    return "#" if "#" in made and not made.strip("#.:-_+,smhxkbgiz%") else made.lower()


def _is_code(word: str) -> bool:
    """Tells whether a word is an error's code: E0308, TS2345, ORA-00942."""
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
