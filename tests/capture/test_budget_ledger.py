"""The budget of paid extractors: what is counted before a call, and after it."""

from __future__ import annotations

import multiprocessing
from contextlib import closing

import pytest

import engines
from builders import at
from keepstone.admin.facts_sql import usage
from keepstone.capture.budget import NOTHING, BudgetAccount, Caps, Spent
from keepstone.capture.budget_sql import BudgetLedger
from keepstone.db.engines import open_reader
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio

pytestmark = pytest.mark.engine

CAPS = Caps(3, 1_000_000)
ESTIMATE = Spent(4_000, 2_000)
SDK, CLI = BudgetAccount("anthropic", "claude-haiku-4-5"), BudgetAccount("claude-cli", "haiku")
TODAY = at("2026-11-08")


@pytest.fixture
def path(tmp_path):
    made = engines.new(str(tmp_path / "keepstone.db"))
    return made


@pytest.fixture
def ledger(path):
    writer = Writer(path, ratio)
    yield BudgetLedger(writer)
    writer.close()


def used(path, day="2026-11-08"):
    with closing(open_reader(path)) as reader:
        return usage(reader, day)


def test_a_call_is_counted_with_its_estimate_before_it_is_made(path, ledger):
    assert ledger.reserve(SDK, ESTIMATE, CAPS, TODAY)
    assert used(path) == (1, 4_000, 2_000, 0.0, 1, 0, None, None)


def test_what_it_took_stands_there_afterwards(path, ledger):
    held = ledger.reserve(SDK, ESTIMATE, CAPS, TODAY)
    ledger.record_spend(held, Spent(900, 70, 0.00125), "", TODAY)
    assert used(path) == (1, 900, 70, 0.00125, 0, 0, None, None)


def test_where_nobody_knows_the_estimate_stays(path, ledger):
    ledger.record_spend(ledger.reserve(SDK, ESTIMATE, CAPS, TODAY), None, "cut", TODAY + 1)
    ledger.record_spend(ledger.reserve(SDK, ESTIMATE, CAPS, TODAY), NOTHING, "529", TODAY + 2)
    assert used(path) == (2, 4_000, 2_000, 0.0, 1, 2, "529", TODAY + 2)


def test_the_caps_are_for_all_extractors_and_models_of_a_day(path, ledger):
    for account in (SDK, CLI, BudgetAccount("anthropic", "another")):
        assert ledger.reserve(account, ESTIMATE, CAPS, TODAY)
    assert ledger.reserve(CLI, ESTIMATE, CAPS, TODAY) is None
    assert used(path)[0] == 3
    assert ledger.reserve(CLI, ESTIMATE, CAPS, at("2026-11-09"))
    assert used(path, "2026-11-09")[0] == 1


def test_tokens_are_capped_by_what_is_reserved(path, ledger):
    caps = Caps(100, 20_000)
    assert [bool(ledger.reserve(SDK, ESTIMATE, caps, TODAY)) for _ in range(3)] == [True, True, False]


def test_a_call_over_midnight_is_settled_on_its_own_day(path, ledger):
    held = ledger.reserve(SDK, ESTIMATE, CAPS, TODAY)
    ledger.record_spend(held, Spent(1, 2, 0.5), "", at("2026-11-09"))
    assert used(path)[:4] == (1, 1, 2, 0.5)
    assert used(path, "2026-11-09")[0] == 0


def test_why_no_call_can_be_made_is_noted_without_one(path, ledger):
    ledger.fail(SDK, "no key", TODAY)
    assert used(path) == (0, 0, 0, 0.0, 0, 1, "no key", TODAY)


def try_to_reserve(path):
    with closing(Writer(path, ratio)) as writer:
        return BudgetLedger(writer).reserve(SDK, ESTIMATE, CAPS, TODAY) is not None


def test_a_cap_holds_for_any_number_of_processes(path):
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        assert sum(pool.map(try_to_reserve, [path] * 12, chunksize=1)) == 3
    assert used(path)[0] == 3
