"""What is amiss with knowledge is said: in placeholders, macros, templates and an agent's config."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab.errors import WrongArgument
from ctxlab.pipeline import BudgetTooSmall, Services
from ctxlab.testing.fakes import WordTokenizer

BASE = ctxlab.knowledge_base("Ev", entries={"One": "zebra eats grass", "Two": "zebra two"}, engine="keyword")


def build(preset: str, agent: ctxlab.Agent | None = None, **options: Any) -> ctxlab.Trace:
    chat = [{"role": "system", "content": preset}, {"role": "user", "content": "zebra"}]
    own = {f"knowledge-processor.{name}": value for name, value in options.pop("own", {}).items()}
    services = Services(WordTokenizer())
    return ctxlab.build(chat, agent, knowledge=[BASE], settings=own, services=services, **options)


def notes(trace: ctxlab.Trace) -> str:
    return "\n".join(note.text for note in trace.result.notes)


@pytest.mark.parametrize(
    ("placeholder", "words"),
    [
        ("【kb::Ev::1e9】", "the limit '1e9' is read as 1"),
        ("【kb::Ev::1.5】", "the limit '1.5' is read as 1"),
        ("【kb::Ev::::-1】", "the least score '-1' is read as -1"),
        ("【kb::Ev::::1.5】", "the least score '1.5' is read as 0.015"),
        ("【kb::Ev::::150】", "the least score '150' is read as 1"),
        ("【kb::Ev::::::gate::】", "its gate names no words"),
        ("【kb::Ev::::::::::x】", "'x' is no engine, and that of the settings is taken"),
        ("【kb::Ev::0】", "sends nothing; the best piece is cut: number 1, and 0 may be sent"),
    ],
)
def test_what_is_read_otherwise_than_written_is_said(placeholder: str, words: str) -> None:
    assert words in notes(build(placeholder))


@pytest.mark.parametrize("placeholder", ["【kb::Ev::2::80】", "【kb::Ev::2::0.1】", "【kb::Ev::::30%】", "【kb】"])
def test_what_is_written_as_it_should_be_earns_no_note(placeholder: str) -> None:
    assert notes(build(placeholder)) == ""


@pytest.mark.parametrize("macro", ["{{kb}}", "{{kb::Ev}}", "{{kb::Ev::2}}"])
def test_without_bindings_the_macro_searches_what_is_at_hand(macro: str) -> None:
    assert "zebra eats grass" in build(macro).messages[0]["content"]


def test_the_macro_finds_a_base_that_is_bound_by_its_id_alone() -> None:
    bound = ctxlab.KnowledgeBaseConfig(enabled=True, bindings=(ctxlab.KnowledgeBinding(kb_id="Ev"),))
    preset = [{"role": "system", "content": "{{kb::Ev}} {{kb::Evv}}"}]
    agent = ctxlab.Agent.model_validate({"id": "a", "presetMessages": preset, "knowledgeBaseConfig": bound.to_data()})

    trace = build("", agent)

    assert "zebra eats grass" in trace.messages[0]["content"]
    assert "there is no base 'Evv'; did you mean 'Ev'?" in notes(trace)
    assert "未找到" not in trace.messages[0]["content"]


def test_entries_are_taken_by_title_too_and_an_unknown_one_is_named_with_those_there_are() -> None:
    trace = build("【kb::Ev::::::static::Two,nope】")

    assert list(trace.table("knowledge")["title"]) == ["Two"]
    assert "there is no entry 'nope' in 'Ev', by id or title, or it is off; there are: 1, One, 2, Two" in notes(trace)


@pytest.mark.parametrize(
    ("own", "words"),
    [({"template": "{nope}"}, "template has no {items}"), ({"item_template": ""}, "item_template has no {content}")],
)
def test_a_template_without_what_is_found_is_said(own: dict[str, str], words: str) -> None:
    assert words in notes(build("【kb】", own=own))


def test_an_agents_config_with_unknown_words_is_said() -> None:
    config = {"enabled": True, "autoInjectPosition": "nowhere", "bindings": [{"kbId": "Ev", "kbNam": "x"}]}

    trace = build("", ctxlab.Agent.model_validate({"id": "a", "knowledgeBaseConfig": config}))

    assert "autoInjectPosition 'nowhere' is not known; there are: context_head, before_last_user" in notes(trace)
    assert "the binding of 'Ev', has no field 'kbNam'; did you mean 'kbName'" in notes(trace)


def test_two_bases_of_one_id_are_refused() -> None:
    with pytest.raises(WrongArgument, match="two knowledge bases have the id 'Ev'"):
        ctxlab.build([{"role": "user", "content": "【kb】"}], knowledge=[BASE, BASE.with_entry("1", content="x")])


def test_weights_that_leave_no_query_are_named() -> None:
    (row,) = build("【kb】", own={"user_weight": 0}).table("knowledge").to_dict("records")

    assert row["reason"] == "user_weight is 0, and there is nothing else to search by"


def test_a_budget_that_is_too_small_says_how_much_is_knowledge() -> None:
    with pytest.raises(BudgetTooSmall, match=r"of which [0-9]+ are knowledge put into it"):
        build("【kb】", budget_tokens=10)


def test_the_reason_of_a_sent_piece_says_what_the_minimum_is_compared_with() -> None:
    assert "share of the best score 1" in build("【kb】").table("knowledge")["reason"][0]


def test_an_overlap_is_less_than_a_chunk() -> None:
    with pytest.raises(WrongArgument, match="overlap_characters is 200: it takes less than the 100 of a chunk"):
        ctxlab.knowledge_base("x", entries=["a"], chunk_characters=100, overlap_characters=200)
