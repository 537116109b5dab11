"""The Python half of Compare: columns come from a base, commands are checked, failures stay to be seen."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
import traitlets

import ctxlab
from ctxlab import Agent, RegexRule, Session, Trace
from ctxlab.documents import AppliesTo
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError
from ctxlab.studies import Comparison
from ctxlab_widgets.compare import Compare

ANN = Agent.model_validate(
    {"id": "ann", "name": "Ann", "presetMessages": [{"id": "p", "role": "system", "content": "You are Ann."}]}
)
BOB = Agent.model_validate(
    {"id": "bob", "name": "Bob", "presetMessages": [{"id": "p", "role": "system", "content": "You are Bob, a pilot."}]}
)


def chat(n: int = 9, words: str = "some words that take room") -> Session:
    session = Session(id="chat").append("", role="system", id="root")
    for i in range(n):
        session = session.append(f"{words} {i}", role=("user", "assistant")[i % 2], id=f"m{i}")
    return session


def run(session: Session | None = None, agent: Agent | None = None, budget: int = 80, **settings: Any) -> Trace:
    return ctxlab.build(session or chat(), agent, budget_tokens=budget, settings=settings)


def view(widget: Compare) -> Any:
    return json.loads(widget.view)


def asked(widget: Compare, **command: Any) -> Compare:
    widget._handle_custom_msg(command, [])
    return widget


def cells(widget: Compare, key: str) -> list[Any]:
    return next(row[5] for row in view(widget)["rows"] if row[0] == key)


# --- columns


def test_strategies_and_budgets_are_columns_made_from_the_base() -> None:
    widget = Compare(run(), strategies=["sliding", "middle-out"], budgets=[60, 80])

    assert list(widget.traces) == ["sliding 80", "sliding 60", "middle-out 60", "middle-out 80"]
    assert [column["budget"] for column in view(widget)["columns"]] == [80, 60, 60, 80]
    assert widget.trace is widget.traces["sliding 80"]


def test_what_would_be_the_base_once_more_is_no_column() -> None:
    assert list(Compare(run(), strategies=["sliding", "block"]).traces) == ["sliding", "block"]


def test_without_a_wish_there_is_the_base_alone() -> None:
    assert list(Compare(run()).traces) == ["base"]


def test_runs_by_name_and_a_comparison_are_shown_as_given() -> None:
    runs = {"short": run(budget=60), "long": run(budget=200)}
    comparison = ctxlab.compare(runs)

    assert list(Compare(runs).traces) == ["short", "long"]
    assert Compare(runs).trace is runs["short"]
    assert Compare(comparison).comparison is comparison


def test_agents_and_branches_are_columns() -> None:
    session = chat()
    widget = Compare(run(session, ANN), agents=[ANN, BOB], leaves=["m3"])

    assert list(widget.traces) == ["Ann m8", "Bob", "m3"]
    assert "a pilot" in str(widget.traces["Bob"].messages[0]["content"])
    assert widget.traces["m3"].start.input.leaf_id == "m3"


def test_what_is_shown_is_what_ctxlab_compares() -> None:
    widget = Compare(run(), strategies=["middle-out"])

    rows = view(widget)["rows"]

    assert isinstance(widget.comparison, Comparison)
    assert [row[0] for row in rows] == [line.key for line in widget.comparison]
    assert [row[4] for row in rows] == [int(line.differs) for line in widget.comparison]


def test_a_run_that_fails_is_a_column_that_says_so() -> None:
    widget = Compare(run(), budgets=[3, 60])

    assert list(widget.traces) == ["80", "60"]
    assert "the budget is 3 tokens" in widget.failed["3"]
    assert [("error" in column) for column in view(widget)["columns"]] == [False, True, False]
    assert all(row[5][1] is None for row in view(widget)["rows"])


@pytest.mark.parametrize("wish", [{"strategies": ["no-such"]}, {"leaves": ["nobody"]}, {"budgets": [0]}])
def test_a_wish_that_makes_no_sense_is_refused(wish: dict[str, Any]) -> None:
    with pytest.raises(CtxlabError):
        Compare(run(), **wish)


def test_nothing_gives_an_empty_view() -> None:
    assert Compare().view == ""
    assert list(Compare().traces) == []


# --- the base


def test_another_base_makes_the_columns_anew_and_leaves_given_runs() -> None:
    given = run(budget=60)
    widget = Compare({"base": run(), "given": given})
    widget.add(strategy="block")
    before = widget.traces["block"]

    widget.trace = run(chat(5))

    assert widget.traces["given"] is given
    assert widget.traces["block"] is not before
    assert widget.traces["block"].start.input.session is widget.trace.start.input.session


def test_a_base_that_is_named_by_what_it_has_is_named_anew_and_keeps_its_ledger() -> None:
    widget = Compare(run(), strategies=["block"])
    widget.ledgers = ["sliding"]

    widget.trace = run(**{"token-limiter.strategy": "by-priority"})
    assert list(widget.traces) == ["by-priority", "block"]
    assert widget.ledgers == ["by-priority"]
    widget.trace = run(**{"token-limiter.strategy": "block"})
    assert list(widget.traces) == ["base", "block"], "the name belongs to another column"


def test_a_base_that_was_given_a_name_keeps_it() -> None:
    widget = Compare({"before": run()})
    widget.add(strategy="block")

    widget.trace = run(**{"token-limiter.strategy": "middle-out"})

    assert list(widget.traces) == ["before", "block"]


def test_an_agent_with_the_name_of_a_column_of_the_frame_is_no_problem() -> None:
    odd = ANN.model_copy(update={"name": "words"})

    assert list(Compare(run(agent=ANN), agents=[odd, BOB]).traces) == ["Ann", "words 2", "Bob"]


def test_the_same_base_again_computes_nothing() -> None:
    widget = Compare(run(), strategies=["block"])
    before = widget.comparison

    widget.trace = widget.traces["sliding"]

    assert widget.comparison is before


def test_columns_wait_for_a_base() -> None:
    widget = Compare(strategies=["sliding", "block"])
    assert widget.view == ""

    widget.trace = run()

    assert list(widget.traces) == ["base", "sliding", "block"]


def test_a_base_that_goes_leaves_what_was_given() -> None:
    given = run(budget=60)
    widget = Compare({"base": run(), "given": given})
    widget.add(strategy="block")

    widget.trace = None

    assert widget.traces == {"given": given}
    assert [column.get("error") for column in view(widget)["columns"]] == ["no run yet", None, "no run yet"]


def test_a_branch_that_another_session_has_not_is_told() -> None:
    widget = Compare(run(), leaves=["m3"])

    widget.trace = run(ctxlab.read_data([{"role": "user", "content": "hi"}]).pick())

    assert "m3" in widget.failed["m3"]


def test_linked_views_share_the_base() -> None:
    one, other = Compare(run(), strategies=["block"]), Compare(strategies=["block"])
    traitlets.link((one, "trace"), (other, "trace"))
    assert other.trace is one.trace

    other.trace = run(budget=60)

    assert one.traces["block"].result.report(BudgetReport).budget_tokens == 60


def test_another_column_becomes_the_base_and_no_run_is_made_anew() -> None:
    widget = Compare(run(), strategies=["block", "middle-out"])
    before = widget.traces

    widget.set_base("block")

    assert list(widget.traces) == ["block", "sliding", "middle-out"]
    assert widget.trace is before["block"]
    assert widget.traces == before


def test_a_base_that_was_chosen_is_given_back() -> None:
    widget = Compare(run(), strategies=["block"])
    before, first = widget.traces, widget.trace

    widget.set_base("block")
    asked(widget, command="undo")

    assert (widget.traces, widget.trace, widget.undoable) == (before, first, 0)


# --- branches, other views


def forked() -> Session:
    return chat().append("another way", parent="m2", id="x1").append("and on", parent="x1", id="x2")


def test_two_branches_are_two_columns_and_the_run_stays() -> None:
    first = run(forked().switched("m8"))
    widget = Compare(first, strategies=["block"])

    widget.show_key('branches:["x2","m8"]')

    assert list(widget.traces) == ["m8", "x2"]
    assert widget.trace is first
    assert widget.traces["x2"].start.input.leaf_id == "x2"
    assert view(widget)["columns"][0]["name"] == "m8"


def test_two_branches_of_which_the_run_is_neither_follow_what_it_is_run_with() -> None:
    first = run(forked().switched("m8"))
    widget = Compare(first)
    widget.show_branches("x2", "m5")
    assert widget.trace is first
    assert list(widget.traces) == ["x2", "m5"]

    widget.trace = run(forked().switched("m8"), budget=60)

    assert list(widget.traces) == ["x2", "m5"]
    assert widget.traces["x2"].result.report(BudgetReport).budget_tokens == 60
    widget.trace = run(ctxlab.read_data([{"role": "user", "content": "hi"}]).pick())
    assert list(widget.traces) == ["base"], "another conversation has neither"


@pytest.mark.parametrize("key", ["branches:", "branches:[1]", 'branches:["m1","m1"]', "branches:x", "node:nobody"])
def test_a_key_of_nothing_is_refused(key: str) -> None:
    widget = Compare(run())
    before = widget.traces

    with pytest.raises(CtxlabError):
        widget.show_key(key)

    assert widget.traces == before


def test_a_message_that_another_view_asks_for_is_opened() -> None:
    widget = Compare(run(), strategies=["block"])

    widget.show_key("node:m3")

    assert (widget.selected, widget.opened) == ("node:m3", ["node:m3"])


def test_a_branch_with_a_long_id_is_named_by_its_words() -> None:
    long = "0f4c2f0e-8a1f-4b9c-9d5d-1f7d5a6b2c3d"
    session = forked().append("the long way round", parent="m2", id=long)

    assert list(Compare(run(session.switched("m8")), leaves=[long]).traces) == ["m8", "“the long way round”"]


# --- what would keep a message


def test_what_the_base_cut_can_be_kept_and_given_back() -> None:
    first = run()
    widget = Compare(first, strategies=["block"])
    key = next(line.key for line in widget.comparison if line.cells[0].state == "cut")
    assert widget.remedies == ""

    widget.open_row(key)
    assert json.loads(widget.remedies)[key]["label"] == "Keep it"
    asked(widget, command="apply_remedy", key=key)

    assert next(line.cells[0].is_sent for line in widget.comparison if line.key == key)
    assert widget.trace is not first
    assert widget.effect["label"].startswith("Keep it")
    assert widget.remedies == ""
    asked(widget, command="undo")
    assert (widget.trace, widget.effect, widget.undoable) == (first, {}, 0)
    assert "nothing was changed here" in asked(widget, command="undo").error


def test_a_run_that_comes_from_elsewhere_leaves_nothing_to_take_back() -> None:
    widget = Compare(run(), strategies=["block"])
    widget.set_base("block")

    widget.trace = run(budget=60)

    assert widget.undoable == 0


def test_a_run_that_is_the_same_as_another_names_it() -> None:
    one = run()
    columns = view(Compare([Named("one", one), Named("less", run(budget=60)), Named("two", one)]))["columns"]

    assert [column["same"] for column in columns] == ["", "", "one"]


class Named(NamedTuple):
    name: str
    trace: Trace


# --- commands


def test_a_column_is_added_and_removed_by_the_page() -> None:
    widget = asked(Compare(run()), command="add", strategy="block", budget=60, agent=None)
    assert list(widget.traces) == ["base", "block 60"]

    asked(widget, command="remove", name="block 60")

    assert list(widget.traces) == ["base"]
    assert widget.error == ""


def test_a_column_that_is_there_gets_a_number() -> None:
    widget = Compare(run())
    widget.add(budget=60)
    widget.add(budget=60)
    widget.add("mine", budget=60)

    assert list(widget.traces) == ["base", "60", "60 2", "mine"]


def test_an_agent_at_hand_is_named_by_id_or_name() -> None:
    widget = Compare(run(agent=ANN), agents=[BOB])
    asked(widget, command="add", agent="bob", budget=60)
    widget.add(agent="Ann", budget=60)

    assert view(widget)["agents"] == [["ann", "Ann"], ["bob", "Bob"]]
    assert list(widget.traces) == ["Ann", "Bob", "60 Bob", "60 Ann"]


def test_a_budget_that_is_too_small_is_a_column_and_no_refusal() -> None:
    widget = asked(Compare(run()), command="add", budget=3)

    assert widget.error == ""
    assert list(widget.failed) == ["3"]
    asked(widget, command="base", name="3")
    assert "has no run to be the base" in widget.error
    asked(widget, command="remove", name="3")
    assert widget.failed == {}


def test_an_open_row_is_the_one_in_focus() -> None:
    widget = asked(Compare(run()), command="open", key="node:m3")

    assert (widget.opened, widget.selected) == (["node:m3"], "node:m3")
    widget.open_row("node:m3")
    assert widget.opened == ["node:m3"]


def test_a_column_that_goes_takes_its_ledger_along() -> None:
    widget = Compare(run(), strategies=["block"])
    widget.ledgers = ["block", "sliding"]

    widget.remove("block")

    assert widget.ledgers == ["sliding"]


@pytest.mark.parametrize(
    "wrong",
    [
        "add",
        None,
        {"command": "explode"},
        {"command": "add"},
        {"command": "add", "strategy": "no-such"},
        {"command": "add", "strategy": ["block"]},
        {"command": "add", "budget": True},
        {"command": "add", "budget": "60"},
        {"command": "add", "budget": -5},
        {"command": "add", "budget": 10**400},
        {"command": "add", "budget": 10**5000},
        {"command": "add", "leaf": "nobody"},
        {"command": "add", "agent": "nobody"},
        {"command": "add", "name": "words", "budget": 60},
        {"command": "add", "name": "sliding", "budget": 60},
        {"command": "add", "budget": 60, "session": "x"},
        {"command": "remove", "name": "sliding"},
        {"command": "remove", "name": "nobody"},
        {"command": "base", "name": 1},
        {"command": "open", "key": "node:nobody"},
    ],
)
def test_what_is_no_command_is_refused_in_a_sentence(wrong: object) -> None:
    widget = Compare(run(), strategies=["block"])
    before = (widget.view, widget.trace, widget.opened)

    widget._handle_custom_msg(wrong, [])

    assert widget.error
    assert (widget.view, widget.trace, widget.opened) == before


# --- the view


def test_a_cell_says_in_few_words_what_happened() -> None:
    settings = {"token-limiter.retained_characters": 5}
    widget = Compare({"whole": run(budget=500), "heads": run(budget=80, **settings)})
    sentences, rows = view(widget)["sentences"], view(widget)["rows"]

    (notes,) = [[sentences[cell[3]] if cell[3] >= 0 else "" for cell in row[5]] for row in rows if row[5][1][0] == 2]

    assert notes == ["", "first 5 of 27 chars"]


def test_a_rewritten_cell_names_its_rules() -> None:
    rule = RegexRule(id="shout", name="Shout", regex="room", replacement="ROOM", apply_to=AppliesTo(request=True))
    ruled = ctxlab.build(chat(), rules=[rule])
    widget = Compare({"plain": ctxlab.build(chat()), "ruled": ruled})

    assert "rewritten by shout" in view(widget)["sentences"]


def test_a_text_that_runs_share_is_sent_once() -> None:
    widget = Compare(run(budget=500), strategies=["block", "middle-out"])
    texts = json.loads(widget.texts)["texts"]

    assert len(texts) == len(set(texts)) == 9
    assert [cell[4] for cell in cells(widget, "node:m0")] == [0, 0, 0]


def test_bars_and_ledgers_add_up_to_what_is_sent() -> None:
    widget = Compare(run(agent=ANN), strategies=["block"], budgets=[60])

    for column in view(widget)["columns"]:
        spent = sum(tokens for look, tokens, _ in column["bar"] if look not in ("free", "reserve"))
        last = column["ledger"][-1][0]
        assert spent == column["tokens"]
        assert sum(entry[6] for entry in column["ledger"] if entry[0] == last) == column["tokens"]
        assert all(came + added == cut + saved + out for _, _, came, added, cut, saved, out in column["ledger"])


def test_kept_turns_are_counted_of_those_that_the_run_had() -> None:
    column = view(Compare(run(budget=60)))["columns"][0]

    assert column["turns"] == 5
    assert column["kept"] == sum(message["role"] == "user" for message in run(budget=60).messages)


def test_the_branches_to_choose_from_are_those_of_other_leaves() -> None:
    session = chat().append("another way", parent="m2", id="x1")

    assert view(Compare(run(session)))["leaves"] == [["m8", "some words that take room 8"]]
