"""The Python half of the token view: what it shows of texts, messages and runs, and what it refuses."""

from __future__ import annotations

import json
import struct
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import traitlets
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.engines.tokens.boundaries import token_ends
from ctxlab.errors import CtxlabError, WrongArgument, WrongSetting
from ctxlab.providers import tokenizer_for
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import synced_state
from ctxlab_widgets.token_view import TokenView
from tests.local_models.small_models import hugging_face, vocabulary

NAMES = ["o200k_base", "cl100k_base"]


def run(*said: str, **settings: Any) -> ctxlab.Trace:
    roles = ("user", "assistant")
    words = said or ("Where is the keeper?", "灯塔里。", "And the boat 🫠?")
    messages = [{"role": roles[i % 2], "content": text} for i, text in enumerate(words)]
    return ctxlab.build(ctxlab.read_data(messages).pick(), **settings)


def asked(widget: TokenView, **command: Any) -> TokenView:
    widget._handle_custom_msg(command, [])
    return widget


def numbers(sent: bytes) -> list[int]:
    return list(chain.from_iterable(struct.iter_unpack("<i", sent)))


def key(trace: ctxlab.Trace, at: int) -> str:
    return trace.result.drafts[at].key


def test_a_text_is_cut_by_both_tokenizers() -> None:
    widget = TokenView("Hello, 灯塔 🫠")
    view = json.loads(widget.view)

    assert view["tokens"] == [tokenizer_for(name).count("Hello, 灯塔 🫠") for name in NAMES]
    assert view["characters"] == 11
    for name, sent, count in zip(NAMES, (widget.first, widget.second), view["tokens"], strict=True):
        assert numbers(sent)[:count] == token_ends("Hello, 灯塔 🫠", name)


def test_ids_and_split_characters_come_after_the_ends() -> None:
    widget = TokenView("a🫠b", tokenizers=("o200k_base", "o200k_base"))
    bounds = widget.bounds[0]

    assert numbers(widget.first) == [1, 3, 3, 3, 4, *bounds.ids, 1, 2]
    assert widget.first == widget.second


@settings(deadline=None)  # the first one loads the ranks
@given(text=st.text(st.characters() | st.sampled_from("\ud83d\udc69灯🫠e\u0301 \n")))
def test_every_boundary_in_both_is_one_of_each(text: str) -> None:
    widget = TokenView(text)
    found = widget.boundaries

    assert 0 <= found["both"] <= min(found["first"], found["second"])
    assert found["first"] < max(len(widget.bounds[0]), 1)


def test_boundaries_are_between_characters_and_not_at_the_end() -> None:
    assert TokenView("a🫠b").boundaries == {"first": 2, "second": 2, "both": 2}
    assert TokenView("hello world").boundaries == {"first": 1, "second": 1, "both": 1}
    assert TokenView("hi").boundaries == TokenView("").boundaries == {"first": 0, "second": 0, "both": 0}


def test_half_a_surrogate_pair_has_a_form_that_can_be_sent() -> None:
    widget = TokenView("a\ud83d b\ud83d\ude00")

    assert widget.text == "a\ufffd b😀"
    assert as_json(synced_state(widget)).encode()


def test_other_tokenizers_keep_the_text() -> None:
    widget = TokenView("some words, 一些字")
    first = widget.first

    asked(widget, command="tokenizers", first="cl100k_base", second="o200k_base")

    assert (widget.error, widget.tokenizers) == ("", NAMES[::-1])
    assert widget.second == first
    assert json.loads(widget.view)["tokens"] == [len(bounds) for bounds in widget.bounds]


def test_a_tokenizer_that_does_not_exist_is_refused() -> None:
    widget = asked(TokenView("words"), command="tokenizers", first="o200k", second="cl100k_base")

    assert "did you mean 'o200k_base'" in widget.error
    assert widget.tokenizers == NAMES
    with pytest.raises(WrongSetting, match="no tokenizer 'words'"):
        TokenView("words", tokenizers=("words", "cl100k_base"))
    with pytest.raises(CtxlabError, match="tokenizers takes two, got 1"):
        TokenView("words", tokenizers=("cl100k_base",))


