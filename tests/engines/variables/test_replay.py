"""What tags make of values."""

from typing import Any

import pytest

from ctxlab.engines.variables import MISSING, Replay, VariableChange, definitions_of, look_up, tags_in

CONFIG: dict[str, Any] = {
    "definitions": [
        {"key": "hp", "type": "variable", "initialValue": "100", "min": 0, "max": 100},
        {"key": "name", "type": "variable", "initialValue": "Bob"},
        {"key": "bag", "type": "group", "children": [{"key": "gold", "type": "variable", "initialValue": 3}]},
    ]
}


def written(text: str, *, compat: Any = "ctxlab") -> tuple[Replay, list[VariableChange]]:
    fold = Replay(definitions_of(CONFIG), compat=compat)
    return fold, fold.write(tags_in(text, compat=compat).found)


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ('<svar name="hp" op="-" value="30"/>', "hp", 70),
        ('<svar name="hp" op="+" value="30"/>', "hp", 100),
        ('<svar name="hp" value="-5"/>', "hp", 0),
        ('<svar name="hp" op="/" value="8"/>', "hp", 12.5),
        ('<svar name="bag.gold" op="*" value="2"/>', "bag.gold", 6),
        ('<svar name="bag.gems.red" op="add" value="2"/>', "bag.gems.red", 2),
        ('<svar name="name" op="+" value="5"/>', "name", 5),
        ('<svar name="name" op="=" value="Zed"/>', "name", "Zed"),
        ('<svar name="hp" op="*" value="many"/>', "hp", 100),
        ('<svar name="list" value="[1,2]"/><svar name="list.1" op="+" value="5"/>', "list.1", 7),
    ],
)
def test_tags_write_in_order(text: str, path: str, value: Any) -> None:
    fold, _ = written(text)

    assert look_up(fold.values, path) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('<svar name="hp" op="/" value="0"/>', "nothing can be divided by 0"),
        ('<svar name="hp" op="^" value="2"/>', "'^' is no operation: it is one of = + - * / set add sub"),
        ('<svar name="hp"/>', "the tag has no value"),
        ('<svar name="bag.gold" op="*" value="1e308"/><svar name="bag.gold" op="*" value="1e308"/>', "the result is"),
    ],
)
def test_what_cannot_be_done_leaves_the_value_and_says_why(text: str, problem: str) -> None:
    _, changes = written(text)

    assert changes[-1].problem.startswith(problem)
    assert changes[-1].after is changes[-1].before


def test_a_change_tells_from_what_to_what() -> None:
    _, (change,) = written('<svar name="new" op="+" value="2"/>')

    assert (change.path, change.op, change.value, change.before, change.after) == ("new", "+", 2, MISSING, 2)


def test_values_that_were_there_stay_as_they_were() -> None:
    fold, _ = written("")
    before = fold.values

    fold.write(tags_in('<svar name="bag.gold" value="9"/>').found)

    assert before["bag"] == {"gold": 3}


def test_what_was_kept_is_gone_on_from_and_what_it_lacks_has_its_initial_value() -> None:
    fold, _ = written("")

    fold.resume({"hp": 7})

    assert fold.values == {"hp": 7, "name": "Bob", "bag": {"gold": 3}}


def test_the_reference_divides_by_zero_and_takes_away_what_gets_no_value() -> None:
    fold, _ = written('<svar name="bag.gold" op="/" value="0"/><svar name="name"/>', compat="reference")

    assert fold.values == {"hp": 100, "bag": {"gold": float("inf")}}


def test_bad_definitions_are_named_and_left_out() -> None:
    found = definitions_of(
        {
            "definitions": [
                {"key": "a"},
                {"type": "variable"},
                "x",
                {"key": "a"},
                {"key": "g", "type": "group", "children": 5},
            ]
        }
    )

    assert list(found.by_path) == ["a"]
    assert found.problems == (
        "a definition has no key; it is left out",
        "a definition has no key; it is left out",
        "variable 'a' is defined twice; the first counts",
        "definitions of 'g' are not a list; they are left out",
    )
