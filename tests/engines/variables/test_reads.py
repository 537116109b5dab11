"""Places that read."""

from typing import Any

import pytest

from ctxlab.engines.variables import as_text, definitions_of, number_of, readings, rendered_variables

CONFIG: dict[str, Any] = {
    "definitions": [
        {"key": "hp", "initialValue": 7.5, "displayName": "Health", "description": "of | all"},
        {"key": "体力", "initialValue": 3},
        {"key": "secrets", "type": "group", "hidden": True, "children": [{"key": "plot", "initialValue": "murder"}]},
        {"key": "bag", "initialValue": {"tea": [1, None]}},
    ]
}
DEFINED = definitions_of(CONFIG)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("$[hp] left", "7.5"),
        ("$[体力]", "3"),
        ("$[bag]", '{"tea":[1,null]}'),
        ("$[bag.tea.0]", "1"),
        ("$[secrets.plot]", "murder"),
        ("$[nothing]", None),
        ("$[svars]", None),
        ("$[svars::list]", '- Health: 7.5 (of | all)\n- 体力: 3\n- bag: {"tea":[1,null]}'),
    ],
)
def test_a_place_shows_the_value_of_its_path(text: str, shown: str | None) -> None:
    (reading,) = readings(text, DEFINED, DEFINED.initial)

    assert reading.text == shown


@pytest.mark.parametrize("text", ["$[]", "$[a b]", "$ [hp]", "[hp]"])
def test_what_is_no_place_is_not_read(text: str) -> None:
    assert list(readings(text, DEFINED, DEFINED.initial)) == []


def test_a_table_escapes_what_would_break_it() -> None:
    assert rendered_variables("table", DEFINED, DEFINED.initial).splitlines()[2] == "| Health | 7.5 | of \\| all |"


def test_an_unknown_form_is_json_without_what_is_hidden() -> None:
    assert rendered_variables("xml", DEFINED, {"hp": 1, "secrets": {"plot": "murder"}}) == '{\n  "hp": 1\n}'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (100.0, "100"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e21, "1e+21"),
        (1e-7, "1e-7"),
        (-0.000001, "-0.000001"),
        (123456789012345680000.0, "123456789012345680000"),
        (float("inf"), "Infinity"),
        (float("nan"), "NaN"),
        (True, "true"),
        (None, "null"),
    ],
)
def test_values_are_written_as_javascript_writes_them(value: Any, text: str) -> None:
    assert as_text(value) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [(" 12 ", 12), ("-.5", -0.5), ("1e2", 100), ("0b11", 3), ("", None), ("1e999", None), ("1_000", None), ("١", None)],
)
def test_a_text_that_looks_like_a_number_is_one(text: str, number: float | None) -> None:
    assert number_of(text) == number


def test_the_reference_writes_objects_like_javascript() -> None:
    assert as_text([1, None, {}], compat="reference") == "1,,[object Object]"


@pytest.mark.parametrize(
    ("value", "text"),
    [(10**400, "Infinity"), (-(10**400), "-Infinity"), (10**21, "1e+21")],
    ids=["beyond", "below", "within"],
)
def test_integers_beyond_javascripts_are_read_out_as_there(value: int, text: str) -> None:
    assert as_text(value) == text
