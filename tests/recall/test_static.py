"""The table of words: the pieces that its own tokenizer finds, and what they weigh in this store."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from keepstone.config import runtime
from keepstone.lib.vector import cosines, packed
from keepstone.recall.embeddings import build_table, static, table_reader
from support import ROOT

TEXTS = [line for path in sorted(ROOT.glob("docs/*.md")) for line in path.read_text().splitlines() if line.strip()]


@pytest.fixture(scope="module")
def words():
    return table_reader.WordTable(runtime.table_file("/nowhere"))


@pytest.fixture(scope="module")
def tokenizer():
    package = os.path.dirname(importlib.util.find_spec("wordllama").origin)
    made = Tokenizer.from_file(os.path.join(package, "tokenizers", "l2_supercat_tokenizer_config.json"))
    made.no_padding()
    made.no_truncation()
    return made


def theirs(tokenizer, text):
    return tokenizer.encode(" ".join(text.split()), add_special_tokens=False).ids


def test_the_pieces_of_our_own_texts_are_those_of_its_tokenizer(words, tokenizer):
    texts = [text for text in TEXTS if max(map(len, text.split())) <= 60]
    assert len(texts) > 500
    assert [words.pieces_of(text) for text in texts] == [theirs(tokenizer, text) for text in texts]


@settings(max_examples=300)
@given(st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"], exclude_characters="▁"), max_size=30))
def test_the_pieces_of_any_word_are_those_of_its_tokenizer(words, tokenizer, text):
    assert words.pieces_of(text) == theirs(tokenizer, text)


def like(words, one, other, weights):
    asked, kept = (words.vector(words.pieces_of(text), weights) for text in (one, other))
    return cosines(asked, [packed(kept)])[0]


def test_texts_of_one_meaning_are_alike(words):
    _, weights = table_reader.load_weights("/nowhere", words.pieces)
    assert like(words, "use tabs", "indent with tabs, not spaces", weights) > 0.5
    assert like(words, "lunch", "kubernetes cluster", weights) < 0.2
    assert words.vector(words.pieces_of("  "), weights) is None


def test_what_every_text_here_says_weighs_little(words, machine):
    texts = [f"the deploy of {name} failed" for name in ("billing", "search", "mail", "login")]
    static.keep_weights(str(machine.home), static.count_pieces(str(machine.home), texts))
    counted, weights = table_reader.load_weights(runtime.weights_file(str(machine.home), {}), words.pieces)
    common, rare = words.pieces_of("deploy"), words.pieces_of("billing")
    assert counted == 4 and max(weights[piece] for piece in common) < min(weights[piece] for piece in rare)
    unknown = words.pieces_of("zebra")
    assert weights[unknown[0]] == pytest.approx(static.idf(4, 0) ** 0.5)


@pytest.mark.parametrize("cut", [0, 5, 30, 1_000_000])
def test_half_a_table_is_refused(machine, cut):
    path = machine.root / "table"
    path.write_bytes(Path(runtime.table_file("/nowhere")).read_bytes()[:cut])
    with pytest.raises((OSError, ValueError)):
        table_reader.WordTable(str(path))


def test_a_table_is_made_of_the_packages_files(machine, monkeypatch):
    monkeypatch.setattr("sys.prefix", str(machine.root))  # no venv: it goes into the data home
    path = build_table.make(str(machine.home))
    assert path == runtime.table_file(str(machine.home)) and path.startswith(str(machine.home))
    assert Path(path).read_bytes() == Path(runtime.table_file("/nowhere")).read_bytes()
