"""Which shell lines run unasked: one harmless command whose words every shell reads as we do, and nothing else."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from keepstone.shell.permission import HARMLESS, PERMITTED_CHARS, is_permitted, plain_words

PERMITTED = [
    "keepstone recent",
    "keepstone recent 5",
    "keepstone  context --limit=3 ",
    "keepstone search 'billing database' --type decision",
    'keepstone search "billing; database"',
    "keepstone store --type decision 'PostgreSQL for billing: row-level security'",
    "keepstone store 'it'\\''s `x` $HOME; a & b | c > d'",
    'keepstone store "don\'t deploy on Fridays"',
    "keepstone store 'Grüße, 日本'",
    "keepstone show 3fa2c1 --json",
    "keepstone rate 3fa2c1 outdated",
    "keepstone status --all",
    "keepstone search --agent reviewer deploys",
    "keepstone recent --as-of 7d",
    "keepstone about 'deployment'",
    "keepstone decisions",
]
# the line, and what it would do besides
EVASIONS = [
    "keepstone search --all Kestrel",
    "keepstone recent --all",
    "keepstone recent --al",
    "keepstone about deployment --all",
    "keepstone decisions --project ../other",
    "keepstone context --project=/home/ann/other",
    "keepstone show 3fa2c1 --proj /other",
    "keepstone store --project ../other x",
    "keepstone store x --project=/etc",
    "keepstone store --proj /tmp x",
    "keepstone store x; rm -rf ~",
    "keepstone store x && curl evil.example",
    "keepstone store x || true",
    "keepstone store x | sh",
    "keepstone store x & rm -rf /",
    "keepstone store x\nrm -rf ~",
    "keepstone store x\rrm -rf ~",
    "keepstone store $(rm -rf ~)",
    "keepstone store `rm -rf ~`",
    'keepstone store "$(rm -rf ~)"',
    'keepstone store "`rm -rf ~`"',
    "keepstone store $HOME",
    'keepstone store "$ANTHROPIC_API_KEY"',
    "keepstone store ${IFS}x",
    "keepstone store $'\\x3b'",
    "keepstone recent > ~/.bashrc",
    "keepstone recent >> x",
    "keepstone store < /etc/passwd",
    "keepstone store <(rm -rf ~)",
    "keepstone store x 2>&1",
    "keepstone store ~/x",
    "keepstone store *",
    "keepstone store {a,b}",
    "keepstone store [a]",
    "keepstone store x?",
    "keepstone store !!",
    'keepstone store "!!"',
    "keepstone store 'x",
    'keepstone store "x',
    "keepstone store x\\",
    "keepstone store x\\\nrm",
    "keepstone store 'x'\\",
    "keepstone store x # y",
    "(keepstone store x)",
    "{ keepstone store x; }",
    "! keepstone store x",
    "KEEPSTONE_HOME=/tmp/x keepstone store x",
    "PATH=/tmp/x keepstone store x",
    "env keepstone store x",
    "sudo keepstone store x",
    "time keepstone store x",
    "/tmp/keepstone store x",
    "./keepstone store x",
    "'keepstone' store x",
    '"keepstone" store x',
    "keepstone 'store' x",
    "\\keepstone store x",
    "cai''rn store x",
    "keepstone =ls",
    "keepstone store =ls",
    "keepstone store x=~root",
    "keepstone search --project==ls x",
    "keepstone store x\ty",
    "keepstone store \u00a0x",
    "keepstone store \u202ex",
    "keepstone store 'x\x00y'",
    "keepstone\u00a0store x",
    "keepstone stor\u0435 x",
    "keepstonex store x",
    "keepstone store --user x",
    "keepstone store --use x",
    "keepstone",
    "keepstone --help",
    "keepstone --version",
    "keepstone -h recent",
    "",
    " ",
    "keepstone store '" + "x" * PERMITTED_CHARS + "'",
    *(
        f"keepstone {name} x"
        for name in (
            *("setup", "config", "forget", "erase", "import", "ingest", "serve", "uninstall", "capture", "scrub"),
            *(
                "worker",
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
        {"command": ["keepstone", "recent"]},
        {"command": 7},
    ],
)
def test_the_call_around_the_command_must_be_plain_too(more):
    assert not is_permitted({"command": "keepstone recent", **more})


ALPHABET = list("ab -'\"\\$`;&|<>(){}[]*?!~#=^%@+,.:/\n\t\r\u00a0é") + ["--x=", "'\\''", "keepstone ", "store "]


@pytest.mark.parametrize("shell", [path for name in ("bash", "dash", "zsh") if (path := shutil.which(name))])
@settings(max_examples=250, deadline=None)
@given(st.lists(st.sampled_from(ALPHABET), max_size=14).map("".join))
@example("--x=='a'")
@example("'a'\\''b' \"c d\"  e")
def test_a_shell_reads_the_words_of_a_permitted_line_as_we_do(shell, rest):
    """The shell has no other program to start, and prints the words that its `keepstone` is given."""
    command = f"keepstone store {rest}"
    words = plain_words(command)
    if words:
        script = "keepstone() { printf '%s\\0' keepstone \"$@\"; }\n" + command
        done = subprocess.run([shell, "-c", script], capture_output=True, env={"PATH": "/nowhere"}, cwd="/")
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode().split("\0")[:-1] == words


def test_what_is_harmless_is_what_reads_or_keeps_one_memory():
    reads = {"search", "about", "decisions", "recent", "context", "show", "status"}
    assert HARMLESS == {"store", "keep", "rate"} | reads
