"""Finds the commands and tools that a memory prescribes, and tells whether a command line runs them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS

# Words of common commands: a command made only of these shows no use of a memory.
EVERYDAY = frozenset(
    "ls cat cd pwd echo git gh ssh scp curl wget make npm npx yarn node python python3 py pip pip3 pytest go cargo "
    "rustc mvn gradle gradlew java dotnet bundle exec rails rake rspec ruby mix composer php phpunit docker compose "
    "docker-compose kubectl terraform helm psql mysql redis-cli tsc jest vitest eslint prettier ruff black mypy "
    "ansible manage.py sudo test tests build run dev start stop restart lint format fmt check install ci add update "
    "upgrade clean clippy vet up down logs log ps status diff commit push pull checkout migrate db:migrate server "
    "serve s shell plan apply init get pods all src . ./... -a -d -f -m -q -v -x --watch --noemit --all --fix --check "
    "-m -qam -am".split()
)
# Tools that replace each other: without advice, a person might use any of a group.
RIVALS = (
    frozenset({"npm", "yarn", "pnpm", "bun"}),
    frozenset({"pip", "uv", "poetry", "pipenv", "conda", "pdm"}),
    frozenset({"docker", "podman", "nerdctl"}),
    frozenset({"make", "just", "task"}),
    frozenset({"grep", "rg", "ag"}),
    frozenset({"find", "fd"}),
    frozenset({"jest", "vitest", "mocha"}),
    frozenset({"pytest", "tox", "nox", "unittest"}),
    frozenset({"eslint", "biome", "oxlint"}),
    frozenset({"black", "ruff"}),
    frozenset({"terraform", "tofu"}),
    frozenset({"curl", "xh", "httpie"}),
    frozenset({"mvn", "gradle", "bazel"}),
    frozenset({"git", "jj"}),
)
# Phrases by which a memory prescribes a tool or a flag.
_BEFORE_TOOL = Pattern(r"\b(?:use|prefer|always|only|through|stick to|nur|immer|nimm)\s+[`'\"]?$", re.IGNORECASE)
_AFTER_TOOL = Pattern(
    r"[`'\"]?(?:\s+(?!and\b|or\b)\w+)?[,:;]?\s+(?:only|always|everywhere|instead|over|not|never|no|for everything|"
    r"for all|nie|nicht)\b",
    re.IGNORECASE,
)
_FLAG = Pattern(r"(?<![\w-])(--[a-z][\w-]*)(?:[ =]([\w./:-]*[\w/]))?")
_WITH = Pattern(r"\b(?:always|only|must|with|never without|immer|mit)\b", re.IGNORECASE)
# Phrases right before a command or tool that a memory warns against.
_AGAINST = Pattern(
    r"(?:\b(?:not|never|no|don'?t|avoid|without|instead of|rather than|over|nicht|nie|statt|kein|plain|nor|than|or)\b"
    r"(?: (?:use|run|the|a|call|with|just|by|bare|raw|do))*)\s*[`'\"]?$",
    re.IGNORECASE,
)
_FAILS = Pattern(
    r"^[`'\"]?\s*(?:\w+ )?(?:breaks|drops|fails|kills|corrupts|is not allowed|isn'?t allowed|isn'?t|is too)\b"
)
_SPAN = Pattern(r"`([^`]+)`")
# The start of a command in plain text, and its end.
_PLAIN = Pattern(
    r"(?<![\w./`-])((?:\./|bin/|scripts?/|tools/|ops/)[\w./-]+|(?:export|sudo|npm|npx|yarn|pnpm|bun|uv|make|just|task|"
    r"go|cargo|apt-get|apt|apk|brew|docker|podman|kubectl|helm|terraform|tofu|poetry|tox|nox|pytest|python3?|node|"
    r"bundle|mix|composer|"
    r"gradle|\./gradlew|mvn|dotnet|bazel|ssh|aws|gcloud|az|fastlane|flutter|dbt|alembic|glab|gh|buf|sbt|swift|"
    r"xcodebuild|"
    r"ansible-playbook|pulumi|vault|wrangler|vercel|fly|flyctl|heroku|rake|php|artisan) +[\w./:@=-][^\s,;()`\"]*)"
    r"((?: +(?:-[^\s,;()`]*|[\w.@-]*[./:=_][^\s,;()`]*|[A-Z]{2,}))*)"
)
_OPERATOR = Pattern(r"&&|\|\||[;|\n&]|\$\(|[(){}]|<\(")
_ASSIGNED = Pattern(r"[A-Z_][A-Z0-9_]*=\S*$")
_HOLE = Pattern(
    r"<[^<>\s]*>|\{\w*\}|\[\w+\]|(?<![\w/.])\.\.\.(?!\w)|…|(?<![A-Za-z0-9_-])[A-Z][A-Z0-9_]*(?![A-Za-z0-9_=])"
)
CACHE_SIZE = 4_096  # texts whose commands are cached
_ANY = "\0"  # marks a placeholder in a command line
_PROGRAM = Pattern(
    r"(?:\b(?:with|via|through|using|use|run|by|mit|über)\s+[`'\"]?|"
    r"[`(])([a-z][a-z0-9-]+)(?![\w./=])[`'\")]?(?: ([a-z]+))?"
)
_TOOL = Pattern(r"(?<![\w./-])[A-Za-z]{2,8}(?![\w/-]|\.\w)")
WRAPPERS = frozenset(
    "sudo time nohup env exec command xargs watch bundle npx bunx sh bash zsh nice timeout then do else".split()
)
# Programs whose arguments are text to read or search, not commands.
LOOKING = frozenset(
    "echo printf grep egrep rg ag cat less more head tail sed awk which type man tldr whatis find fd ls test jq "
    "history git gh glab".split()
)
ASKING = frozenset({"--help", "-h", "--version", "help", "--usage"})


@dataclass(frozen=True, slots=True)
class AdvisedCommand:
    """A command line that a memory prescribes, split into segments, with _ANY for each placeholder."""

    segments: tuple[tuple[str, ...], ...]

    @property
    def telling(self) -> tuple[str, ...]:
        """Returns the distinctive words: if another text had them all, Claude may know the command from there. A common
        word alone is not enough.
        """
        words = [word for segment in self.segments for word in segment if _ANY not in word and word[0] != "-"]
        named = [plain(word) for word in words if word.lower() not in EVERYDAY]
        if len(named) == 1 and named[0].isalpha():
            named = [plain(word) for word in words]
        flags = [word for segment in self.segments for word in segment if word.startswith("--")]
        return tuple(dict.fromkeys(named or flags))


@dataclass(frozen=True, slots=True)
class Flag:
    """An option that a memory prescribes, with its value and the other words of the memory."""

    name: str
    value: str
    beside: frozenset[str]

    @property
    def telling(self) -> tuple[str, ...]:
        return tuple(part for part in (self.name, self.value) if part)


def plain(word: str) -> str:
    """Returns a program or path without a leading `./`."""
    return word.removeprefix("./")


@lru_cache(CACHE_SIZE)
def segments(line: str) -> tuple[tuple[str, ...], ...]:
    """Returns the simple commands of a command line, without quotes, leading assignments and wrappers."""
    return tuple(words for part in _OPERATOR.split(line) if (words := _words(part)))


def _words(part: str) -> tuple[str, ...]:
    words = re.sub(r"['\"`]", " ", part).split()
    while len(words) > 1 and (_ASSIGNED.match(words[0]) or words[0] in WRAPPERS):
        words = words[2:] if words[:2] == ["bundle", "exec"] and len(words) > 2 else words[1:]
    return tuple(words)


@lru_cache(CACHE_SIZE)
def commands(content: str) -> tuple[AdvisedCommand, ...]:
    """Returns the commands that a memory prescribes, without common ones and those it warns against."""
    found = [AdvisedCommand(segments(_HOLE.sub(_ANY, span))) for span in _spans(content)]
    return tuple(command for command in found if _is_special(command))


def _spans(content: str) -> Iterator[str]:
    for match in (*_SPAN.finditer(content), *_PLAIN.finditer(_without_spans(content))):
        if not _is_against(content, match.start(), match.end()):
            yield match[0].strip("`").rstrip(".:")


def _without_spans(content: str) -> str:
    return _SPAN.sub(lambda span: " " * len(span[0]) if " " in span[0] else span[0], content)


def _is_against(content: str, start: int, end: int) -> bool:
    """Tells whether a memory warns against the text between `start` and `end`."""
    return bool(_AGAINST.search(content[:start]) or _FAILS.match(content[end:].lstrip("` ")))


def _is_special(command: AdvisedCommand) -> bool:
    words = [word for segment in command.segments if segment[0] != "cd" for word in segment]
    named = [word for word in words if word.lower() not in EVERYDAY and word != _ANY]
    return bool(named) and (len(words) > 1 or _is_script(words[0]))


def _is_script(word: str) -> bool:
    return "/" in word and not word.startswith(("/", "http", "~")) and not word.endswith("/")


def runs(command: AdvisedCommand, line: str) -> bool:
    """Tells whether a command line runs all of a prescribed command. Additional arguments are allowed."""
    made = segments(line)
    wanted = [segment for segment in command.segments if segment[0] != "cd"]
    return all(any(_covers(segment, done) for done in made) for segment in wanted)


def _covers(wanted: tuple[str, ...], done: tuple[str, ...]) -> bool:
    if ASKING & (set(done) - set(wanted)):
        return False
    begins = next((at for at, word in enumerate(done) if _same_program(wanted[0], word)), -1)
    if begins < 0 or (begins > 0 and done[0] in LOOKING):
        return False
    return _all_in(wanted[1:], done[begins + 1 :])


def _same_program(wanted: str, word: str) -> bool:
    return plain(wanted) == plain(word) or word.endswith("/" + plain(wanted))


def _all_in(wanted: tuple[str, ...], given: tuple[str, ...]) -> bool:
    """Tells whether every wanted word is given, in any order. A placeholder matches any remaining word."""
    left = [plain(word) for word in given]
    for word in sorted(map(plain, wanted), key=lambda word: _ANY in word):
        shape = Pattern(".+".join(map(re.escape, word.split(_ANY))))
        taken = next((other for other in left if shape.fullmatch(other)), None)
        if taken is None:
            return False
        left.remove(taken)
    return True


@lru_cache(CACHE_SIZE)
def tools(content: str) -> frozenset[str]:
    """Returns the tools that a memory prefers to others of their group."""
    text = _without_spans(content)
    wanted = {
        match[0].lower()
        for match in _TOOL.finditer(text)
        if (_BEFORE_TOOL.search(text[: match.start()]) or _AFTER_TOOL.match(text[match.end() :]))
        and not _is_against(text, match.start(), match.end())
    }
    return frozenset(tool for tool in wanted if any(tool in group and len(group & wanted) == 1 for group in RIVALS))


@lru_cache(CACHE_SIZE)
def programs(content: str) -> tuple[tuple[str, ...], ...]:
    """Returns the uncommon programs that a memory names as the way to do something, each with the next word, which may
    be a subcommand.
    """
    text = _without_spans(content)
    return tuple(
        (match[1], match[2]) if match[2] and match[2] not in STOP_WORDS else (match[1],)
        for match in _PROGRAM.finditer(text)
        if match[1] not in EVERYDAY and not _is_against(text, match.start(1), match.end(1))
    )


def runs_tool(tool: Sequence[str], line: str) -> bool:
    """Tells whether a command line runs a tool, with its subcommand if there is one."""
    return any(
        _same_program(tool[0], made[0]) and set(tool[1:]) <= set(made) and not ASKING & set(made)
        for made in segments(line)
    )


@lru_cache(CACHE_SIZE)
def flags(content: str) -> tuple[Flag, ...]:
    """Returns the options that a memory always requires."""
    text = _without_spans(content)
    if not _WITH.search(text):
        return ()
    beside = frozenset(re.findall(r"[a-z][\w-]+", text.lower()))
    return tuple(
        Flag(match[1], match[2] or "", beside)
        for match in _FLAG.finditer(text)
        if not _is_against(text, match.start(), match.end())
    )


def runs_with(flag: Flag, line: str) -> bool:
    """Tells whether a command line passes the option to a program that the memory names."""
    for made in segments(line):
        given = {part for word in made for part in word.split("=", 1)}
        if made[0] in flag.beside and set(flag.telling) <= given:
            return True
    return False


def changes(line: str) -> bool:
    """Tells whether a command line may do more than read."""
    return any(made[0] not in LOOKING or made[:2] in (("git", "mv"), ("git", "rm")) for made in segments(line))
