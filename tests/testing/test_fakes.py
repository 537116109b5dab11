import pytest

from ctxlab.context import AssetRef, Draft, Origin, Text
from ctxlab.documents import ToolCall
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import TokenCounter
from ctxlab.testing.fakes import FixedRetriever, ScriptedLlm, WordTokenizer

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
    assert llm.asked == ["a", "b"]
    with pytest.raises(CtxlabError, match="only 2 lines; it was asked 'c'"):
        llm.complete("c")


def test_a_fixed_retriever_always_finds_the_same() -> None:
    retriever = FixedRetriever(["a", "b", "c"])

    assert retriever.search("x") == ("a", "b", "c")
    assert retriever.search("y", limit=2) == ("a", "b")
    assert retriever.asked == ["x", "y"]