def test_any_vocabulary_cuts_it_and_what_only_counts_is_refused(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="a vocabulary needs the extra `local`")
    model = ctxlab.local_model(hugging_face(tmp_path / "tiny"))
    library = tokenizers.Tokenizer.from_str(json.dumps(vocabulary()))

    widget = TokenView("灯塔 and the lamp", tokenizers=(model, library))

    assert widget.tokenizers == ["tiny", "Tokenizer"]
    assert numbers(widget.first)[:2] == [1, 2]  # the second token begins inside the first character
    assert widget.bounds[0].inside == widget.bounds[1].inside == (0,)
    assert len(widget.bounds[0]) == model.vocabulary.count(widget.text)  # pyright: ignore[reportOptionalMemberAccess]
    widget.set_tokenizers(tmp_path / "tiny", "o200k_base")
    assert widget.tokenizers == ["tiny (2)", "o200k_base"]
    assert json.loads(widget.view)["names"][-3:] == ["tiny", "Tokenizer", "tiny (2)"]
    asked(widget, command="tokenizers", first=str(tmp_path / "tiny"), second="o200k_base")
    assert "there is no tokenizer" in widget.error  # a page opens no file
    for counts in (len, "estimator", "chars4+4"):
        with pytest.raises(WrongArgument, match="not where each of them ends"):
            TokenView("words", tokenizers=(counts, "o200k_base"))


def test_a_run_is_cut_by_the_vocabulary_that_it_counts_by(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="a vocabulary needs the extra `local`")
    model = ctxlab.local_model(hugging_face(tmp_path / "tiny"))

    assert TokenView(run("灯塔", model=model)).tokenizers == ["tiny", "o200k_base"]
    assert TokenView(run("灯塔")).tokenizers == NAMES


@pytest.mark.parametrize(
    "wrong",
    [
        "text",
        None,
        {"command": "explode"},
        {"command": "tokenizers"},
        {"command": "tokenizers", "first": 1, "second": 2},
    ],
)
def test_what_is_no_command_is_refused_in_a_sentence(wrong: object) -> None:
    widget = TokenView("words")
    before = synced_state(widget) | {"error": ""}

    widget._handle_custom_msg(wrong, [])

    assert "is no command of the TokenView" in widget.error
    assert synced_state(widget) | {"error": ""} == before


def test_messages_in_any_form_are_their_words() -> None:
    trace = run()
    parts = [{"type": "text", "text": "one"}, {"type": "image_url"}, {"type": "text", "text": "two"}]

    assert TokenView(trace.result.drafts[0]).text == "Where is the keeper?"
    assert TokenView(trace.messages[0]).text == "Where is the keeper?"
    assert TokenView(ctxlab.MessageNode(content="typed")).text == "typed"
    assert TokenView({"role": "user", "content": parts}).text == "one\ntwo"
    assert TokenView({"role": "assistant", "content": None}).text == ""


@pytest.mark.parametrize("wrong", [3, b"bytes", ["text"], {"role": "user"}])
def test_what_has_no_words_is_refused(wrong: Any) -> None:
    with pytest.raises(CtxlabError, match=r"shows a text, a message or a trace|shown takes a str, a Trace, a Draft"):
        TokenView(wrong)


def test_nothing_is_not_the_empty_text() -> None:
    assert TokenView().view == ""
    assert json.loads(TokenView("").view)["tokens"] == [0, 0]


def test_a_run_shows_all_its_words_or_those_of_the_selected_message() -> None:
    trace = run()
    widget = TokenView(trace)
    assert widget.text == "Where is the keeper?\n\n灯塔里。\n\nAnd the boat 🫠?"

    widget.selected = key(trace, 1)
    assert widget.text == "灯塔里。"
    widget.selected = "node:nobody"
    assert widget.text.startswith("Where is")
    messages = json.loads(widget.view)["messages"]
    assert [message["tokens"] for message in messages] == [message["tokens"] for message in trace.messages]


