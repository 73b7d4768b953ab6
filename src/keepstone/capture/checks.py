"""Recognises the checks among shell lines: runs that fail because of what a change can cure, such as a test, a build, a
lint, or the program itself. Tells when two runs are the same check.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..claude_code.observation import FAILED, OK, only_shows
from ..lib.pattern import Pattern
from ..shell.parse import Command, commands, program, started

# Programs that look after files, processes and packages: they fail because of what is on the machine, not the work.
_TENDS = frozenset(
    "[ [[ basename bc chmod chown clear code column cp cut date dd df dir dirname du env eval export file free head "
    "history hostname htop id ifconfig ip kill killall less ln ls lsof man md5sum mkdir mktemp more mv nano netstat "
    "nproc open paste pgrep pkill popd printenv printf ps pushd pwd read readlink realpath rename rm rmdir seq "
    "sha256sum shasum ss stat tail tar tee test tmux top touch tr trap type ulimit uname unzip uptime vi vim wait "
    "watch whereis which who whoami xargs yes zip apt apt-get apk brew choco dnf pacman winget yum".split()
)
# Programs that reach another machine or record the work: they fail because of others or the network.
_REACHES = frozenset(
    "aws az curl dig doctl eksctl gcloud gh git git-lfs glab gsutil heroku hg http hub jj kubectl nc nslookup oc ping "
    "railway rsync scp sftp ssh svn telnet twine wget".split()
)
# Programs that send the work off unless they are told to do something with it here.
_DEPLOYS = frozenset("eas firebase fly flyctl helm netlify serverless sls surge vercel wrangler".split())
_CONTAINERS = frozenset("docker docker-compose nerdctl podman".split())
_PACKAGES = frozenset(
    "bun bundle cargo composer conda dart deno dotnet flutter gem go mamba mix npm pdm pip pip3 pipenv pipx pnpm "
    "poetry uv yarn".split()
)
_RUNS = frozenset("make run run-script task xtask".split())  # a script of the project by its name: `npm run ci`
_SCRIPTS = frozenset("bun composer npm pnpm yarn".split())  # that run what the project names: `npm run deploy`
# What any program is told that then does the same: `npm publish`, `make deploy`, `pip install`, `docker ps`.
_SENDS = frozenset("auth deploy fetch login logout logs publish pull push rollback undeploy upload".split())
_INSTALLS = frozenset("install uninstall upgrade reinstall".split())
_SHOWN = frozenset(
    "describe freeze help images info inspect list ls outdated ps show stats status top tree version view "
    "whoami".split()
)
# What a package manager is told besides, and containers in use.
_FETCHES = frozenset("add ci deps.get download get i link remove restore sync tidy un up update vendor".split())
_KEEPS = frozenset(
    "attach commit container cp create down kill network port prune rename restart rm rmi save start stop system tag "
    "volume wait".split()
)
# What a program is told that works on what is here; a word behind it is no order, but what it works on.
_VERIFIES = frozenset(
    "analyze bench build check clippy compile coverage dev doc e2e emulators:exec eslint format fmt jest lint nextest "
    "pack package pytest spec t template test tests tsc typecheck types verify vet vitest".split()
)
_REMOVES = frozenset("rm unlink trash del remove-item mv rename".split())
# A test by its folder or its name. What a run left there, such as a cache, is none.
_TEST_FOLDERS = frozenset("test tests spec specs __tests__ e2e".split())
_TEST_NAME = Pattern(r"test_.*|.*(?:[._-](?:test|spec)s?|Tests?|Spec)\.\w{1,6}|tests\.py|.*\.(?:bats|feature|t)")
_SOURCES = tuple(
    "* .py .js .jsx .mjs .cjs .ts .tsx .rs .go .rb .java .kt .cs .cpp .cc .php .swift .exs .scala .dart .bats "
    ".feature .t".split()
)
# Programs that pass on the end of an output, where a failure shows.
_PASSES_ON = frozenset("cat less more tail tee".split())
# Options that only change what is printed, and options that choose what is checked.
_PRINTS = Pattern(
    r"-[qvxs]+|--(?:quiet|verbose|silent|color|no-color|colour|no-header|durations|reporter|tb|progress)\b.*"
)
_CHOOSES = Pattern(
    r"-(?:[kmt]|run|R|E)|--(?:lf|last-failed|grep|filter|deselect|ignore|exclude|skip|only|testPathPattern|"
    r"testNamePattern|tests|select|bail)\b.*"
)
# Options by which a check finds less: it passes although it finds something, or checks nothing.
_EXCUSES = Pattern(
    r"--(?:exit-zero|pass-?with-?no-?tests|no-verify|ignore-errors|max-warnings.*|add-noqa|skip-?tests)|"
    r"-D(?:skipTests|maven\.test\.(?:skip|failure\.ignore)).*",
    re.IGNORECASE,
)
# Options and settings by which a check writes what it expects: its result is right whatever it is.
_REWRITES = Pattern(
    r"-{1,2}(?:test\.)?update(?:-?(?:all|snapshots?|goldens?|expected))?(?:=(?!false|none).*)?|--\w+-update|(?-i:-u)|"
    r"--(?:bless|force-regen|regen\w*|inline-snapshot=(?:fix|create).*)|(?:\w+_)?(?:UPDATE|BLESS|REGEN\w*)(?:_\w+)?=(?!0|no\b).+",
    re.IGNORECASE,
)
# By its name or a script's: documents, links and spelling, or how any file is written.
_READS_PROSE = Pattern(
    r"(?<![a-z])(?:md|mdx?lint|markdown\w*|docs?(?:tests?)?|mkdocs|mdbook|sphinx|links?|linkcheck|lychee|spell\w*|cspell|"
    r"codespell|typos|vale|proselint|textlint|remark|prettier|dprint|lint|fmt|format|pre-commit|prek|jekyll|hugo|zola|"
    r"docusaurus|vitepress|readme|html|site)(?![a-z])",
    re.IGNORECASE,
)
_ACCEPTS = ("cargo insta accept", "cargo insta review")
# Options whose value is the next word.
_TAKES = Pattern(
    r"-(?:[CERfkmt]|run)|--(?:directory|file|filter|grep|deselect|ignore|exclude|skip|only|testPathPattern|"
    r"testNamePattern|tests|select)"
)
# A line that is given to a shell which is the command itself. Behind `ssh` or `kubectl exec` it runs elsewhere.
_GIVEN = Pattern(
    r"((?:^|[;&|({\n]|(?<![^\s;])(?:do|then|else|if|while|until|!)\s)[ \t]*(?:(?:\w+=\S*|sudo(?:\s+-u\s+\S+)?|env|time|"
    r"(?:uv|pdm|poetry|pipenv)\s+run|nohup|nice(?:\s+-n\s*\d+)?|timeout(?:\s+-\S+(?:\s+\d+)?)*\s+\d+\w?)\s+)*)"
    r"(?:(?:/[\w./-]*/)?(?:ba|da|k|z)?sh(?:\s+-[\w-]+)*\s+-\w*c|eval)\s+"
    r"(?:\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>[^']*)')"
)
_SETTING = Pattern(
    r"^\s*(?:(?:cd|pushd|popd|export|unset|source|\.|sleep|exit)(?:\s.*)?|set\s+[-+].*|true|false|:|done|fi|esac|[{}()]|#.*)\s*$"
)
_QUOTED = Pattern(r"\"[^\"]*\"|'[^']*'")
_REDIRECT = Pattern(r"(?:\d|&)?>{1,2}(?:\s*[^\s&;|]+|&\d)|<\s*\S+")
_TO_FILE = Pattern(r"(?:^|[^\d&2>])&?1?>{1,2}\s*[^\s&>]")
_BACKGROUND = Pattern(r"(?<![&>|])&(?![&>\d])")
_JOINT = Pattern(r"(&&|\|\||;|\n)")
_PASSES_FAILURE = Pattern(r"\s*(?:[({]\s*)?(?:(?:exit|return)(?!\s+0\b)|false|kill)\b")
_BLOCK = Pattern(r"\s*[({]")
_KEYWORD = Pattern(r"^(?:(?:do|then|else|if|elif|while|until|!)\s+|[({]\s*)+")
_ASSIGNMENT = Pattern(r"^\w+=\S*$")


@dataclass(frozen=True, slots=True)
class Run:
    """A command of a shell line. `name` is its program and first argument (two of `npm run lint`), `told` all its
    arguments. `pipes` are the programs that read its output; `to_file` tells whether that went to a file; `joints` are
    the operators between it and the end of the line; `is_excused` tells whether the line passes even if it fails:
    `make test || true`.
    """

    name: str
    pipes: tuple[str, ...]
    to_file: bool
    joints: frozenset[str]
    is_excused: bool
    told: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        return self.name.split(" ")[0]

    @property
    def orders(self) -> tuple[str, ...]:
        """Returns the words that say what is to be done: `image push`. What a test or a program of the work is told
        says something else.
        """
        own = tuple(_arguments(self.told))
        first = own[0] if own else ""
        runs_own = first in ("run", "exec") and self.program not in _SCRIPTS
        return own[:1] if first in _VERIFIES or runs_own or "." in first or "/" in first else own[:2]

    @property
    def reaches(self) -> bool:
        """Tells whether it reaches another machine or records the work."""
        if self.program in _DEPLOYS:
            return _VERIFIES.isdisjoint(self.orders)
        return self.program in _REACHES or not _SENDS.isdisjoint(self.orders)

    @property
    def tends(self) -> bool:
        """Tells whether it looks after what is on the machine, or only shows it."""
        is_script = self.program in _PACKAGES and self.orders[:1] and self.orders[0] in _RUNS
        orders = set(self.orders[:1] if is_script else self.orders)
        if self.program in _CONTAINERS:
            return not (orders or self.told) or bool(orders & (_KEEPS | _SHOWN))
        if self.program in _PACKAGES and (orders & _FETCHES or not self.told):
            return True
        is_asked = bool(self.told) and all(word in ("--version", "-V", "--help", "-h") for word in self.told)
        shows = self.orders[:1] and self.orders[0] in _SHOWN
        return self.program in _TENDS or is_asked or bool(shows) or bool(orders & _INSTALLS)


def check_of(command: str) -> str:
    """Returns the name of a shell line's check, or "" if it has none. What is done after a check passed, such as a
    commit, is passed over.
    """
    found = _check(_runs(command))
    return found.name if found else ""


def is_clear(command: str, state: str) -> bool:
    """Tells whether a shell line's state is that of its check. A later command may hide the exit code, a filter the
    output; one in the background has not ended; a line that also pushes may have failed at that.
    """
    runs = _runs(command)
    check = _check(runs)
    if check is None or state not in (OK, FAILED) or _BACKGROUND.search(_QUOTED.sub(" ", _unwrapped(command))):
        return False
    whole = _PASSES_ON.issuperset(check.pipes)
    if state == FAILED:
        return whole and not any(run.reaches for run in runs)
    if check.is_excused:
        return False
    by_code = check.joints <= {"&&"} and (not check.pipes or "pipefail" in command)
    return by_code or (whole and not check.to_file)


def changed_words(failed: str, passed: str) -> set[str] | None:
    """Returns the words by which two runs of a check differ: none if the later one checked at least as much. Returns
    None if it checked something else.
    """
    before, after = _words(failed), _words(passed)
    added = [word for word in after if word not in before and not _PRINTS.fullmatch(word)]
    gone = [word for word in before if word not in after and not _PRINTS.fullmatch(word)]
    if any(_CHOOSES.fullmatch(word) or _EXCUSES.fullmatch(word) or len(word.split()) > 1 for word in added):
        return None
    if not added and not any(word.startswith("-") and not _CHOOSES.fullmatch(word) for word in gone):
        return set()
    return {*added, *gone}


def changes(command: str) -> bool:
    """Tells whether a shell line may change something: it writes a file, or runs a program that does more than show."""
    command = _unwrapped(command)
    if _TO_FILE.search(_QUOTED.sub(" ", command)):
        return True
    return any(not one.only_shows and program(one.words[0]) != "sleep" for one in commands(command))


def reads_prose(command: str) -> bool:
    """Tells whether a shell line checks documents, or how files are written."""
    return _READS_PROSE.search(_unwrapped(command)) is not None


def sets_up(command: str) -> bool:
    """Tells whether a shell line prepares the machine, such as an installation: more than a run of what is there."""
    return any(run.tends and not run.reaches for run in _runs(command))


def rewrites_expected(command: str) -> bool:
    """Tells whether a shell line writes a check's expectations anew from its results."""
    return any(map(_rewrites_expected, commands(_unwrapped(command))))


