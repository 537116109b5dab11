"""What a message costs."""

import pytest

from ctxlab.context import AssetRef, Draft, Origin, Span, Text
from ctxlab.documents import ToolCall
from ctxlab.engines.tokens import Tokenizer
from ctxlab.engines.tokens.bpe_counter import CountCache
from ctxlab.providers import built_in, tokenizer_for

NODE = Origin("node", "n1")
LETTERS = Tokenizer.counting("letters", len)


def draft(*body: str | AssetRef, **fields: object) -> Draft:
    parts = tuple(Text.of(part, NODE) if isinstance(part, str) else part for part in body)
    return Draft(**{"key": "node:n1", "role": "user", "body": parts, "origin": NODE, **fields})  # type: ignore[arg-type]


def test_a_message_costs_its_text_and_its_frame() -> None:
    tokenizer = tokenizer_for("gpt-4o")

    assert tokenizer.content_tokens(draft("hello world")) == 2
    assert tokenizer.count_draft(draft("hello world")) == 5
    assert tokenizer.count_draft(draft("hello world", speaker="Ann")) == 5 + tokenizer.count("Ann") + 1
    assert tokenizer.request_tokens == 3


def test_the_frame_depends_on_the_wire_format() -> None:
    frames = {wire: tokenizer_for(name).message_tokens for wire, name in
              (("openai", "o3"), ("anthropic", "claude-opus-4-8"), ("google", "gemini-2.5-pro"))}  # fmt: skip

    assert frames == {"openai": 3, "anthropic": 4, "google": 1}
    assert all(each.rates.overhead.source and each.rates.overhead.as_of for each in built_in().values())


def test_everything_that_is_sent_is_counted() -> None:
    calls = (ToolCall("c1", "find", '{"q":1}'), ToolCall("c2", "go"))

    assert LETTERS.content_tokens(draft("text", speaker="Ann")) == 4 + 3
    assert LETTERS.content_tokens(draft("text", calls=calls)) == 4 + 4 + 7 + 2
    assert LETTERS.content_tokens(draft("text", role="tool", result_of="c1")) == 4 + 2
    assert LETTERS.content_tokens(draft("text", role="user", result_of="c1")) == 4
    assert LETTERS.content_tokens(draft("text", reasoning="hm")) == 4 + 2
    assert LETTERS.content_tokens(draft("a", "b")) == 3
    assert LETTERS.content_tokens(draft()) == 0


def test_a_call_costs_a_little_more_than_its_words() -> None:
    tokenizer = tokenizer_for("gpt-4o")
    with_call = draft("", calls=(ToolCall("c1", "find", "{}"),))

    assert tokenizer.content_tokens(with_call) == tokenizer.count("find") + tokenizer.count("{}") + 3


def test_files_cost_what_the_model_takes_for_them() -> None:
    picture = AssetRef("a1", "image", metadata={"width": 100, "height": 100})
    message = draft("hi", picture, picture)

    assert LETTERS.content_tokens(message) == 2 + 2 * 258
    assert tokenizer_for("gpt-4o").content_tokens(message) == 1 + 2 * 255
    assert LETTERS.content_tokens(draft(picture)) == 258


def test_a_count_says_whether_it_is_a_guess() -> None:
    exact, guess = tokenizer_for("gpt-4o"), tokenizer_for("claude-opus-4-8")

    assert not exact.draft_is_estimated(draft("hi", AssetRef("a1", "image", metadata={"width": 9, "height": 9})))
    assert exact.draft_is_estimated(draft("hi", AssetRef("a1", "image")))
    assert exact.draft_is_estimated(draft("hi", AssetRef("a1", "audio")))
    assert guess.draft_is_estimated(draft("hi"))


def test_the_name_of_a_special_token_is_text() -> None:
    assert tokenizer_for("gpt-4o").count("<|endoftext|>") == 7


def test_nothing_costs_nothing_whatever_the_function_says() -> None:
    assert Tokenizer.counting("one more", lambda text: len(text) + 1).count("") == 0
    assert tokenizer_for("gpt-4o").count("") == tokenizer_for("estimator").count("") == 0


def test_tools_cost_about_what_their_json_does() -> None:
    tool = {"type": "function", "function": {"name": "find", "parameters": {"词": object}}}
    tokenizer = tokenizer_for("gpt-4o")

    assert tokenizer.count_tools([]) == 0
    assert tokenizer.count_tools([tool, tool]) == 2 * tokenizer.count_tools([tool]) > 30


def test_spans_that_were_counted_are_not_encoded_again() -> None:
    asked: list[int] = []
    tokenizer = tokenizer_for("o200k_base")
    words = "the quick brown fox jumps over the lazy dog. " * 60
    parts = [Text.of(f"{i}: {words}", Origin("node", str(i))) for i in range(5)]
    separator = Text((Span("\n\n", Origin("separator", "merge")),))
    merged = Text.join(separator, parts)
    watched = CountCache(lambda text: asked.append(len(text)) or tokenizer.counts.count(text))

    from ctxlab.engines.tokens.split import count_joined

    for part in parts:
        watched(str(part))
    asked.clear()

    assert count_joined([span.text for span in merged.spans], watched, watched) == tokenizer.count(str(merged))
    assert max(asked) < 100
    assert tokenizer.count_text(merged) == tokenizer.count(str(merged))


def test_estimates_of_spans_are_not_added_up() -> None:
    text = Text((Span("wor", Origin("a")), Span("d", Origin("b"))))

    assert tokenizer_for("estimator").count_text(text) == 1


def test_each_text_is_counted_once() -> None:
    asked: list[str] = []
    tokenizer = Tokenizer.counting("letters", lambda text: asked.append(text) or len(text))

    assert [tokenizer.count_draft(draft("abc")) for _ in range(3)] == [3, 3, 3]
    assert asked == ["abc"]


def test_two_tokenizers_of_one_name_do_not_share_counts() -> None:
    assert Tokenizer.counting("x", len).count("two words") == 9
    assert Tokenizer.counting("x", lambda text: len(text.split())).count("two words") == 2


def test_what_is_remembered_is_bounded() -> None:
    by_entries = CountCache(len, max_entries=10)
    by_characters = CountCache(len, max_characters=100)

    for i in range(1000):
        assert by_entries(f"text {i}") == len(f"text {i}")
        by_characters(f"{i:030}")

    assert len(by_entries) <= 20
    assert len(by_characters) <= 6
    assert by_characters("x" * 101) == 101
    assert by_characters.known("x" * 101) is None


def test_what_is_asked_for_again_stays() -> None:
    asked: list[str] = []
    counts = CountCache(lambda text: asked.append(text) or len(text), max_entries=10)

    for i in range(100):
        counts("often")
        counts(f"once {i}")

    assert asked.count("often") == 1


def test_representations_are_short() -> None:
    assert repr(tokenizer_for("gpt-4o")) == "Tokenizer('o200k_base', exact)"
    assert repr(CountCache(len)) == "Counts(0 texts)"


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "estimator"])
def test_lone_surrogates_are_counted(name: str) -> None:
    tokenizer = tokenizer_for(name)

    assert tokenizer.count("a\ud800b") > 0
    assert tokenizer.count("\ud83d\ude00") == tokenizer.count("😀")
