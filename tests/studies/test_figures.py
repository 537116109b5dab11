"""The pictures: they hold what they say, in both themes, and stay small."""

from __future__ import annotations

import json
from typing import Any

import plotly.graph_objects as go
import pytest

from ctxlab.api import build
from ctxlab.display.one_line import plain
from ctxlab.display.theme import DARK, LIGHT, Theme
from ctxlab.documents import Agent, LoreEntry, ModelProfile, Session, Worldbook
from ctxlab.engines.truncation import BudgetReport
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Services, Trace
from ctxlab.studies import budget_figure, compare, injection_figure, landings
from ctxlab.studies.budget_figure import segments_of
from ctxlab.testing.fakes import WordTokenizer
from tests.studies.conftest import Built, Runs

DRAWN = {"budget": budget_figure, "injections": injection_figure}
TALK = Session(id="talk").append("", role="system", id="root").append("hello", id="u1").append("hi", role="assistant")


def sound(figure: go.Figure) -> str:
    """The figure as JSON, held to what every figure promises."""
    text = figure.to_json()
    assert text is not None
    assert len(text) < 100_000
    assert "NaN" not in text
    return json.dumps(json.loads(text, parse_constant=_refuse), ensure_ascii=False)  # plotly writes `<` as an escape


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize("drawing", DRAWN)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("budget", [None, 1000])
def test_every_trace_can_be_drawn(name: str, drawing: str, theme: Any, budget: int | None, built: Built) -> None:
    figure = DRAWN[drawing](built(name, budget_tokens=budget), theme=theme)

    sound(figure)
    assert figure.layout.paper_bgcolor == {"light": LIGHT, "dark": DARK}[theme].surface


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_comparisons_can_be_drawn(name: str, theme: Any, runs: Runs) -> None:
    figure = compare(runs(name)).figure(theme)

    sound(figure)
    assert [len(row) for row in figure.data[0].z] == [len(compare(runs(name)).lines)] * 3


@pytest.mark.parametrize("drawing", DRAWN)
def test_nothing_can_be_drawn_too(drawing: str) -> None:
    sound(DRAWN[drawing](build(Session(id="empty"))))
    sound(compare({}).figure())


@pytest.mark.parametrize("drawing", DRAWN)
def test_words_of_people_are_no_markup(drawing: str) -> None:
    agent = Agent.model_validate(
        {"id": "a", "presetMessages": [{"id": "p", "role": "system", "name": "<b>bold \ud800", "content": "<i>"}]}
    )

    text = sound(DRAWN[drawing](build(TALK.append("<script>\x00", id="<u>"), agent)))

    assert not any(tag in text for tag in ("<b>bold", "<i>", "<script>", "<u>"))


def test_another_theme_is_refused_by_name() -> None:
    with pytest.raises(CtxlabError, match="did you mean 'dark'"):
        budget_figure(build(TALK), theme="drak")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_ink_reads_on_every_surface_and_tint(theme: Theme) -> None:
    grounds = (theme.surface, theme.side, theme.line, theme.warn_tint, theme.gone_tint, theme.add_tint, theme.ok_tint)

    assert all(contrast(theme.ink, ground) >= 4.5 for ground in (*grounds, theme.move_tint))
    assert all(contrast(theme.ink_3, ground) >= 4.5 for ground in grounds[:2])
    assert all(contrast(color, theme.surface) >= 3 for color in (*theme.sources.values(), *theme.roles.values()))


