from typing import Any

import pytest

from ctxlab.documents import ModelMatch, ModelProfile
from ctxlab.engines.model_match import model_fits, model_names

GPT = ModelProfile(id="work:openai/gpt-4o", name="Four Oh", profile_name="Work")


def fits(rule: dict[str, Any], model: ModelProfile | None = GPT) -> bool:
    return model_fits(ModelMatch.model_validate({"enabled": True, **rule}), model).fits


def test_a_model_has_several_names() -> None:
    assert model_names(GPT) == ["Four Oh", "work:openai/gpt-4o", "openai/gpt-4o", "gpt-4o"]
    assert model_names(ModelProfile(id="llama3:latest")) == ["llama3:latest", "latest"]
    assert model_names(None) == []


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({}, True),
        ({"patterns": ["gpt"]}, True),
        ({"patterns": ["^GPT-4"]}, True),
        ({"patterns": ["claude"]}, False),
        ({"patterns": ["claude", "four"]}, True),
        ({"patterns": ["gpt"], "exclude": True}, False),
        ({"patterns": ["claude"], "exclude": True}, True),
        ({"profilePatterns": ["work"]}, True),
        ({"profilePatterns": ["home"]}, False),
        ({"patterns": ["gpt"], "profilePatterns": ["home"]}, True),
        ({"patterns": ["gpt"], "profilePatterns": ["home"], "mode": "any"}, True),
        ({"patterns": ["gpt"], "profilePatterns": ["home"], "mode": "all"}, False),
        ({"patterns": ["gpt"], "profilePatterns": ["work"], "mode": "all"}, True),
        ({"patterns": ["gpt"], "mode": "all"}, True),
        ({"patterns": ["claude"], "mode": "any"}, False),
        ({"patterns": ["work"], "matchProfileName": True}, True),
        ({"patterns": ["gpt"], "matchProfileName": True, "mode": "all"}, False),
        ({"exclude": True}, True),
    ],
)
def test_a_side_without_patterns_does_not_vote(rule: dict[str, Any], expected: bool) -> None:
    assert fits(rule) is expected


def test_a_rule_that_is_off_or_absent_fits_every_model() -> None:
    assert model_fits(None, GPT).fits
    assert model_fits(ModelMatch(patterns=("claude",)), GPT).fits


def test_without_a_model_no_pattern_fits() -> None:
    assert not fits({"patterns": ["."]}, None)
    assert fits({"patterns": ["."], "exclude": True}, None)


@pytest.mark.parametrize("pattern", ["(", "[", "*a"])
def test_a_broken_pattern_is_left_out_and_told(pattern: str) -> None:
    rule = ModelMatch(enabled=True, patterns=(pattern, "gpt"))

    verdict = model_fits(rule, GPT)

    assert verdict.fits
    assert [problem.startswith(f"pattern {pattern!r} is not a regular expression") for problem in verdict.problems] == [
        True
    ]


def test_a_pattern_that_takes_too_long_is_stopped_and_told() -> None:
    rule = ModelMatch(enabled=True, patterns=(r"(a|aa)+$",))

    verdict = model_fits(rule, ModelProfile(id="a" * 60 + "!"))

    assert not verdict.fits
    assert any("backtracks in one text" in problem for problem in verdict.problems)
