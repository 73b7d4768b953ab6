"""Which statements are kept together, and which never are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from keepstone.language.passages import passages, sentences, text_of
from keepstone.language.prompt_parts import Part, parts
from keepstone.lib.limits import PASSAGE_CHARS

ENOUGH = 0.5


def kept(text: str, *scores: float) -> list[str]:
    said = parts(text)
    assert len(said) == len(scores), [part.text for part in said]
    return [text_of(said, low, high) for low, high, _ in passages(said, scores, ENOUGH)]


def test_a_sentence_is_kept_by_its_likeliest_part_with_what_is_no_task():
    text = "We deploy on Mondays, and we never deploy on Fridays, please add a test for that"
    assert kept(text, 0.9, 0.2, 0.01) == ["We deploy on Mondays, we never deploy on Fridays"]
    assert kept(text, 0.01, 0.2, 0.9) == ["We never deploy on Fridays, please add a test for that"]


def test_the_reason_behind_goes_along_and_a_task_does_not():
    text = "We use PostgreSQL. Because billing needs row locks. Fix the login."
    assert kept(text, 0.9, 0.06, 0.01) == ["We use PostgreSQL. Because billing needs row locks"]
    assert kept(text, 0.9, 0.01, 0.01) == ["We use PostgreSQL"]


def test_what_leans_on_the_sentence_before_takes_it_along():
    assert kept("Staging is slow. That is why we cache.", 0.06, 0.9) == ["Staging is slow. That is why we cache"]
    assert kept("Staging is slow. We cache it all.", 0.01, 0.9) == ["We cache it all"]


def test_a_question_never_goes_along():
    assert kept("We use tabs. Is that fine with you?", 0.9, 0.4) == ["We use tabs"]
    assert kept("Is it on staging? It is always on staging.", 0.4, 0.9) == ["It is always on staging"]


def test_items_of_a_list_stay_apart():
    assert kept("- We use tabs\n- We never squash\n- It is so", 0.9, 0.9, 0.3) == ["We use tabs", "We never squash"]


def test_what_scores_too_low_is_not_kept():
    assert kept("We use tabs. We never squash.", 0.4, 0.3) == [] and passages([], [], ENOUGH) == []


SENTENCE = st.tuples(st.text("abc de", min_size=1, max_size=200).filter(str.strip), st.integers(1, 3), st.booleans())


@given(st.lists(SENTENCE, max_size=12), st.data())
def test_passages_do_not_overlap_nor_cross_a_list_item_nor_exceed_the_cap(given_sentences, data):
    said = [
        Part(text.strip(), number, ".", bullet=bullet)
        for number, (text, count, bullet) in enumerate(given_sentences)
        for _ in range(count)
    ]
    scores = [data.draw(st.floats(0, 1)) for _ in said]
    bounds = {(sentence.start, sentence.stop) for sentence in sentences(said, scores)}
    end = 0
    for low, high, best in passages(said, scores, ENOUGH):
        assert end <= low <= best < high <= len(said) and scores[best] >= ENOUGH
        numbers = {part.sentence for part in said[low:high]}
        assert len(numbers) == 1 or not any(
            part.bullet for part in said[low + 1 : high] if part.sentence > min(numbers)
        )
        whole = any(start <= low and high <= stop for start, stop in bounds)
        assert whole or sum(len(part.text) + 2 for part in said[low:high]) <= PASSAGE_CHARS
        end = high
