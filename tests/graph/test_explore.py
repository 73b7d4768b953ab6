"""Who looks at the graph sees what may be seen here, and the jobs that run over it end where they began."""

from __future__ import annotations

import pytest

from keepstone import Memory
from keepstone.lib.errors import BadInput, NotFound, StateError

pytestmark = pytest.mark.engine

OURS, THEIRS = "Call `rotate_keys` before the audit", "The vault's `rotate_keys` is on hesperus"


@pytest.fixture
def shop(machine):
    return Memory(str(machine.home), str(machine.project), machine.env)


@pytest.fixture
def other(machine):
    folder = machine.root / "other"
    folder.mkdir()
    return Memory(str(machine.home), str(folder), machine.env)


def stored(memory, text, **more):
    return memory.store(text, **more)[0].memory.id


def texts(found):
    return {hit.memory.content for hit in found.nodes}


@pytest.fixture
def both(shop, other):
    """A memory of each of two projects, and one of user scope that both hang together with."""
    ours, theirs = stored(shop, OURS), stored(other, THEIRS)
    shared = stored(shop, "Never run `rotate_keys` twice a day", user=True, kind="preference")
    shop.maintenance.work(wait=True)
    return ours, shared, theirs


def test_nothing_of_another_project_is_seen_on_any_way(machine, shop, other, both):
    ours, shared, theirs = both
    for memory, mine, away in ((shop, ours, THEIRS), (other, theirs, OURS)):
        assert shared in {hit.memory.id for hit in memory.graph.related(mine).nodes}
        looks = (
            memory.graph.related(mine, depth=3),
            memory.graph.related(shared, depth=3),
            memory.graph.explore("rotate_keys", depth=3),
            memory.graph.graph(),
        )
        assert all(away not in texts(found) for found in looks)
        assert away not in {hit.memory.content for hit in memory.about("rotate_keys").found}
        assert {OURS, THEIRS} <= texts(memory.graph.related(mine, depth=3, everything=True))
    with pytest.raises(NotFound, match="another project"):
        shop.graph.path(ours, theirs)
    assert len(shop.graph.path(ours, theirs, everything=True).nodes) == 3
    page = machine.root / "graph.html"
    shop.graph.draw(str(page))
    assert "hesperus" not in page.read_text()


@pytest.mark.parametrize("state", ["trust = 'quarantined'", "status = 'deleted'", "tier = 'working'"])
def test_what_waits_is_forgotten_or_a_guess_is_on_no_way(machine, shop, both, state):
    ours, shared, _ = both
    machine.sql(f"UPDATE memory SET {state} WHERE id = '{shared}'")
    assert shared not in {hit.memory.id for hit in shop.graph.related(ours).nodes}
    assert shared not in {hit.memory.id for hit in shop.graph.graph().nodes}
    assert shared not in {hit.memory.id for hit in shop.about("rotate_keys audit").found}
    for look in (lambda: shop.graph.related(shared), lambda: shop.graph.path(ours, shared)):
        with pytest.raises(NotFound):
            look()


def test_what_a_user_s_memory_says_anew_keeps_what_projects_find_with_it(shop, both):
    ours, shared, _ = both
    shop.revise(shared, text="Never run `rotate_keys` three times a day")
    shop.maintenance.work(wait=True)
    assert shared in {hit.memory.id for hit in shop.graph.related(ours).nodes}


def test_about_brings_what_hangs_together_strongly(shop):
    effect = stored(shop, "Exports are slow on Mondays")
    cause = stored(shop, "The archive grew in May")
    assert [hit.memory.id for hit in shop.about("exports").found] == [effect]
    shop.graph.relate(effect, cause, "caused_by")
    assert [hit.memory.id for hit in shop.about("exports").found] == [effect, cause]
    newer = stored(shop, "The archive shrank in June")
    shop.graph.relate(newer, cause, "supersedes")
    assert [hit.memory.id for hit in shop.about("exports").found] == [effect]


def test_what_is_superseded_or_of_another_project_supersedes_nothing(shop, other):
    old, new, away = stored(shop, "Staging is atlas"), stored(shop, "Staging is vega"), stored(other, "Cats are nice")
    shop.graph.relate(new, old, "supersedes")
    for source, target, problem in ((old, new, StateError), (new, away, BadInput)):
        with pytest.raises(problem):
            shop.graph.relate(source, target, "supersedes")
    assert shop.show(new)[0].memory.status == "active"


def test_no_memory_gets_more_than_eight_links_though_many_are_alike(machine, shop):
    for number, word in enumerate("ash bay cod dew elm fig gum hay ivy jay kit log mud nut".split()):
        stored(shop, f"The {word} part calls `ledger_store` for its {word}s")
        stored(shop, f"Unit {number} of `thing_{word}` is {word} at last")
        stored(shop, f"No {word} {number}: `other_{word}` has none")
    shop.maintenance.work(wait=True)
    ends = machine.sql("SELECT source_id, target_id FROM relationship WHERE method NOT IN ('rules', 'manual')")
    counts = [sum(one in pair for pair in ends) for one in {end for pair in ends for end in pair}]
    assert max(counts) == 8


def test_the_worker_links_what_is_new_and_its_jobs_end_where_they_began(machine, shop):
    for number in range(6):
        stored(shop, f"Ledger `post_entry` rule {number}: balance the books")
        stored(shop, f"Widget `draw_frame` rule {number}: repaint the screen")
    shop.maintenance.work(wait=True)
    assert machine.sql("SELECT count(*) FROM relationship")[0][0] > 0
    shop.maintenance.maintain()
    names = machine.sql("SELECT id, community FROM memory ORDER BY id")
    assert len({name for _, name in names if name}) == 2
    ranks = machine.sql("SELECT id, round(pagerank, 9) FROM memory ORDER BY id")
    shop.maintenance.maintain()
    assert machine.sql("SELECT id, community FROM memory ORDER BY id") == names
    assert machine.sql("SELECT id, round(pagerank, 9) FROM memory ORDER BY id") == ranks
    machine.sql("UPDATE memory SET pagerank = 0.0")
    shop.maintenance.maintain()
    top = max(rank for _, rank in ranks)
    assert machine.sql("SELECT max(pagerank) FROM memory")[0][0] == pytest.approx(0.7 * top, abs=1e-6)
