"""Several runs side by side: states, causes, totals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxlab.api import build
from ctxlab.context import Cause, Edit
from ctxlab.documents import Agent, Session
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import BudgetTooSmall, Pipeline, Services, Trace, processor
from ctxlab.processors import default_pipeline
from ctxlab.studies import Comparison, compare, run_effect
from ctxlab.testing.fakes import WordTokenizer
from ctxlab.testing.generator import generated_session
from tests.studies.conftest import Runs

CHAT = (
    Session(id="chat")
    .append("", role="system", id="root")
    .append("one one one", id="u1")
    .append("two two two", role="assistant", id="a1")
    .append("three", id="u2")
)
AGENT = Agent.model_validate(
    {"id": "ann", "name": "Ann", "presetMessages": [{"id": "rules", "role": "system", "content": "be {{char}}"}]}
)


APART = {"merge-system.enabled": False, "merge-consecutive.enabled": False}


def run(session: Session = CHAT, agent: Agent | None = AGENT, **options: Any) -> Trace:
    settings = {**APART, **options.pop("settings", {})}
    return build(session, agent, settings=settings, services=Services(tokenizer=WordTokenizer()), **options)


def cut(budget: int, **settings: Any) -> Trace:
    return run(settings={"token-limiter.budget_tokens": budget, **settings})


def states(comparison: Comparison, key: str) -> list[str]:
    return next([cell.state for cell in line.cells] for line in comparison if line.key == key)


def cause(comparison: Comparison, key: str, name: str) -> str:
    return str(comparison.causes().set_index("key").loc[key, name])


def test_what_is_the_same_in_all_runs_is_kept_and_nothing_differs() -> None:
    found = compare({"one": run(), "two": run()})

    assert not found
    assert set(found.frame()["one"]) == {"kept"}
    assert len(found.changes()) == 0


def test_messages_stand_in_the_order_of_the_conversation_with_the_first_words() -> None:
    found = compare({"short": cut(6), "whole": run()})

    assert list(found.frame()["key"]) == ["preset:0", "node:u1", "node:a1", "node:u2"]
    assert list(found.frame()["role"]) == ["system", "user", "assistant", "user"]
    assert list(found.frame()["source"]) == ["system", "history", "history", "history"]
    assert list(found.frame()["words"]) == ["be Ann", "one one one", "two two two", "three"]


def test_what_is_cut_says_what_it_needed_and_what_was_left() -> None:
    found = compare({"whole": run(), "short": cut(8)})

    assert states(found, "node:u1") == ["kept", "cut"]
    assert cause(found, "node:u1", "short") == "token-limiter / sliding: needed 3 tokens, 2 were left"
    assert list(found.changes()["key"]) == ["node:u1"]


def test_a_head_is_shortened() -> None:
    found = compare(
        {"whole": run(), "head": cut(8, **{"token-limiter.retained_characters": 3, "token-limiter.marker": ""})}
    )

    assert states(found, "node:u1") == ["kept", "shortened"]
    assert cause(found, "node:u1", "head") == "token-limiter / shortened: the first 3 of 11 characters stay"


@processor(id="shout", priority=250)
def shout(ctx: Any, services: Services) -> Any:
    def louder(draft: Any) -> Any:
        if draft.key != "node:u2":
            return draft
        edit = Edit(0, len(draft.text), "THREE", Cause("shout", "capitals", "it is important"))
        return draft.edit_text(lambda text: text.splice([edit]))

    return ctx.edit(louder)


def shouting() -> Pipeline:
    return default_pipeline().with_processor(shout)


def test_other_words_are_rewritten_where_a_step_put_them() -> None:
    loud = run(pipeline=shouting())
    found = compare({"plain": run(), "loud": loud})

    assert states(found, "node:u2") == ["kept", "rewritten"]
    assert cause(found, "node:u2", "loud") == "shout / capitals: it is important"
    assert list(found.changes()["key"]) == ["node:u2"]


def test_words_that_every_run_rewrites_alike_are_kept() -> None:
    loud = run(pipeline=shouting())

    assert states(compare({"one": loud, "two": loud}), "node:u2") == ["kept", "kept"]


def test_what_stands_elsewhere_is_moved() -> None:
    presets = {"id": "a", "presetMessages": [{"id": "p", "role": "user", "content": "note", **depth(1)}]}
    deeper = {"id": "a", "presetMessages": [{"id": "p", "role": "user", "content": "note", **depth(2)}]}
    found = compare({name: run(agent=Agent.model_validate(data)) for name, data in (("one", presets), ("two", deeper))})

    assert states(found, "preset:0") == ["kept", "moved"]
    assert cause(found, "preset:0", "two") == "depth 2: stands after node:u1, elsewhere after node:a1"


def depth(n: int) -> dict[str, Any]:
    return {"injectionStrategy": {"type": "depth", "depth": n}}


def test_what_one_run_alone_has_is_only_here() -> None:
    found = compare({"with": run(), "without": run(agent=None)})

    assert states(found, "preset:0") == ["only here", "not there"]


def test_parts_of_a_joined_message_are_kept_under_their_own_keys() -> None:
    pair = CHAT.append("four", id="u3")
    found = compare({"joined": run(pair, settings={"merge-consecutive.enabled": True}), "apart": run(pair)})

    assert states(found, "node:u3") == ["kept", "kept"]
    assert list(found.changes()["key"]) == ["node:u3"]
    assert cause(found, "node:u3", "joined") == "sent as a part of node:u2"


def test_two_branches_share_their_beginning() -> None:
    other = CHAT.append("another", parent="a1", id="u2b")
    found = compare({"one": run(CHAT), "two": run(other)})

    assert list(found.frame()["key"]) == ["preset:0", "node:u1", "node:a1", "node:u2", "node:u2b"]
    assert states(found, "node:u2b") == ["not there", "only here"]


def task(id: str, *said: str) -> Session:
    """A conversation whose messages are numbered, as readers number them."""
    session = Session(id=id).append("", role="system", id="root")
    for n, text in enumerate(said):
        session = session.append(text, role="user" if n % 2 == 0 else "assistant", id=f"m{n}")
    return session


def test_b9_messages_of_different_conversations_are_different_lines() -> None:
    one, two = task("task-1", "hello", "a flight", "to Rome"), task("task-2", "hello", "a hotel", "in Oslo")
    found = compare({"one": run(one), "two": run(two)})

    assert list(found.frame()["key"]) == [
        "preset:0",
        *(f"task-1/node:m{n}" for n in range(3)),
        *(f"task-2/node:m{n}" for n in range(3)),
    ]
    assert states(found, "preset:0") == ["kept", "kept"]
    assert states(found, "task-1/node:m1") == ["only here", "not there"]
    assert states(found, "task-2/node:m1") == ["not there", "only here"]
    assert not any("another run" in cell.cause for line in found for cell in line.cells)


def test_b9_what_is_typed_belongs_to_its_conversation() -> None:
    runs = {name: run(task(name, name, "yes"), pending="and then?") for name in ("one", "two")}

    assert "one/pending" in list(compare(runs).frame()["key"])
    assert "pending" in compare({"once": runs["one"], "again": runs["one"]}).frame()["key"].tolist()


def test_b9_versions_of_a_conversation_are_aligned() -> None:
    edited, branched = CHAT.edit("u1", "other words"), CHAT.branch_from_edit("u2", "another")
    loaded = Session.model_validate_json(edited.model_dump_json(by_alias=True))
    found = compare({"first": run(), "edited": run(edited), "branched": run(branched), "loaded": run(loaded)})

    assert states(found, "node:u1") == ["kept", "rewritten", "kept", "rewritten"]
    assert states(found, "node:a1") == ["kept"] * 4
    assert cause(found, "node:u1", "edited") == "other words than in another run"


def test_b9_messages_that_a_file_numbers_anew_are_aligned_by_what_they_say() -> None:
    """Two more at the front, and in the third one more behind: every id means another message there."""
    one = task("data", "a", "b", "c", "d")
    two, three = (
        task("data", "new", "newer", "a", "b", "c", "d"),
        task("data", "new", "newer", "a", "b", "c", "d", "more"),
    )

    found = compare({"one": run(one), "two": run(two), "three": run(three)})
    effect = run_effect(run(one), run(two))

    assert [states(found, f"node:m{n}") for n in range(4)] == [["kept"] * 3] * 4
    assert found.changes()[["words", "one", "two", "three"]].to_numpy().tolist() == [
        ["new", "not there", "kept", "kept"],
        ["newer", "not there", "kept", "kept"],
        ["more", "not there", "not there", "only here"],
    ]
    assert [row.tokens for row in effect.came] == [1, 1] and not (effect.went or effect.changed or effect.moved)


def test_b9_the_same_id_of_another_conversation_is_told_apart_by_its_words() -> None:
    one, two = task("data", "a", "b", "c"), task("data", "x", "y", "z")
    found = compare({"one": run(one), "two": run(two), "edited": run(one.edit("m2", "d"))})

    assert states(found, "data/node:m0") == ["kept", "not there", "kept"]
    assert states(found, "data~2/node:m0") == ["not there", "only here", "not there"]


def test_b9_presets_of_different_agents_are_different_where_conversations_are() -> None:
    bob = Agent.model_validate({"id": "bob", "presetMessages": [{"id": "p", "role": "system", "content": "be Bob"}]})
    one, two = task("one", "a"), task("two", "b")

    found = compare({"ann": run(one), "bob": run(two, bob)})

    assert list(found.frame()["key"]) == ["ann/preset:0", "one/node:m0", "bob/preset:0", "two/node:m0"]


def test_b9_parts_of_joined_messages_keep_their_own_conversation() -> None:
    joined = {"merge-consecutive.enabled": True}
    pairs = [task(name, f"{name} a").append(f"{name} b", id="m1") for name in ("one", "two")]
    found = compare({"one": run(pairs[0], settings=joined), "two": run(pairs[1])})

    assert states(found, "one/node:m1") == ["only here", "not there"]
    assert states(found, "two/node:m1") == ["not there", "only here"]


def test_totals_add_up_to_the_traces(name: str, runs: Runs) -> None:
    traces = runs(name)
    totals = compare(traces).totals().set_index("run")

    for strategy, trace in traces.items():
        row = totals.loc[strategy]
        limited = [group for group in trace.result.dropped if group.needed is not None]
        assert row["tokens"] == trace.tokens
        assert row["messages"] == len(trace.messages)
        assert row["cut_messages"] == sum(len(group.drafts) for group in limited)
        assert (row["budget"], row["strategy"]) == (1000, strategy)


def test_what_no_run_took_in_is_counted_apart_from_what_was_cut() -> None:
    session = CHAT.disable("u1")
    traces = {"all": run(session), "last": run(session, budget_tokens=4)}
    totals = compare(traces).totals().set_index("run")

    for name, trace in traces.items():
        row, cuts = totals.loc[name], trace.cuts()
        assert row["left_out_messages"] == 1
        assert row["cut_messages"] + row["left_out_messages"] == len(cuts)
        assert row["cut_tokens"] + row["left_out_tokens"] == cuts["tokens"].sum()
    assert totals.loc["last", "cut_messages"] > 0


def test_without_a_budget_there_is_none_in_the_totals() -> None:
    assert compare({"whole": run()}).totals()["budget"].isna().all()


def test_no_run_and_one_run_are_compared_too() -> None:
    assert not compare({})
    assert compare({}).frame().empty
    assert states(compare({"one": run()}), "node:u1") == ["kept"]


def test_a_run_is_not_called_like_a_column() -> None:
    with pytest.raises(CtxlabError, match="'role'"):
        compare({"role": run()})


def test_a_failed_run_is_compared_as_far_as_it_came() -> None:
    with pytest.raises(BudgetTooSmall) as failure:
        cut(1)
    assert failure.value.trace is not None

    assert not compare({"whole": run(), "too small": failure.value.trace})


def test_the_repr_is_one_line_and_the_page_small_and_escaped(runs: Runs) -> None:
    found = compare({f"<b>{strategy}": trace for strategy, trace in runs("coding_chat").items()})

    assert repr(found) == "Comparison(<b>sliding, <b>head-and-tail, <b>middle-out: 38 messages, 3 differ)"
    assert len(found._repr_html_()) < 50_000
    assert "<b>sliding" not in found._repr_html_()


def test_a_message_of_markup_is_plain_text_in_the_page_and_in_the_figure() -> None:
    evil = CHAT.append("<script>alert(1)</script> \ud800", id="<img>")
    found = compare({"with": run(evil), "without": run()})

    assert "<script>" not in found._repr_html_()
    drawn = json.dumps(json.loads(found.figure().to_json() or ""))  # plotly writes `<` as an escape
    assert "<script>" not in drawn
    assert "<img>" not in drawn


def test_ten_thousand_messages_are_one_short_page_and_one_small_figure() -> None:
    session = Session.model_validate(generated_session(10_000, tokens_per_message=5))
    whole = run(session, None)
    limit = {"token-limiter.budget_tokens": whole.tokens // 2}
    traces = {name: whole.rerun({**limit, "token-limiter.strategy": name}) for name in ("sliding", "middle-out")}
    found = compare({"whole": whole, **traces})

    assert len(found._repr_html_()) < 50_000
    assert len(found.figure().to_json() or "") < 100_000
