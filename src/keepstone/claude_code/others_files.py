"""Which files hold text that others have written, although a local program or tool reads them: packages, mail, what was
downloaded, logs of requests, and what the session itself has fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..lib.pattern import Pattern
from ..shell.parse import commands, joined, program, started
from ..shell.script import parted, substitutions

# Tools of the client's that show what is in files.
FILE_READERS = ("Read", "Grep", "NotebookRead")
# Programs that show what is in files, and those of them whose first word is a pattern or a script.
_READERS = frozenset(
    """
    cat tac head tail less more bat nl zcat zless zgrep grep egrep fgrep rg ag ack sed awk gawk cut sort uniq column
    fold fmt rev tr strings xxd od hexdump diff cmp comm paste join jq yq xq xmllint pandoc glow mdcat base64 expand
    shuf tee get-content select-string
    """.split()
)
_PATTERN_FIRST = frozenset("grep egrep fgrep zgrep rg ag ack sed awk gawk jq yq xq tr select-string".split())
_LEAVES_OUT = frozenset("--exclude-dir --exclude --ignore-dir --ignore -g --glob --iglob -path -not -prune".split())
_PLACES = Pattern(
    r"(?:^|/)(?:node_modules|bower_components|site-packages|dist-packages|vendor|third_party|third-party|Maildir|Mail|"
    r"Downloads|FETCH_HEAD)(?:/|$)|^/var/(?:log|mail|spool|www)(?:/|$)|(?:^|/)\.(?:cargo/registry|cargo/git|m2/repository|"
    r"gradle/caches|npm/_cacache|cache|nuget/packages|pub-cache|gem)(?:/|$)|(?:^|/)go/pkg/mod(?:/|$)|"
    r"\.(?:mbox|eml|msg|patch\.mail)$"
)
_WRITES = frozenset(("-o", "-O", "--output", "--output-document", "-P", "--directory-prefix", "--output-dir"))
_GIVES_NAME = frozenset(("wget", "aria2c", "axel", "clone", "get"))  # what these bring is called as its address ends
_REDIRECTED = Pattern(r"(?<![<>&\d])(?:\d|&)?>{1,2}\|?\s*([^\s;&|<>()]+)")
_TAKEN_IN = Pattern(r"(?<!<)<\s*([^\s;&|<>()]+)")
_ADDRESS = Pattern(r"[a-z][a-z\d+.-]*://\S+|[\w.-]+@[\w.-]+:\S+", 2)
_MOST_FILES = 200  # of a session that are remembered


def is_others(path: str) -> bool:
    """Tells whether others have written what is in a file, by where it lies."""
    return bool(_PLACES.search(path.replace("\\", "/").strip("'\"")))


def shown_files(script: str) -> Iterator[str]:
    """Yields the files whose content the commands of a shell line show, also those in its substitutions."""
    line, _ = parted(script)
    for one in (line, *substitutions(line)):
        yield from (found.strip("'\"") for found in _TAKEN_IN.findall(one))
        for command in commands(one, most=len(one)):
            for word in _shown_by(started(command.words)):
                yield joined(command.folder, word) if command.folder else word


def _shown_by(words: Sequence[str]) -> list[str]:
    """Returns the files that a simple command shows: of a finder, those that it gives to a program that shows them."""
    at = next((at for at, word in enumerate(words) if program(word) in _READERS), -1)
    if at < 0 or not (at == 0 or program(words[0]) in ("find", "fd", "xargs", "git", "command", "builtin")):
        return []
    told = [
        word
        for last, word in zip(words, words[1:], strict=False)
        if word[:1] not in ("-", "!") and last not in _LEAVES_OUT
    ]
    is_led = at == 0 and program(words[0]) in _PATTERN_FIRST and not {"-e", "-f"} & set(words)
    return told[1:] if is_led else told


def written_files(script: str) -> list[str]:
    """Returns the files and folders that the commands of a shell line write: by a redirection, an option, or, of what
    is fetched, by the end of its address.
    """
    line, _ = parted(script)
    found = [word.strip("'\"") for word in _REDIRECTED.findall(line)]
    for command in commands(line, most=len(line)):
        words = started(command.words)
        named = [after for word, after in zip(words, words[1:], strict=False) if word in _WRITES and after[:1] != "-"]
        named += [word.partition("=")[2] for word in words if word.startswith(("--output=", "--output-document="))]
        found += [joined(command.folder, one) if command.folder else one for one in named]
        if words and (not _GIVES_NAME.isdisjoint(map(program, words)) or "-O" in words or "-OL" in words):
            found += _by_address(words)
    return [one for one in found if one not in ("/dev/null", "-", "/dev/stderr", "/dev/stdout")]


def _by_address(words: Sequence[str]) -> list[str]:
    """Returns the name of what is fetched from an address, and the folder that is named behind it."""
    at = next((at for at, word in enumerate(words) if _ADDRESS.fullmatch(word) or word.count("/") == 1), len(words))
    name = words[at].rstrip("/").rpartition("/")[2].partition("?")[0].removesuffix(".git") if at < len(words) else ""
    behind = words[at + 1 : at + 2] if "clone" in words else []
    return [one for one in (name, *behind) if one and one[:1] != "-"]


class SessionFiles:
    """The files that a session has fetched, and those that it has made by itself."""

    def __init__(self, cwd: str = "", root: str = "", home: str = "") -> None:
        """`cwd` is where the session began, `root` the folder of its project, `home` the user's: "" for unknown."""
        self.cwd, self.root, self.home = cwd, root, home
        self._fetched: list[str] = []
        self._made: set[str] = set()

    def note(self, paths: Iterable[str], is_fetched: bool) -> None:
        """Remembers what was written."""
        for path in paths:
            if is_fetched and len(self._fetched) < _MOST_FILES:
                self._fetched.append(path.removeprefix("./").rstrip("/"))
            elif not is_fetched and len(self._made) < _MOST_FILES:
                self._made.add(path)

    def are_others(self, paths: Iterable[str]) -> bool:
        """Tells whether others have written one of the files."""
        return any(is_others(path) or self._was_fetched(path) or self._is_elsewhere(path) for path in paths)

    def _was_fetched(self, path: str) -> bool:
        around = "/" + path.removeprefix("./").strip("/") + "/"
        return any(one and "/" + one.lstrip("/") + "/" in around for one in self._fetched)

    def _is_elsewhere(self, path: str) -> bool:
        """Tells whether a file is outside of the project, and neither the machine's own settings nor made here."""
        if not self.root or path in self._made:
            return False
        if path.startswith(("~/", "$HOME/")):
            path = self.home + path[path.index("/") :] if self.home else ""
        elif path.startswith("../"):
            path = joined(self.cwd, path)
        if not path.startswith("/") or _is_below(path, self.root) or path.startswith(_OF_THE_MACHINE):
            return False
        return not (self.home and path.startswith(self.home + "/."))


_OF_THE_MACHINE = ("/etc/", "/proc/", "/sys/", "/dev/", "/usr/", "/opt/", "/bin/", "/lib/", "/nix/", "/Library/")


def _is_below(path: str, folder: str) -> bool:
    return (path + "/").startswith(folder.rstrip("/") + "/")
