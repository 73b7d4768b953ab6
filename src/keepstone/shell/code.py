"""Tells whether code that an interpreter is given may bring text from elsewhere. It stays on this machine only if it
loads no modules but those that are listed here, and has no word that starts or opens something.
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern

# Modules that neither start a process nor open a connection, but by a name in _STARTS.
_PYTHON_MODULES = frozenset(
    """
    __future__ abc argparse array ast base64 binascii bisect calendar cmath codecs collections colorsys contextlib
    copy csv dataclasses datetime decimal difflib dis enum errno fnmatch fractions functools getpass gettext glob
    graphlib hashlib heapq hmac html inspect io itertools json keyword linecache locale logging math mimetypes
    numbers operator os pathlib platform pprint queue random re reprlib secrets shlex shutil
    signal site stat statistics string stringprep struct symtable sys sysconfig tempfile textwrap threading time
    timeit token tokenize tomllib traceback types typing typing_extensions unicodedata unittest uuid warnings
    weakref xml zipfile zlib gzip bz2 lzma tarfile zoneinfo configparser concurrent
    mpmath numpy sympy tomli yaml
    """.split()
)
_NODE_MODULES = frozenset(
    """
    assert buffer console constants crypto events fs fs/promises os path path/posix perf_hooks punycode querystring
    readline stream string_decoder timers timers/promises url util v8 zlib js-yaml yaml semver
    """.split()
)
_RUBY_MODULES = frozenset(
    """
    abbrev base64 benchmark bigdecimal csv date delegate digest erb english etc fileutils find forwardable json
    logger matrix optparse ostruct pathname pp prime psych ripper securerandom set shellwords singleton stringio
    strscan tempfile time tmpdir tsort yaml zlib
    """.split()
)
_PERL_MODULES = frozenset(
    """
    strict warnings utf8 feature constant integer bigint lib vars data::dumper list::util scalar::util hash::util
    json::pp json time::local time::hires time::piece getopt::long file::basename file::spec file::path file::find
    file::temp file::copy cwd encode mime::base64 digest::md5 digest::sha text::wrap text::tabs text::csv storable
    carp math::trig open posix json json::xs tie::file
    """.split()
)
_NONE: frozenset[str] = frozenset()


def _words(*parts: str) -> Pattern:
    return Pattern("|".join(parts), re.IGNORECASE)


# Words with which code of any language starts a process, opens a connection or a database, or hides what it does.
_ANY = (
    r"\burl(?:lib|open)|\brequests?\b|\bhttp(?:x|c|oison|otion)?\b|\breq\.|\bfetch\b|\bsocket|websocket|open-uri",
    r"\b(?:ftp|smtp|imap|pop|telnet|nntp|xmlrpc)lib|paramiko|aiohttp|grpc|axios|undici|boto|google\.cloud|\bazure\b",
    r"redis|mongo|psycopg|asyncpg|\bpg8000|mysql|mariadb|sqlite3?\.connect|import sqlite|better-sqlite|duckdb",
    r"sqlalchemy|cassandra|activerecord|\.objects\.|\brepo\.|\bsequelize|\bknex|prisma|require\(['\"]pg['\"]",
    r"subprocess|popen|spawn|pexpect|child_process|\bos\.(?:system|exec|cmd)|\bsystem\s*[(\"'`]|system\.cmd",
    r"\bexec\s*\(|\beval\s*\(|clipboard|runpy|__import__|import_module|net[/:]{1,2}\w|lwp::|%x|\bqx\b|\bopen3",
)
_GENERAL = _words(*_ANY)
_STARTS = {
    "python": _words(
        r"__import__|import_module|importlib|import_string|runpy|sys\.modules|__builtins__|__dict__\s*(?:\[|\.get)|__subclasses__",
        r"\bgetattr\s*\(\s*(?:os|sys|shutil)\b|\bvars\s*\(\s*os|(?<![.\w])(?:exec|eval)\s*(?:[(;,)\]\n]|$)|\bexec[lv]p?e?\b",
        r"(?<!platform)\.system\b|\bimport\b[^\n;]{0,200}\bsystem\b|(?<![.\w])system\s*\(|popen|spawn|\bforkpty|startfile",
        r"subprocess|processpool|\bsocket|httphandler|dictconfig|fileconfig|unsafe|datasource|\.(?:sax|f2py)\b",
    ),
    "node": _words(
        r"\bfetch\b|websocket|xmlhttprequest|eventsource|sendbeacon|\beval\b|\bfunction\s*\(\s*['\"`]|child_process",
        r"process\.(?:binding|mainmodule|dlopen)|constructor\s*[.\[]|getbuiltinmodule|createrequire|import\.meta",
        r"\bmodule\.(?:constructor|require|_load|parent|children)|globalthis\s*\[|\b(?:deno|bun)\.",
        r"\b(?:require\b|import\s*\()(?!\s*\(?\s*\\?['\"`][^'\"`$\\+]{1,200}\\?['\"`]\s*\))",
    ),
    "ruby": _words(
        *_ANY,
        r"`|\bexec\b|\bsystem\b|\bsend\b|instance_eval|class_eval|const_get|\bautoload\b|\bpty\b|\bkernel\b",
        r"(?:tcp|udp|unix|ssl)\w{0,9}(?:socket|server)|['\"]\|",
    ),
    "perl": _words(
        *_ANY,
        r"`|\bexec\b|\bsystem\b|\bconnect\b|io::|\bdbi\b|\bdo\s+['\"$]|\bsyscall|\bfork\b|\beval\s*['\"$]",
        r"\bopen\b[^;\n]{0,200}\||['\"]\s*-?\||/\w{0,9}ee\w{0,9}(?:\s|;|$)",
    ),
    "php": _words(
        *_ANY,
        r"`|shell_exec|passthru|proc_open|pcntl|fsockopen|stream_|curl_|\bpdo\b|\bpg_|\bsoap|\bdns_|\bftp_",
        r"gethostby|\bimap_|\bldap_|\bssh2_|call_user_func|create_function|\$\w+\s*\(",
    ),
}
_REST = _words(
    *_ANY,
    r"`|\bgen_tcp|\bgen_udp|system2|\bshell\b|\bdownload|\bport\.open|\bdo shell script|\btell app|\bsource\s*\(",
    r"\bdofile|\bloadstring|\bload\s*\(|\bexec\b|\burl\b",
)
# What code loads: a name, or names with commas between. An empty one is not told.
_NAME = r"[\w.]+(?:\s+as\s+\w+)?"
_QUOTED = r"\s*\(?\s*\\?['\"`]([^'\"`\\]{1,200})"
_LOADS = {
    "python": Pattern(rf"\bfrom\s+([\w.]+)\s+import\b|\bimport\s+({_NAME}(?:\s*,\s*{_NAME})*)"),
    "node": Pattern(rf"\b(?:require|from|import){_QUOTED}"),
    "ruby": Pattern(rf"(?<![.\w])(?:require|require_relative|load)\b(?:{_QUOTED})?"),
    "perl": Pattern(r"\b(?:use|require|no)\s+([A-Za-z][\w:]*)|\brequire\b"),
    "php": Pattern(r"\b(?:include|require)(?:_once)?\b"),
}
_ANY_LOADS = Pattern(r"\b(?:import|require|use|using|library|loadNamespace)\b[ (]")
_MODULES = {"python": _PYTHON_MODULES, "node": _NODE_MODULES, "ruby": _RUBY_MODULES, "perl": _PERL_MODULES}
_LANGUAGES = {
    **dict.fromkeys(("python", "pypy"), "python"),
    **dict.fromkeys(("node", "nodejs", "deno", "bun", "tsx", "ts-node"), "node"),
    **dict.fromkeys(("ruby", "irb"), "ruby"),
    "perl": "perl",
    "php": "php",
}
_LOADING = {  # options that load a module before the code runs
    "node": Pattern(r"(?:-r|--require|--import|--loader|--experimental-loader)(?:=?(.*))"),
    "ruby": Pattern(r"-r(.*)"),
    "perl": Pattern(r"-[Mm]-?([\w:]*)(?:[=\s].*)?"),
}
_PUT_IN = Pattern(r"(?:^|[;\n\0])\s*\$[\w{(]")  # in a statement's place: the shell puts code there that is not seen
_DOLLARS = frozenset(("perl", "php", "ruby"))  # languages in which a name begins so


def language(program: str) -> str:
    """Returns the language that an interpreter runs, "" for those of which only words are known."""
    return _LANGUAGES.get(program.rstrip("0123456789."), "")


def reaches(program: str, code: str) -> bool:
    """Tells whether code that a program is given may start a process, open a connection or a database, or loads what is
    not known to do neither.
    """
    spoken = language(program)
    if _STARTS.get(spoken, _REST).search(code) or (spoken not in _DOLLARS and _PUT_IN.search(code)):
        return True
    if not spoken:
        return bool(_ANY_LOADS.search(code))
    return not all(_is_harmless(spoken, name) for found in _LOADS[spoken].finditer(code) for name in _names(found))


def has_words(text: str) -> bool:
    """Tells whether a text has words with which code of some language starts or opens something."""
    return bool(_GENERAL.search(text))


def loads(program: str, options: list[str]) -> bool:
    """Tells whether options of an interpreter load a module that is not known to be harmless."""
    spoken = language(program)
    if spoken not in _LOADING:
        return False
    for option, after in zip(options, [*options[1:], ""], strict=True):
        found = _LOADING[spoken].fullmatch(option)
        if found and not _is_harmless(spoken, found[1] or after):
            return True
    return False


def _names(found: re.Match[str]) -> list[str]:
    named = next((group for group in found.groups() if group), "")
    return [name.strip().partition(" ")[0] for name in named.split(",")]


def _is_harmless(spoken: str, name: str) -> bool:
    known = _MODULES.get(spoken, _NONE)
    plain = name.removeprefix("node:").lower()
    if spoken == "python":
        return name.partition(".")[0] in known
    is_data = spoken == "node" and plain.startswith((".", "/")) and plain.endswith(".json")
    return plain in known or is_data
