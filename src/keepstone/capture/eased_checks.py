"""Tells what an edit takes from a check: a test that it skips or deletes, an assertion that it makes weaker, a finding
that it silences. What passes then proves nothing. It compares the text before and after, and stores neither.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..lib.pattern import Pattern
from ..shell.parse import commands, program
from .checks import check_of, is_test

# What an edit does to checks. Of any other edit nothing is noted.
TURNS_OFF, TURNS_ON = "turns a test off", "turns a test on"
EASES, REMARKS = "eases a check", "changes only remarks"

LINE_CHARS = 400  # read of a line

# A test that stands there and does not run, by the forms of the languages: an attribute, a method of the test's own
# object, another name of what declares it, an argument, a statement.
_SWITCH = Pattern(
    r"""
      ^[ \t]*(?:@|\#!?\[|\[(?=[A-Z]))[^"'=]{0,60}?
      \b(?:[Ss]kip\w*|xfail|[Ii]gnored?|[Dd]isabled\w*|EnabledIf\w*|[Pp]ending|expectedFailure|Explicit)\b
    | \b(?:pytest\.mark|unittest)\.(?:skip\w*|xfail)\b
    | \b(?:it|test|describe|context|suite|specify|step|scenario|bench|this|self|t|b|tb|ctx|pytest|unittest)\.
      (?:concurrent\.)?(?:[Ss]kip\w*|xfail|ignore|todo|fixme|fails|failing|only|pending|importorskip)\b
    | ->\s*(?:skip|todo|only)\w*\(
    | (?<![.\w])[xf](?:it|test|describe|context|specify|feature|scenario)\b\s*[("'{ ]
    | \b(?:[Ss]kipTest|markTest(?:Skipped|Incomplete)|XCTSkip\w*|GTEST_SKIP|[Aa]ssum(?:e|ption)[\w.]*\(|DISABLED_\w+)
    | ^[ \t]*(?:skip|pending|ignore)(?:\s*$|\s*[("']|\s+(?:if|unless|should|must)\b)
    | \b[Ss]kip\s*[:=]\s*(?:[Tt]rue\b|["'])|\benabled\s*=\s*false\b|[,(]\s*:(?:skip|pending)\b|\b__test__\s*=\s*False
    | ^[ \t]*\#if\s+0\b
    """,
    re.VERBOSE | re.MULTILINE,
)
_DECLARES = Pattern(
    r"""
      ^[ \t]*(?:async\s+)?def\s+test | \bfunction\s+test\w*\s*\(
    | (?<![.\w])(?:it|test|specify|scenario|testWidgets|test_that)(?:\.\w+)*\s*[("']
    | ^[ \t]*func\s+(?:\([^)]*\)\s*)?(?:(?:Test|Fuzz|Benchmark|Example)\w*\s*\(|test\w*\s*\(\s*\))
    | \#\[(?:\w+::)*(?:test|rstest|test_case)\b | @(?:Test|ParameterizedTest|RepeatedTest|test)\b
    | \[(?:Fact|Theory|Test|TestMethod|TestCase)\b | \b(?:TEST|TEST_F|TEST_P|\w*TEST_CASE)\s*\(
    | ^[ \t]*Scenario(?:[ ]Outline)?:
    """,
    re.VERBOSE | re.MULTILINE,
)
_ASSERTS = Pattern(
    r"\b(?:[Aa]ssert|expect(?!ed\b)|[Ss]hould|refute|require\.|verify|XCTAssert|t\.(?:Error|Fatal)|must_|EXPECT_|ASSERT_|raises\b)"
    r"|^\s*if\b.*!=|^\s*(?:is|ok|like|is_deeply)\("
)
# An assertion that admits one result.
_EXACT = Pattern(
    r"(?<![!<>=])={2,3}(?!=)|^\s*if\b.*?!=|^\s*is(?:_deeply)?\(|\b(?:to(?:Be|Equal|StrictEqual|HaveLength|BeCloseTo)\b|"
    r"[Aa]ssert(?!\w*[Nn]ot)\w*(?:[Ee]qual|Eq|_eq|Same|Almost)\w*|(?:EXPECT|ASSERT)_\w*EQ\b|Equal\w*|AreEqual|"
    r"isEqualTo|[Ee]ql?\b|equals?\b|Be\b|approx)"
)
# What admits more, or everything.
_LOOSE = Pattern(
    r"\bor\b|\|\||^\s*if\b.*!=.*&&|\bANY\b|\banything\(|\bexpect\.any|\bexpect\((?:true|1)\)|"
    r"\b[Aa]ssert(?:\w*[Tt]rue)?!?[\s(]+(?:[Tt]rue|1)\s*(?:[);,#]|$)|\b(\w[\w.()]*) ={2,3} \1(?![\w.(])|"
    r"\bexpect\(([^()]+)\)\.to\w+\(\2\)|\b[Aa]ssert\w*!?\(([\w.]+), \3\)|\braises\((?:Base)?Exception\b|\btoThrow\(\)"
)
# Around an assertion, so that it can't fail.
_ESCAPE = Pattern(
    r"\bexcept(?: AssertionError\b.*)?:|\bsuppress\(\w*(?:AssertionError|Exception)|\bcatch\b[^{]*\{\s*\}|"
    r"^\s*return;?\s*$"
)
_ROW = Pattern(r"\s*[\[({].*[\])}],?\s*")  # of a table of examples
_NUMBER = Pattern(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?")
# A bound by which more passes once it is raised, or lowered: of an assertion, of a check's settings.
_AT_MOST = Pattern(r" <=? |[Ll]ess|[Bb]elow|[Aa]t_?[Mm]ost|\b(?:abs|rel|atol|rtol|delta|epsilon|tolerance)\b|InDelta")
_AT_LEAST = Pattern(r" >=? |[Gg]reater|[Aa]bove|[Aa]t_?[Ll]east|\bplaces\b|CloseTo")
_MAXIMUM = Pattern(
    r"\bmax[-_]?(?:warnings|complexity|len\w*|lines|line[-_]length|params|depth|statements|nested\w*|size)\b|"
    r"\bline[-_]length\b|\bcomplexity\b",
    re.IGNORECASE,
)
_MINIMUM = Pattern(
    r"fail[-_]under|threshold|<minimum>|\bmin(?:imum)?[-_]?(?:coverage|score)|\b(?:branches|functions|lines|statements|coverage)\b",
    re.IGNORECASE,
)
_SETTINGS = (".toml", ".cfg", ".ini", ".json", ".yml", ".yaml", ".xml", ".gradle", ".kts", ".mk", "makefile", "rc")
# An order to a checker to say nothing, in a comment, an attribute or a setting of its own.
_SILENCE = Pattern(
    r"""
      (?:\#|//|\{?/\*+|--|<!--)\s*@?(?:
        (?:(?:[\w-]+:\s*)+(?:\w[\w-]*-)?|\w[\w-]*-)(?:ignore|disable|nocheck|suppress|expect-error|off)\b
        | go:build\s+ignore | noqa\b | nosec\b | nolint\b | NOLINT | pragma:\s*no | noinspection\b | fmt:\s*(?:off|skip)
        | ts-(?:ignore|nocheck|expect-error)\b | (?:istanbul|[cv]8|shellcheck|hadolint)\s+(?:ignore|disable)
        | (?:phpstan|psalm)-\w+
      ).*$
    | \#!?\[(?:allow|expect)\([^\]]*\]
    | @Suppress\w*\([^)]*\) | ^\s*\#pragma\s+(?:warning\s+disable|\w+\s+diagnostic\s+ignored).*$
    | (?<=commands[ ]=[ ])- | \bcontinue-on-error:\s*true 
    | \ballow_failure:\s*true | ^\s*-?\s*if:\s*false\s*$ | ^\s*set\s+\+e\s*$
    | --(?:exit-zero|pass-?with-?no-?tests|no-verify|ignore-errors|deselect[ =]\S+)\b
    | \bcollect_ignore\w*\s*=.* | ["']?\btestPathIgnorePatterns["']?\s*:.* | -k\s+\W*not\s[^"']*\W?
    | \bignore_errors\s*=\s*true | (?:<testFailureIgnore>true</testFailureIgnore>|<skipTests>true</skipTests>)
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_EXCUSE = Pattern(
    r"^-?(?P<line>.*?)\s*(?:\|\||;)\s*(?:(?:true|exit\s+0)\b|:(?=\W|$)|echo\b(?:\s+(?:\"[^\"]*\"|'[^']*'|[^\s\"';&]+))*)|^-(?P<recipe>[a-z][^:=]*)$"
)  # `pytest || true`
_OPENS = Pattern(r"""^.*(?:["'`]|\brun:|&&|;|^[\s@-]+)\s*(?=\S)""")  # what stands before a command in a script
_LIST = Pattern(r"^\s*[\"']?(?:extend-)?(?:ignore|disable|disable_error_code|per-file-ignores)[\"']?\s*[=:].*$")
# A rule or a strictness of a checker, and one that is off.
_RULE = Pattern(
    r"^\s*[\"']?(?:[\w@/-]+[\"']?\s*:\s*\[?\s*[\"'](?:off|warn|error)[\"']|"
    r"(?:strict\w*|no[A-Z]\w+|check\w*|warn_\w+|disallow_\w+|fail\w*)[\"']?\s*[:=]\s*(?:true|false)\b).*$",
    re.IGNORECASE,
)
_RULE_OFF = Pattern(r"[:=]\s*\[?\s*[\"']?(?:off|warn|false)\b", re.IGNORECASE)
# A comment in words; one with a colon or a sign at its start may be an order to a program.
_COMMENT = Pattern(
    r"^\s*(?:(?://+|#|--|/?\*+)\s+(?:(?:TODO|FIXME|NOTE)\b|[A-Za-z`'\"](?![\w-]*\s*[:=]))|\*/|/\*+\s*$|//\s*$)"
)
_TRIPLES = ('"""', "'''")
_QUOTED = Pattern(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
# What a stream editor is told: `s/old/new/`, or `/old/d`.
_SUBSTITUTES = Pattern(r"\bs([/|#,!@])(?P<old>(?:\\.|(?!\1).)+)\1(?P<new>(?:\\.|(?!\1).)*)\1")
_DELETES = Pattern(r"^/(?P<old>(?:\\.|[^/\\])+)/(?:,\S+)?d$")
_ESCAPED = Pattern(r"\\(\W)")
_BLANK = Pattern(r"[\s,;]+")


def effect(path: str, before: str, after: str) -> str:
    """Returns what an edit of a file does to checks, "" if nothing is known of it. A file that was written without
    knowing what it held has no text `before`.
    """
    gone, came = _difference(before, after)
    if is_test(path) or path.endswith(".rs"):  # in Rust, tests stand in the sources
        switched = _switched(path, before, after)
        if switched > 0 or (not before and _is_hollow(path, after)):
            return TURNS_OFF
        if before and (_is_weaker(gone, came) or (not switched and _escapes(gone, came))):
            return EASES
        if switched < 0:
            return TURNS_ON
    if _silences(gone, came) or (path.lower().endswith(_SETTINGS) and _lets_more_pass(gone, came, _MAXIMUM, _MINIMUM)):
        return EASES
    return REMARKS if _only_remarks(gone, came) else ""


def line_effect(command: str) -> str:
    """Returns what a shell line does to checks by a stream editor, as `effect` does."""
    found = [made for one in commands(command) for made in _edited(one.words) if made not in ("", REMARKS)]
    return TURNS_OFF if TURNS_OFF in found else next(iter(found), "")


def _edited(words: Sequence[str]) -> Iterator[str]:
    """Yields the effect of each change that `sed -i` or `perl -pi` makes of the last file that it names."""
    if (
        not words
        or program(words[0]) not in ("sed", "perl")
        or not any(word.startswith(("-i", "-pi")) for word in words)
    ):
        return
    for told in words[1:-1]:
        for found in (*_SUBSTITUTES.finditer(told), *_DELETES.finditer(told)):
            old, new = found["old"], found.groupdict().get("new", "")
            new = new.replace("\\n", "\n").replace("&", old)
            yield effect(words[-1], *(_ESCAPED.sub(r"\1", text.lstrip("^")) for text in (old, new)))


def _difference(before: str, after: str) -> tuple[list[str], list[str]]:
    """Returns the lines that are gone and those that came, without what only moved or was indented."""
    old, new = (
        Counter(line.strip()[:LINE_CHARS] for line in text.split("\n") if line.strip()) for text in (before, after)
    )
    return list((old - new).elements()), list((new - old).elements())


def _switched(path: str, before: str, after: str) -> int:
    """Returns how many tests more an edit turns off than on."""
    old, new = (_code(path, text) for text in (before, after))
    off = _count(_SWITCH, new) - _count(_SWITCH, old)
    declared = _count(_DECLARES, old) - _count(_DECLARES, new)
    return max(off, off + declared)


def _code(path: str, text: str) -> str:
    """Returns a text without comments. In Rust's sources only attributes tell of tests."""
    lines = (line[:LINE_CHARS] for line in _outside_blocks(text.split("\n")))
    is_rust = path.endswith(".rs")
    return "\n".join(line for line in lines if (line.lstrip().startswith("#[") if is_rust else not _is_comment(line)))


def _outside_blocks(lines: Iterable[str]) -> Iterator[str]:
    """Yields the lines outside blocks of comments and of quoted text that begin with a line."""
    end = ""
    for line in lines:
        start = line.lstrip()[:3]
        if end:
            end = "" if end in line else end
        elif start.startswith("/*") or start in _TRIPLES:
            closes = "*/" if start.startswith("/*") else start
            end = "" if closes in line.lstrip()[len(closes) :] else closes
        else:
            yield line


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("//", "# ", "--", "* ", "/*")) or _COMMENT.match(line) is not None


def _is_hollow(path: str, text: str) -> bool:
    """Tells whether a test's file holds no test any more."""
    named = not path.rpartition("/")[2].startswith(("conftest", "__init__"))
    return named and is_test(path.rpartition("/")[2]) and not (_DECLARES.search(text) or _ASSERTS.search(text))


def _is_weaker(gone: Sequence[str], came: Sequence[str]) -> bool:
    """Tells whether the lines that came assert less than those that are gone."""
    gone, came = ([line for line in lines if not _SWITCH.search(line)] for lines in (gone, came))
    if gone and not came and all(map(_ROW.fullmatch, gone)):
        return True
    old, new = (_unquoted(line for line in lines if not _is_comment(line)) for lines in (gone, came))
    was, now = (list(filter(_ASSERTS.search, lines)) for lines in (old, new))
    if not (was or now) and _count(_EXACT, old):
        was, now = old, new  # only a part of each line is told
    elif len(now) < len(was):
        return True
    exact, loose = (_count(admits, now) - _count(admits, was) for admits in (_EXACT, _LOOSE))
    return (exact < 0 <= loose) or (bool(was) and loose > 0) or _lets_more_pass(was, now, _AT_MOST, _AT_LEAST)


def _escapes(gone: Sequence[str], came: Sequence[str]) -> bool:
    """Tells whether the lines that came keep an assertion from failing, or from being reached."""
    return _count(_ESCAPE, came) > _count(_ESCAPE, gone)


def _unquoted(lines: Iterable[str]) -> list[str]:
    return [_QUOTED.sub('""', line) for line in lines]


def _lets_more_pass(gone: Sequence[str], came: Sequence[str], upper: Pattern, lower: Pattern) -> bool:
    """Tells whether of two lines that differ in numbers only the later one has a wider bound."""
    old = {_NUMBER.sub("#", line): line for line in gone}
    pairs = ((old.get(_NUMBER.sub("#", line), ""), line) for line in came)
    return any(was and _is_wider(was, line, upper, lower) for was, line in pairs)


def _is_wider(was: str, now: str, upper: Pattern, lower: Pattern) -> bool:
    steps = [float(new) - float(old) for old, new in zip(_numbers(was), _numbers(now), strict=True)]
    if upper.search(was):
        return max(steps) > 0
    return lower.search(was) is not None and min(steps) < 0


def _numbers(line: str) -> list[str]:
    return [found[0] for found in _NUMBER.finditer(line)]


def _silences(gone: Sequence[str], came: Sequence[str]) -> bool:
    """Tells whether lines do nothing but silence a check: without that they are the same."""
    old, new = (_silenced(lines) for lines in (gone, came))
    return new[0] > old[0] and new[1] == old[1]


def _silenced(lines: Sequence[str]) -> tuple[int, Counter[str]]:
    """Returns how much in some lines silences a check, and what is left of them without comments."""
    parts = [(line, _without_orders(line)) for line in lines]
    size = sum(len(line) - len(rest) for line, rest in parts if not _RULE.match(line) or _RULE_OFF.search(line))
    return size, _left(rest for _, rest in parts)


def _without_orders(line: str) -> str:
    if _LIST.match(line) or _RULE.match(line):
        return ""
    excused = _EXCUSE.match(line)
    told = (excused["line"] or excused["recipe"] or "") if excused else ""
    if excused and check_of(_OPENS.sub("", told)):
        line = told + line[excused.end() :]
    return _SILENCE.sub("", line)


def _left(lines: Iterable[str]) -> Counter[str]:
    """Returns what some lines do, whatever their comments and blanks."""
    plain = (_BLANK.sub("", line) for line in lines if not _COMMENT.match(line))
    return Counter(line for line in plain if line)


def _only_remarks(gone: Sequence[str], came: Sequence[str]) -> bool:
    return any(map(_COMMENT.match, (*gone, *came))) and _left(gone) == _left(came)


def _count(pattern: Pattern, text: str | Sequence[str]) -> int:
    lines = [text] if isinstance(text, str) else text
    return sum(1 for line in lines for _ in pattern.finditer(line))
