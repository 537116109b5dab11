"""Scores of a conversation that grew or changed are those that a process has which never saw it before."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.engines.ranking import Candidate, Ranker, word_index
from ctxlab.engines.ranking import candidates as remembered_candidates
from ctxlab.engines.ranking.bm25 import Bm25
from ctxlab.knowledge.ranking import EmbeddingsRanker, HybridRanker, likeness
from tests.knowledge.fakes import LetterEmbedder

TEXTS = ["the brass lamp", "灯塔的看守人", "", "a lamp and a lamp " * 120, "the tide at four", "ok"]
messages = st.builds(
    Candidate, st.sampled_from(TEXTS), st.sampled_from(["user", "assistant"]), st.sampled_from(["", "Ann", "Bob"])
)
changes = st.lists(st.tuples(st.integers(0, 3), st.lists(messages, max_size=3)), min_size=1, max_size=20)
RANKERS: list[Ranker] = [Bm25(), EmbeddingsRanker(LetterEmbedder()), HybridRanker(LetterEmbedder())]


def forget() -> None:
    word_index._lately.clear()  # pyright: ignore[reportPrivateUsage]
    likeness._remembered.clear()  # pyright: ignore[reportPrivateUsage]
    remembered_candidates.candidates_of.cache_clear()
    remembered_candidates._of_list.cache_clear()  # pyright: ignore[reportPrivateUsage]


@settings(deadline=None, max_examples=60)
@given(st.lists(messages, min_size=1, max_size=5), changes, st.sampled_from(["Who has the lamp?", "灯塔", "I", ""]))
def test_what_is_kept_of_a_shorter_conversation_changes_no_score(
    talk: list[Candidate], turns: list[tuple[int, list[Candidate]]], question: str
) -> None:
    forget()
    rows: list[list[Candidate]] = []
    found: list[list[object]] = []
    for taken_off, added in turns:
        talk = [*talk[: max(1, len(talk) - taken_off)], *added]
        rows.append(talk)
        found.append([list(ranker.rank(question, talk).scores) for ranker in RANKERS])

    for row, scores in zip(rows, found, strict=True):
        forget()
        assert [list(ranker.rank(question, row).scores) for ranker in RANKERS] == scores


def test_many_words_are_found_as_few_are() -> None:
    texts = tuple(f"w{n} w{n + 1} shared" for n in range(300))
    at_once = word_index.WordIndex(texts)
    asked = [f"w{n}" for n in range(200)] + ["share", "nowhere"]

    whole = at_once.having(asked)

    for start in range(0, len(asked), 20):
        index = word_index.WordIndex(texts)
        for word, each in index.having(asked[start : start + 20]).items():
            assert (each.at.tolist(), each.times.tolist()) == (whole[word].at.tolist(), whole[word].times.tolist())
    assert word_index.WordIndex(texts).having(["nowhere"]) == {}
    assert set(whole) == set(asked) - {"nowhere"}
