"""Ranking by shared words."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.engines.ranking import Candidate, as_ranker, ordinal, ranks
from ctxlab.engines.ranking.bm25 import Bm25
from ctxlab.engines.ranking.conversation_scores import ConversationScores
from ctxlab.engines.ranking.weights import BY_WORDS, Weights
from ctxlab.engines.ranking.words import words
from ctxlab.errors import WrongArgument

PLAIN = Bm25(Weights(own=1, around=0, of_talk=0, by_speaker=0))
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
    row = said("hello there", "where is the brass key?", "behind the clock", "fine weather", "indeed it was")

    assert Bm25().rank("brass key", row).order()[0] == 1
    assert Bm25().rank("brass key", row).order()[-1] == 4


def test_a_message_in_the_talk_of_a_match_is_before_others() -> None:
    row = [
        Candidate("nice", talk=0),
        Candidate("the brass key", talk=1),
        Candidate("well", talk=1),
        Candidate("so", talk=1),
        Candidate("bye", talk=2),
    ]

    order = Bm25().rank("brass key", row).order()

    assert order[0] == 1
    assert set(order[:3]) == {1, 2, 3}


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

    score = f"with a score of {found.scores[0]:.3g}"
    words = "it shares 'adoption', 'agencies' with the question"
    assert found.reason(0) == f"is 1st of 5 by words of the question, {score}: {words}"
    assert found.reason(4) == "has none of the words looked for, and is 3rd of 5, by age behind all that have a score"
    around = Bm25().rank("Which adoption agencies?", row).reason(2)
    assert around.endswith("it has none of the words looked for, but messages around it have")


@pytest.mark.parametrize(
    ("question", "at", "why"),
    [
        ("What did Ann buy?", 0, "with the question, and Ann, whom the question names, wrote it"),
        ("What did Ann sell?", 0, "it has none of the words looked for, and Ann, whom the question names, wrote it"),
        (
            "What did I sell?",
            1,
            "it has none of the words looked for, and the user, of whom the question speaks, wrote it",
        ),
        (
            "What did you sell?",
            2,
            "it has none of the words looked for, and the assistant, to whom the question speaks, wrote it",
        ),
    ],
)
def test_reasons_name_the_speaker(question: str, at: int, why: str) -> None:
    row = [
        Candidate("we buy a boat", speaker="Ann"),
        Candidate("we went home", speaker="user"),
        Candidate("good", "assistant", "assistant"),
        *[Candidate("so it goes", "system", talk=1)] * 4,
    ]

    assert Bm25().rank(question, row).reason(at).endswith(why)


def test_a_message_of_a_talk_with_the_words_says_so() -> None:
    row = [Candidate(text, talk=n // 5) for n, text in enumerate(["brass key", *["so it goes"] * 9])]

    assert Bm25().rank("brass key", row).reason(4).endswith("it has none of the words looked for, but its talk has")
    assert Bm25().rank("brass key", row).reason(5).startswith("has none of the words looked for, and is")


@settings(deadline=None)
@given(texts, candidates)
def test_in_a_long_question_words_count_less_and_in_the_same_order(question: str, row: list[Candidate]) -> None:
    scores = ConversationScores(question, row)
    few = replace(BY_WORDS, by_speaker=0, most_words=0.5)

    by_words, scaled = scores.total(replace(few, most_words=1e9)), scores.total(few)

    factor = min(1.0, 0.5 / (scores.words_of_question or 1.0))
    assert scaled.tolist() == pytest.approx((by_words * factor).tolist())


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
def test_what_is_said_of_words_is_true(question: str, row: list[Candidate]) -> None:
    found = Bm25().rank(question, row)
    named = {each for each in ("Ann", "Bob") if each.casefold() in question.casefold()}

    for i, score in enumerate(found.scores):
        reason, own = found.reason(i), set(words(row[i].text))
        near = {word for each in row[max(0, i - 2) : i + 3] for word in words(each.text)}
        asked = set(words(question)) - {word for name in named for word in words(name)}
        assert (score > 0) == ("with a score of" in reason)
        assert ("it shares '" in reason) == bool(asked & own)
        assert "none of the words looked for" not in reason or not asked & own
        assert {term for said in re.findall("'(.*?)'", reason) for term in words(said)} <= own
        assert ("messages around it have" in reason) == bool(asked & near and not asked & own)
        assert ("has no word to look for" in reason) == (not asked and not any(found.scores))


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
