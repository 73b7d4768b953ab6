"""Redaction: secrets of every shape go, code and notes stay, private parts go whole, and it takes linear time."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import time
from collections import Counter
from pathlib import Path

import pytest

from keepstone.lib.text import MASK, clean, digest
from keepstone.redaction.mask import mask
from keepstone.redaction.redact import redact
from secret_cases import cases, harmless
from secret_shapes import Made, everything
from secrets_by_use import GREEDY as BY_USE
from secrets_given_away import GREEDY as GIVEN_AWAY
from sentences import SENTENCES

MADE = everything()


def leaks(take, made):
    """Those of which the whole secret or half of it is left, as lines to read."""
    left = [(one, take(clean(one.text))) for one in made]
    return [
        f"{one.shape} | {one.place} | {one.text[:200]!r} -> {text[:200]!r}"
        for one, text in left
        if any(piece in text for piece in one.pieces)
    ]


def test_the_generator_makes_enough():
    assert len(MADE) >= 500 and len({one.shape for one in MADE}) >= 40 and len({one.place for one in MADE}) >= 40
    assert everything() == MADE


@pytest.mark.system
@pytest.mark.parametrize(("take", "seed"), [(mask, 20261122), (mask, 1), (redact, 2)])
def test_of_a_hundred_secrets_at_most_one_is_left(take, seed):
    made = everything(seed)
    found = leaks(take, made)
    assert len(found) <= len(made) / 100, "\n".join(found)


@pytest.mark.system
@pytest.mark.parametrize(("take", "seed"), [(mask, 20261122), (mask, 3), (redact, 4)])
def test_of_a_hundred_secrets_as_others_write_them_at_most_one_is_left(take, seed):
    made = [Made(shape, "", text, secret) for shape, text, secret in cases(seed)]
    found = leaks(take, made)
    assert len(made) > 1_000 and len(found) <= len(made) / 100, "\n".join(found)


def test_what_looks_like_a_secret_and_is_none_stays_as_it_is():
    texts = harmless()
    wrong = [f"{text} -> {redact(text)}" for text in texts if redact(text) != text]
    assert len(texts) > 600 and len(wrong) <= len(texts) / 100, "\n".join(wrong)


@pytest.mark.parametrize("take", [redact, mask])
def test_what_is_redacted_is_settled(take):
    for one in MADE:
        once = take(one.text)
        assert take(once) == once and MASK in once


def changed_lines(text):
    """(lines, of them changed) of a file."""
    before = text.split("\n")
    return len(before), (Counter(before) - Counter(redact(text).split("\n"))).total()


def code():
    """Python's own modules, the packages' (with what JavaScript they bring) and node's where it is. Of what a package
    brings twice one is enough.
    """
    places = (
        (Path(sysconfig.get_path("stdlib")), "*.py"),
        (Path(sysconfig.get_path("purelib")), "*/*.py"),
        (Path(sysconfig.get_path("purelib")), "**/*.js"),
        *((Path(folder), "**/*.js") for folder in ("/usr/lib/node_modules", "/usr/local/lib/node_modules")),
    )
    texts = {}
    for folder, pattern in places:
        for path in sorted(folder.glob(pattern))[:5]:
            texts.setdefault(path.read_text(encoding="utf-8", errors="replace"))
    return texts


@pytest.mark.system
def test_of_a_hundred_lines_of_code_at_most_one_is_changed():
    lines = changed = 0
    for text in code():
        count, different = changed_lines(text)
        lines += count
        changed += different
    assert lines > 2_000 and changed <= lines / 100, f"{changed} of {lines} lines"


def test_notes_with_digests_ids_and_versions_stay_as_they_are():
    assert len(SENTENCES) >= 200
    wrong = [f"{sentence} -> {redact(sentence)}" for sentence in SENTENCES if redact(sentence) != sentence]
    assert len(wrong) <= len(SENTENCES) / 100, "\n".join(wrong)


@pytest.mark.parametrize("take", [redact, mask])
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("use tabs<private>the key is x</private>, always", "use tabs, always"),
        ("use tabs <private>and this", "use tabs "),
        ("a<PRIVATE reason='x'>b</Private >c", "ac"),
        ("a<private>b<private>c</private>d</private>e", "ae"),
        ("a</private>b<private>c", "ab"),
        ("a<private>b\n\nc</private>d<private>e</private>f", "adf"),
        ("compare a <private key with a public one", "compare a <private key with a public one"),
    ],
)
def test_a_private_part_goes_whole(take, text, left):
    assert take(text) == left


# Each is repeated to the sizes that are compared: what patterns might scan again and again.
GREEDY = (
    *(
        "sk-",
        "eyJ",
        "eyJ-",
        "xoxb-",
        "password=",
        "password ",
        "password: ",
        "token is ",
        "secret=token=",
        "://a:",
        "://",
    ),
    *("https://", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMIIE", "a"),
    *("A1b2C3d4", "aGVsbG8gd29ybGQhISEhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh\n", "<private", "<private>", "</private>"),
    *(
        " ",
        "\n",
        "\t",
        "\\n",
        '"',
        "'",
        "=",
        ":",
        "-",
        "/",
        "/a",
        "0",
        "key ",
        "key=",
        "api key ",
        "Cookie: a=",
        "Cookie: ",
    ),
    *(
        "login a password ",
        "login ",
        "curl -u ",
        "curl ",
        "mysql -p",
        "mysql ",
        "%3A%2F%2F",
        "%3A%2F%2Fa%3A",
        "aws key ",
    ),
    *(
        '"auth": "',
        '{"auth":',
        "authorization: ",
        "bearer ",
        "basic ",
        "AKIA",
        "AC",
        "M" * 24 + ".",
        "12345678:",
        "?sig=",
    ),
    *(
        "//x/:_authToken=",
        "_auth=",
        "ibm_cloud_iam_key=",
        "cos_secret_key ",
        "cloudant:",
        "softlayer_key=",
        "@",
        "a.",
        "pat",
    ),
    *(
        "https://hooks.slack.com/services/T",
        "https://a:",
        "postgres://",
        "postgres://a:",
        "Private-Lines: 1\n",
        "\\",
        "…",
    ),
    *GIVEN_AWAY,
    *BY_USE,
)


def seconds(text):
    start = time.process_time()
    redact(text)
    return time.process_time() - start


@pytest.mark.system
@pytest.mark.parametrize("unit", GREEDY, ids=range(len(GREEDY)))
def test_the_time_grows_with_the_text_and_not_with_its_square(unit):
    short, long = (unit * (size // len(unit)) for size in (3_000, 24_000))
    most = 8 * min(seconds(short), seconds(short)) * 3 + 0.06
    assert any(seconds(long) < most for _ in range(2)), f"more than {most:.3f} s"


def test_the_library_s_patterns_are_those_of_its_detectors():
    code = """
from keepstone.redaction import redact
mine = redact._detectors()
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
known = {detector.__name__: detector for detector in get_mapping_from_secret_type_to_class().values()}
told = lambda patterns: [(one.pattern, one.flags) for one in patterns]
mine = {name: [one.compiled for one in patterns] for name, patterns in mine.items()}
assert {name: told(patterns) for name, patterns in mine.items()} == {
    name: told(known[name]().denylist) for name in mine
}
missing = {name for name, detector in known.items() if hasattr(detector, "denylist")} - mine.keys()
assert missing == set(redact._UNFIT), missing
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_redacting_loads_no_http_client():
    code = "import sys; from keepstone.redaction.redact import redact; redact('x'); print('requests' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_our_own_ids_are_no_secrets():
    """Some look as random as a key: sug-d69f4ea4fd92fa58."""
    ids = [f"{kind}-{digest(kind, str(number))[:16]}" for kind in ("mem", "prj", "sug") for number in range(2_000)]
    assert [one for one in ids if redact(f'{{"suggestion":"{one}"}}') != f'{{"suggestion":"{one}"}}'] == []
    assert "d69f4ea4fd92fa58" not in redact("password: mem-d69f4ea4fd92fa58x")