def _rewrites_expected(one: Command) -> bool:
    words = [*_assigned(one), *one.words]
    own = [word for word in words if _REWRITES.fullmatch(word)]
    is_python = any(program(word).startswith("python") for word in words)  # whose `-u` only unbuffers
    return any(word != "-u" or not is_python for word in own) or " ".join(one.words).startswith(_ACCEPTS)


def removes_tests(command: str) -> bool:
    """Tells whether a shell line takes tests away, so that what passes then proves nothing."""
    return any(map(_removes_tests, commands(_unwrapped(command))))


def _removes_tests(one: Command) -> bool:
    words = one.words[1:] if one.words[:1] == ["git"] else one.words
    if not words or program(words[0]) not in _REMOVES:
        return False
    stays = words[0] == "mv" and is_test(f"{words[-1]}{'*' if words[-1].endswith('/') else ''}")
    return not stays and any(map(is_test, words[1:]))


def is_test(path: str) -> bool:
    """Tells whether a file or folder holds tests, by its name or a folder's."""
    *folders, name = path.rstrip("/").split("/")
    in_tests = not _TEST_FOLDERS.isdisjoint(map(str.lower, folders)) or _TEST_NAME.fullmatch(name) is not None
    return name in _TEST_FOLDERS or (in_tests and name.endswith(_SOURCES))


