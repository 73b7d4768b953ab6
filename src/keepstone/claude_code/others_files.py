"""Which files hold text that others have written, although a local program or tool reads them: packages, mail, what was
downloaded, logs of requests, and what the session itself has fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise

from ..lib.pattern import Pattern
from ..shell.parse import Command, commands, joined, program
from ..shell.script import INPUT_MARK, Document, parted, substitutions

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
    --output-dir --dir --out --xpath
    """.split()
)
# Programs that name files, which a program behind `xargs` or a variable then shows.
_FINDERS = frozenset("find fd ls for locate".split())
_ENDS_EXEC = ("\\;", ";", "+")
_HANDS_ON = frozenset("xargs parallel".split())
_PLACES = Pattern(
    r"(?:^|/)(?:node_modules|bower_components|site-packages|dist-packages|vendor|third_party|third-party|Maildir|"
    r"FETCH_HEAD)(?:/|$)|(?:^|/)\.terraform/(?:modules|providers)(?:/|$)|(?:^|/)\.(?:cargo/registry|cargo/git|m2/repository|gradle/caches|npm/_cacache|cache|"
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
_COPIERS_OF_REPOSITORIES = frozenset("degit tiged giget".split())
_SUBMODULE = ["submodule", "add"]
_GETTERS = frozenset("sftp lftp ftp s3cmd mc".split())
# Ways to copy, of programs and in their first words ("docker cp", "aws s3 cp"): the last word says where to.
_COPIES = frozenset("cp mv ln install rsync scp ditto".split())
_COPIES_OF_OTHERS = frozenset("aws gsutil gcloud docker podman nerdctl kubectl oc rclone az s5cmd".split())
_INTO = Pattern(r"-t|--target-directory")
_COPYING = frozenset("cp mv sync copy copyto rsync".split())
# What is unpacked was written by others: hardly anybody packs files of their own to unpack them there.
_UNPACKS = frozenset("tar bsdtar unzip 7z unar gunzip".split())
_UNPACKING = Pattern(r"(?:-?[a-zA-Z]*x[a-zA-Z]*|--extract|--get)$")
_UNPACKS_INTO = Pattern(r"(?:-[a-z]*[Cdo]|--directory|--one-top-level)")
_PACKED = Pattern(r"\.(?:tar(?:\.\w+)?|t[gbx]z|zip|whl|gz|7z)$")
# Options of any program that name a file which it writes. Few letters say so everywhere, and a format is no file.
_OUTPUT = Pattern(r"(?:-o|--out\w*(?:-\w+)?|--[\w-]*(?:xml|report|log|html)[\w-]*)")
_DOWNLOAD_INTO = Pattern(r"-d|-D|-n|--dir|--dest|--name|--local-dir|--target-dir|--outdir|--output-dir|--destination")
# What code writes by itself: `open("a.md", "w")`, `writeFileSync("a.md", ...)`, `Path("a.md").write_text(...)`.
_CODE_WRITES = Pattern(
    r"\bopen\(\s*[\"']([^\"'\n]+)[\"']\s*,\s*(?:mode\s*=\s*)?[\"'][wax]|"
    r"\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|File\.write|IO\.write|Bun\.write|file_put_contents)"
    r"\(\s*[\"']([^\"'\n]+)[\"']|\bPath\(\s*[\"']([^\"'\n]+)[\"']\)\.write|"
    r"\burlretrieve\([^()\n]*,\s*[\"']([^\"'\n]+)[\"']"
)
# Programs that fetch a package's source into a folder that is named like it, with its version.
_SOURCES = {("gem", "unpack"), ("apt-get", "source"), ("apt", "source"), ("bundle", "unpack")}
_INTERPRETER = Pattern(r"(?:python|pypy)[\d.]*|node|nodejs|deno|bun|ruby|perl|php")
_SHELLS = frozenset("sh bash zsh dash ksh ash".split())
_PREFIX = Pattern(r"-P|--prefix")
_SHELL_CODE = Pattern(r"-[a-zA-Z]*c")
_DEPTH = 3  # shells within each other
# A request of somebody's that becomes the working tree, and a ref of one: "pull/42/head", "merge-requests/7/head:mr7".
_CHECKS_OUT_REQUEST = frozenset(("pr", "mr"))
_REQUEST_REF = Pattern(r"\+?(?:refs/)?(?:pull|pull-requests|merge-requests)/\d+/(?:head|merge|from)(?::(\S+))?")
_FETCHED_REF = "FETCH_HEAD"
_VARIABLE = Pattern(r"(?<=.)\$(?:\{\w+\}|\w+)")  # behind other signs
_NEW = frozenset("-b -B -c -C --create --orphan".split())
_FILE_NAME = Pattern(r"^\.|/$|\.[a-z]{1,5}$")
_GIT_WORKS = frozenset("commit add apply cherry-pick push".split())
_PATH = Pattern(r"[\w~$/.+@ -]*[./][\w~$/.+@ -]*")
_ADDRESS = Pattern(r"[a-z][a-z\d+.-]*://\S+|[\w.-]+@[\w.-]+:\S+", 2)
_NO_FILES = frozenset(("/dev/null", "-", "/dev/stderr", "/dev/stdout"))
_MOST_FILES = 200  # of a session that are remembered


def shown_files(script: str) -> Iterator[str]:
    """Yields the files whose content the commands of a shell line show, also those in its substitutions."""
    for whole in _scripts(script):
        line, _ = parted(whole)
        for one in (line, *substitutions(line)):
            yield from _shown_in(one)


def _shown_in(line: str) -> Iterator[str]:
    run = commands(line, most=len(line))
    is_handed = any(_is_handed(command.started) for command in run)
    for command in run:
        words = command.started
        named = _named_by(words) if is_handed and program(words[0] if words else "") in _FINDERS else []
        taken = [file for sign, file in command.redirects if sign.endswith("<")]
        for word in (*taken, *_shown_by(words), *named):
            if word != INPUT_MARK:
                yield joined(command.folder, word) if command.folder else word


def _scripts(script: str, depth: int = _DEPTH) -> Iterator[str]:
    """Yields a shell line and those that shells in it are given: `bash -lc "..."`."""
    yield script
    line, _ = parted(script)
    for command in commands(line, most=len(line)) if depth else ():
        words = command.started
        at = next((at for at, word in enumerate(words) if at and _SHELL_CODE.fullmatch(word)), 0)
        if at and program(words[0]) in _SHELLS:
            inner = " ".join(words[at + 1 : at + 2])
            yield from _scripts(f"cd {command.folder} && {inner}" if command.folder else inner, depth - 1)


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
    end = next((place for place, word in enumerate(words) if place > at > 0 and word in _ENDS_EXEC), len(words))
    return (_named_by(words[:at]) if at else []) + _told(program(words[at]), words[at + 1 : end])


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


@dataclass(frozen=True, slots=True)
class Written:
    """What the commands of a shell line write: `files` (or folders) with their own output, `copies` of files (sources
    and where to), what they have `unpacked`, and repositories that were `cloned`. `worktrees` are the project's own;
    in `worked` folders git has made a branch or a commit. `branches` are those that come to the working tree, the
    branch of somebody's request as FETCH_HEAD; `requests` are the names that such branches got.
    """

    files: list[str]
    copies: list[tuple[list[str], str]]
    unpacked: list[str]
    cloned: list[str]
    worktrees: list[str]
    worked: list[str]
    branches: list[str]
    requests: list[str]


def written_by(script: str) -> Written:
    """Returns what the commands of a shell line write."""
    found = Written([], [], [], [], [], [], [], [])
    for one in _scripts(script):
        _note_written(one, found)
    return found


def _note_written(script: str, found: Written) -> None:
    line, documents = parted(script)
    run = commands(line, most=len(line))
    packed = [_end_of(word) for command in run for word in command.started if _ADDRESS.fullmatch(word)]
    found.files.extend(
        _written_by_code([*(word for command in run for word in _code(command.started)), *_fed(documents)])
    )
    for command in run:
        words = _handed_on(command.started)
        name = program(words[0]) if words else ""

        def at_place(paths: Iterable[str], folder: str = command.folder) -> list[str]:
            return [joined(folder, one) if folder else one for one in paths if one and one not in _NO_FILES]

        found.files.extend(at_place([*_redirected(command), *_outputs(name, words)]))
        found.cloned.extend(at_place(_cloned(name, words)))
        found.worktrees.extend(at_place(_worktree(name, words)))
        found.unpacked.extend(at_place(_unpacked(name, words, packed)))
        found.copies.extend((at_place(given), into) for given, to in _copied(name, words) for into in at_place([to]))
        found.worked.extend([command.folder or "."] if _works(name, words) else [])
        found.branches.extend(_checked_out(name, words))
        found.requests.extend(ref[1] for word in words if (ref := _REQUEST_REF.fullmatch(word)) and ref[1])


def _code(words: Sequence[str]) -> Sequence[str]:
    return words[1:] if words and _INTERPRETER.fullmatch(program(words[0])) else ()


def _fed(documents: Iterable[Document]) -> list[str]:
    """Returns the here-documents that interpreters run."""
    return [one.body for one in documents if any(_code(command.started) for command in commands(one.line))]


def _written_by_code(code: Iterable[str]) -> list[str]:
    return [path for text in code for names in _CODE_WRITES.findall(text) for path in names if path]


def _handed_on(words: list[str]) -> list[str]:
    """Returns the command that `xargs` starts, or the words themselves."""
    if not words or program(words[0]) != "xargs":
        return words
    return next((words[at:] for at, word in enumerate(words) if at and program(word) in _UNPACKS), words)


def _works(name: str, words: Sequence[str]) -> bool:
    """Tells whether git makes a branch or a commit: whoever does works on what is there."""
    if name != "git" or len(words) < 2:
        return False
    return words[1] in _GIT_WORKS or (words[1] in ("checkout", "switch") and not _NEW.isdisjoint(words[2:]))


def _checked_out(name: str, words: Sequence[str]) -> list[str]:
    """Returns the branch that comes to the working tree: FETCH_HEAD for that of somebody's request."""
    told = words[1:3]
    if name in ("gh", "glab", "hub") and told[1:] in (["checkout"], ["co"]):
        return [_FETCHED_REF] if told[0] in _CHECKS_OUT_REQUEST else []
    if name != "git" or told[:1] not in (["checkout"], ["switch"]) or "--" in words:
        return []
    plain = [word for word in words[2:] if word[:1] != "-" or word == "-"]
    if not _NEW.isdisjoint(words):
        return plain[1:2]  # where the new branch begins
    return plain[:1] if len(plain) == 1 and not _FILE_NAME.search(plain[0]) else []


def _redirected(command: Command) -> list[str]:
    return [file for sign, file in command.redirects if ">" in sign and not (sign[-1] == "&" and file.isdigit())]


def _outputs(name: str, words: Sequence[str]) -> list[str]:
    """Returns the files and folders that a program is told to write."""
    plain = [word for word in words[1:] if word[:1] != "-"]
    if name in ("tee", "sponge"):
        return plain
    if name == "dd":
        return [word[3:] for word in plain if word.startswith("of=")]
    if name == "sftp" and len(plain) > 1 and ":" in plain[0]:
        return plain[1:2]
    if name in _GETTERS and "get" in words:
        given = [word for word in words[words.index("get") + 1 :] if word[:1] != "-"]
        return [*given[1:2]] or [_end_of(word) for word in given[:1]]
    if "download" in words:
        return _values(words, _DOWNLOAD_INTO)
    if name in _FETCHERS:
        return _fetched_by(name, words)
    if name in _READERS and name != "pandoc":
        return []
    return [word for word in _values(words, _OUTPUT) if _PATH.fullmatch(word)]


def _values(words: Sequence[str], options: Pattern) -> list[str]:
    """Returns what stands behind options, or in the same word behind `=`."""
    behind = [after for last, after in pairwise(words) if options.fullmatch(last)]
    parted_words = (word.partition("=") for word in words)
    return behind + [value for option, _, value in parted_words if value and options.fullmatch(option)]


def _worktree(name: str, words: Sequence[str]) -> list[str]:
    return _told(name, words[3:])[:1] if name == "git" and list(words[1:3]) == ["worktree", "add"] else []


def _copied(name: str, words: Sequence[str]) -> list[tuple[list[str], str]]:
    """Returns what a command copies or moves, and where to."""
    if name not in _COPIES and not (name in _COPIES_OF_OTHERS and _COPYING & set(words[1:4])):
        return []
    plain = [word for word in words[1:] if word[:1] != "-" and word not in _COPYING]
    into = _values(words, _INTO) if name != "rsync" else []  # there `-t` tells of times
    given = [word for word in plain if word not in into]
    if not into and len(given) > 1:
        into = [given.pop()]
    if not into:
        return []
    is_whole = name == "rsync" or any(word[:1] == "-" and set(word) & set("rRa") for word in words)
    is_among = _is_among(into[0], given, is_whole)
    return [(given, one) for one in (_in_folder(given, into[0]) if is_among else into)]


def _is_among(into: str, given: Sequence[str], is_whole: bool) -> bool:
    """Tells whether copies of files, or of a `whole` folder, come to lie in a folder that holds other files too: in
    "src/" or "docs", but not "a.md" or "README".
    """
    last = into.rpartition("/")[2]
    if last in ("", ".", "..") or is_whole:
        return not is_whole or last in (".", "..")
    return last[:1].islower() and "." not in last and all("." in _end_of(one) for one in given)


def _in_folder(files: Iterable[str], folder: str) -> list[str]:
    """Returns the paths that copies of files have in a folder."""
    return [joined(folder, _end_of(file)) for file in files]


def _unpacked(name: str, words: Sequence[str], fetched: Sequence[str]) -> list[str]:
    """Returns where a command unpacks to: a folder that it is told, else one called like an archive in the line."""
    plain = [word for word in words[1:] if word[:1] != "-"]
    if (name, *plain[:1]) in _SOURCES:
        return [f"{word.removesuffix('.gem')}*" for word in plain[1:]]
    if (name, *plain[:1]) == ("cargo", "vendor"):
        return plain[1:2]
    if (name, *plain[:1]) == ("npm", "pack"):  # its archive holds a folder of this name
        return ["package"] if any(word[:1] not in (".", "/") for word in plain[1:]) else []
    if name in ("dpkg", "dpkg-deb", "zipfile", "tarfile") and not {"-x", "-R", "-X", "-e", "--extract"}.isdisjoint(
        words
    ):
        return plain[1:2]
    if name not in _UNPACKS or (name in ("tar", "bsdtar") and not any(_UNPACKING.match(word) for word in words[1:])):
        return []
    into = [word for word in _values(words, _UNPACKS_INTO) if word not in (".", "./") and not _PACKED.search(word)]
    if into:
        return into
    archives = [_end_of(word) for word in words[1:] if _PACKED.search(word)] or list(fetched)
    return [_PACKED.sub("", word) for word in archives if _PACKED.search(word)]


def _cloned(name: str, words: Sequence[str]) -> list[str]:
    """Returns the folder of a repository that a command clones, also as a submodule."""
    if name == "git" and list(words[1:3]) == ["subtree", "add"]:
        return _values(words, _PREFIX)
    if name in _COPIERS_OF_REPOSITORIES or (name == "svn" and words[1:2] in (["checkout"], ["co"], ["export"])):
        plain = [word for word in words[1 if name != "svn" else 2 :] if word[:1] != "-"]
        return [plain[1] if len(plain) > 1 else _end_of(word) for word in plain[:1]]
    at = next((at for at, word in enumerate(words) if word == "clone" or words[at - 1 : at + 1] == _SUBMODULE), 0)
    if name not in _CLONERS or not at:
        return []
    given = _told("git", words[at + 1 :])
    folder = next((after for last, after in pairwise(words[:at]) if last == "-C"), "")
    return [joined(folder, given[1] if len(given) > 1 else _end_of(given[0])) or "."] if given else []


def _fetched_by(name: str, words: Sequence[str]) -> list[str]:
    """Returns the files that a program which fetches writes, or the folder, where it fetches many."""
    by_address = name == "curl" and any(word == "--remote-name" or _has_letter(word, "O") for word in words)
    options = _INTO_FILE - {"-O"} if name == "curl" else _INTO_FILE
    named = [
        after for last, after in pairwise(words) if last in options or (name == "curl" and _has_letter(last, "o$"))
    ]
    named += [word.partition("=")[2] for word in words if word.partition("=")[0] in _INTO_FILE and "=" in word]
    named += [word[2:] for word in words if word[:2] in options and not word[2:].isalpha()]  # "-onotes.md"
    into = [after for last, after in pairwise(words) if last in _INTO_FOLDER or (name == "aria2c" and last == "-d")]
    into += [word.partition("=")[2] for word in words if word.partition("=")[0] in _INTO_FOLDER and "=" in word]
    is_whole = not {"-r", "-m", "--recursive", "--mirror"}.isdisjoint(words)
    if is_whole and not into:  # into folders called like the hosts
        return [word.partition("://")[2].partition("/")[0] for word in words if _ADDRESS.fullmatch(word)]
    if by_address or "--download" in words or (name in _CALLS_BY_ADDRESS and not named):
        named += [_end_of(word) for word in words if _ADDRESS.fullmatch(word)]
    if into and (not named or is_whole):
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
        self.here = cwd  # where it is now
        self.has_brought = False  # by a command or an agent, whose words the client may have written to a file
        self._fetched: list[str] = []
        self._cloned: set[str] = set()
        self._made: set[str] = set()
        self._worktrees: list[str] = []
        self._requests = {_FETCHED_REF}
        self._is_request = False  # whether the working tree is that of somebody's request

    def go(self, cwd: str) -> None:
        """Notes where the session is now, if it says so."""
        self.here = cwd or self.here

    def note(self, paths: Iterable[str], is_fetched: bool) -> None:
        """Remembers what was written."""
        for path in map(self._whole, paths):
            if is_fetched and any(folder and _is_below(folder, path) for folder in (self.root, self.cwd)):
                continue  # into the project's own folder
            if is_fetched and len(self._fetched) < _MOST_FILES:
                self._fetched.append(_VARIABLE.sub("*", path))
            elif not is_fetched and len(self._made) < _MOST_FILES:
                self._made.add(path)

    def note_all(self, written: Written, is_fetched: bool) -> None:
        """Remembers what a shell line has written, which may have fetched it."""
        self.note((*written.files, *written.cloned), is_fetched)
        self.note(written.unpacked, is_fetched=True)
        for sources, into in written.copies:
            self.note([into, *_in_folder(sources, into)], is_fetched or self.are_others(sources))
        self._cloned.update(map(self._whole, written.cloned))
        if not is_fetched:
            self._worktrees += map(self._whole, written.worktrees)
        self.edit(written.worked)
        self._requests.update(written.requests)
        for branch in written.branches:
            self._is_request = branch in self._requests or bool(_REQUEST_REF.search(branch))

    def edit(self, paths: Iterable[str]) -> None:
        """Remembers that the session has changed files. A clone in the project of which it changes files is what it
        works on, as one that was there before.
        """
        for path in map(self._whole, paths):
            own = {one for one in self._cloned if _is_below(path, one) and self.root and _is_below(one, self.root)}
            self._fetched = [one for one in self._fetched if one not in own]

    def are_others(self, paths: Iterable[str]) -> bool:
        """Tells whether others have written one of the files."""
        return any(self._is_others(self._whole(path)) for path in paths)

    def _is_others(self, path: str) -> bool:
        if any(_is_below(path, one) for one in self._fetched):
            return True
        own = self._own_folder(path)
        if self._is_request and own and path not in self._made:
            return True
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
        if any(folder and _is_below(path, folder) for folder in (self.root, self.cwd, *self._worktrees)):
            return False
        return not (self.home and path.startswith(self.home + "/."))

    def _own_folder(self, path: str) -> str:
        """Returns the project's folder if a file is in it. One around the user's home is not a project's alone."""
        for folder in (self.root, self.cwd, *self._worktrees):
            if folder and _is_below(path, folder) and not (self.home and _is_below(self.home, folder)):
                return folder.rstrip("/")
        return ""

    def _whole(self, path: str) -> str:
        """Returns the absolute path of a file, where it can be told."""
        path = path.replace("\\", "/").strip("'\"")
        if path.startswith(("~/", "$HOME/")) and self.home:
            path = self.home + path[path.index("/") :]
        if path.startswith("$PWD/"):
            path = path[5:]
        if path.startswith("/"):
            return joined("/", path[1:])
        return joined(self.here, path)


_OF_THE_MACHINE = ("/etc/", "/proc/", "/sys/", "/dev/", "/usr/", "/opt/", "/bin/", "/lib/", "/nix/", "/Library/")


def _is_below(path: str, folder: str) -> bool:
    """Tells whether a path is a folder's, or in it. A star in the folder's name stands for any signs."""
    if "*" not in folder:
        return (path + "/").startswith(folder.rstrip("/") + "/")
    above, star, name = folder.rstrip("/").rpartition("/")
    rest = path[len(above) + 1 :].partition("/")[0] if path.startswith(f"{above}{star}") else ""
    return name.strip("*.") != "" and fnmatchcase(rest, name.replace("[", "[[]"))
