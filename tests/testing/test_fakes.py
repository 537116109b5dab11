import pytest

from ctxlab.context import AssetRef, Draft, KnowledgeHit, Origin, QueryPart, Text
from ctxlab.documents import AgentFile, LibraryFile, ToolCall
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import TokenCounter
from ctxlab.testing.fakes import (
    AssetsInMemory,
    FixedRetriever,
    FixedTranscriber,
    ScriptedLlm,
    WordTokenizer,
    all_fakes,
)

ORIGIN = Origin("node", "n")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("  \n", 0),
        ("three little words", 3),
        ("三个字", 3),
        ("Hi你好 world", 4),
        ("don't stop.", 2),
        ("かな", 2),
    ],
)
def test_words_and_chinese_characters_are_counted(text: str, tokens: int) -> None:
    assert WordTokenizer().count(text) == tokens


def test_a_message_costs_everything_that_it_carries() -> None:
    tokenizer: TokenCounter = WordTokenizer(message_tokens=3, asset_tokens=7)
    draft = Draft(
        "n",
        "assistant",
        (Text.of("two words", ORIGIN), AssetRef("p", "image")),
        ORIGIN,
        calls=(ToolCall("c1", "look", '{"at": "it"}'),),
        reasoning="hm hm",
        speaker="Ann",
    )

    assert tokenizer.count_draft(draft) == 2 + 7 + (1 + 2) + 2 + 1 + 3
    assert tokenizer.count_tools([{"name": "look"}]) == 2


def test_a_scripted_model_says_its_lines_in_order() -> None:
    llm = ScriptedLlm("one", "two")

    assert [llm.complete("a"), llm.complete("b", effort=1)] == ["one", "two"]
    assert llm.prompts == ["a", "b"]
    with pytest.raises(CtxlabError, match="only 2 lines; it was asked 'c'"):
        llm.complete("c")


def test_a_fixed_retriever_always_finds_the_same() -> None:
    retriever = FixedRetriever(["a", "b", "c"])

    assert [hit.text for hit in retriever.search([QueryPart("x")]).hits] == ["a", "b", "c"]
    assert [hit.chunk for hit in retriever.search([QueryPart("y")], limit=2).hits] == ["0", "1"]
    assert [hit.text for hit in retriever.entries("fixed", ["2", "gone", "0"])] == ["c", "a"]
    assert retriever.queries == [(QueryPart("x"),), (QueryPart("y"),)]


def test_a_fixed_retriever_looks_into_the_named_bases_only() -> None:
    one, two = (KnowledgeHit(base, base, "0", "0", "", text) for base, text in (("one", "a"), ("two", "b")))
    retriever = FixedRetriever([one, two])

    assert retriever.search([QueryPart("x")], bases=["two"]).hits == (two,)
    assert [(base.id, base.chunks) for base in retriever.bases()] == [("one", 1), ("two", 1)]


def test_a_fixed_transcriber_knows_some_files_and_refuses_the_others() -> None:
    transcriber = FixedTranscriber({LibraryFile("a.png"): "a cat"})

    assert transcriber.transcribe(LibraryFile("a.png"), kind="image").text == "a cat"
    with pytest.raises(CtxlabError, match=r"no text for audio LibraryFile\('b.mp3'\)"):
        transcriber.transcribe(LibraryFile("b.mp3"), kind="audio")
    assert transcriber.sources == [LibraryFile("a.png"), LibraryFile("b.mp3")]


def test_assets_in_memory_are_read_by_their_place() -> None:
    services = all_fakes()
    store = AssetsInMemory({AgentFile("ag", "a.png"): b"png"})

    found = store.open(AgentFile("ag", "a.png"))
    assert found is not None
    assert (found.read(), store.open(LibraryFile("a.png"))) == (b"png", None)
    assert services.assets is not None
    assert services.assets.open(LibraryFile("a.png")) is None