def _check(runs: list[Run]) -> Run | None:
    return next((run for run in reversed(runs) if not run.reaches and not run.tends), None)


def _words(command: str) -> list[str]:
    """Returns the words of a line's check, with its assignments."""
    name = check_of(command).split(" ")[0]
    found = [one for one in commands(_unwrapped(command)) if one.started and program(one.started[0]) == name]
    return [*_assigned(found[-1]), *found[-1].started] if found else []


def _assigned(one: Command) -> list[str]:
    return [*one.sets, *(word for word in one.words if _ASSIGNMENT.match(word))]


def _runs(command: str) -> list[Run]:
    """Returns the commands of a shell line that do more than set or show something, in order."""
    command = _unwrapped(command)
    if only_shows(command):
        return []
    parts = _JOINT.split(_QUOTED.sub(_joined, command.replace("\\\n", " ")))
    found = []
    for at in range(0, len(parts), 2):
        first, *pipes = _REDIRECT.sub(" ", parts[at]).split("|")
        line = _KEYWORD.sub("", first.strip())
        if not line or _SETTING.match(line) or only_shows(line):
            continue
        words = [
            word.rstrip(")").lstrip("\\") for word in line.split() if not _ASSIGNMENT.match(word) and word.strip(")}")
        ]
        name, *rest = started(words) or [""]
        readers = tuple(program((pipe.split() or [""])[0]) for pipe in pipes)
        rest_of_line = zip(parts[at + 1 :: 2], parts[at + 2 :: 2], strict=True)
        later = frozenset(joint for joint, text in rest_of_line if text.strip())
        to_file = bool(_TO_FILE.search(parts[at]))
        excused = _is_excused(parts[at + 1 :])
        found.append(Run(_name(program(name), rest), readers, to_file, later, excused, tuple(rest)))
    return found


