"""A message's data as JSON: what it takes, where it is wrong, and one step to undo."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab import History, Session
from ctxlab.errors import Refused
from tests.promises.test_formats import texts, values

CHAT = Session(id="s").append("Hi", id="a").append("Hello", role="assistant", id="b")

fields = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "weird", 3])},
    optional={
        "content": texts | values,
        "isEnabled": values,
        "metadata": values | st.fixed_dictionaries({"priority": values, "x": values}),
        "attachments": values,
        "id": st.sampled_from(["b", "c"]),
        "parentId": st.sampled_from(["a", "z", None]),
        "colour": values,
    },
)


def test_the_data_as_it_is_changes_nothing_and_has_no_problem() -> None:
    text = CHAT.message_json("b")

    assert CHAT.message_problems("b", text) == ()
    assert CHAT.edit_json("b", text) is CHAT


def test_problems_say_path_line_and_column_in_the_order_of_the_text() -> None:
    text = '{\n "role": "weird",\n "parentId": "z",\n "attachments": [{"size": "big"}]\n}'

    problems = CHAT.message_problems("b", text)

    assert [(each.path, each.line, each.column) for each in problems][:2] == [("role", 2, 10), ("parentId", 3, 14)]
    assert problems[2].path.startswith("attachments[0].")
    assert "graft() and move()" in problems[1].text
    assert [(each.line, each.column) for each in CHAT.message_problems("b", json.loads(text))] == [(0, 0)] * len(
        problems
    )


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("{\n x", "Expecting property name", (2, 2)),
        ("[]", "a message is an object", (0, 0)),
        ('{"role": "user", "role": "user"}', "'role' is there more than once", (0, 0)),
        ('{"role": NaN}', "NaN is no number", (0, 0)),
        ("[" * 100_000, "nested too deeply", (0, 0)),
    ],
)
def test_text_that_is_no_message_is_one_problem(text: str, words: str, place: tuple[int, int]) -> None:
    (problem,) = CHAT.message_problems("b", text)

    assert words in problem.text
    assert (problem.line, problem.column) == place
    with pytest.raises(Refused):
        CHAT.edit_json("b", text)


def test_a_field_that_is_not_in_the_data_is_gone_and_the_links_stay() -> None:
    chat = CHAT.update("b", is_enabled=False, metadata={"agentId": "g"})

    made = chat.edit_json("b", {"role": "assistant", "content": "Bye"})

    assert made.node("b").to_data() == {"id": "b", "parentId": "a", "role": "assistant", "content": "Bye"} | {
        name: value for name, value in CHAT.node("b").to_data().items() if name == "childrenIds"
    }
    assert made.check() == ()


def test_an_edit_is_one_step_that_is_undone() -> None:
    history = History(CHAT)

    history.do(Session.edit_json, "b", {"role": "assistant", "content": "Bye"})

    assert history.session.node("b").content == "Bye"
    assert history.undo() == CHAT


@given(fields)
def test_data_is_taken_exactly_when_it_has_no_problem(data: dict[str, Any]) -> None:
    problems = CHAT.message_problems("b", data)

    try:
        made = CHAT.edit_json("b", data)
    except Refused:
        assert problems
    else:
        assert not problems
        links = {name: value for name, value in CHAT.node("b").to_data().items() if name in LINKS}
        no_files = {"attachments"} if not data.get("attachments") else set[str]()  # none is stored as none
        assert made.node("b").to_data() == {
            name: value for name, value in {**links, **data}.items() if name not in no_files
        }
        assert ctxlab.History(CHAT).do(Session.edit_json, "b", data) == made


LINKS = ("id", "parentId", "childrenIds", "lastSelectedChildId")
