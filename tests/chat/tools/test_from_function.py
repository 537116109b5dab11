"""Schemas from signatures, and the arguments that a function gets of what a model wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from ctxlab.chat.events import ToolFinished
from ctxlab.chat.tools import Runner, Tool, tool, tools_of
from ctxlab.documents import ToolCall
from ctxlab.errors import WrongArgument


class Unit(Enum):
    KNOTS = "kn"
    METRES = "m/s"


class Place(BaseModel):
    name: str
    title: str = ""


def forecast(
    place: Place,
    days: Annotated[int, Field(ge=1, le=7)] = 1,
    unit: Unit = Unit.KNOTS,
    schema: Literal["short", "long"] = "short",
    notes: list[str] | None = None,
) -> str:
    """The wind at a place,
    as the office says.

    More about it.

    Args:
        place: Where it blows,
            by name.
        days (int): How many days.
    """
    return f"{place.name} {days} {unit.value} {schema} {notes}"


def finished(given: Tool | Callable[..., Any], arguments: Mapping[str, Any] | str) -> ToolFinished:
    [made] = tools_of([given])
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    [*_, last] = Runner([made]).run([ToolCall("c1", made.name, text)])
    assert isinstance(last, ToolFinished)
    return last


def test_name_description_and_schema_come_from_the_function() -> None:
    function = tool(forecast).as_data()["function"]

    fields = function["parameters"]["properties"]
    assert (function["name"], function["description"]) == ("forecast", "The wind at a place, as the office says.")
    assert function["parameters"]["required"] == ["place"]
    assert [*fields] == ["place", "days", "unit", "schema", "notes"]
    assert fields["place"]["description"] == "Where it blows, by name."
    assert fields["days"] == {
        "default": 1, "description": "How many days.", "maximum": 7, "minimum": 1, "type": "integer"
    }  # fmt: skip
    assert fields["schema"]["enum"] == ["short", "long"]
    assert set(function["parameters"]["$defs"]["Place"]["properties"]) == {"name", "title"}


@pytest.mark.parametrize(
    "doc",
    [
        "Tide.\n\n:param port: Its name.\n:type port: str",
        "Tide.\n\nParameters\n----------\nport : str\n    Its name.\n\nReturns\n-------\nstr",
        "Tide.\n\nArgs:\n    port: Its name.\n\nReturns:\n    A time.",
    ],
)
def test_three_styles_of_docstrings_are_read(doc: str) -> None:
    def tide(port: str) -> str:
        return port

    tide.__doc__ = doc
    made = tool(tide)

    assert made.description == "Tide."
    assert made.parameters["properties"] == {"port": {"description": "Its name.", "type": "string"}}


def test_slips_of_models_are_taken() -> None:
    wanted = {"place": '{"name": "上海"}', "days": "3", "unit": "m/s", "notes": '["a"]'}

    assert finished(forecast, wanted).node["content"] == "上海 3 m/s short ['a']"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "argument 'place' is missing"),
        ({"place": {"name": "a"}, "days": 9}, "argument 'days' is 9"),
        ({"place": {"name": "a"}, "wind": 1}, "there is no argument 'wind'"),
        ({"place": {}}, "argument 'place.name' is missing"),
        ('{"place": {"na', "can't be read as JSON"),
        ("[1]", "are no JSON object"),
    ],
)
def test_a_wrong_argument_is_a_result_that_names_it(arguments: Any, named: str) -> None:
    result = finished(forecast, arguments)

    assert result.status == "failed" and named in result.node["content"]


def test_a_default_of_the_function_stands_for_what_is_not_given() -> None:
    def place_of(town: str = "Ys") -> str:
        return town

    assert finished(place_of, "").node["content"] == "Ys"


def test_other_names_go_to_a_function_that_takes_them() -> None:
    def echo(**words: Any) -> str:
        return str(words)

    assert finished(echo, {"a": 1}).node["content"] == "{'a': 1}"


def _star(*words: str) -> str:
    return "".join(words)


def _by_place(word: str, /) -> str:
    return word


def _of_a_socket(place: memoryview) -> str:
    return str(place)


@pytest.mark.parametrize(
    ("function", "named"),
    [(_star, "*words"), (_by_place, "'word'"), (_of_a_socket, "_of_a_socket"), (lambda: 1, "'<lambda>'")],
)
def test_functions_that_no_object_can_call_are_refused(function: Callable[..., Any], named: str) -> None:
    with pytest.raises(WrongArgument) as refusal:
        tool(function)

    assert named in str(refusal.value) and "\n" not in str(refusal.value)


def test_a_decorated_function_is_still_called() -> None:
    @tool(name="plus", approve=True)
    def add(a: int, b: int) -> int:
        return a + b

    assert (add(1, 2), add.name, add.approve) == (3, "plus", True)


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(WrongArgument, match="two tools are named 'forecast'"):
        tools_of([forecast, tool(forecast)])
