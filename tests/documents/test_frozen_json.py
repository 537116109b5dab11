"""Stored values don't change, to the bottom."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.api import build
from ctxlab.context import Table
from ctxlab.documents import Agent, MessageNode, Session, Worldbook
from ctxlab.documents.frozen_json import FrozenDict, FrozenList, frozen

json_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


def told() -> Session:
    return Session(id="s").append("hi").append("ho", metadata={"deep": [{"list": [1]}]})


def node(session: Session) -> MessageNode:
    assert session.leaf_node is not None
    return session.leaf_node


CHANGES: list[Callable[[Session], Any]] = [
    lambda s: s.nodes.__setitem__("x", MessageNode()),  # pyright: ignore[reportAttributeAccessIssue]
    lambda s: s.nodes.pop(str(s.leaf)),  # pyright: ignore[reportAttributeAccessIssue]
    lambda s: (node(s).metadata or {}).__setitem__("q", 1),
    lambda s: (node(s).metadata or {}).setdefault("q", 1),
    lambda s: (node(s).metadata or {})["deep"].append(1),
    lambda s: (node(s).metadata or {})["deep"][0].update(list=[]),
    lambda s: (node(s).metadata or {})["deep"][0]["list"].__iadd__([2]),
    lambda s: build(s).result.drafts[-1].meta.__setitem__("note", "mine"),  # pyright: ignore[reportAttributeAccessIssue]
    lambda s: Table("mine", {"a": 1}).content.__setitem__("a", 2),
    lambda s: Worldbook.model_validate({"entries": {"a": {}}}).entries.pop("a"),
    lambda s: (Agent(parameters={"a": {"b": 1}}).parameters or {})["a"].clear(),
    lambda s: (Session.model_validate({"mine": {"a": 1}}).model_extra or {})["mine"].clear(),
    lambda s: (Session.model_validate({"mine": 1}).model_extra or {}).clear(),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a7_nothing_in_a_stored_value_can_be_changed(change: Callable[[Session], Any]) -> None:
    session = told()
    before = session.to_json()

    with pytest.raises(TypeError, match="values don't change"):
        change(session)

    assert session.to_json() == before


def test_a7_a_value_keeps_nothing_of_its_maker_that_could_change() -> None:
    data: dict[str, Any] = {"nodes": {"a": {"id": "a", "metadata": {"x": [1]}}}, "mine": {"y": 1}}
    session = Session.model_validate(data)

    data["nodes"]["a"]["metadata"]["x"].append(2)
    data["mine"]["y"] = 2

    assert session.to_data() == {"nodes": {"a": {"id": "a", "metadata": {"x": [1]}}}, "mine": {"y": 1}}


def test_a7_versions_of_a_session_share_nothing_that_could_change() -> None:
    first = told()
    second = first.edit(str(first.leaf), "new")

    with pytest.raises(TypeError):
        (node(second).metadata or {})["q"] = 99

    assert "q" not in (node(first).metadata or {})


@given(json_data)
def test_frozen_data_is_equal_data_and_travels(data: Any) -> None:
    kept = frozen(data)

    assert kept == data
    assert frozen(kept) is kept
    assert copy.deepcopy(kept) == copy.copy(kept) == pickle.loads(pickle.dumps(kept)) == data
    assert type(pickle.loads(pickle.dumps(kept))) is type(kept)


def test_a_changed_copy_is_an_ordinary_one() -> None:
    kept = FrozenDict({"a": FrozenList([1])})

    changed = {**kept, "b": [*kept["a"], 2]}

    assert changed == {"a": [1], "b": [1, 2]}
    assert type(kept.copy()) is dict


def test_data_nested_beyond_the_stack_is_read_all_the_same() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]

    kept = frozen({"deep": deep})

    assert kept["deep"] is deep


def test_a_changed_copy_looks_up_anew_what_is_sent_of_it() -> None:
    first = MessageNode(role="user", metadata={"priority": 1})
    assert first.sent_fields.priority == 1

    second = first.model_copy(update={"metadata": {"priority": 2}})
    third = first.with_(metadata=None)

    assert [node.sent_fields.priority for node in (first, second, third)] == [1, 2, 0]
    assert first == MessageNode(role="user", metadata={"priority": 1})
