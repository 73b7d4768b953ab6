"""all-MiniLM-L6-v2 in numpy: the numbers of its reference, one text or many."""

from __future__ import annotations

import pytest

from keepstone.recall.embeddings.minilm import MiniLM


@pytest.fixture(scope="module")
def model():
    return MiniLM()


def product(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


# cosines that sentence-transformers' page of the model shows for these sentences
def test_it_gives_the_models_own_similarities(model):
    sentences = ["That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    first, *others = model.vectors(sentences)
    assert [product(first, other) for other in others] == pytest.approx([0.695, 0.943, 0.257], abs=0.002)


def test_a_text_is_the_same_alone_and_among_longer_ones(model):
    texts = ["Deploys need the VPN", "PostgreSQL for billing: " + "row-level security " * 40, "tabs"]
    together = model.vectors(texts)
    for text, vector in zip(texts, together, strict=True):
        (alone,) = model.vectors([text])
        assert product(alone, vector) == pytest.approx(1, abs=1e-5)
        assert len(vector) == model.dims and product(vector, vector) == pytest.approx(1, abs=1e-5)


def test_nothing_said_is_no_vector(model):
    assert model.vectors(["", "x"])[0] is None
