"""Vectors that stay in memory say what reading them says, whatever is written meanwhile."""

from __future__ import annotations

import random

import pytest

from keepstone.lib.vector import cosines, packed, unit
from keepstone.recall.embeddings.vector_cache import VectorCache

DIMS = 16


def _vector(chance):
    return unit([chance.gauss(0, 1) for _ in range(DIMS)])


class Table:
    """Rows as a database gives them: (number, seq, session, packed)."""

    def __init__(self, chance):
        self.chance = chance
        self.rows = []

    def add(self, seq, session=None):
        number = self.rows[-1][0] + 1 if self.rows else 1
        self.rows.append((number, seq, session, packed(_vector(self.chance))))

    def read_into(self, shelf):
        last = self.rows[-1] if self.rows else None
        shelf.refresh(last, lambda after: [row for row in self.rows if row[0] > after])

    def seqs(self):
        return ",".join(str(seq) for _, seq, _, _ in self.rows)

    def compared(self, asked):
        """(session, cosine, its neighbours' sum) of each seq, one by one."""
        told, last = {}, {}
        for _, seq, session, data in sorted(filter(lambda row: row[3], self.rows), key=lambda row: row[1]):
            told[seq] = [session, cosines(asked, [data])[0], 0.0]
            if session and (before := last.get(session)):
                told[before][2] += told[seq][1]
                told[seq][2] += told[before][1]
            last[session] = seq
        return told


@pytest.fixture
def chance():
    return random.Random(7)


@pytest.fixture
def table(chance):
    made = Table(chance)
    for seq in range(1, 201):
        made.add(seq, chance.choice([None, "s1", "s2", "s3"]))
    return made


def test_all_that_is_wanted_is_compared_as_one_by_one(chance, table):
    shelf, asked = VectorCache(DIMS), _vector(chance)
    table.read_into(shelf)
    told = shelf.compared(table.seqs(), asked, range(1, 201), 2.0, 5)
    assert [seq for seq, *_ in told] == list(range(1, 201))
    for seq, session, *numbers in told:
        known = table.compared(asked)[seq]
        assert session == known[0]
        assert numbers == pytest.approx(known[1:], abs=1e-5)


def test_beside_what_is_wanted_the_nearest_are_told_and_only_of_the_scope(chance, table):
    shelf, asked = VectorCache(DIMS), _vector(chance)
    table.read_into(shelf)
    known = {seq: numbers[1] for seq, numbers in table.compared(asked).items() if seq % 2}
    nearest = sorted(known, key=known.get, reverse=True)[:4]
    farthest = min(known, key=known.get)
    scope = ",".join(str(seq) for seq in reversed(known))
    assert {seq for seq, *_ in shelf.compared(scope, asked, [farthest, 2, 999], 0.0, 4)} == {*nearest, farthest}
    assert shelf.compared("", asked, [1], 0.0, 4) == []


def test_what_is_written_meanwhile_counts_and_a_new_vector_replaces_the_old_one(chance, table):
    shelf, asked = VectorCache(DIMS), _vector(chance)
    table.read_into(shelf)
    table.rows = [row for row in table.rows if row[1] != 17]
    table.add(17)
    table.add(1_000, "s1")
    table.rows.append((table.rows[-1][0] + 1, 1_001, None, b""))  # a text that says nothing
    table.read_into(shelf)
    told = {seq: near for seq, _, near, _ in shelf.compared("17,1000,1001", asked, [17, 1_000, 1_001], 2.0, 0)}
    assert told == pytest.approx({seq: table.compared(asked)[seq][1] for seq in (17, 1_000)}, abs=1e-5)


def test_a_last_row_that_is_another_one_means_that_all_are_read_anew(chance, table):
    shelf, asked = VectorCache(DIMS), _vector(chance)
    table.read_into(shelf)
    table.rows.pop()
    table.add(200)  # its number is that of the one that went
    table.read_into(shelf)
    ((_, _, told, _),) = shelf.compared("200", asked, [200], 2.0, 0)
    assert told == pytest.approx(table.compared(asked)[200][1], abs=1e-5)


def test_after_a_while_all_are_read_anew(chance, table):
    now = [0.0]
    shelf, asked = VectorCache(DIMS, lambda: now[0]), _vector(chance)
    table.read_into(shelf)
    number, seq, session, _ = table.rows[10]
    table.rows[10] = (number, seq, session, packed(_vector(chance)))  # under the same number
    now[0] = 61.0
    table.read_into(shelf)
    ((_, _, told, _),) = shelf.compared(str(seq), asked, [seq], 2.0, 0)
    assert told == pytest.approx(table.compared(asked)[seq][1], abs=1e-5)