def contrast(a: str, b: str) -> float:
    """WCAG 2's ratio of two colours."""
    low, high = sorted(map(_luminance, (a, b)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# --- the budget


def test_the_segments_of_the_window_add_up(name: str, built: Built) -> None:
    model = ModelProfile(id="gpt-4o", context_window=2200, max_output_tokens=600)
    trace = built(name, model=model)
    report = trace.result.report(BudgetReport)

    segments = {segment.look: segment for segment in segments_of(trace)}

    inside = [segment for look, segment in segments.items() if look != "cut"]
    assert sum(segment.tokens for segment in inside) == report.budget_tokens + report.reserve_tokens
    assert segments["cut"].start == report.budget_tokens + report.reserve_tokens


def test_what_did_not_fit_is_what_the_limiter_took(built: Built) -> None:
    trace = built("coding_chat", budget_tokens=1500)
    step = trace.step("token-limiter")

    outside = segments_of(trace)[-1]

    assert (outside.look, outside.tokens) == ("cut", trace.tokens_of(step.before) - trace.tokens_of(step.after))
    assert "messages cut" in outside.parts


def test_sources_stand_in_the_order_of_the_design(built: Built) -> None:
    order = [segment.look for segment in segments_of(built(budget_tokens=1500))]

    assert order == ["preset", "profile", "overhead", "summary", "history", "free", "cut"]


# --- injections

NOTES = Agent.model_validate(
    {
        "id": "a",
        "presetMessages": [
            {"id": "p0", "role": "system", "name": "Archivist", "content": "one"},
            {"id": "h", "type": "chat_history"},
            {"id": "p2", "role": "system", "name": "Tone", "content": "two", "injectionStrategy": {"depth": 1}},
            {"id": "p3", "role": "system", "name": "Far", "content": "three", "injectionStrategy": {"depth": 12}},
            {
                "id": "p4",
                "role": "system",
                "name": "Scene",
                "content": "4",
                "injectionStrategy": {"anchorTarget": "no"},
            },
            {"id": "p5", "role": "system", "name": "Off", "content": "five", "isEnabled": False},
        ],
    }
)


def injected() -> Trace:
    return build(TALK, NOTES, services=Services(tokenizer=WordTokenizer()))


def test_injections_say_where_they_landed_and_whether_they_asked_for_it() -> None:
    found = {each.name: each for each in landings(injected()).injections}

    assert {name: each.outcome for name, each in found.items()} == {
        "Archivist": "landed",
        "Tone": "landed",
        "Far": "elsewhere",
        "Scene": "warned",
        "Off": "not sent",
    }
    assert [landing.below for landing in found["Tone"].landings] == [1]
    assert found["Far"].sentence == "asked depth 12, landed at 2: the history has 2 messages"
    assert found["Scene"].sentence.startswith("anchor 'no' is not known")
    assert found["Off"].sentence == "the preset is switched off"


BELL = Agent.model_validate(
    {
        "presetMessages": [
            {"id": "p0", "role": "system", "content": "Listen: {{outlet::bell}}"},
            {"id": "p1", "role": "system", "content": "Again: {{outlet::bell}}", "injectionStrategy": {"depth": 1}},
        ]
    }
)


def rung(**fields: Any) -> Trace:
    """A bell and a gong, for the outlet that two presets show, or for wherever the fields say."""
    bell = LoreEntry(
        uid=1, comment="Bell", constant=True, order=1, position=7, outlet_name="bell", content="it {{random::rings}}."
    )
    gong = LoreEntry(
        uid=2, comment="Gong", constant=True, content="It booms.", **{"position": 7, "outlet_name": "bell", **fields}
    )
    book = Worldbook(id="isle", entries={"1": bell, "2": gong})
    return build(TALK, BELL, books=[book], services=Services(tokenizer=WordTokenizer()))


def test_lore_in_an_outlet_is_wired_to_every_message_that_shows_it() -> None:
    found = {each.name: each for each in landings(rung()).injections}

    bell = found["Bell"]
    assert (bell.look, bell.requested, bell.outcome) == ("lore", "in its outlet", "landed")
    assert [str(landing.draft.text) for landing in bell.landings] == [
        "Listen: it rings.\nIt booms.",
        "Again: it rings.\nIt booms.",
    ]
    assert found["Gong"].landings == bell.landings
    wires = [shape for shape in injection_figure(rung()).layout.shapes if shape.type == "path"]
    assert len(wires) == 2 + 2 + 2


def test_lore_that_is_a_message_or_that_nobody_shows_is_in_no_outlet() -> None:
    def fates(**fields: Any) -> list[tuple[str, str]]:
        return [(each.requested, each.outcome) for each in landings(rung(**fields)).injections][2:]

    assert ("in its outlet", "landed") in fates()
    assert fates(position=4, depth=0) == [("depth 0", "landed"), ("in its outlet", "landed")]
    assert fates(outlet_name="horn") == [("in its outlet", "landed"), ("", "not sent")]


def test_one_preset_at_several_depths_is_one_injection(built: Built) -> None:
    bell = next(each for each in landings(built()).injections if each.name == "Harbour bell")

    assert bell.requested == "depths 16, 12, 8, 4"
    assert [landing.below for landing in bell.landings] == [16, 12, 8, 4]


def test_lost_ones_are_amber_and_what_is_not_sent_has_no_wire() -> None:
    figure = injection_figure(injected())

    wires = [shape for shape in figure.layout.shapes if shape.type == "path"]
    assert [wire.line.color for wire in wires].count(LIGHT.warn) == 1
    assert len(wires) == 4


def test_a_long_history_is_folded_around_the_injections() -> None:
    talk = TALK
    for i in range(40):
        talk = talk.append(f"message {i}", role="assistant" if i % 2 else "user")

    text = sound(injection_figure(build(talk, NOTES)))

    assert "messages, " in text
    assert "message 3" not in text.replace("message 39", "")


# --- words in figures


@pytest.mark.parametrize(
    ("text", "cells", "expected"),
    [
        ("short", 10, "short"),
        ("a  b\n\tc", 10, "a b c"),
        ("a longer line", 8, "a longe…"),
        ("沈砚在港务处", 8, "沈砚在…"),
        ("\ud800\x00", 8, "��"),
        ("", 8, ""),
    ],
)
def test_words_are_cut_to_their_width(text: str, cells: int, expected: str) -> None:
    assert plain(text, cells) == expected
