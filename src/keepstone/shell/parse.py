"""Splits a shell line into simple commands, and finds the program that each one starts in the end. Hot module: no `re`,
no `shlex`. Parses as much as comparing needs, and skips the rest.
"""

from __future__ import annotations

from ..lib.limits import OBSERVED_LOOK_CHARS

# Programs that only start another program, with the number of their own arguments; and options that take an argument.
RUNNERS = dict.fromkeys("npx uvx sudo time env nice xvfb-run nohup command bunx pnpx exec".split(), 0)
RUNNERS["timeout"] = 1
RUN_WITH = {name: "run" for name in "uv poetry pipenv pdm hatch rye conda".split()}
RUN_WITH.update({name: "exec" for name in "bundle pnpm yarn npm".split()})
RUN_WITH.update({"python": "-m", "python3": "-m"})
WITH_WORD = frozenset("-n -u -k -s -p -g --extra --group --with --python --package --project --directory".split())

# Programs that only display: a program's name among their arguments does not run it.
SHOWS = frozenset(
    "ag awk bat cat diff du echo find grep head jq journalctl less ls more nl printf rg sed sort stat tail tree wc "
    "zcat egrep fgrep zgrep".split()
)
GIT_SHOWS = frozenset("blame diff grep log show status".split())

_ENDS = frozenset(";|&\n()")
_BLANKS = _ENDS | {" ", "\t"}
_KEYWORDS = frozenset("do then else if elif while until ! { }".split())


class Command:
    """One simple command: its `words` without expansion, the assignments before them (`sets`), the folder in which it
    runs, and its `redirects`, each a sign and a file: "2>", "a.log".
    """

    __slots__ = ("words", "sets", "folder", "redirects")

    def __init__(self, words: list[str], folder: str) -> None:
        words, self.redirects = _without_redirects(words)
        first = 0
        while first < len(words) and (words[first] in _KEYWORDS or is_assignment(words[first])):
            first += 1
        self.sets = [word for word in words[:first] if is_assignment(word)]
        self.words = words[first:]
        self.folder = folder

    @property
    def only_shows(self) -> bool:
        """Tells whether the command only displays data."""
        name, rest = program(self.words[0]), self.words[1:]
        if name == "git" and rest[:1] != [] and rest[0] in ("tag", "branch", "remote", "stash", "config", "worktree"):
            return any(word in ("list", "show", "-l", "--list", "-v", "-vv", "--get", "-a") for word in rest[1:])
        if name == "sed" and any(word.startswith(("-i", "--in-place")) for word in rest):
            return False
        return name in SHOWS or (name == "git" and rest[:1] != [] and rest[0] in GIT_SHOWS)

    @property
    def started(self) -> list[str]:
        """Returns the words of the program that runs in the end, without its runners."""
        return started(self.words)


def commands(line: str, folder: str = "", most: int = OBSERVED_LOOK_CHARS) -> list[Command]:
    """Returns the simple commands in the first `most` characters of a shell line that runs in `folder`, in order. Each
    has the folder of the `cd` before it.
    """
    found: list[Command] = []
    for words in _parted(line[:most]):
        one = Command(words, folder)
        if one.words[:1] in (["cd"], ["pushd"]) and len(one.words) > 1:
            folder = joined(folder, one.words[1])
        elif one.words:
            found.append(one)
        elif found:
            found[-1].redirects += one.redirects  # behind a bracket, or "&>"
    return found


def assigned(line: str, most: int = OBSERVED_LOOK_CHARS) -> list[str]:
    """Returns the assignments in the first `most` characters of a shell line, also those without a command."""
    return [one for words in _parted(line[:most]) for one in Command(words, "").sets]


def joined(folder: str, path: str) -> str:
    """Joins a path to a folder and resolves `.` and `..`. An absolute path is returned unchanged."""
    if path.startswith(("/", "~", "$")):
        return path
    parts = [part for part in folder.split("/") if part]
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return ("/" if folder.startswith("/") else "") + "/".join(parts)


def is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def program(word: str) -> str:
    """Returns the name of the program that a command's first word starts."""
    return word.rsplit("/", 1)[-1]


def started(words: list[str]) -> list[str]:
    """Returns the words of the program that starts in the end, without its runners."""
    while words:
        name = program(words[0])
        if RUN_WITH.get(name) in words[1:2]:
            words = _past_options(words[2:])
        elif name in RUNNERS:
            words = _past_options(words[1:])[RUNNERS[name] :]
            while words and is_assignment(words[0]):
                words = words[1:]
        else:
            break
    return words


def _past_options(words: list[str]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in WITH_WORD else 1 :]
    return words


def _parted(line: str) -> list[list[str]]:
    """Splits a line into the words of each command."""
    line = _without_document(line.replace("\\\n", " "))
    parts: list[list[str]] = [[]]
    word: str | None = None
    quote = ""
    escaped = remark = False
    for char in line + "\n":
        if escaped:
            word = (word or "") + char
            escaped = False
        elif remark and char != "\n":
            continue
        elif char == "\\" and quote != "'":
            word = (word or "") + char
            escaped = True
        elif char == "#" and word is None and not quote:
            remark = True
        elif quote or char in "'\"":
            word = (word or "") + (char if quote not in ("", char) else "")
            quote = "" if char == quote else quote or char
        elif (is_sign := _begins_redirect(char, word)) or (char in _BLANKS and not _is_in_redirect(char, word)):
            parts[-1] += [] if word is None else [word]
            word, remark = char if is_sign else None, False
            parts += [[]] if char in _ENDS else []
        else:
            word = (word or "") + char
    return [words for words in parts if words]


def _begins_redirect(char: str, word: str | None) -> bool:
    """Tells whether a sign stands right behind a word that is no part of it: "make>a.log"."""
    return char in "<>" and word is not None and word[-1:] not in ("<", ">") and word.strip("0123456789&") != ""


def _is_in_redirect(char: str, word: str | None) -> bool:
    return char in "&|" and word is not None and word[-1:] in ("<", ">")


def _without_document(line: str) -> str:
    """Cuts off the body of a here-document, which is text."""
    body = line.find("<<")
    if body >= 0 and line[body : body + 3] != "<<<" and "\n" in line[body:]:
        return line[: line.find("\n", body)]
    return line


def _without_redirects(words: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Returns the words of a command, and its redirections. A quoted text that begins with a sign counts as one."""
    kept: list[str] = []
    found: list[tuple[str, str]] = []
    sign = ""
    for word in words:
        if sign:
            found.append((sign, word))
            sign = ""
        elif (plain := word.lstrip("0123456789&")).startswith((">", "<")):
            file = plain.lstrip("<>|&")
            sign = word if not file else ""
            found += [(word[: len(word) - len(file)], file)] if file else []
        else:
            kept.append(word)
    return kept, found