def _name(run: str, told: Sequence[str]) -> str:
    own = _arguments(told)
    return " ".join([run, *own[: 2 if run in _SCRIPTS and own[:1] and own[0] in _RUNS else 1]])


def _arguments(told: Sequence[str]) -> list[str]:
    """Returns the words that a command is told, without options and their values."""
    before = ("", *told)
    return [
        word
        for word, last in zip(told, before, strict=False)
        if not word.startswith(("-", "&")) and not _TAKES.fullmatch(last)
    ]


def _unwrapped(command: str) -> str:
    """Returns a shell line with what it gives to another shell in place of that: `bash -c "make test"`."""
    return _GIVEN.sub(
        lambda given: given[1] + (given["single"] or (given["double"] or "").replace('\\"', '"')), command
    )


def _is_excused(rest: list[str]) -> bool:
    """Tells whether a line passes though a command fails, by what follows it: operators and commands in turn."""
    at = next((at for at in range(0, len(rest), 2) if rest[at] != "&&"), None)
    if at is None or rest[at] != "||":
        return False
    instead = rest[at + 1 :: 2] if _BLOCK.match(rest[at + 1]) else rest[at + 1 : at + 2]
    return not any(map(_PASSES_FAILURE.match, instead))


def _joined(quoted: re.Match[str]) -> str:
    """Returns a quoted word, or "" if it has characters that would be split."""
    word = quoted.group()[1:-1]
    return word if re.fullmatch(r"[\w./:@=+-]+", word) else ""
