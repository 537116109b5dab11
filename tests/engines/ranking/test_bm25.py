"""Ranking by shared words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.engines.ranking import Candidate, as_ranker, ordinal, ranks
from ctxlab.engines.ranking.bm25 import Bm25
from ctxlab.errors import WrongArgument

PLAIN = Bm25(answers=0, asks=0, talk=0, speaker=0)
sentences = st.lists(st.sampled_from(["key", "keys", "the", "door", "garden", "城堡", "钥匙", "x"]), max_size=6)
texts = sentences.map(" ".join)
candidates = st.lists(
    st.builds(Candidate, texts, st.sampled_from(["user", "assistant"]), st.sampled_from(["Ann", "Bob"])), max_size=8
)


def said(*texts: str, **fields: object) -> list[Candidate]:
    return [replace(Candidate(text), **fields) for text in texts]  # pyright: ignore[reportArgumentType]


def test_a_rare_word_of_the_question_beats_common_ones() -> None:
    row = said("the garden is nice", "a garden, a garden", "the adoption agency called", "gardens grow")

    assert Bm25().rank("What about the agency in the garden?", row).order()[0] == 2


def test_chinese_questions_find_chinese_messages() -> None:
    row = said("今天天气很好", "我把钥匙放在图书馆的抽屉里了", "你吃饭了吗", "明天去公园散步吧")

    found = Bm25().rank("钥匙在哪里？", row)

    assert found.order()[0] == 1
    assert "'钥匙'" in found.reason(1)


def test_answers_are_near_their_questions() -> None:
    row = said("hello there", "where is the brass key?", "behind the clock", "fine weather", "indeed")

    assert Bm25().rank("brass key", row).order()[:2] == [1, 2]


def test_a_message_in_the_talk_of_a_match_is_before_others() -> None:
    row = [
        Candidate("nice", talk=0),
        Candidate("the brass key", talk=1),
        Candidate("well", talk=1),
        Candidate("so", talk=1),
        Candidate("bye", talk=2),
    ]

    assert Bm25().rank("brass key", row).order()[:3] == [1, 2, 3]


def test_a_speaker_whom_the_question_names_counts_more() -> None:
    row = [Candidate("I bought a boat", speaker="Ann"), Candidate("I bought a boat", speaker="Bob")]

    assert Bm25().rank("What boat did Ann buy?", row).order() == [0, 1]
    assert Bm25().rank("What boat did Bob buy?", row).order() == [1, 0]


@pytest.mark.parametrize("question", ["", "what did you do?", "zebra"])
def test_without_a_match_the_newest_is_first(question: str) -> None:
    row = said("the brass key", "a clock", "a door")

    found = Bm25().rank(question, row)

    assert found.order() == [2, 1, 0]
    assert "by age" in found.reason(0)
    assert found.reason(0).count("3rd of 3") == 1


def test_reasons_name_rank_score_and_words() -> None:
    row = said("the adopting agency", "an agency", "so what", "far away", "really far")

    found = PLAIN.rank("Which adoption agencies?", row)

    assert found.reason(
        0
    ) == f"is 1st of 5 by words shared with the question, with a score of {found.scores[0]:.3g}: " + (
        "'adoption', 'agencies'"
    )
    assert found.reason(4) == "shares no word with the question, and is 3rd of 5, by age behind all that have a score"
    assert ": none of its own, but of messages around it" in Bm25().rank("Which adoption agencies?", row).reason(2)


@settings(deadline=None)
@given(texts, candidates)
def test_scores_depend_on_the_question_and_the_texts_alone(question: str, row: list[Candidate]) -> None:
    first = Bm25().rank(question, row)

    Bm25().rank("door key", row[::-1])
    Bm25().rank(question, said("key", "door"))

    again = Bm25().rank(question, [replace(each) for each in row])
    assert list(again.scores) == list(first.scores)
    assert [again.reason(i) for i in range(len(row))] == [first.reason(i) for i in range(len(row))]


@settings(deadline=None)
@given(texts, st.permutations(range(6)), st.lists(texts, min_size=6, max_size=6))
def test_without_surroundings_the_order_of_messages_does_not_count(
    question: str, places: list[int], row: list[str]
) -> None:
    straight = PLAIN.rank(question, said(*row)).scores
    mixed = PLAIN.rank(question, said(*[row[i] for i in places])).scores

    assert [mixed[places.index(i)] for i in range(6)] == pytest.approx(list(straight))


@settings(deadline=None)
@given(texts, candidates)
def test_no_message_without_a_word_of_the_question_scores_by_itself(question: str, row: list[Candidate]) -> None:
    found = PLAIN.rank(question, row)

    for i, score in enumerate(found.scores):
        assert (score > 0) == ("with a score of" in found.reason(i))
        assert score >= 0


@given(st.lists(st.sampled_from([0.0, 0.5, 2.0]), max_size=8))
def test_ranks_are_places_in_the_order(scores: list[float]) -> None:
    order = Bm25().rank("", said(*["x"] * len(scores))).order()

    assert sorted(ranks(scores)) == list(range(1, len(scores) + 1))
    assert [ranks([0.0] * len(scores))[i] for i in order] == list(range(1, len(scores) + 1))


def test_ordinals_are_written_as_they_are_said() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 111, 1_002)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th", "1,002nd"]
    )


@pytest.mark.parametrize("given", [3, Bm25, "bm25"])
def test_what_is_no_ranker_is_refused(given: object) -> None:
    with pytest.raises(WrongArgument, match="is no ranker"):
        as_ranker(given)  # pyright: ignore[reportArgumentType]
