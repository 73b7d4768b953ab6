"""What words count for in a shared database: counted once for all who share it, of nothing that is anybody's own."""

from __future__ import annotations

import pytest

import engines
from keepstone import Memory
from keepstone.config import runtime
from keepstone.lib.limits import STATIC
from keepstone.lib.text import title_and_content
from keepstone.lib.vector import packed
from keepstone.recall.embeddings.static import Static, counted_of

pytestmark = pytest.mark.system

SAID = ("We chose redis for the queue", "The billing report runs at night", "Releases go out on Tuesdays")


@pytest.fixture
def server():
    return engines.on_server()


def person(root, server, user):
    """Somebody's memory on a machine of their own, which has a project in common with others'."""
    env = {"HOME": str(root / user), "PATH": "/usr/bin:/bin", "KEEPSTONE_DATABASE_URL": server, "KEEPSTONE_USER": user}
    (root / "shop").mkdir(exist_ok=True)
    return Memory(str(root / user / "keepstone"), str(root / "shop"), {**env, "KEEPSTONE_EMBEDDER": "static"})


def weights(memory):
    with open(runtime.weights_file(memory.context.home, memory.context.environ), "rb") as file:
        return file.read()


def vectors(server):
    """When the server took each vector."""
    return dict(engines.rows(server, "SELECT memory_id, CAST(xmin AS TEXT) FROM keepstone.vector"))


@pytest.fixture
def ann(tmp_path, server):
    made = person(tmp_path, server, "ann")
    for text in SAID[:2]:
        made.store(text)
    made.maintenance.work()
    return made


@pytest.fixture
def bob(tmp_path, server):
    return person(tmp_path, server, "bob")


def test_the_second_machine_takes_over_what_the_first_has_counted(ann, bob, server):
    before = vectors(server)
    assert len(before) == 2 and counted_of(weights(ann)) == 2
    bob.maintenance.work()
    assert weights(bob) == weights(ann) and vectors(server) == before


def test_what_grew_to_twice_is_counted_once_more_for_all(ann, bob, server):
    before = vectors(server)
    bob.maintenance.work()
    for number in range(2):
        bob.store(f"{SAID[2]}, in region {number}")
    bob.maintenance.work()
    counted = vectors(server)
    assert counted_of(weights(bob)) == 4 and len(counted) == 4 and not before.items() & counted.items()
    ann.maintenance.work()
    assert weights(ann) == weights(bob) and vectors(server) == counted


def test_what_is_stored_by_outdated_counts_gets_its_vector_by_the_new_ones(ann, bob, server):
    bob.maintenance.work()
    for number in range(2):
        bob.store(f"{SAID[2]}, in region {number}")
    bob.maintenance.work()
    hit, _ = ann.store("The queue is drained before a release")
    assert hit.memory.id not in vectors(server)
    ann.maintenance.work()
    ((made,),) = engines.rows(server, "SELECT data FROM vector WHERE memory_id = ?", (hit.memory.id,))
    (wanted,) = Static(bob.context.home, bob.context.environ).vectors(
        [title_and_content(hit.memory.title, hit.memory.content)]
    )
    assert bytes(made) == packed(wanted)


def test_nobody_s_own_words_are_counted(ann, bob, server):
    bob.maintenance.work()
    bob.store("My dentist is called Zyxwvut", user=True)
    bob.store("My doctor is called Tuvwxyz", user=True)
    bob.maintenance.work()
    assert counted_of(weights(bob)) == 2 and len(vectors(server)) == 4
    ann.store(SAID[2])
    ann.store("Dentists are exempt from the tax")
    before = vectors(server)
    ann.maintenance.work()
    bob.maintenance.work()
    assert weights(ann) == weights(bob) and len(vectors(server)) == 6
    assert not before.items() & vectors(server).items()  # bob's own too fit what words count for now


@pytest.mark.parametrize("odd", [b"", b"odd", b"\xff" * 128_004])
def test_what_counts_for_nothing_is_counted_anew(ann, bob, server, odd):
    before = weights(ann)
    engines.rows(server, "UPDATE word_weights SET data = ? WHERE model = ?", (odd, STATIC))
    bob.maintenance.work()
    assert weights(bob) == before and engines.rows(server, "SELECT data FROM word_weights")[0][0] == before
