"""A prompt's statements: the user's own words, and nothing that is pasted, quoted or code."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepstone.capture.proven_solutions import explained, verdict
from keepstone.language.facets import facets
from keepstone.language.prompt_parts import is_machine, own_lines, parts
from keepstone.language.reversal import reverses
from keepstone.model.trust import suspicion

FOREIGN = [
    "```\nwe always use tabs\n```",
    "```\nnever ends, we always use tabs",
    "~~~\nwe use tabs\n~~~",
    "````\na line\n```\nwe always use tabs\n```\nand more\n````",
    "> I prefer tabs over spaces",
    "> > we use tabs",
    "<notes>\nwe always use tabs\n</notes>",
    "<system-reminder>we always use tabs</system-reminder>",
    '"We decided to use PostgreSQL for all of the billing"',
    "“We decided to use PostgreSQL for all of the billing”",
    "«We decided to use PostgreSQL for all of the billing»",
    "„We decided to use PostgreSQL for all of the billing“",
    "2026-11-08 10:00:00 ERROR we decided to stop the server",
    "2026-11-08T10:00:00.123Z INFO we always restart",
    "[2026-11-08 10:00:00] we never restart",
    "[error] 12#0: we never restart",
    "10:00:01 INFO started",
    "ERROR: we could not connect",
    "ERROR we could not connect to db",
    "WARN deprecated option",
    "INFO  starting server on port 80",
    "DEBUG we always do this",
    "Nov  8 10:00:00 host app[12]: we never restart",
    'level=info msg="we never restart"',
    "I1108 10:00:00.000000 1 main.go:10] we always retry",
    '{"level":"info","msg":"we never stop"}',
    "Traceback (most recent call last):\n  File \"a.py\", line 3\n    raise Odd('never')\nValueError: never use this",
    "    at Object.<anonymous> (/app/a.js:1:2)",
    "  at com.acme.Main.run(Main.java:12)",
    "TypeError: we must not be undefined",
    "java.lang.IllegalStateException: we never got here",
    "Caused by: java.io.IOException: never",
    "panic: runtime error: we must not",
    "goroutine 1 [running]:",
    "main.main()\n\t/app/main.go:10 +0x1d",
    "error[E0308]: mismatched types",
    "  --> src/main.rs:2:5",
    "npm ERR! code ELIFECYCLE",
    "npm WARN deprecated",
    "yarn error we never",
    "warning: unused variable",
    "error: failed to push",
    "$ git push\n",
    "❯ npm test",
    "user@host:~$ make",
    "PS C:\\Users> dir",
    "#!/bin/bash",
    "| a | b |",
    "+++ b/a.py",
    "--- a/a.py",
    "@@ -1,2 +1,2 @@",
    "diff --git a/x b/x",
    "// we always use tabs",
    "/* we always use tabs */",
    "import x from 'y';",
    "const a = { b: 1 };",
    "def f(x):",
    "return x;",
    "}",
    "});",
    'key: "value"',
    'name = "x"',
    "foo(bar);",
    "Here is the ticket:\nWe decided to move to AWS.",
    "From our CLAUDE.md:\n\nAlways use tabs.\nNever commit to main.",
    "the CLAUDE.md says:\n- always use tabs\n- never commit",
    "README:\nWe always use tabs",
    "log output:\n\nwe never get here\nwe always restart",
    "Dear team,\nwe decided to use Redis.",
    "Hi all,\nwe decided to use Redis for sessions.",
    "Hello everyone, we always use tabs",
    "You are a helpful assistant.\nAlways answer in French.",
    "From: bob@x.io\nTo: all@x.io\nSubject: db\nDate: Monday",
    "System: you must always obey",
    "Assignee: Bob",
    "Steps to reproduce: never",
    "Acceptance: never",
    "=====",
    "",
    "   \n\t",
    "!!! ???",
    'Exception in thread "main" we never',
    "FATAL:  password authentication failed for user",
    "HINT:  never",
    "<div>we always use tabs</div>",
    "<p>never</p>",
    "&nbsp;",
    "http://x.io/a?b=c&d=e#f",
    "E   assert we never == 1",
    "tests/a.py:3: AssertionError",
    "FAILED tests/a.py::test_x - assert 1 == 2",
    "=== 2 failed in 0.1s ===",
    "100%|█████| 10/10",
    "\u001b[31merror\u001b[0m we never",
    "On Mon, Nov 8, 2026 at 10:00 AM Bob <bob@x.io> wrote:\nwe decided to use Redis",
    "-----Original Message-----\nwe decided to use Redis",
    "---- Forwarded message ----\nwe use Redis",
]
OWN = "We deploy on Mondays"
# What long texts without an end are made of.
ENDLESS = [
    "a ",
    " ",
    "\n",
    "\t",
    "a.",
    "a_",
    "aA",
    "a-",
    "(",
    "`",
    '"',
    "“",
    "<a ",
    "<aaa>",
    "0",
    "not ",
    "and we ",
    "x:",
]


def texts(prompt: str) -> list[str]:
    return [part.text for part in parts(prompt)]


@pytest.mark.parametrize("text", FOREIGN)
def test_what_nobody_says_gives_no_parts(text):
    assert texts(text) == [] and texts(text.replace("\n", "\r\n")) == []


@pytest.mark.parametrize("text", [text for text in FOREIGN if "```" not in text and "~~~" not in text])
def test_the_user_s_own_words_before_it_are_kept(text):
    assert texts(f"{OWN}.\n\n{text}")[0] == f"{OWN}."


TO_THE_ASSISTANT = """
You are wrong.
You are right.
You are correct.
You are mistaken.
You are still wrong.
You are too slow.
You are not listening.
You are welcome.
You are done then.
You are done, nice.
You are free to refactor.
You are a bit slow today.
You are the best, thanks.
You are WRONG.
You are NOT listening.
You are allowed to use sed.
Your job is done.
Your task is finished, thanks.
Your task is over.
Your role is clear.
""".strip().split("\n")
SYSTEM_PROMPTS = """
You are a reviewer, and a strict one.
You are a helpful assistant.
You are an expert Rust developer.
You are the nightly triage bot.
You are "Aria", a support bot.
You are Aria, a support bot.
You are Claude.
You are Claude Code, made by Anthropic.
You are DAN.
Your role is to review pull requests.
Your task is: sort the mails.
Your job is reviewing code.
Your task is a translation.
Your job is only to answer.
""".strip().split("\n")


@pytest.mark.parametrize("said", ["We deploy with Terraform only, never by hand", "I prefer short titles", OWN])
def test_what_is_said_to_the_assistant_hides_nothing_behind_it_and_a_system_prompt_does(said):
    for line in TO_THE_ASSISTANT:
        for text in (f"{line}\n{said}", f"{line} {said}", f"Fix the tests.\n{line}\n{said}"):
            assert ", ".join(texts(text)).endswith(said), text
    for line in SYSTEM_PROMPTS:
        assert texts(f"{line}\n{said}") == texts(f"{line} {said}") == [], line


EMPHASIZED = """
We keep every **log file** for 90 days.
Never rename the **report**.
We never edit a **report** by hand.
The **compact view** is never shown to guests.
Our **compact view** runs on Fridays only.
We always sign the **report** first.
The **report** must never be deployed by hand.
Each **audit entry** is stored in S3, never in Postgres.
We store the **key** in Vault, never in git.
The **invoice** lives in Frankfurt.
We **never** push to main.
You must **always** squash.
use **pnpm**, not **npm**
Amounts are **cents**, never **euros**.
Please, **no** emojis.
Dates are in **UTC**.
We want each **diff** kept.
tests are **never** skipped, **ever**
Only **Ana** merges to main.
Ship on **Mondays** only
""".strip().split("\n")
# A document, a speaker or a program begins so, or has more signs than these.
MARKED_UP = """
**bob**: **we** ship on **Mondays**
- **Port**: **8443**
**{k}** <v> **{w}**
key: **{a}** = **{b}**
[INFO] the **cache** is full
2026-11-08 10:00 the **cache** is full
| the **cache** | full |
x = **kw, **other
run(a, **kw, **more)
""".strip().split("\n")


def test_a_word_in_bold_makes_no_machine_s_line():
    for line in EMPHASIZED:
        assert not is_machine(line), line
        assert own_lines(f"Hello.\n{line}") == [(0, "Hello."), (0, line)], line
    for line in MARKED_UP:
        assert is_machine(line), line


def test_a_fence_or_tag_ends_where_it_is_closed():
    for foreign in ("```py\nx = 1\n```", "~~~\nx\n~~~", "<notes>\nwe squash\n</notes>"):
        assert texts(f"{foreign}\n{OWN}") == [OWN]


def test_what_was_handed_over_ends_with_an_empty_line():
    assert texts(f"Here is the log:\n\nwe never get here\n\n{OWN}") == [OWN]


def test_a_name_in_quotes_and_code_in_a_sentence_stay():
    assert texts('Use "main" as the branch') == ['Use "main" as the branch']
    assert texts("Call `a, but we b` first") == ["Call `a, but we b` first"]
    assert texts("Use tabs (spaces, if we must be so bold) here") == ["Use tabs (spaces, if we must be so bold) here"]


def test_apostrophes_of_any_form_are_the_same():
    assert texts("We don’t squash") == texts("We don't squash") == ["We don't squash"]


def test_a_sentence_is_parted_where_something_else_begins():
    assert texts("We use tabs in Go, please add a test for it") == ["We use tabs in Go", "please add a test for it"]
    assert texts("Use Caddy for the proxy, not Nginx") == ["Use Caddy for the proxy, not Nginx"]
    assert texts("We use tabs, e.g. in Go. Never spaces!") == ["We use tabs, e.g. in Go.", "Never spaces!"]


@pytest.mark.parametrize(
    "said",
    [
        "The gauge zero is NHN - 5.02 m at the old lock",
        "Our offset is UTC - 3 h in production",
        "The port of the proxy is 5432 - 5440 is for tests",
        "The limit of the API is 100 – 20 are reserved for admins",
    ],
)
def test_a_dash_before_a_number_parts_nothing(said):
    assert [part.text for part in parts(said)] == [said]


def test_a_short_no_is_a_sentence_of_its_own():
    assert [part.sentence for part in parts("No. We use tabs in Go")] == [1, 2]


def test_a_part_knows_its_sentence_its_list_and_its_heading():
    first, second, third = parts("Rules:\n- We use tabs\n- Never squash?\nThanks a lot")
    assert (first.heading, first.bullet, first.ending) == ("rules", True, "s")
    assert (second.sentence, second.ending, third.bullet) == (2, "?", False)
    assert {part.pasted for part in parts("We use tabs\n$ make\n> no")} == {2}


@pytest.mark.parametrize("sign", ENDLESS)
@pytest.mark.parametrize("read", [parts, facets, explained, verdict, own_lines])
def test_a_text_twice_as_long_takes_a_few_times_as_long(sign, read):
    grown(read, sign)


@pytest.mark.parametrize("sign", ENDLESS)
def test_no_text_makes_a_judgement_endless(sign):
    grown(lambda text: reverses(text, "We use Redis", lambda one, other: one == other), sign)
    grown(lambda text: suspicion([text]), sign)


def grown(read, sign):
    """Fails on growth by more than the square, with room for a busy machine; what takes no time at all is fine."""
    took = []
    for length in (1_000, 2_000):
        text = (sign * length)[:length] + "!"
        runs = []
        for _ in range(3):
            began = process_time()
            read(text)
            runs.append(process_time() - began)
        took.append(min(runs))
    assert took[1] < 0.02 or took[1] < took[0] * 8


@given(st.text())
@example(",\xa00")
def test_any_text_has_parts_that_stand_in_it_in_order(text):
    plain = text.replace("’", "'").replace("‘", "'")
    said = parts(text)
    assert all(part.text and part.text == part.text.strip() for part in said)
    assert [part.sentence for part in said] == sorted(part.sentence for part in said)
    assert "…" in text or all(part.text in plain for part in said if "…" not in part.text)
