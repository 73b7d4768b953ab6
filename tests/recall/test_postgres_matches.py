"""How often words occur: counted, or where they are frequent as the planner expects it. Both tell the same."""

from __future__ import annotations

import time
from contextlib import closing

import pytest

import engines
from keepstone.db.postgres import PgReader
from keepstone.lib.limits import EXPECTED_ROWS
from keepstone.recall.choose_matcher import matches_in
from keepstone.recall.match_sql import FREQUENT_ROWS

pytestmark = pytest.mark.system

MEMORIES = EXPECTED_ROWS + 500
MADE = """
INSERT INTO memory (id, scope, project_id, kind, tier, title, content, relevance, confidence, origin, created_at,
    updated_at, content_hash, row_digest, session_id, user_id)
SELECT 'mem-' || lpad(to_hex(n), 16, '0'), 'user', NULL, 'fact', 'semantic', '',
    'ordinary' || CASE WHEN n %% 1000 = 0 THEN ' seldom' ELSE '' END, 0.5, 0.5, 'manual', 0, 0, 'h', 'd', NULL,
    CASE WHEN n <= 10 THEN 'bob' ELSE 'ann' END FROM generate_series(1, %s) n
"""


@pytest.mark.parametrize("analysed", [False, True])
def test_a_frequent_word_is_frequent_and_a_rare_one_rare(analysed):
    made = engines.on_server()
    with engines.opened(made) as database:
        database.connection.execute("SET session_replication_role = replica")
        database.connection.execute(MADE, (MEMORIES,))
    if analysed:
        engines.rows(made, "ANALYZE keepstone.memory")
    with closing(PgReader(f"{made}{'&' if '?' in made else '?'}keepstone_user=ann")) as reader:
        matches = matches_in(reader, None, True, "", time.time())
        assert matches.frequency('"ordinary"') == FREQUENT_ROWS + 1
        assert matches.frequency('"ordin"*') == FREQUENT_ROWS + 1
        assert matches.frequency('"seldom"') == MEMORIES // 1000
        assert matches.frequency('"never"') == 0
        assert matches.rarest(['"ordinary"', '"seldom"', '"never"'], 5) == ['"seldom"']
    with closing(PgReader(f"{made}{'&' if '?' in made else '?'}keepstone_user=bob")) as reader:
        matches = matches_in(reader, None, True, "", time.time())
        assert matches.frequency('"seldom"') == 0 and 0 < matches.frequency('"ordinary"')
