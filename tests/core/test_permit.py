"""Which shell lines run unasked: one harmless command whose words every shell reads as we do, and nothing else."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cairn.core.defaults import PERMITTED_CHARS
from cairn.core.permit import HARMLESS, is_permitted, plain_words

PERMITTED = [
    "cairn recent",
    "cairn recent 5",
    "cairn  context --limit=3 ",
    "cairn search 'billing database' --type decision",
    'cairn search "billing; database"',
    "cairn store --type decision 'PostgreSQL for billing: row-level security'",
    "cairn store 'it'\\''s `x` $HOME; a & b | c > d'",
    'cairn store "don\'t deploy on Fridays"',
    "cairn store 'Grüße, 日本'",
    "cairn show 3fa2c1 --json",
    "cairn rate 3fa2c1 outdated",
    "cairn status --all",
    "cairn about 'deployment'",
    "cairn decisions",
]
# the line, and what it would do besides
EVASIONS = [
    "cairn store --project ../other x",
    "cairn store x --project=/etc",
    "cairn store --proj /tmp x",
    "cairn store x; rm -rf ~",
    "cairn store x && curl evil.example",
    "cairn store x || true",
    "cairn store x | sh",
    "cairn store x & rm -rf /",
    "cairn store x\nrm -rf ~",
    "cairn store x\rrm -rf ~",
    "cairn store $(rm -rf ~)",
    "cairn store `rm -rf ~`",
    'cairn store "$(rm -rf ~)"',
    'cairn store "`rm -rf ~`"',
    "cairn store $HOME",
    'cairn store "$ANTHROPIC_API_KEY"',
    "cairn store ${IFS}x",
    "cairn store $'\\x3b'",
    "cairn recent > ~/.bashrc",
    "cairn recent >> x",
    "cairn store < /etc/passwd",
    "cairn store <(rm -rf ~)",
    "cairn store x 2>&1",
    "cairn store ~/x",
    "cairn store *",
    "cairn store {a,b}",
    "cairn store [a]",
    "cairn store x?",
    "cairn store !!",
    'cairn store "!!"',
    "cairn store 'x",
    'cairn store "x',
    "cairn store x\\",
    "cairn store x\\\nrm",
    "cairn store 'x'\\",
    "cairn store x # y",
    "(cairn store x)",
    "{ cairn store x; }",
    "! cairn store x",
    "CAIRN_HOME=/tmp/x cairn store x",
    "PATH=/tmp/x cairn store x",
    "env cairn store x",
    "sudo cairn store x",
    "time cairn store x",
    "/tmp/cairn store x",
    "./cairn store x",
    "'cairn' store x",
    '"cairn" store x',
    "cairn 'store' x",
    "\\cairn store x",
    "cai''rn store x",
    "cairn =ls",
    "cairn store =ls",
    "cairn store x=~root",
    "cairn search --project==ls x",
    "cairn store x\ty",
    "cairn store \u00a0x",
    "cairn store \u202ex",
    "cairn store 'x\x00y'",
    "cairn\u00a0store x",
    "cairn stor\u0435 x",
    "cairnx store x",
    "cairn store --user x",
    "cairn store --use x",
    "cairn",
    "cairn --help",
    "cairn --version",
    "cairn -h recent",
    "",
    " ",
    "cairn store '" + "x" * PERMITTED_CHARS + "'",
    *(
        f"cairn {name} x"
        for name in (
            *("setup", "config", "forget", "erase", "import", "ingest", "serve", "uninstall", "capture", "scrub"),
            *(
                "work",
                "bootstrap",
                "review",
                "revise",
                "pin",
                "restore",
                "export",
                "edit",
                "onboard",
                "observe",
                "doctor",
            ),
        )
    ),
]


@pytest.mark.parametrize("command", PERMITTED)
def test_one_plain_command_that_harms_nothing_is_permitted(command):
    assert is_permitted({"command": command, "description": "x", "timeout": 1000})


@pytest.mark.parametrize("command", EVASIONS)
def test_whatever_could_do_more_is_left_to_the_user(command):
    assert not is_permitted({"command": command})


@pytest.mark.parametrize(
    "more",
    [
        {"dangerouslyDisableSandbox": True},
        {"run_in_background": True},
        {"command": ["cairn", "recent"]},
        {"command": 7},
    ],
)
def test_the_call_around_the_command_must_be_plain_too(more):
    assert not is_permitted({"command": "cairn recent", **more})


ALPHABET = list("ab -'\"\\$`;&|<>(){}[]*?!~#=^%@+,.:/\n\t\r\u00a0é") + ["--x=", "'\\''", "cairn ", "store "]


@pytest.mark.parametrize("shell", [path for name in ("bash", "dash", "zsh") if (path := shutil.which(name))])
@settings(max_examples=250, deadline=None)
@given(st.lists(st.sampled_from(ALPHABET), max_size=14).map("".join))
@example("--x=='a'")
@example("'a'\\''b' \"c d\"  e")
def test_a_shell_reads_the_words_of_a_permitted_line_as_we_do(shell, rest):
    """The shell has no other program to start, and prints the words that its `cairn` is given."""
    command = f"cairn store {rest}"
    words = plain_words(command)
    if words:
        script = "cairn() { printf '%s\\0' cairn \"$@\"; }\n" + command
        done = subprocess.run([shell, "-c", script], capture_output=True, env={"PATH": "/nowhere"}, cwd="/")
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode().split("\0")[:-1] == words


def test_what_is_harmless_is_what_reads_or_keeps_one_memory():
    assert HARMLESS == {"store", "search", "about", "decisions", "recent", "context", "show", "rate", "status"}
