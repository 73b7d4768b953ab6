"""Which files hold text that others have written, although a local program or tool reads them: packages, mail, what was
downloaded, logs of requests, and what the session itself has fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from ..lib.pattern import Pattern
from ..shell.parse import commands, joined, program, started
from ..shell.script import parted, substitutions

# Tools of the client's that show what is in files.
FILE_READERS = ("Read", "Grep", "NotebookRead")
# Programs that show what is in files, and those of them whose first word is a pattern or a script.
_READERS = frozenset(
    """
    cat tac head tail less more bat nl zcat zless zgrep grep egrep fgrep rg ag ack sed awk gawk cut sort uniq column
    fold fmt rev strings xxd od hexdump diff cmp comm paste join jq yq xq xmllint pandoc glow mdcat base64 expand
    shuf get-content select-string
    """.split()
)
_SEARCHERS = "grep egrep fgrep zgrep rg ag ack select-string".split()
_PATTERN_FIRST = frozenset((*_SEARCHERS, *"sed awk gawk jq yq xq fd".split()))
_PATTERNS = frozenset("--regexp --file --expression --from-file --files".split())  # then no pattern comes first
# The letters of the options that take the next word, by program, and the long ones of any.
_LETTERS = {
    **dict.fromkeys(_SEARCHERS, "efABCmdD"),
    **{"rg": "efABCmMgtTjrE", "ag": "ABCGm", "ack": "ABCm", "sed": "efl", "awk": "Fvfe", "gawk": "Fvfe", "jq": "fL"},
    **{"cut": "dfcb", "head": "nc", "tail": "ncs", "sort": "ktoST", "uniq": "fsw", "column": "sco", "fold": "w"},
    **{
        "fmt": "w",
        "nl": "bdfhilnsvw",
        "strings": "n",
        "xxd": "lsc",
        "od": "AtNj",
        "hexdump": "nse",
        "join": "t12oajev",
    },
    **{"paste": "d", "diff": "UIxL", "cmp": "n", "shuf": "no", "base64": "w", "expand": "t", "pandoc": "fto"},
    **{"bat": "lr", "fd": "EetdxX", "git": "cbojuC", "gh": "R", "wget": "OPoUeiat", "wget2": "OPoUeiat", "axel": "on"},
    **{"curl": "oHdXuAebwmTFKEx", "aria2c": "odxsj"},
}
_LONG = frozenset(
    """
    --regexp --file --expression --after-context --before-context --context --max-count --include --exclude
    --exclude-dir --ignore-dir --ignore --glob --iglob --type --type-not --replace --color --lines --bytes --delimiter
    --fields --key --field-separator --from --to --output --language --arg --argjson --indent --max-depth --branch
    --depth --origin --reference --header --user-agent --data --request --output-document --directory-prefix
    --output-dir --dir --out
    """.split()
)
# Programs that name files, which a program behind `xargs` or a variable then shows.
_FINDERS = frozenset("find fd ls for locate".split())
_HANDS_ON = frozenset("xargs parallel".split())
_PLACES = Pattern(
    r"(?:^|/)(?:node_modules|bower_components|site-packages|dist-packages|vendor|third_party|third-party|Maildir|"
    r"FETCH_HEAD)(?:/|$)|(?:^|/)\.(?:cargo/registry|cargo/git|m2/repository|gradle/caches|npm/_cacache|cache|"
    r"nuget/packages|pub-cache|gem)(?:/|$)|(?:^|/)go/pkg/mod(?:/|$)|\.(?:mbox|eml|msg|patch\.mail)$"
)
_PLACES_OF_THE_MACHINE = Pattern(r"^[/~$].*/(?:Mail|Downloads)(?:/|$)|^/var/(?:log|mail|spool|www)(?:/|$)")
# What a command in the background says, which the client writes.
_TASK = Pattern(r"^(?:/private)?/(?:tmp|var/folders/[^/]+/[^/]+/T)/claude(?:-\d+)?/(?:[^/]+/){1,2}tasks/[^/]+\.output$")
# Programs that fetch, which are told where to: into a file, or into a folder.
_FETCHERS = frozenset("curl curlie wget wget2 aria2c axel http https httpie xh yt-dlp gh glab".split())
_CALLS_BY_ADDRESS = frozenset("wget wget2 aria2c axel".split())  # unless told a name
_INTO_FILE = frozenset("-o -O --output --output-document --out".split())
_INTO_FOLDER = frozenset("-P --directory-prefix --output-dir --dir".split())
_CLONERS = frozenset("git gh glab hg jj".split())
_GETTERS = frozenset("sftp lftp ftp s3cmd mc".split())
_REDIRECTED = Pattern(r"(?<![<>&\d])(?:\d|&)?>{1,2}\|?\s*([^\s;&|<>()]+)")
_TAKEN_IN = Pattern(r"(?<!<)<\s*([^\s;&|<>()]+)")
_ADDRESS = Pattern(r"[a-z][a-z\d+.-]*://\S+|[\w.-]+@[\w.-]+:\S+", 2)
_NO_FILES = frozenset(("/dev/null", "-", "/dev/stderr", "/dev/stdout"))
_MOST_FILES = 200  # of a session that are remembered


def shown_files(script: str) -> Iterator[str]:
    """Yields the files whose content the commands of a shell line show, also those in its substitutions."""
    line, _ = parted(script)
    for one in (line, *substitutions(line)):
        yield from (found.strip("'\"") for found in _TAKEN_IN.findall(one))
        run = [(command.folder, started(command.words)) for command in commands(one, most=len(one))]
        is_handed = any(_is_handed(words) for _, words in run)
        for folder, words in run:
            named = _named_by(words) if is_handed and program(words[0] if words else "") in _FINDERS else []
            for word in (*_shown_by(words), *named):
                yield joined(folder, word) if folder else word


def _is_handed(words: Sequence[str]) -> bool:
    """Tells whether a command shows files that another one names: behind `xargs`, or in a variable or substitution."""
    at = _reader_at(words)
    behind = at > 0 and program(words[0]) in _HANDS_ON
    return behind or (at == 0 and any(word[:1] == "$" and not word.startswith("$HOME") for word in words[1:]))


def _reader_at(words: Sequence[str]) -> int:
    return next((at for at, word in enumerate(words) if program(word) in _READERS), -1)


def _shown_by(words: Sequence[str]) -> list[str]:
    """Returns the files that a simple command shows: of a finder, those that it gives to a program that shows them."""
    at = _reader_at(words)
    name = program(words[0]) if words else ""
    if at < 0 or not (at == 0 or name in ("find", "fd", "git", *_HANDS_ON)):
        return []
    if name == "git" and not {"grep", "diff"} & {words[at]}:
        return []
    return (_named_by(words[:at]) if at else []) + _told(program(words[at]), words[at + 1 :])


def _named_by(words: Sequence[str]) -> list[str]:
    """Returns the files and folders in which a finder looks."""
    name = program(words[0])
    if name in ("fd", "git"):
        return _told(name, words[1:]) if name == "fd" else [after for last, after in pairwise(words) if last == "-C"]
    if name in _HANDS_ON:
        return []
    rest = [word for word in words[1:] if word not in ("-L", "-H", "-P")]
    end = next((at for at, word in enumerate(rest) if word[:1] in ("-", "!", "\\")), len(rest))
    return rest[:end] if name == "find" else [word for word in rest if word[:1] != "-"]


def _told(name: str, words: Sequence[str]) -> list[str]:
    """Returns the files that a program is told: neither its options, nor what they take, nor a pattern or script."""
    found: list[str] = []
    is_led, is_value = name in _PATTERN_FIRST, False
    letters = _LETTERS.get(name, "")
    for word in words:
        if is_value:
            is_value = False
        elif word[:2] == "--":
            is_value = word in _LONG
            is_led = is_led and word.partition("=")[0] not in _PATTERNS
        elif word[:1] == "-" and word != "-":
            at = next((at for at, letter in enumerate(word) if at and letter in letters), 0)
            is_value = bool(at) and at == len(word) - 1
            is_led = is_led and not (at and word[at] in "ef" and name not in ("fd", "ag", "ack"))
        elif is_led:
            is_led = False
        else:
            found.append(word.strip("`"))
    return found


def written_files(script: str) -> list[str]:
    """Returns the files and folders that the commands of a shell line write: by a redirection, `tee`, an option of a
    program that fetches, or the end of the address from which it does.
    """
    line, _ = parted(script)
    run = [(command.folder, started(command.words)) for command in commands(line, most=len(line))]
    folders = dict.fromkeys(("", *(folder for folder, _ in run)))  # a redirection is not told in which it stands
    found = [joined(folder, word.strip("'\"")) for word in _REDIRECTED.findall(line) for folder in folders]
    for folder, words in run:
        found += [joined(folder, one) if folder else one for one in _written_by(words)]
    return [one for one in found if one and one not in _NO_FILES]


def _written_by(words: Sequence[str]) -> list[str]:
    name = program(words[0]) if words else ""
    if name == "tee":
        return [word for word in words[1:] if word[:1] != "-"]
    if name in _CLONERS and "clone" in words:
        return _cloned(name, words)
    if name in _GETTERS and "get" in words:
        given = [word for word in words[words.index("get") + 1 :] if word[:1] != "-"]
        return [*given[1:2]] or [_end_of(word) for word in given[:1]]
    return _fetched_by(name, words) if name in _FETCHERS else []


def _cloned(name: str, words: Sequence[str]) -> list[str]:
    at = words.index("clone")
    given = _told("git", words[at + 1 :])
    folder = next((after for last, after in pairwise(words[:at]) if last == "-C"), "")
    return [joined(folder, given[1] if len(given) > 1 else _end_of(given[0]))] if given else []


def _fetched_by(name: str, words: Sequence[str]) -> list[str]:
    """Returns the files that a program which fetches writes, or the folder, where it fetches many."""
    by_address = name == "curl" and any(word == "--remote-name" or _has_letter(word, "O") for word in words)
    options = _INTO_FILE - {"-O"} if name == "curl" else _INTO_FILE
    named = [
        after for last, after in pairwise(words) if last in options or (name == "curl" and _has_letter(last, "o$"))
    ]
    named += [word.partition("=")[2] for word in words if word.partition("=")[0] in _INTO_FILE and "=" in word]
    into = [after for last, after in pairwise(words) if last in _INTO_FOLDER or (name == "aria2c" and last == "-d")]
    into += [word.partition("=")[2] for word in words if word.partition("=")[0] in _INTO_FOLDER and "=" in word]
    if by_address or (name in _CALLS_BY_ADDRESS and not named):
        named += [_end_of(word) for word in words if _ADDRESS.fullmatch(word)]
    if into and (not named or {"-r", "-m", "--recursive", "--mirror"} & set(words)):
        return into
    return [joined(into[0], one) if into else one for one in named]


def _has_letter(word: str, letter: str) -> bool:
    """Tells whether a letter is among short options; with `$`, whether it is the last of them."""
    is_short = word[:1] == "-" and word[1:].isalpha()
    return is_short and (word.endswith(letter[0]) if letter[1:] else letter in word)


def _end_of(address: str) -> str:
    """Returns the name of what is fetched from an address."""
    return address.partition("?")[0].rstrip("/").replace(":", "/").rpartition("/")[2].removesuffix(".git")


class SessionFiles:
    """The files that a session has fetched, and those that it has made by itself."""

    def __init__(self, cwd: str = "", root: str = "", home: str = "") -> None:
        """`cwd` is where the session began, `root` the folder of its project, `home` the user's: "" for unknown."""
        self.cwd, self.root, self.home = cwd, root, home
        self.has_brought = False  # by a command or an agent, whose words the client may have written to a file
        self._fetched: list[str] = []
        self._made: set[str] = set()

    def note(self, paths: Iterable[str], is_fetched: bool) -> None:
        """Remembers what was written."""
        for path in map(self._whole, paths):
            if is_fetched and len(self._fetched) < _MOST_FILES:
                self._fetched.append(path)
            elif not is_fetched and len(self._made) < _MOST_FILES:
                self._made.add(path)

    def are_others(self, paths: Iterable[str]) -> bool:
        """Tells whether others have written one of the files."""
        return any(self._is_others(self._whole(path)) for path in paths)

    def _is_others(self, path: str) -> bool:
        if any(_is_below(path, one) for one in self._fetched):
            return True
        own = self._own_folder(path)
        inside = path[len(own) :] if own else path
        if _PLACES.search(inside) or (not own and _PLACES_OF_THE_MACHINE.search(path)):
            return True
        return self._is_elsewhere(path)

    def _is_elsewhere(self, path: str) -> bool:
        """Tells whether a file is outside of the project, and neither the machine's own settings nor made here."""
        if not self.root or path in self._made or not path.startswith("/") or path.startswith(_OF_THE_MACHINE):
            return False
        if _TASK.match(path):
            return self.has_brought
        if any(folder and _is_below(path, folder) for folder in (self.root, self.cwd)):
            return False
        return not (self.home and path.startswith(self.home + "/."))

    def _own_folder(self, path: str) -> str:
        """Returns the project's folder if a file is in it. One around the user's home is not a project's alone."""
        for folder in (self.root, self.cwd):
            if folder and _is_below(path, folder) and not (self.home and _is_below(self.home, folder)):
                return folder.rstrip("/")
        return ""

    def _whole(self, path: str) -> str:
        """Returns the absolute path of a file, where it can be told."""
        path = path.replace("\\", "/").strip("'\"")
        if path.startswith(("~/", "$HOME/")) and self.home:
            path = self.home + path[path.index("/") :]
        if path.startswith("/"):
            return joined("/", path[1:])
        return joined(self.cwd, path)


_OF_THE_MACHINE = ("/etc/", "/proc/", "/sys/", "/dev/", "/usr/", "/opt/", "/bin/", "/lib/", "/nix/", "/Library/")


def _is_below(path: str, folder: str) -> bool:
    return (path + "/").startswith(folder.rstrip("/") + "/")
