"""The retriever finds and scores: by words, by likeness, by both, by tags; it says what went otherwise than asked."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import pytest

import ctxlab
from ctxlab.context.knowledge_hit import KnowledgeAnswer, QueryPart
from ctxlab.errors import MissingExtra, WrongArgument
from ctxlab.knowledge.index import IndexedText, MemoryIndex
from ctxlab.knowledge.index.turns import turns
from ctxlab.knowledge.retrieval import retriever as module
from ctxlab.knowledge.retrieval.indexed_base import IndexedBase
from tests.knowledge.fakes import LetterEmbedder

TIDES = ctxlab.KnowledgeBase(
    id="tides",
    name="Tides",
    entries=(
        ctxlab.KnowledgeEntry(
            id="1", key="Spring tide", content="At new moon the tide is high.", tags=("moon", "潮汐")
        ),
        ctxlab.KnowledgeEntry(
            id="2", key="灯塔", content="港口的灯塔建于1890年。", tags=({"name": "harbour", "weight": 2},)
        ),
        ctxlab.KnowledgeEntry(id="3", key="Off", content="The tide of tides, tide.", enabled=False),
    ),
)
BOATS = ctxlab.knowledge_base("boats", entries={"Rope": "A rope holds the boat.", "Oar": "An oar moves the boat."})


def asked(
    retriever: ctxlab.KnowledgeRetriever, *texts: str, engine: str = "keyword", **more: object
) -> KnowledgeAnswer:
    return retriever.search([QueryPart(text) for text in texts], engine=engine, **more)  # pyright: ignore[reportArgumentType]


def ids(answer: KnowledgeAnswer) -> list[str]:
    return [hit.entry for hit in answer.hits]


def test_words_are_found_in_both_languages_and_share_the_score() -> None:
    retriever = ctxlab.KnowledgeRetriever([TIDES, BOATS])

    answer = asked(retriever, "Where is the lighthouse? 灯塔在哪里？")

    assert ids(answer) == ["2"]
    assert (answer.engine, answer.searched) == ("keyword", 4)
    hit = answer.hits[0]
    assert {share.word for share in hit.words} == {"灯塔", "灯", "塔"}
    assert hit.scores["keyword"] == sum([share.score for share in hit.words])


@pytest.mark.parametrize("engine", ["vector", "keyword", "hybrid", "tags", ""])
def test_what_is_switched_off_is_never_found(engine: str) -> None:
    retriever = ctxlab.KnowledgeRetriever(TIDES, embedder=LetterEmbedder())

    assert "3" not in ids(asked(retriever, "tide tides", engine=engine, tags=["moon"]))
    assert [hit.entry for hit in retriever.entries("tides")] == ["1", "2"]
    assert retriever.entries("tides", ["3", "none"]) == ()


def test_a_hit_has_its_score_by_every_engine_that_was_asked() -> None:
    answer = asked(ctxlab.KnowledgeRetriever([TIDES, BOATS], embedder=LetterEmbedder()), "the boat", engine="hybrid")

    assert len(answer.hits) == 4
    assert all({"vector", "hybrid"} <= hit.scores.keys() for hit in answer.hits)
    assert sorted(hit.ranks["vector"] for hit in answer.hits) == [1, 2, 3, 4]
    assert [hit.ranks["hybrid"] for hit in answer.hits] == [1, 2, 3, 4]
    assert {hit.entry for hit in answer.hits if "keyword" in hit.scores} == {"1", "2"}


def test_a_word_of_a_lighter_part_counts_less() -> None:
    retriever = ctxlab.KnowledgeRetriever(BOATS)

    answer = retriever.search([QueryPart("rope", 0.3), QueryPart("oar", 0.7)], engine="keyword")

    assert [hit.title for hit in answer.hits] == ["Oar", "Rope"]
    assert answer.hits[1].scores["keyword"] / answer.hits[0].scores["keyword"] == pytest.approx(3 / 7)


def test_tags_are_those_asked_for_or_those_that_the_query_says() -> None:
    retriever = ctxlab.KnowledgeRetriever(TIDES)

    assert ids(asked(retriever, "x", engine="tags", tags=["Harbour", "moon", "潮汐"])) == ["1", "2"]
    assert ids(asked(retriever, "关于潮汐", engine="tags")) == ["1"]
    assert ids(asked(retriever, "moonlight", engine="tags")) == []


def test_without_an_embedder_words_are_searched_and_a_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(wanted: object, texts: Sequence[str]) -> object:
        raise MissingExtra("no embedder is installed")

    monkeypatch.setattr(module, "chosen_embedder", none)

    answer = asked(ctxlab.KnowledgeRetriever(TIDES), "the tide", engine="vector")

    assert (answer.engine, ids(answer)) == ("keyword", ["1"])
    assert answer.notes == ("only words were searched: no embedder is installed",)


def test_finding_nothing_says_why() -> None:
    retriever = ctxlab.KnowledgeRetriever(TIDES)

    assert asked(retriever, "submarine").notes == ("nothing was found: none of 2 chunks has a word of the query",)
    assert asked(retriever, "的").notes == ("nothing was found: the query has no word to look for",)
    assert "there is no knowledge base 'tide'" in asked(retriever, "tide", bases=["tide"]).notes[0]
    assert (
        "no engine 'vectr'"
        in asked(ctxlab.KnowledgeRetriever(TIDES, embedder=LetterEmbedder()), "a", engine="vectr").notes[0]
    )


def test_an_answer_is_given_again_to_the_same_query_and_to_one_alike() -> None:
    embedder = LetterEmbedder()
    cache = ctxlab.SearchCache(similar=0.9)
    retriever = ctxlab.KnowledgeRetriever(TIDES, embedder=embedder, cache=cache)

    first = asked(retriever, "the high tide", engine="hybrid")
    again = asked(retriever, "the high tide", engine="hybrid")
    alike = asked(retriever, "the high tides", engine="hybrid")
    other = asked(retriever, "the high tide", engine="hybrid", limit=1)

    assert [each.reused for each in (first, again, alike, other)] == ["", "same query", "similar query", ""]
    assert first.hits == again.hits == alike.hits
    retriever.update(TIDES.with_entry("1", content="Nothing of that."))
    assert asked(retriever, "the high tide", engine="hybrid").reused == ""


def test_a_base_in_another_state_is_found_in_that_state_and_others_are_as_they_were() -> None:
    before, after = ctxlab.KnowledgeRetriever(TIDES), ctxlab.KnowledgeRetriever(TIDES)

    after.update(TIDES.with_(entries=(*TIDES.entries[1:], ctxlab.KnowledgeEntry(id="4", content="A tide again."))))

    assert ids(asked(after, "tide")) == ["4"]
    assert ids(asked(before, "tide")) == ["1"]


def test_a_reranker_sorts_anew_and_one_that_fails_leaves_a_note() -> None:
    by_length = ctxlab.KnowledgeRetriever(BOATS, reranker=lambda query, texts: [-len(text) for text in texts])
    broken = ctxlab.KnowledgeRetriever(BOATS, reranker=lambda query, texts: [1.0])

    assert [hit.title for hit in asked(by_length, "rope rope boat").hits] == ["Rope", "Oar"]
    assert asked(by_length, "rope boat").hits[0].ranks["rerank"] == 1
    assert "were not ranked anew" in asked(broken, "boat").notes[0]
    with pytest.raises(WrongArgument, match="it takes a reranker"):
        ctxlab.KnowledgeRetriever(BOATS, reranker=3)


def test_a_retriever_goes_to_another_process_without_its_indexes() -> None:
    retriever = ctxlab.KnowledgeRetriever([TIDES, BOATS], embedder=LetterEmbedder())
    asked(retriever, "tide", engine="hybrid")

    data = pickle.dumps(retriever)

    assert len(data) < 5_000
    assert asked(pickle.loads(data), "tide").hits == asked(retriever, "tide").hits


def test_a_search_without_a_cache_does_not_look_at_the_whole_content(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(base: IndexedBase) -> str:
        raise AssertionError(f"{base.id} was hashed")

    monkeypatch.setattr(IndexedBase, "content_hash", property(refused))

    assert ids(asked(ctxlab.KnowledgeRetriever(TIDES), "moon")) == ["1"]


def test_adding_pauses_only_while_a_search_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("ctxlab.knowledge.index.turns.sleep", pauses.append)
    index = MemoryIndex()

    index.add([IndexedText("1", "a rope")])
    assert pauses == []
    with turns.search():
        index.add([IndexedText("2", "an oar"), IndexedText("3", "a boat")])
    assert len(pauses) == 2
    index.add([IndexedText("4", "a sail")])
    assert len(pauses) == 2


class _Failing:
    name, version = "mine", "1"

    def embed(self, texts: Sequence[str]) -> object:
        return 1 / 0


def _dividing(query: str, texts: Sequence[str]) -> Sequence[float]:
    raise ZeroDivisionError("key sk-123")


def test_an_embedder_or_a_reranker_that_raises_earns_a_note_and_words_are_searched() -> None:
    retriever = ctxlab.KnowledgeRetriever(BOATS, embedder=_Failing(), reranker=_dividing)

    answer = asked(retriever, "rope", engine="hybrid")

    assert ids(answer) == ["1"]
    assert answer.notes == (
        "only words were searched: embedder 'mine' raised ZeroDivisionError",
        "the hits were not ranked anew: reranker '_dividing' raised ZeroDivisionError",
    )


def test_a_corrected_embedder_of_the_same_name_is_asked_again() -> None:
    asked(ctxlab.KnowledgeRetriever(BOATS, embedder=LetterEmbedder("same")), "rope", engine="vector")
    corrected = LetterEmbedder("same")

    asked(ctxlab.KnowledgeRetriever(BOATS, embedder=corrected), "rope", engine="vector")

    assert {"rope", "Rope\nA rope holds the boat."} <= set(corrected.asked)


def test_a_function_of_texts_is_an_embedder() -> None:
    def lengths(texts: Sequence[str]) -> list[list[float]]:
        return [[len(text), 1.0] for text in texts]

    answer = asked(ctxlab.KnowledgeRetriever(BOATS, embedder=lengths), "rope", engine="vector")

    assert (answer.engine, answer.notes, len(answer.hits)) == ("vector", (), 2)


def test_an_embedder_without_a_version_is_refused_by_what_it_lacks() -> None:
    class Nameless:
        def embed(self, texts: Sequence[str]) -> object:
            return texts

    with pytest.raises(WrongArgument, match="embedder has embed, and no name and no version, which are texts"):
        ctxlab.KnowledgeRetriever(BOATS, embedder=Nameless())
