"""What a variant sets otherwise than the defaults stands with its name: in rows, tables and figures."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab.studies.study import Variant
from ctxlab.studies.study.settings_given import SEVERAL, one_text, settings_given
from tests.studies.study.samples import cases, session

LIMITER = "token-limiter."
HALVES = {"settings": {f"{LIMITER}head_share": 0.5}}


@pytest.mark.parametrize(
    ("variant", "shared", "said"),
    [
        (Variant("sliding", {f"{LIMITER}strategy": "sliding"}), {}, ""),
        (Variant("head-and-tail", {f"{LIMITER}strategy": "head-and-tail"}), {}, ""),
        (Variant("head-and-tail", {f"{LIMITER}strategy": "head-and-tail"}), HALVES, "head_share=0.5"),
        (Variant("sliding", {f"{LIMITER}strategy": "sliding"}), HALVES, ""),
        (
            Variant("h", {f"{LIMITER}strategy": "head-and-tail", f"{LIMITER}head_share": 0.25}),
            HALVES,
            "strategy=head-and-tail",
        ),
        (Variant("plain", {"merge-consecutive.enabled": False}), {}, "merge-consecutive.enabled=false"),
        (Variant("plain", {"merge-consecutive.enabled": True}), {}, ""),
        (Variant("token-limiter.head_share=0.5", {f"{LIMITER}head_share": 0.5}), {}, ""),
        (Variant("o", {}, {"settings": {f"{LIMITER}marker": "…"}}), {}, "marker=…"),
        (Variant("odd", {"x.y": object}), {}, 'x.y="type"'),
    ],
)
def test_settings_that_are_not_the_defaults_are_said_once(variant: Variant, shared: dict[str, Any], said: str) -> None:
    assert settings_given(variant, shared) == said


def test_one_name_with_two_settings_is_told_apart_in_every_form() -> None:
    plain = ctxlab.Study(cases, ["sliding", "head-and-tail"], [60], scorers=["kept-tokens"], tokenizer="chars4+4")
    halves = ctxlab.Study(
        cases, ["sliding", "head-and-tail"], [60], scorers=["kept-tokens"], **ctxlab.RETENTION.study_options()
    )

    results = [study.run(progress=False) for study in (plain, halves)]

    said = [dict(zip(result.frame()["variant"], result.frame()["settings"], strict=True)) for result in results]
    assert said == [{"head-and-tail": "", "sliding": ""}, {"head-and-tail": "head_share=0.5", "sliding": ""}]
    assert ["<td style='text-align:left'>head_share=0.5</td>" in each._repr_html_() for each in results] == [
        False,
        True,
    ]
    table = results[1].table()
    assert list(table.frame()["settings"]) == ["", "head_share=0.5"]
    assert "| head-and-tail | head\\_share=0.5 |" in table.markdown()
    assert "settings" not in results[0].table().markdown().splitlines()[0]
    assert "Settings that aren't the defaults: head-and-tail: head_share=0.5." in table.notes
    assert {trace.name for trace in table.figure().data} == {"sliding", "head-and-tail (head_share=0.5)"}
    assert any("head-and-tail: head_share=0.5." in note.text for note in table.pareto().layout.annotations)
    assert any(note.text == "head-and-tail (head_share=0.5)" for note in table.figure().layout.annotations)


def test_a_case_s_own_settings_count_and_several_are_called_so() -> None:
    own = [
        ctxlab.Case(f"c{share}", "c", session(1), options={"settings": {f"{LIMITER}head_share": share}})
        for share in (0.3, 0.4)
    ]

    result = ctxlab.Study(own, ["head-and-tail"], [200], scorers=["kept-tokens"]).run(progress=False)

    assert list(result.frame()["settings"]) == ["head_share=0.3", "head_share=0.4"]
    assert list(result.table().frame()["settings"]) == [SEVERAL]
    assert (one_text([]), one_text(["a", "a"]), one_text(["a", ""])) == ("", "a", SEVERAL)
