"""The Python half of TokenBudget: its numbers are the run's, a change makes another run, a refusal keeps the last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import traitlets

import ctxlab
from ctxlab import Agent, Session, Trace
from ctxlab.documents import ModelProfile
from ctxlab.engines.tokens import Tokenizer
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError, WrongSetting
from ctxlab.pipeline import BudgetTooSmall, remedies
from ctxlab.pipeline.explain.cut_causes import cut_causes
from ctxlab.studies.budget_sums import budget_sums
from ctxlab.studies.run_effect import run_effect
from ctxlab.testing import generated_session
from ctxlab_widgets.token_budget import TokenBudget
from tests.gallery.samples import harbour_with
from tests.promises.strategies import STRATEGIES

DATASETS = Path(__file__).parents[2] / "datasets"
SOURCES = {
    "preset": ("system", "presets"),
    "overhead": ("overhead", "seams"),
    "summary": ("summaries",),
    "attachment": ("attachments",),
}


@pytest.fixture(scope="module")
def harbour() -> Trace:
    return harbour_with(budget_tokens=1800)


@pytest.fixture(scope="module")
def tools() -> Trace:
    session = ctxlab.read_data(generated_session(80, seed=3, tool_share=0.3)).pick()
    definition = {"name": "read_gauge", "description": "The level of a tank.", "parameters": {"type": "object"}}
    return ctxlab.build(session, Agent(name="A", tools=(definition,)), budget_tokens=5000)


def chat(n: int = 9, words: str = "some words that take room") -> Session:
    session = Session(id="chat").append("", role="system", id="root")
    for i in range(n):
        session = session.append(f"{words} {i}", role=("user", "assistant")[i % 2], id=f"m{i}")
    return session


def run(budget: int | None = 60, n: int = 9, **options: Any) -> Trace:
    return ctxlab.build(chat(n), budget_tokens=budget, **options)


def view(widget: TokenBudget) -> dict[str, Any]:
    return json.loads(widget.view)


def rows(widget: TokenBudget) -> list[Any]:
    return json.loads(widget.messages)["rows"]


def ladder(widget: TokenBudget) -> list[int]:
    return json.loads(widget.messages)["ladder"]


def cut(widget: TokenBudget) -> list[str]:
    return [row[0] for row, state in zip(rows(widget), view(widget)["states"], strict=True) if state == "c"]


def asked(widget: TokenBudget, **command: Any) -> TokenBudget:
    widget._handle_custom_msg(command, [])
    return widget


# --- the picture


@pytest.mark.parametrize("name", ["harbour", "tools"])
def test_the_bar_has_the_numbers_of_the_run(name: str, request: pytest.FixtureRequest) -> None:
    trace: Trace = request.getfixturevalue(name)
    spent = trace.budget().to_dict()

    found = {look: tokens for _, look, tokens in view(TokenBudget(trace))["segments"] if look != "cut"}

    assert found == {
        look: tokens for look in found if (tokens := sum(spent.get(each, 0) for each in SOURCES.get(look, (look,))))
    }
    assert sum(found.values()) == sum(spent.values())


@pytest.mark.parametrize("name", ["harbour", "tools"])
def test_the_rows_of_a_source_add_up_to_its_segment(name: str, request: pytest.FixtureRequest) -> None:
    trace: Trace = request.getfixturevalue(name)
    widget = TokenBudget(trace)
    sums: dict[str, int] = {}
    for row, state in zip(rows(widget), view(widget)["states"], strict=True):
        for look, tokens in row[3] if state != "c" else ():
            sums[look] = sums.get(look, 0) + tokens
    agent = trace.start.input.agent
    sums["tools"] = sums.get("tools", 0) + trace.services.tokenizer.count_tools(agent.tools if agent else ())

    segments = {look: tokens for _, look, tokens in view(widget)["segments"] if look not in ("free", "cut", "overhead")}

    assert segments == {look: tokens for look, tokens in sums.items() if tokens and look != "overhead"}
    overhead = next(tokens for _, look, tokens in view(widget)["segments"] if look == "overhead")
    assert overhead == sums.get("overhead", 0) + sum(tokens for _, tokens in view(widget)["overhead"])


def test_cut_messages_stand_where_they_stood(harbour: Trace) -> None:
    widget = TokenBudget(harbour)
    there = [row[0] for row in rows(widget) if row[0].startswith("node:")]

    assert [key for key in there if key != "node:s1"] == [
        draft.key for draft in harbour.step("token-limiter").before.drafts if draft.origin.kind == "node"
    ]
    border, older = harbour.result.dropped[-2:]
    assert set(cut(widget)) == {draft.key for group in (border, older) for draft in group.drafts}
    assert view(widget)["border"] == {
        "key": "node:a8b",
        "name": "a8b",
        "needed": border.needed,
        "left": border.left,
    }


def test_b2_every_cut_row_has_its_own_reason(harbour: Trace) -> None:
    widget = TokenBudget(harbour)
    border, older = harbour.result.dropped[-2:]

    told = dict(zip([row[0] for row in rows(widget)], view(widget)["reason_of"], strict=True))
    causes = cut_causes(harbour)
    assert view(widget)["reasons"] == [causes[border.drafts[0].key], causes[older.drafts[0].key]]
    assert view(widget)["needs"] == ["119 + 3 overhead = 122 needed", ""]
    assert {key for key, letter in told.items() if letter == "a"} == {draft.key for draft in border.drafts}
    assert {key for key, letter in told.items() if letter == "b"} == {draft.key for draft in older.drafts}


def test_a6_what_would_keep_a_message_is_told_of_the_one_that_is_selected_or_pinned(harbour: Trace) -> None:
    widget = TokenBudget(harbour)
    assert widget.remedies == ""

    widget.selected = "node:u5"
    remedy = harbour.why("node:u5").remedy
    assert remedy is not None
    assert json.loads(widget.remedies) == {"node:u5": remedy.as_data()}
    widget.pin("node:a5")
    assert set(json.loads(widget.remedies)) == {"node:u5", "node:a5"}
    widget.set_budget(3000)
    assert widget.remedies == ""
    widget.trace = None
    assert widget.remedies == ""


def test_calls_and_their_results_are_one_unit(tools: Trace) -> None:
    widget = TokenBudget(tools)
    by_unit: dict[int, list[str]] = {}
    for row in rows(widget):
        by_unit.setdefault(row[5], []).append(row[0])
    roles = {draft.key: draft.role for draft in tools.step("token-limiter").before.drafts}

    together = [keys for unit, keys in by_unit.items() if unit >= 0 and len(keys) > 1]

    assert together
    assert all(roles[keys[0]] == "assistant" and {roles[key] for key in keys[1:]} == {"tool"} for keys in together)


def test_what_may_not_be_cut_is_protected(harbour: Trace) -> None:
    widget = TokenBudget(harbour)
    states = dict(zip([row[0] for row in rows(widget)], view(widget)["states"], strict=True))

    assert {states[row[0]] for row in rows(widget) if row[6]} == {"p"}
    assert states["node:u13"] == "p"
    assert states["node:a12"] == "k"


def test_a_preset_and_an_entry_are_called_by_their_names(harbour: Trace) -> None:
    words = {row[0]: row[1] for row in rows(TokenBudget(harbour))}

    assert words["preset:1"] == "Town"
    assert words["lore:harbour_lore/1"] == "灯塔 · The lighthouse"
    assert words["node:a10"].startswith("a10 Too light")


def test_a_long_id_says_nothing() -> None:
    session = chat(3).append("what a person reads", role="assistant", id="5f0c2b1e-8a47-4f0a-9f6e-1d2c3b4a5e6f")

    assert rows(TokenBudget(ctxlab.build(session)))[-1][1] == "what a person reads"


# --- budgets


@pytest.mark.parametrize("tokens", [40, 61, 75, 100, 10**6])
def test_a_budget_is_that_of_another_run(tokens: int) -> None:
    widget = TokenBudget(run())

    widget.set_budget(tokens)

    assert widget.trace.budget().to_dict() == run(tokens).budget().to_dict()
    assert (view(widget)["budget"], view(widget)["wanted"]) == (tokens, tokens)


def test_the_run_that_was_given_stays_as_it_is() -> None:
    trace = run()
    before = trace.budget().to_dict()
    TokenBudget(trace).set_budget(40)

    assert trace.budget().to_dict() == before


def test_the_reply_keeps_its_room() -> None:
    model = ModelProfile(id="tiny", context_window=100)
    widget = TokenBudget(run(90, model=model, settings={"token-limiter.reserve_tokens": 10}))
    widget.set_budget(50)

    assert widget.trace.result.report(BudgetReport).reserve_tokens == 10
    assert (view(widget)["budget"], view(widget)["reserve"]) == (50, 10)


def test_the_reply_gives_way_where_the_window_ends() -> None:
    model = ModelProfile(id="tiny", context_window=100)
    widget = TokenBudget(run(None, model=model, settings={"token-limiter.reserve_tokens": 30}))
    assert (view(widget)["budget"], view(widget)["reserve"]) == (70, 30)

    widget.set_budget(90)
    assert (view(widget)["budget"], view(widget)["reserve"]) == (90, 10)
    widget.set_budget(60)
    assert (view(widget)["budget"], view(widget)["reserve"]) == (60, 30)
    widget.set_budget(None)
    assert (view(widget)["budget"], view(widget)["reserve"]) == (70, 30)


def test_where_nothing_limits_a_run_a_budget_can_be_set_and_taken_away() -> None:
    widget = TokenBudget(run(None))
    assert (view(widget)["budget"], view(widget)["wanted"], cut(widget)) == (None, None, [])

    widget.set_budget(60)
    assert cut(widget)
    widget.set_budget(None)
    assert (view(widget)["budget"], cut(widget)) == (None, [])


def test_a_limiter_that_is_off_is_switched_on() -> None:
    widget = TokenBudget(run(60, settings={"token-limiter.enabled": False}))
    assert view(widget)["budget"] is None

    widget.set_budget(60)

    assert cut(widget)


@pytest.mark.parametrize("name", ["harbour", "tools"])
def test_every_rung_of_the_ladder_keeps_one_unit_more_and_no_token_less_does(
    name: str, request: pytest.FixtureRequest
) -> None:
    trace: Trace = request.getfixturevalue(name)
    steps = ladder(TokenBudget(trace))

    def cut_at(tokens: int) -> int:
        widget = TokenBudget(trace.rerun({"token-limiter.budget_tokens": tokens}))
        return view(widget)["cut"]

    assert [cut_at(tokens) for tokens in steps] == [*range(len(steps) - 1, -1, -1)]
    assert [cut_at(tokens - 1) for tokens in steps[1:]] == [*range(len(steps) - 1, 0, -1)]
    with pytest.raises(BudgetTooSmall):
        cut_at(steps[0] - 1)


def test_units_are_kept_one_by_one() -> None:
    widget = TokenBudget(run())
    for count in (0, 3, 8):
        widget.keep_units(count)
        assert (len(ladder(widget)) - 1 - view(widget)["cut"], view(widget)["budget"]) == (count, ladder(widget)[count])
    for wrong in (-1, 9):
        with pytest.raises(CtxlabError, match="units"):
            widget.keep_units(wrong)


def test_units_can_only_be_kept_one_by_one_where_the_oldest_go_first() -> None:
    widget = TokenBudget(run())
    widget.set_strategy("middle-out")

    with pytest.raises(CtxlabError, match="sliding"):
        widget.keep_units(2)
    assert (view(widget)["one_cut"], view(widget)["by_units"]) == (False, False)


def test_what_falls_in_and_out_is_told_against_the_run_before() -> None:
    widget = TokenBudget(run(60))
    gone = cut(widget)

    widget.set_budget(80)
    came = [key for key in gone if key not in cut(widget)]
    signs = {row[0]: sign for row, sign in zip(rows(widget), view(widget)["marks"], strict=True) if sign != " "}
    assert signs == dict.fromkeys(came, "+")
    assert view(widget)["changed"] == f"in: {', '.join(key.removeprefix('node:') for key in came)}"
    widget.set_budget(60)
    assert view(widget)["changed"] == f"out: {', '.join(key.removeprefix('node:') for key in came)}"


def test_a_drag_is_told_against_the_run_before_it() -> None:
    widget = TokenBudget(run(60))
    for tokens in (70, 80, 90):
        asked(widget, command="budget", tokens=tokens, continues=tokens > 70)
    far = view(widget)["changed"]
    asked(widget, command="budget", tokens=60, continues=True)

    assert far.startswith("in: ")
    assert view(widget)["changed"] == ""
    other = TokenBudget(run(60))
    other.set_budget(90)
    assert view(other)["changed"] == far


def test_another_strategy_tells_both_ways() -> None:
    widget = TokenBudget(run(60))
    widget.set_strategy("head-and-tail", head_share=0.5)

    assert view(widget)["changed"].startswith("in: m0")
    assert "; out: " in view(widget)["changed"]
    numbers = {
        each["name"]: each["value"]
        for strategy in json.loads(widget.choices)["strategies"]
        for each in strategy["numbers"]
    }
    shares = {"head_share": 0.5, "block_share": 0.5, "recent_share": 0.3, "summary_share": 0.2, "pins_share": 0.15}
    assert numbers == {"retained_characters": 0, **shares}


def test_many_that_fall_in_are_counted() -> None:
    widget = TokenBudget(run(40, n=40))
    widget.set_budget(400)

    words = view(widget)["changed"]
    assert words.startswith("in: m")
    assert words.endswith(f"and {view(widget)['marks'].count('+') - 4} more")


# --- too small


def test_a_budget_that_is_too_small_keeps_the_last_run_and_says_what_is_too_big(harbour: Trace) -> None:
    widget = TokenBudget(harbour)
    before = view(widget)
    asked(widget, command="budget", tokens=300)

    now = view(widget)
    assert widget.trace is harbour
    assert (now["wanted"], now["budget"]) == (300, 1800)
    assert now["segments"] == before["segments"]
    assert (
        now["refused"]
        == "300 tokens are too few: what must stay needs 1,009. The largest: s1 (173), Frame (87), Town (76)"
    )
    assert widget.error == now["refused"]
    assert now["least"] == 1009
    asked(widget, command="budget", tokens=1500)
    now = view(widget)
    assert (now["refused"], now["least"], widget.error, now["wanted"]) == ("", None, "", 1500)


def test_the_least_budget_that_a_refusal_names_is_the_least() -> None:
    widget = TokenBudget(run())
    asked(widget, command="budget", tokens=5)
    least = view(widget)["least"]

    with pytest.raises(BudgetTooSmall) as refused:
        widget.set_budget(least - 1)
    assert refused.value.least_budget == least
    widget.set_budget(least)
    assert view(widget)["budget"] == least


def test_from_python_a_budget_that_is_too_small_raises(harbour: Trace) -> None:
    widget = TokenBudget(harbour)

    with pytest.raises(BudgetTooSmall, match="what must stay"):
        widget.set_budget(300)
    assert view(widget)["wanted"] == 300


# --- keeping and undoing


@pytest.mark.parametrize("key", ["node:a8b", "node:a7", "node:g1"])
def test_a_message_is_kept_for_its_price_and_what_else_moved_is_told(harbour: Trace, key: str) -> None:
    widget = TokenBudget(harbour)
    widget.pin(key)
    price = json.loads(widget.remedies)[key]["price"]

    asked(widget, command="apply_remedy", key=key)

    assert key not in cut(widget)
    assert price["of"] == "budget" and view(widget)["budget"] == 1800 + price["tokens"]
    assert widget.effect["label"] == f"Keep it: {key.removeprefix('node:')}"
    assert widget.effect["text"] == str(run_effect(harbour, widget.trace))


@pytest.mark.parametrize("name", ["harbour", "tools"])
def test_the_price_of_one_more_is_the_next_rung_of_the_ladder(name: str, request: pytest.FixtureRequest) -> None:
    trace: Trace = request.getfixturevalue(name)
    widget = TokenBudget(trace)
    units = {row[0]: row[5] for row in rows(widget)}
    gone = [key for key in cut(widget) if units[key] >= 0][-4:]

    found = remedies(trace, gone)

    assert {key: remedy.price for key, remedy in found.items()} == {
        key: ladder(widget)[units[key] + 1] - view(widget)["budget"] for key in gone
    }


def test_undo_goes_back_to_the_run_before_and_a_drag_is_one_change() -> None:
    trace = run()
    widget = TokenBudget(trace)
    assert view(widget)["undo"] is False

    for tokens in (70, 80, 90):
        asked(widget, command="budget", tokens=tokens, drag=True, continues=tokens > 70)
    assert widget.effect == {}
    dragged = widget.trace
    widget.set_strategy("middle-out")
    assert widget.effect["label"] == "middle-out"
    asked(widget, command="undo")
    assert (widget.trace, widget.effect) == (dragged, {})
    asked(widget, command="undo")
    assert widget.trace is trace
    assert (view(widget)["undo"], view(widget)["wanted"]) == (False, 60)
    assert "nothing was changed" in asked(widget, command="undo").error


def test_a_run_from_elsewhere_leaves_nothing_to_undo() -> None:
    widget = TokenBudget(run())
    widget.set_budget(90)

    widget.trace = run(80)

    assert (view(widget)["undo"], widget.effect) == (False, {})


# --- the sums


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_kept_row_and_what_was_counted_beside_it_are_what_the_limiter_counted(harbour: Trace, strategy: str) -> None:
    settings = {"token-limiter.strategy": strategy, "token-limiter.retained_characters": 40}
    trace = harbour.rerun(settings)
    sums = view(TokenBudget(trace))["sums"]
    widget = TokenBudget(trace)

    counted = 0
    for row, state in zip(rows(widget), view(widget)["states"], strict=True):
        if state != "c":
            own = sum(tokens for _, tokens in row[3])
            counted += sums["counted"].get(row[0], own + sums["overhead"] + sums["later"])
    report = trace.result.report(BudgetReport)
    assert counted + trace.request_tokens == report.budget_tokens - report.left_tokens
    assert sums["text"] == str(budget_sums(trace))
    assert set(sums["whole"]) == {
        row[0] for row, state in zip(rows(widget), view(widget)["states"], strict=True) if state == "s"
    }


# --- tokenizers


def test_another_tokenizer_counts_the_same_run_anew(harbour: Trace) -> None:
    widget = TokenBudget(harbour)
    widget.set_tokenizer("cl100k_base")
    trace = widget.trace

    assert trace.services.tokenizer.name == "cl100k_base"
    assert view(widget)["sent"] == trace.tokens
    own = sum(harbour.services.tokenizer.count_draft(draft) for draft in trace.result.drafts)
    assert view(widget)["own"] == {"name": "o200k_base", "sent": own + harbour.request_tokens}
    widget.set_tokenizer("o200k_base")
    assert view(widget)["own"] is None
    assert widget.trace.services.tokenizer is harbour.services.tokenizer
    assert widget.trace.budget().to_dict() == harbour.budget().to_dict()


def test_what_the_wire_format_costs_stays_the_runs_own() -> None:
    own = Tokenizer.counting("words", lambda text: len(text.split()), message_tokens=7, request_tokens=5)
    widget = TokenBudget(ctxlab.rebuild(run(None), tokenizer=own))
    assert json.loads(widget.choices)["tokenizers"] == ["words", "o200k_base", "cl100k_base", "estimate"]

    widget.set_tokenizer("estimate")

    found = widget.trace.services.tokenizer
    assert (found.name, found.message_tokens, found.request_tokens) == ("by-kind", 7, 5)
    assert (view(widget)["tokenizer"], view(widget)["estimated"]) == ("estimate", True)


def test_a_run_from_elsewhere_brings_its_own_tokenizer() -> None:
    widget = TokenBudget(run())
    widget.set_tokenizer("cl100k_base")
    widget.trace = widget.trace.rerun({"token-limiter.budget_tokens": 90})
    assert view(widget)["own"]["name"] == "o200k_base"

    words = Tokenizer.counting("words", lambda text: len(text.split()))
    widget.trace = ctxlab.rebuild(run(), tokenizer=words)

    assert (view(widget)["tokenizer"], view(widget)["own"]) == ("words", None)


# --- held and linked


def test_linked_views_hold_the_same_run() -> None:
    one, other = TokenBudget(run()), TokenBudget()
    traitlets.link((one, "trace"), (other, "trace"))

    one.set_budget(90)

    assert other.trace is one.trace
    assert view(other)["budget"] == 90
    assert view(one)["changed"]
    assert view(other)["changed"] == ""


def test_the_same_run_is_not_computed_again() -> None:
    trace = run()
    widget = TokenBudget(trace)
    sent: list[Any] = []
    widget.observe(sent.append, ["view", "messages", "choices"])

    widget.trace = trace
    widget.show()

    assert sent == []


def test_another_budget_sends_no_row_again() -> None:
    widget = TokenBudget(run())
    sent: list[Any] = []
    widget.observe(sent.append, "messages")

    widget.set_budget(90)

    assert sent == []
    assert len(widget.view) < 5000


def test_nothing_is_nothing() -> None:
    widget = TokenBudget()
    assert (widget.view, widget.messages) == ("", "")

    asked(widget, command="budget", tokens=100)
    assert "no run" in widget.error
    widget.trace = run()
    assert view(widget)["budget"] == 60
    widget.trace = None
    assert widget.view == ""


def test_a_run_without_a_limiter_is_shown() -> None:
    pipeline = ctxlab.Pipeline.of([ctxlab.default_pipeline().stage("session-loader").base])
    widget = TokenBudget(ctxlab.build(chat(), pipeline=pipeline))

    assert (len(rows(widget)), view(widget)["budget"], ladder(widget)) == (9, None, [])
    assert json.loads(widget.choices)["limiter"] is False
    asked(widget, command="budget", tokens=50)
    assert "token-limiter" in widget.error


def test_an_empty_conversation_is_shown() -> None:
    widget = TokenBudget(ctxlab.build(Session(id="s").append("", role="system")))

    assert rows(widget) == []
    assert view(widget)["sent"] == widget.trace.tokens


def test_a_card_is_pinned_by_key_or_by_source(harbour: Trace) -> None:
    widget = TokenBudget(harbour)
    for key in ("node:a7", "source:lore", "source:cut", ""):
        widget.pin(key)
        assert widget.pinned == key
    with pytest.raises(CtxlabError, match="a7"):
        widget.pin("node:a7x")


def test_every_command_is_counted_when_it_was_answered() -> None:
    widget = TokenBudget(run())
    for tokens in (80, 80, 1):
        asked(widget, command="budget", tokens=tokens)

    assert widget.acknowledged == 3


@pytest.mark.parametrize(
    "wrong",
    [
        "budget",
        None,
        {"command": "explode"},
        {"command": "budget"},
        {"command": "budget", "tokens": "90"},
        {"command": "budget", "tokens": True},
        {"command": "budget", "tokens": 1.5},
        {"command": "budget", "tokens": 0},
        {"command": "budget", "tokens": -5},
        {"command": "keep", "units": 10**9},
        {"command": "keep", "units": True},
        {"command": "strategy", "name": "magic"},
        {"command": "strategy", "name": "block", "settings": ["block_share"]},
        {"command": "strategy", "name": "block", "settings": {"block_share": 7}},
        {"command": "strategy", "name": "block", "settings": {"block_share": None}},
        {"command": "strategy", "name": "block", "settings": {"no_such": 1}},
        {"command": "strategy", "name": "block", "settings": {"name": "sliding"}},
        {"command": "strategy", "name": "block", "settings": {"self": 1}},
        {"command": "tokenizer", "name": "abacus"},
        {"command": "pin", "key": "nowhere"},
    ],
)
def test_what_is_no_command_is_refused_in_a_sentence(wrong: object) -> None:
    widget = TokenBudget(run())
    before, messages = view(widget), widget.messages

    widget._handle_custom_msg(wrong, [])

    assert widget.error
    assert (view(widget), widget.messages) == (before, messages)
    assert widget.acknowledged == 1


def test_a_very_long_key_makes_no_long_sentence() -> None:
    widget = asked(TokenBudget(run()), command="pin", key="x" * 100_000)

    assert 0 < len(widget.error) < 500
    assert widget.pinned == ""


def test_a_command_that_goes_wrong_is_answered_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = TokenBudget(run())

    def broken(_: str) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(widget, "pin", broken)
    with pytest.raises(RuntimeError):
        widget._on_message(widget, {"command": "pin", "key": ""}, [])

    assert widget.acknowledged == 1


def test_a_run_that_stopped_before_its_cut_says_so_and_goes_on_to_it(harbour: Trace) -> None:
    widget = TokenBudget(harbour.upto("injection-assembler"))
    assert view(widget)["to_come"]
    assert (view(widget)["budget"], view(TokenBudget(run(None)))["to_come"]) == (None, False)

    widget.set_budget(1500)

    assert (view(widget)["budget"], view(widget)["to_come"]) == (1500, False)


def test_nothing_is_left_of_a_run_that_was_taken_away() -> None:
    widget = TokenBudget(run())
    widget.trace = None

    assert "nothing 'source:free'" in asked(widget, command="pin", key="source:free").error


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(WrongSetting, match="at least one"):
        TokenBudget(run()).set_budget(0)


def test_shortened_messages_are_told() -> None:
    trace = run(70, n=9, settings={"token-limiter.retained_characters": 8})
    widget = TokenBudget(trace)

    assert view(widget)["shortened"] == trace.result.report(BudgetReport).shortened == 1
    assert view(widget)["states"].count("s") == 1


def test_an_estimate_says_its_range_and_an_exact_count_says_nothing() -> None:
    widget = TokenBudget(run())
    assert view(widget)["estimate"] == ""

    widget.set_tokenizer("estimate")
    assert view(widget)["estimate"].startswith(f"estimate; {widget.trace.token_range}")
