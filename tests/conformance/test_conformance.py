"""The conformance suite: its cases are as they are made, as its schema says, and ctxlab answers them all."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.testing import refusals_of
from ctxlab.testing.conformance import TOPICS, answer

FOLDER = Path(__file__).parents[2] / "conformance"
Json = dict[str, Any]


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"conformance_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


run = loaded("run")
CASES: list[Json] = run.cases_of()


def test_our_answers_to_all_cases_are_as_they_say() -> None:
    found = run.outcomes(CASES, run.ours)

    assert {name: outcome.failed for name, outcome in found.items() if outcome.failed} == {}
    assert set(found) == set(TOPICS)
    assert sum(outcome.passed for outcome in found.values()) == len(CASES) >= 400


def test_cases_are_as_make_writes_them() -> None:
    assert all(path.read_text("utf-8") == text for path, text in loaded("make").files().items())


def test_cases_fit_their_schema_and_a_strange_field_does_not() -> None:
    from jsonschema import Draft202012Validator

    schema = json.loads((FOLDER / "schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    files = [json.loads(path.read_text("utf-8")) for path in (FOLDER / "cases").glob("*.json")]

    assert [error.message for file in files for error in validator.iter_errors(file)] == []
    files[0]["cases"][0]["input"]["lantern"] = 1
    assert not validator.is_valid(files[0])


def test_ids_and_sentences_are_of_one_case_each() -> None:
    ids, sentences = [case["id"] for case in CASES], [case["says"] for case in CASES]

    assert len(set(ids)) == len(ids)
    assert len(set(sentences)) > 0.97 * len(sentences)


def other(value: Any) -> Any:
    """A value that is not this one."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}?"
        case list():
            return [*value, "?"]
        case _:
            return {**value, "?": 1}


def test_no_case_takes_another_answer_for_any_field_that_it_asserts() -> None:
    for case in CASES:
        right = answer(case)
        for name in case["expect"]:
            wrong = {**right, name: other(right[name])}
            assert run.compared(case, wrong), (case["id"], name)
            assert run.compared(case, {key: value for key, value in right.items() if key != name})


def test_the_second_reading_agrees_on_what_it_reads() -> None:
    second = run.by_lines(f'"{sys.executable}" "{FOLDER / "second_reading"}"')

    found = run.outcomes(CASES, second)

    assert {name: outcome.failed for name, outcome in found.items() if outcome.failed} == {}
    assert sum(outcome.passed for outcome in found.values()) == 578


def first_forms(value: Any) -> Any:
    """A body with the first of each choice of forms."""
    if isinstance(value, dict):
        if set(value) == {"$oneOf"}:
            return first_forms(value["$oneOf"][0])
        return {name: first_forms(each) for name, each in value.items()}
    return [first_forms(each) for each in value] if isinstance(value, list) else value


def test_the_fake_vendors_take_and_refuse_the_same_bodies() -> None:
    asked = 0
    for case in (case for case in CASES if "taken" in case["expect"]):
        body = case["input"].get("body") or case["expect"].get("body")
        if body is not None:
            asked += 1
            found = refusals_of(first_forms(body), case["input"]["vendor"], model=case["input"]["model"])
            assert (not found) == case["expect"]["taken"], (case["id"], found)
    assert asked == 105


WRONG = 'import sys\nfor line in sys.stdin: print(\'{"text": "?"}\', flush=True)'


def test_a_program_that_answers_wrongly_fails_by_name_and_with_the_exit_code(tmp_path: Path) -> None:
    program = tmp_path / "wrong.py"
    program.write_text(WRONG)
    command = [sys.executable, str(FOLDER / "run.py"), "--topic", "rules", "--lines", f'"{sys.executable}" "{program}"']

    done = subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")

    assert done.returncode == 1
    assert (
        'rules/pattern/01: Every place that fits is replaced. text should be "the rope, the knot", and is "?"'
        in done.stdout
    )


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("print('tide')", "this is no JSON: tide"),
        ("print('[1]')", "this is no object: [1]"),
        ("raise SystemExit('out of rope')", "out of rope"),
    ],
)
def test_a_command_that_gives_no_answer_fails_with_what_it_said(program: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(program)

    found = run.outcomes(CASES[:1], run.by_command(f'"{sys.executable}" "{path}"'))

    assert why in next(iter(found.values())).failed[0][1]


def test_a_program_is_told_nothing_of_what_is_expected() -> None:
    assert all("expect" not in json.loads(run.question(case)) for case in CASES)


def test_what_is_skipped_is_counted_and_is_no_failure() -> None:
    found = run.outcomes(CASES[:3], lambda cases: ({"skipped": "no cuts here"} for _ in cases))

    assert [(each.passed, each.skipped, each.failed) for each in found.values()] == [(0, 3, [])]


def test_either_form_fits_where_a_vendor_takes_both() -> None:
    case = next(case for case in CASES if case["id"] == "payloads/openai-responses/01")
    right = answer(case)
    as_items = deepcopy(right)
    as_items["body"]["input"] = [{"role": "user", "content": right["body"]["input"]}]

    assert run.compared(case, right) == run.compared(case, as_items) == ""


def test_a_topic_that_is_not_known_is_refused() -> None:
    with pytest.raises(CtxlabError, match="topic 'songs' is none of messages, drops"):
        answer({"topic": "songs", "input": {}})
