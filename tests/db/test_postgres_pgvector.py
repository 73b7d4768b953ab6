"""Vectors that the server compares: as Keepstone would, by an index where there are very many, and only whose they
are.
"""

from __future__ import annotations

import random
import time
from contextlib import closing

import pytest

import engines
from keepstone.db import pgvector, postgres
from keepstone.db.postgres import PgReader
from keepstone.lib.limits import DENSE_LOW
from keepstone.lib.vector import cosines, packed
from keepstone.recall.choose_matcher import matches_in
from keepstone.recall.match_sql import RANK_DEPTH

pytestmark = pytest.mark.system

DIMS, MODEL, MEMORIES = 16, "a 'model'", 400
ASKED = [1.0] + [0.0] * (DIMS - 1)
MADE = """
INSERT INTO memory (id, scope, project_id, kind, tier, title, content, relevance, confidence, origin, created_at,
    updated_at, content_hash, row_digest, session_id, user_id)
SELECT 'mem-' || lpad(to_hex(n), 16, '0'), CASE WHEN n %% 8 = 0 THEN 'user' ELSE 'project' END,
    CASE WHEN n %% 8 = 0 THEN NULL ELSE 'prj-' || n %% 2 END, 'fact', 'semantic', 't', 'c', 0.5, 0.5, 'manual', 0, 0,
    'h', 'd', 's-' || n / 10, CASE WHEN n %% 16 = 0 THEN 'bob' ELSE 'ann' END FROM generate_series(1, %s) n
"""


@pytest.fixture
def address():
    made = engines.on_server()
    chance = random.Random(5)
    with engines.opened(made) as database:
        database.connection.execute("SET session_replication_role = replica")
        database.connection.execute("INSERT INTO project VALUES ('prj-0', 'a', 0), ('prj-1', 'b', 0)")
        database.connection.execute(MADE, (MEMORIES,))
        with database.connection.cursor() as cursor:
            for (memory_id,) in database.connection.execute("SELECT id FROM memory").fetchall():
                vector = packed([chance.gauss(0, 1) for _ in range(DIMS)])
                cursor.execute("INSERT INTO vector VALUES (%s, %s, %s, %s)", (memory_id, MODEL, DIMS, vector))
    return f"{made}{'&' if '?' in made else '?'}keepstone_user=ann"


def compared(reader, project, most):
    """What the server finds near one direction, and memory 5 whatever it is."""
    matches = matches_in(reader, project, project is None, "", time.time())
    return {seq: (cosine, near) for seq, _, cosine, near in matches.compared(MODEL, ASKED, [5], most)}


def expected(reader, project):
    """The same of all that the scope has, compared one by one here."""
    matches = matches_in(reader, project, project is None, "", time.time())
    vectors = matches.vectors(MODEL, DIMS, [])
    session_of = {seq: session for session, seq in matches.sessions(vectors)}
    rows = [(seq, session_of.get(seq), cosines(ASKED, [vectors[seq]])[0]) for seq in sorted(vectors)]
    sides = {
        seq: sum(row[2] for row in (rows[at - 1 : at] + rows[at + 1 : at + 2]) if row[1] == session)
        for at, (seq, session, _) in enumerate(rows)
    }
    nearest = sorted(rows, key=lambda row: -row[2])[:RANK_DEPTH]
    return {row[0]: (row[2], sides[row[0]]) for row in rows if row[0] == 5 or (row in nearest and row[2] >= DENSE_LOW)}


def is_same(found, other):
    assert found.keys() == other.keys() and len(found) > 10
    for seq, numbers in found.items():
        assert numbers == pytest.approx(other[seq], abs=1e-3)
    return True


@pytest.mark.parametrize("project", [None, "prj-1"])
def test_the_server_finds_what_is_near_of_what_one_may_see(address, project):
    with closing(PgReader(address)) as reader:
        assert matches_in(reader, project, True, "", 0.0).compared(MODEL, ASKED, [], 1_000) is None
        assert not postgres.index_vectors(address, MODEL, DIMS, MEMORIES)
        wanted = expected(reader, project)
        assert is_same(compared(reader, project, 1_000), wanted)
        assert matches_in(reader, project, True, "", 0.0).compared(MODEL, ASKED, [], 10) is None
        assert postgres.index_vectors(address, MODEL, DIMS, 100)
        assert not postgres.index_vectors(address, MODEL, DIMS, 100)
        assert reader.has_index(MODEL, DIMS)
        by_index = compared(reader, project, 10)
        assert len(by_index.keys() & wanted.keys()) >= 0.95 * len(wanted)
        assert not any(seq % 16 == 0 for seq in by_index)  # bob's own


def test_a_new_vector_is_found_and_a_changed_text_s_is_not(address):
    postgres.index_vectors(address, MODEL, DIMS, 100)
    engines.rows(address, "DELETE FROM vector WHERE memory_id = 'mem-0000000000000007'")
    with closing(PgReader(address)) as reader:
        assert 7 not in compared(reader, None, 10)
        row = ("mem-0000000000000007", MODEL, DIMS, packed(ASKED))
        engines.rows(address, "INSERT INTO vector (memory_id, model, dims, data) VALUES (?, ?, ?, ?)", row)
        assert compared(reader, None, 10)[7][0] == pytest.approx(1.0)
        engines.rows(address, "UPDATE memory SET content = 'something else' WHERE seq = 7")
        assert 7 not in compared(reader, None, 10)


def test_an_index_that_was_given_up_half_made_is_made_anew(address):
    postgres.index_vectors(address, MODEL, DIMS, 100)
    name = pgvector.index_name(MODEL, DIMS)
    engines.rows(address, f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'keepstone.{name}'::regclass")
    assert postgres.index_vectors(address, MODEL, DIMS, 100)
    with closing(PgReader(address)) as reader:
        assert reader.has_index(MODEL, DIMS)


def test_what_is_no_vector_keeps_nobody_from_storing(address):
    postgres.index_vectors(address, MODEL, DIMS, 100)
    odd = [b"", b"abc", b"\0" * 20, b"\xff" * 40_000]
    for number, data in enumerate(odd, 20):
        engines.rows(address, f"UPDATE vector SET data = ? WHERE memory_id = 'mem-{number:016x}'", (data,))
    with closing(PgReader(address)) as reader:
        assert not compared(reader, None, 1_000).keys() & set(range(20, 24))
