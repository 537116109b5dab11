"""The preview of a draft: its own tokens apart, words that call up lore, the cached prefix that it breaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, Session
from ctxlab.errors import WrongArgument
from ctxlab.testing.fakes import WordTokenizer

WORDS = WordTokenizer()
BOOK = ctxlab.read_data(
    {"entries": [{"uid": 1, "key": ["灯塔"], "content": "It stands in the north.", "comment": "塔"}]}
).books[0]


BY_GPT = {"providerType": "openai", "modelId": "gpt-4o"}


def chat(turns: int = 3, words: int = 4, *, wrote: Mapping[str, str] | None = None, **newest: Any) -> Session:
    session = Session(id="s").append("", role="system", id="root")
    for n in range(turns):
        session = session.append(" ".join(["why"] * words), id=f"u{n}")
        session = session.append(" ".join(["so"] * words), role="assistant", id=f"a{n}", metadata=dict(wrote or {}))
    return session.update(f"a{turns - 1}", **newest) if newest else session


def test_the_typed_words_are_a_source_of_their_own_and_the_last() -> None:
    preview = ctxlab.preview(chat(), "one two three", tokenizer=WORDS)

    assert (preview.sources[-1].source, preview.draft_tokens) == ("draft", 3)
    assert preview.tokens == preview.without.tokens + 3


def test_a_draft_of_nothing_is_the_request_without_one() -> None:
    preview = ctxlab.preview(chat(), "  ", tokenizer=WORDS)

    assert preview.trace is preview.without
    assert (preview.cut, preview.fires, preview.draft_tokens) == ((), (), 0)


def test_words_behind_a_macro_are_marked_where_they_were_typed() -> None:
    agent = Agent(id="a", name="沈砚")
    text = "{{char}} 😀 looks at the 灯塔 now"

    (entry,) = ctxlab.preview(chat(), text, agent, books=[BOOK]).fires

    assert text[entry.start : entry.end] == "灯塔"
    assert entry.tokens > 0


def test_words_that_a_macro_wrote_are_marked_nowhere() -> None:
    agent = Agent(id="a", name="灯塔")

    (entry,) = ctxlab.preview(chat(), "ask {{char}}", agent, books=[BOOK]).fires

    assert (entry.start, entry.end) == (None, None)


@pytest.mark.parametrize(
    ("entry", "by_chance"),
    [({"probability": 30}, True), ({}, False), ({"useProbability": False, "probability": 30}, False)],
)
def test_an_entry_that_is_drawn_is_not_promised(entry: dict[str, Any], by_chance: bool) -> None:
    data = {
        "entries": [{"uid": n, "key": ["灯塔"], "content": "North.", "comment": f"塔{n}", **entry} for n in range(40)]
    }

    preview = ctxlab.preview(chat(), "to the 灯塔", books=ctxlab.read_data(data).books)

    assert preview.fires
    assert {each.by_chance for each in preview.fires} == {by_chance}
    for each in preview.fires:
        assert ("may fire, by chance, drawn anew when it is sent" in str(each)) is by_chance
    assert {each["by_chance"] for each in preview.as_data()["fires"]} == {by_chance}


def test_what_a_draft_cuts_breaks_the_prefix_and_the_price_is_that_of_the_tokens_read() -> None:
    session = chat(6, 500, wrote=BY_GPT)
    room = ctxlab.build(session, model="gpt-4o").tokens

    free = ctxlab.preview(session, "Go on.", model="gpt-4o").cache
    tight = ctxlab.preview(session, "Go on.", model="gpt-4o", budget_tokens=room).cache

    assert free is not None
    assert tight is not None
    assert free.lost_tokens == 0
    assert free.read_tokens >= 1024
    assert (tight.same_tokens, tight.read_tokens) == (0, 0)
    assert tight.read_tokens_without == tight.lost_tokens
    assert tight.input_usd is not None
    assert tight.kept_usd is not None
    assert tight.input_usd > tight.kept_usd
    assert any("u0 isn't as it was: it is left out now" in sentence for sentence in tight.sentences)


def test_nothing_is_said_of_a_cache_where_no_vendor_is_known() -> None:
    by_local = {"providerType": "openai", "modelId": "some-local-model"}

    assert ctxlab.preview(chat(6, 500), "Go on.").cache is None
    assert ctxlab.preview(chat(6, 500, wrote=by_local), "Go on.", model="some-local-model").cache is None
    assert ctxlab.preview(Session(id="s"), "Go on.", model="gpt-4o").cache is None


@pytest.mark.parametrize(
    "newest",
    [
        pytest.param({"status": "error"}, id="it failed"),
        pytest.param({"content": ""}, id="nothing came"),
        pytest.param({"status": "generating"}, id="it is being written"),
        pytest.param({"metadata": {}}, id="nobody is named"),
        pytest.param({"metadata": {"modelId": "gpt-4o"}}, id="no vendor is named"),
        pytest.param({"metadata": {"providerType": "function", "modelName": "gpt-4o"}}, id="a function"),
        pytest.param({"metadata": {**BY_GPT, "providerType": "anthropic"}}, id="another vendor"),
        pytest.param({"metadata": {**BY_GPT, "modelId": "gpt-4o-mini"}}, id="another model"),
    ],
)
def test_nothing_is_said_of_a_cache_where_the_newest_reply_isnt_this_models(newest: dict[str, Any]) -> None:
    assert ctxlab.preview(chat(6, 500, wrote=BY_GPT), "Go on.", model="gpt-4o").cache is not None

    assert ctxlab.preview(chat(6, 500, wrote=BY_GPT, **newest), "Go on.", model="gpt-4o").cache is None


def test_the_text_is_what_is_pending() -> None:
    with pytest.raises(WrongArgument, match="pending is the text itself"):
        ctxlab.preview(chat(), "one", pending="two")
