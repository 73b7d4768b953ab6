"""Near-duplicates: the same in other words, and never the opposite."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.language.duplicates import markers, normalise, pattern, same, signature
from keepstone.lib.fuzzy import ratio

SAME = [
    ("Always run the linters before you commit anything", "Always run the linter before you commit anything"),
    ("Use pnpm, never npm", "use pnpm never npm."),
    ("I prefer pnpm over npm: CI caches its store", "I prefer pnpm over npm; CI caches its store!"),
    ("Deploys need the VPN", "The deploys need the VPN"),
    ("Don’t commit to main", "Don't commit to main"),
]
DIFFERENT = [
    ("We deploy on Mondays because fewer users are online", "We deploy on Fridays because fewer users are online"),
    ("The registry lives on host alpha in the basement", "The registry lives on host bravo in the basement"),
    ("Firewall rules for the office network allow ssh", "Firewall rules for the office network deny ssh"),
    ("Sort the listing of invoices ascending by date", "Sort the listing of invoices descending by date"),
    ("I prefer npm over pnpm", "I prefer pnpm over npm"),
    ("Let's go with MySQL, not PostgreSQL", "Let's go with PostgreSQL, not MySQL"),
    ("Redis for sessions, Postgres for billing", "Postgres for sessions, Redis for billing"),
    ("Use Redis for sessions", "No longer use Redis for sessions"),
    ("Forward port 80 to 443", "Forward port 443 to 80"),
    ("We use Python 3.11 for the workers", "We use Python 3.12 for the workers"),
    ("Always squash before merging to main", "Never squash before merging to main"),
    ("Use tabs in Makefiles", "Use tabs in Makefiles and spaces in Python files everywhere else"),
    ("Staging runs on Hetzner", "Production runs on Hetzner"),
    ("Deploys need the VPN", "Deploys don't need the VPN"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_in_other_words_is_known(one, other):
    assert same(one, other, ratio)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_a_reversal_or_another_number_is_no_duplicate(one, other):
    assert not same(one, other, ratio) and not same(other, one, ratio)


@given(st.text(), st.text())
def test_sameness_is_symmetric_and_reflexive(one, other):
    assert same(one, other, ratio) == same(other, one, ratio)
    assert same(one, one, ratio) or not normalise(one)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_is_the_same_has_the_same_signature(one, other):
    assert signature(one) == signature(other)


@given(st.text(), st.text())
def test_what_may_be_the_same_has_the_same_signature(one, other):
    assert signature(one) == signature(other) or not same(one, other, ratio)


def test_markers_keep_their_order():
    assert markers("80 to 443, not v1.2 but 2.0") == (("not",), ("80", "443", "1.2", "2.0"))


def fits(text, made):
    return sqlite3.connect(":memory:").execute("SELECT lower(?) LIKE lower(?)", (text, made)).fetchone()[0]


@pytest.mark.parametrize(
    ("one", "other"), [*SAME, ("Über_uns says: don't", "über_uns says, dont"), ("100% of A_B", "100 % of a b")]
)
def test_what_may_be_the_same_fits_the_pattern(one, other):
    assert fits(other, pattern(one)) and fits(one, pattern(other))


@given(st.text(st.characters(codec="ascii")))
def test_every_text_fits_its_own_pattern(text):
    assert fits(text.replace("\0", " "), pattern(text))


def test_most_others_do_not_fit_the_pattern():
    texts = sorted({text for pair in (*SAME, *DIFFERENT) for text in pair})
    assert sum(fits(other, pattern(one)) for one in texts for other in texts) < 3 * len(texts)
