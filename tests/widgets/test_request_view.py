"""The Python half of the request: lines that are the body, messages behind values, mends, vendors side by side."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ctxlab
from ctxlab import Payload, Trace
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab_widgets import RequestView
from ctxlab_widgets.request_view.body_lines import body_lines, body_text
from ctxlab_widgets.request_view.view_json import HEAD, size_words
from tests.gallery.requests import PICTURE, SCRIPTED, scripted_request
from tests.gallery.samples import harbour


def held(view: RequestView) -> dict[str, Any]:
    return json.loads(view.view)


def command(view: RequestView, **message: Any) -> None:
    view._handle_custom_msg(message, [])


def strings(view: RequestView) -> dict[str, tuple[str, list[str]]]:
    """By path, what each string says and the keys of the messages that its characters are of."""
    shown = held(view)
    found: dict[str, tuple[str, list[str]]] = {}
    for line in shown["lines"]:
        for bit in line[1]:
            if bit[0] == "string":
                words = json.loads(f'"{"".join(text for text, _ in bit[1])}"')
                found[bit[3]] = (words, [shown["parts"][n]["key"] for _, n in bit[1] if n >= 0])
    return found


def test_every_string_of_the_body_is_there_with_its_messages() -> None:
    made = ctxlab.payload(harbour(), "openai")
    view = RequestView(made)

    found = strings(view)

    for number, message in enumerate(made.body["messages"]):
        words, keys = found[f"messages[{number}].content"]
        assert words == message["content"]
        assert keys == [part.key for part in harbour().result.drafts[number].parts]


def test_the_lines_are_numbered_as_in_what_is_copied() -> None:
    view = RequestView(scripted_request(harbour()))
    text = body_text(view.payload.body)

    lines = text.split("\n")

    assert json.loads(text) == view.payload.body
    assert len(lines) == len(held(view)["lines"])
    problem, *_ = held(view)["problems"]
    assert '"budget_tokens": 4096' in lines[problem["line"]]
    assert (problem["place"], problem["level"]) == ("thinking.budget_tokens", "error")


def test_a_mark_stands_below_the_last_line_of_its_value() -> None:
    view = RequestView(scripted_request(harbour()))
    lines = body_lines(view.payload.body)

    ends = [lines[mark["line"]] for mark in held(view)["marks"]]

    assert ends[0].path == ("system", 0)
    assert ends[1].closes
    assert ends[1].path == ("messages", len(view.payload.body["messages"]) - 2)


def test_bytes_stay_here_and_a_long_text_is_cut() -> None:
    long = ctxlab.Session(id="s").append("沈砚 walks. " * HEAD)
    view = RequestView(scripted_request(ctxlab.build(long)))

    assert PICTURE[:200] not in view.view
    assert "image/png, 36 kB" in view.view
    assert len(view.view) < 4 * HEAD
    (cut,) = [bit for line in held(view)["lines"] for bit in line[1] if bit[0] == "string" and bit[2]]
    assert cut[2] == len("沈砚 walks. ") * HEAD - HEAD


def test_a_text_that_looks_like_base64_is_a_text_where_a_message_says_it() -> None:
    view = RequestView(ctxlab.payload(ctxlab.build(ctxlab.Session(id="s").append("a" * 900)), "openai"))

    assert strings(view)["messages[0].content"][0] == "a" * 900


def test_a_message_knows_the_steps_that_touched_it() -> None:
    view = RequestView(harbour(), provider="openai")
    shown = held(view)
    steps = {part["key"]: [shown["steps"][n]["id"] for n in part["steps"]] for part in shown["parts"]}

    assert steps["lore:harbour_lore/14"] == ["injection-assembler", "merge-consecutive"]
    assert steps["node:u13"] == ["session-loader"]
    rewritten = [change.after.key for change in harbour().changes("regex-processor").rewritten]
    assert {key for key, of in steps.items() if "regex-processor" in of} == set(rewritten) & set(steps)


def test_a_mend_of_settings_makes_another_run_and_back_shows_the_one_before() -> None:
    view = RequestView(scripted_request(harbour()))
    number = held(view)["fixes"].index("Budget 2,100")

    command(view, command="fix", number=number, label="Budget 2,100")

    assert view.error == ""
    assert view.trace.pipeline.stage("token-limiter").processor.settings.budget_tokens == 2100  # pyright: ignore
    assert view.payload.provider is SCRIPTED
    assert view.effect["label"] == "Budget 2,100:"
    command(view, command="back")
    assert view.trace is harbour()
    assert not view.can_go_back


def test_a_mend_of_parameters_leaves_the_run_and_the_problem_is_gone() -> None:
    view = RequestView(scripted_request(harbour()))
    number = held(view)["fixes"].index("Reply 6,144")

    command(view, command="fix", number=number, label="Reply 6,144")

    assert view.trace is harbour()
    assert view.payload.problems == ()
    assert view.parameters == {"maxTokens": 6144}
    assert view.effect == {"label": "Reply 6,144:", "text": "problems 1 \u2192 0; losses 6 as before"}


def test_a_mend_that_is_no_longer_offered_is_refused() -> None:
    view = RequestView(scripted_request(harbour()))

    for number, label in ((0, "something else"), (99, "Budget 2,100")):
        command(view, command="fix", number=number, label=label)
        assert "no longer offered" in view.error
    with pytest.raises(CtxlabError, match="there is no change 99"):
        view.fix(99)


def test_another_vendor_gets_the_same_run_with_its_own_model_and_can_be_taken_back() -> None:
    view = RequestView(harbour())
    first = view.payload

    command(view, command="provider", name="anthropic")

    assert (view.provider, view.model) == ("anthropic", view.payload.provider.default_model)
    assert view.payload.trace is harbour()
    command(view, command="model", name="claude-haiku-4-5")
    assert view.payload.body.get("model", view.model) == "claude-haiku-4-5"
    view.back()
    view.back()
    assert view.payload is first


def test_a_vendor_that_nobody_knows_is_refused_and_nothing_changes() -> None:
    view = RequestView(harbour(), provider="openai")
    before = view.payload

    for message in ("provider", "compare"):
        command(view, command=message, name="opnai")
        assert "there is no provider 'opnai'; did you mean 'openai'" in view.error
    with pytest.raises(WrongArgument):
        view.provider = "opnai"

    assert view.payload is before
    assert (view.provider, view.compared) == ("openai", "")


def test_two_vendors_side_by_side() -> None:
    view = RequestView(scripted_request(harbour()))

    command(view, command="compare", name="openai")

    shown = json.loads(view.comparison)
    assert shown["names"] == ["Scripted", "OpenAI"]
    assert shown["summary"] == view.request_comparison.summary
    assert len(shown["rows"]) == len(view.request_comparison.differences)
    command(view, command="compare", name="")
    assert view.comparison == ""


def test_copies_hold_the_body_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    view = RequestView(harbour(), provider="openai")
    sent: list[dict[str, str]] = []
    monkeypatch.setattr(view, "send", lambda content, *_: sent.append(content))

    command(view, command="copy", what="json")
    command(view, command="copy", what="curl")

    assert json.loads(sent[0]["copied"]) == view.payload.body
    assert "$API_KEY" in sent[1]["copied"]


def test_a_page_shows_the_request_of_its_run_and_takes_the_runs_of_mends() -> None:
    import ctxlab_widgets

    page = ctxlab_widgets.lab(harbour())
    page.request.provider = "anthropic"

    page.trace = page.trace.rerun({"token-limiter.budget_tokens": 2100})

    assert page.request.payload.trace is page.trace
    assert page.request.provider == "anthropic"
    page.selected = "node:u13"
    assert page.request.selected == "node:u13"


def test_a_payload_at_the_end_of_a_cell_is_this_view(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab_widgets.views._in_a_notebook", lambda: True)

    data, _ = ctxlab.payload(harbour(), "openai")._repr_mimebundle_()

    assert "application/vnd.jupyter.widget-view+json" in data


def test_without_a_run_it_says_what_to_pass() -> None:
    view = RequestView()

    assert (view.view, view.choices) == ("", {})
    with pytest.raises(CtxlabError, match="set its trace"):
        view.payload  # noqa: B018
    view.trace = harbour()
    assert held(view)["lines"]


def test_a_payload_is_shown_as_it_is_and_takes_no_other_vendor(harbour_request: Payload) -> None:
    assert RequestView(harbour_request).payload is harbour_request
    with pytest.raises(CtxlabError, match="a payload is shown as it is"):
        RequestView(harbour_request, provider="gemini")


@pytest.fixture
def harbour_request() -> Payload:
    return ctxlab.payload(harbour(), "openai")


def test_a_request_grows_with_its_messages_and_no_faster() -> None:
    def sizes(count: int) -> int:
        said = [{"role": ("user", "assistant")[i % 2], "content": f"words {i}"} for i in range(count)]
        trace: Trace = ctxlab.build(ctxlab.read_data(said).pick())
        return len(RequestView(ctxlab.payload(trace, "openai")).view)

    assert sizes(800) < 2.2 * sizes(400)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (1, "1 byte"),
        (999, "999 bytes"),
        (7600, "7.6 kB"),
        (36_000, "36 kB"),
        (2_500_000, "2.5 MB"),
        (10**9, "1,000 MB"),
    ],
)
def test_sizes_are_told_as_people_say_them(size: int, words: str) -> None:
    assert size_words(size) == words
