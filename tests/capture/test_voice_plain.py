"""What a person states plainly is suggested at least, in a first prompt and in a reply, in letters that the judge can't
read too; what only looks alike is not.
"""

from __future__ import annotations

import pytest

from builders import turn
from keepstone.capture.extractors.rules import Rules
from keepstone.claude_code.transcript import ASSISTANT
from keepstone.claude_code.window import Window
from keepstone.model.candidate import Candidate

DONE = (turn("I've done that and all is green now.", ASSISTANT, "before"),)


def heard(text: str, *before) -> list[Candidate]:
    return Rules().extract(Window(before, (turn(text),)))


PLAIN = """
The worker CAN reach the internet, that note in the docs is old
users CAN have two addresses
the Report Server CAN be started from another folder
The staging database IS shared with QA
the cron job DOES run on Sundays too
The parser DOES NOT support nested lists
Windows IS supported, that page of the manual is wrong
the scheduler CANNOT see the secrets of other teams
DO NOT use the sandbox keys in staging
let's not paginate the report, 300 rows is the cap
we've got a retry helper in lib/net already, use that
we already have a date formatter in src/utils/dates.ts, use it
there is a helper for that in app/lib/csv already
no need for a new one, there's already a base fixture in tests/conftest.py
we have the currency table in config/money.yml already
Prefer composition here, please, no base classes
prefer enums, no magic strings, please
Stick to plain SQL please, no ORM
Keep to the standard library please, no new dependencies
私たちは常にpnpmを使い、npmは使いません。
テストは必ず実行してからコミットしてください。
今後はタブではなくスペースを使ってください。
我们始终使用 pnpm，从不使用 npm。
提交之前必须运行测试。
禁止在测试中访问网络。
커밋하기 전에 반드시 린터를 실행하세요.
Никогда не пушь прямо в main.
Перед релизом всегда запускай миграции.
""".strip().split("\n")
PASSING = """
the page IS still empty
it CAN wait until tomorrow
now the list IS in the wrong order
I CAN see the error in the console
what IS the problem here
The app IS running
The button IS there but it does nothing
let's not do this today
we've got a problem already
we already have that, move on
there's already an error in the log
there is already a PR for this
we have already seen this in log.txt
Prefer the second one, please
avoid that for now please
Stick to the plan, please
please avoid breaking it again
部署之前我需要先做什么？
ボタンを左に移動してください。
テストが失敗しました。
いつもこのページで落ちます。
这个页面总是崩溃。
为什么始终失败
항상 오류가 발생합니다.
Почему тест всегда падает?
Исправь эту ошибку.
""".strip().split("\n")


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_plain_is_suggested_at_least_first_and_as_a_reply(text):
    for before in ((), DONE):
        (made,) = heard(text, *before)
        assert made.content.casefold() == text.rstrip(".").casefold()


@pytest.mark.parametrize("text", PASSING)
def test_what_only_looks_plain_is_none(text):
    for before in ((), DONE):
        assert heard(text, *before) == []


@pytest.mark.parametrize("text", [text for text in PLAIN if not text.isascii()])
def test_a_rule_in_other_letters_is_a_convention_and_waits(text):
    (made,) = heard(text)
    assert (made.kind, made.unsure) == ("convention", True)


def test_a_task_before_a_rule_in_other_letters_is_no_part_of_it():
    (made,) = heard("ログインのバグを直して。私たちは常にpnpmを使い、npmは使いません。")
    assert made.content == "私たちは常にpnpmを使い、npmは使いません。"


UNPAID = "The invoice list should always start with the unpaid ones"
NEWEST = "search results should always come newest first"
CALLS = "timeouts should always come from the call, then the client"


def test_two_likely_neighbours_on_a_line_are_one_suggestion():
    (made,) = heard(f"{UNPAID}. {NEWEST}.")
    assert (made.content, made.excerpt, made.unsure) == (f"{UNPAID}. {NEWEST}", f"{UNPAID}. {NEWEST}.", True)


@pytest.mark.parametrize(
    "text", [f"{UNPAID}.\n{NEWEST}.", f"- {UNPAID}\n- {NEWEST}", f"{UNPAID}. Fix the login. {NEWEST}"]
)
def test_likely_statements_apart_are_suggestions_of_their_own(text):
    assert [one.content.casefold() for one in heard(text)] == [UNPAID.casefold(), NEWEST.casefold()]


def test_what_is_sure_is_no_part_of_a_suggestion():
    made = heard(f"We deploy with Terraform only, never by hand. {UNPAID}.")
    assert [(one.content, one.unsure) for one in made] == [
        ("We deploy with Terraform only, never by hand", False),
        (UNPAID, True),
    ]


def test_three_neighbours_are_a_pair_and_one():
    assert [one.content.count(". ") for one in heard(f"{UNPAID}. {NEWEST}. {CALLS}.")] == [1, 0]


def test_an_explanation_tells_what_is_stored():
    window = Window((), (turn(f"{UNPAID}. {NEWEST}. Fix the login."),))
    ((_, judged),) = Rules().explain(window)
    assert [(one.text, one.outcome) for one in judged] == [
        (f"{UNPAID}. {NEWEST}", "suggested"),
        ("Fix the login", "dropped"),
    ]


@pytest.mark.parametrize(
    "hostile", ["we " * 1_300, "常に" * 1_900, "A " * 1_900, "절대 " * 1_300 + "!", "already for this " * 230]
)
def test_a_hostile_prompt_is_read_at_once(hostile):
    assert isinstance(heard(hostile), list)
