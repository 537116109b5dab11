"""Broken bodies for Anthropic and Gemini: each is reported at its place, and the mend that it names mends it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ctxlab.providers
from ctxlab.providers import Problem, provider_named
from ctxlab.providers.anthropic.rules import RULES as OF_ANTHROPIC
from ctxlab.providers.gemini.rules import RULES as OF_GEMINI
from ctxlab.providers.models import model_info
from tests.providers.broken_bodies_anthropic_gemini import BROKEN, Body, BrokenBody, good_body

ROOM = Path(ctxlab.providers.__file__).parent
SHARED = ("body_shapes.py", "binary_rules.py", "unwritable.py", "window_check.py")


def _problems(body: Body, vendor: str, model: str = "") -> list[Problem]:
    provider = provider_named(vendor)
    facts = model_info(model or body.get("model") or provider.default_model, provider)
    return list(provider.check(body, facts, provider))


@pytest.mark.parametrize("vendor", ["anthropic", "gemini"])
def test_a_good_body_has_no_problem(vendor: str) -> None:
    assert _problems(good_body(vendor), vendor) == []


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: f"{broken.vendor}: {broken.name}")
def test_a_broken_body_is_reported_at_its_place(broken: BrokenBody) -> None:
    found = _problems(broken.body(), broken.vendor, broken.model)

    assert (broken.path, broken.rule) in [(problem.path, problem.rule) for problem in found]
    assert broken.rule in {rule.rule for rule in (OF_ANTHROPIC if broken.vendor == "anthropic" else OF_GEMINI)}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: f"{broken.vendor}: {broken.name}")
def test_what_the_problem_says_mends_it(broken: BrokenBody) -> None:
    left = [each.rule for each in _problems(broken.mended(), broken.vendor, broken.model) if each.rule == broken.rule]

    assert left == []


@pytest.mark.parametrize("vendor", ["anthropic", "gemini"])
def test_every_rule_that_a_check_names_is_in_the_table_and_no_other_one(vendor: str) -> None:
    table = {rule.rule for rule in (OF_ANTHROPIC if vendor == "anthropic" else OF_GEMINI)}
    files = [*(ROOM / vendor).glob("*.py"), *(ROOM / name for name in SHARED)]

    named = {rule for file in files for rule in _named(file)}

    assert named == table


def _named(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem":
            rule = node.args[1]
            assert isinstance(rule, ast.Constant), f"{file.name}:{node.lineno}"
            yield rule.value