def test_a_part_of_a_merged_message_selects_the_whole() -> None:
    messages = [{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]
    trace = ctxlab.build(ctxlab.read_data(messages).pick())
    (merged,) = trace.result.drafts
    widget = TokenView(trace)

    widget.selected = merged.merged[1].key

    assert widget.text == str(merged.text)
    assert json.loads(widget.view)["messages"][0]["parts"] == [part.key for part in merged.merged]


def test_a_message_that_was_cut_is_shown_as_it_last_was() -> None:
    trace = run("the first, long " * 30, "second", "third", "fourth", budget_tokens=60)
    cut = {draft.key for draft in trace.steps[0].after.drafts} - {draft.key for draft in trace.result.drafts}
    widget = TokenView(trace)

    widget.selected = min(cut)

    assert widget.text.startswith("the first, long")
    assert [message["sent"] for message in json.loads(widget.view)["messages"]].count(False) == 1


def test_two_views_of_a_run_are_linked() -> None:
    one, other = TokenView(run("here")), TokenView()
    traitlets.link((one, "trace"), (other, "trace"))
    traitlets.link((one, "selected"), (other, "selected"))
    assert other.text == "here"

    other.trace = run("there", "and back")
    one.selected = key(other.trace, 1)

    assert one.text == other.text == "and back"


def test_nothing_is_sent_when_nothing_changed() -> None:
    trace = run()
    widget = TokenView(trace)
    sent: list[Any] = []
    widget.observe(sent.append, ["text", "first", "second", "view"])

    widget.trace = trace
    widget.show()
    widget.selected = "node:nobody"

    assert sent == []


def test_a_text_of_ones_own_takes_the_place_of_a_run() -> None:
    widget = TokenView(run())
    widget.selected = key(widget.trace, 1)

    widget.set_text("mine")

    assert (widget.text, widget.trace, widget.selected) == ("mine", None, "")
    assert json.loads(widget.view)["messages"] == []
    widget.trace = run("again")
    assert widget.text == "again"


def test_the_token_in_focus_is_one_that_is_there() -> None:
    widget = TokenView("one two three four")
    widget.token = 3

    widget.set_tokenizers("cl100k_base", "cl100k_base")
    assert widget.token == 3
    widget.set_text("one")
    assert widget.token == 0
    for wrong, there in ((10**9, 3), (-5, 0)):
        other = TokenView("one two three four")
        other.set_state({"token": wrong})
        assert other.token == there


def test_a_run_without_messages_is_an_empty_text() -> None:
    trace = run()
    widget = TokenView(trace)
    widget.trace = ctxlab.build(ctxlab.Session(id="s").append("", role="system"))

    assert widget.text == ""
    assert json.loads(widget.view)["run"]


def test_fifty_thousand_tokens_are_small() -> None:
    text = "The lamp was lit at dusk, 灯亮了。 " * 4_500
    widget = TokenView(text)

    assert len(widget.bounds[0]) > 50_000
    assert len(widget.first) == 8 * len(widget.bounds[0]) + 4 * len(widget.bounds[0].inside)
    assert len(widget.view) < 500


def test_a_run_that_counts_by_an_estimate_says_its_range() -> None:
    guessed = ctxlab.build([{"role": "user", "content": "灯灭了, twice."}], model="qwen3-32b")

    assert json.loads(TokenView(guessed).view)["estimate"] == f"estimate; {guessed.token_range}"
    assert json.loads(TokenView(ctxlab.rebuild(guessed, tokenizer=tokenizer_for("gpt-4o"))).view)["estimate"] == ""
    assert json.loads(TokenView("灯灭了").view)["estimate"] == ""
