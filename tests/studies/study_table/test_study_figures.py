"""Figures of a study: the frontier, hollow and filled points, intervals, what a click is told."""

from __future__ import annotations

from collections.abc import Callable

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.display.text_width import pixels_wide
from ctxlab.errors import WrongArgument
from ctxlab.studies.study_table.figure_parts import places_apart, spread_labels, ticks_between
from tests.studies.synthetic_study import study_frame
from tests.studies.test_figures import sound

TABLE = ctxlab.study_table(study_frame())
DRAWN: dict[str, Callable[[ctxlab.StudyTable], go.Figure]] = {
    "by budget": lambda table: table.figure(),
    "against tokens": lambda table: table.figure(against="tokens", theme="dark"),
    "pareto": lambda table: table.pareto(theme="dark"),
    "differences": lambda table: table.differences(),
}
POINTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12)


@given(POINTS)
def test_the_frontier_holds_just_the_points_that_none_beats(points: list[tuple[float, float]]) -> None:
    def beaten(cost: float, score: float) -> bool:
        return any(c <= cost and s >= score and (c, s) != (cost, score) for c, s in points)

    frontier = ctxlab.pareto_frontier(points)

    assert set(frontier) == {i for i, point in enumerate(points) if not beaten(*point)}
    assert [points[i] for i in frontier] == sorted(points[i] for i in frontier)


def test_a_point_that_is_no_number_is_on_no_frontier() -> None:
    assert ctxlab.pareto_frontier([(float("nan"), 1), (1, float("nan")), (2, 0)]) == (2,)


@pytest.mark.parametrize("drawing", DRAWN)
def test_names_of_people_are_no_markup_and_an_empty_table_is_drawn(drawing: str) -> None:
    figure = DRAWN[drawing](ctxlab.study_table(study_frame(words="<b>x\x00</b>")))

    for trace in figure.data:  # names as they are, for what a click leads to
        trace.customdata = None
    text = sound(figure)
    assert not any(tag in text for tag in ("<b>x", "\\u0000"))
    if drawing in ("by budget", "differences"):
        sound(DRAWN[drawing](ctxlab.study_table(study_frame()[:0])))


def test_the_frontier_is_filled_the_rest_is_hollow_and_the_oracle_is_on_neither() -> None:
    frame = study_frame(variants={"sliding": 0.3, "dear": 0.2, "good": 0.6, "oracle": 0.9})
    frame.loc[frame["variant"] == "dear", "tokens"] = 5_000

    figure = ctxlab.study_table(frame, budget=2048).pareto()

    points = {trace.name: [each[0] for each in trace.customdata] for trace in figure.data if trace.mode == "markers"}
    assert points == {"dominated": ["dear"], "frontier": ["sliding", "good"]}


def test_a_click_leads_to_variant_budget_and_a_case_at_which_it_scores_least() -> None:
    figure = TABLE.pareto(budget=512)

    frame = study_frame()
    for trace in figure.data:
        for variant, budget, case in trace.customdata or ():
            own = frame[(frame["variant"] == variant) & (frame["budget"] == budget)]
            assert own[own["case"] == case]["all_evidence"].min() == own["all_evidence"].min()


@pytest.mark.parametrize("drawing", ["by budget", "pareto"])
def test_every_name_stands_inside_the_plot_where_all_score_near_the_top(drawing: str) -> None:
    names = {f"variant {i}": 0.97 for i in range(30)}

    figure = DRAWN[drawing](ctxlab.study_table(study_frame(variants=names, conversations=3, budgets=[2048])))

    marks = [each for each in figure.layout.annotations if "variant" in each.text and each.xref != "paper"]
    low, high = figure.layout.yaxis.range
    assert len(marks) >= (30 if drawing == "by budget" else 1)
    assert all(low <= mark.y <= high for mark in marks)


def test_whiskers_end_where_the_intervals_do() -> None:
    figure = TABLE.figure()

    line = next(trace for trace in figure.data if trace.name == "lexical")
    rows = [row for row in TABLE.rows if row.variant == "lexical"]
    for y, up, down, row in zip(line.y, line.error_y.array, line.error_y.arrayminus, rows, strict=True):
        assert row.mean is not None and row.mean.interval is not None
        assert (y + up, y - down) == pytest.approx((100 * row.mean.interval.high, 100 * row.mean.interval.low))


def test_an_open_difference_is_hollow_and_named_open() -> None:
    figure = TABLE.differences(budget=512)

    colors = {trace.name: trace.marker.color for trace in figure.data}
    assert colors["open"] == figure.layout.paper_bgcolor != colors["better"]
    assert [name.partition(" <b>")[2] for name in figure.layout.yaxis.ticktext] == [
        "open</b>",
        "better</b>",
        "better</b>",
    ]


def test_too_few_conversations_are_said_below_the_figure() -> None:
    figure = ctxlab.study_table(study_frame(conversations=5)).pareto()

    assert any("TOO FEW CONVERSATIONS" in each.text for each in figure.layout.annotations)


def test_what_a_table_does_not_have_is_refused_by_name() -> None:
    with pytest.raises(WrongArgument, match="did you mean 'tokens'"):
        TABLE.pareto(cost="token")
    with pytest.raises(WrongArgument, match="no budget 3; there are: 512, 2,048"):
        TABLE.pareto(budget=3)
    with pytest.raises(WrongArgument, match="no means of 'price'"):
        TABLE.figure(against="price")


def test_labels_stand_apart() -> None:
    assert spread_labels([3, 1, 1], 2) == [5, 1, 3]
    assert places_apart([(0, 2, 1), (1, 3, 1), (9, 11, 1)], 1) == [1, 2, 1]
    assert spread_labels([99, 100, 98, 3], 4, 100) == [96, 100, 92, 3]
    assert places_apart([(0, 1, 99), (0, 1, 99), (0, 1, 99)], 4, 100) == [99, 95, 91]
    assert ticks_between([]) == []
    assert len(ticks_between([1, 10**12])) <= 14


def test_the_note_below_a_figure_is_whole_and_in_lines_that_have_a_place() -> None:
    table = ctxlab.study_table(study_frame(conversations=4))
    assert table.notes[0].startswith("TOO FEW CONVERSATIONS")

    for figure in (table.figure(), table.pareto(), table.differences()):
        (note,) = [each for each in figure.layout.annotations if each.xref == "paper" and each.y == 0]
        lines = note.text.split("<br>")
        assert " ".join(lines) == table.notes[0]
        assert max(map(len, lines)) <= 105
        assert figure.layout.margin.b >= 70 + 14 * len(lines)
        assert table.summary in figure.layout.title.text.replace("<br>", " ")


def test_the_oracle_is_a_bound_without_whiskers() -> None:
    by_name = {trace.name: trace for trace in TABLE.figure().data}

    assert by_name["oracle"].error_y.array is None
    assert by_name["lexical"].error_y.array is not None


def test_a_line_that_another_lies_on_stands_out_around_it() -> None:
    frame = study_frame(variants={"sliding": 0.2, "a": 0.5, "b": 0.5, "c": 0.9})
    twins = frame.assign(all_evidence=frame["all_evidence"].where(frame["variant"] != "b"))
    of_a = frame[frame["variant"] == "a"]["all_evidence"].tolist()
    twins.loc[twins["variant"] == "b", "all_evidence"] = of_a

    width = {trace.name: trace.line.width for trace in ctxlab.study_table(twins).figure().data}

    assert width["a"] > width["b"] == width["c"] == width["sliding"]


@pytest.mark.parametrize("width", [240, 340, 700])
def test_in_a_column_the_plot_has_the_width_and_the_caption_has_the_words(width: int) -> None:
    figure = TABLE.figure(width=width)

    layout = figure.layout
    assert layout.width == width
    assert layout.margin.l + layout.margin.r < 0.25 * width
    assert (len(layout.annotations), layout.title.text) == (0, None)
    assert {trace.name for trace in figure.data} == {row.variant for row in TABLE.rows}
    longest = max(pixels_wide(trace.name, 9) for trace in figure.data) + 44
    lines = -(-len(figure.data) // max(1, int(width // longest)))
    assert layout.margin.b >= 16 * lines + 30  # the legend's lines and the axis
    assert layout.height - layout.margin.b - layout.margin.t > 0.5 * width
    assert TABLE.summary in TABLE.caption
    assert all(note in TABLE.caption for note in TABLE.notes)


def test_a_column_of_no_width_is_refused_and_a_survey_has_one_too() -> None:
    with pytest.raises(WrongArgument, match="width takes pixels from 200 on, got 20"):
        TABLE.figure(width=20)
    session = ctxlab.Session(id="s").append("Hello there")
    found = ctxlab.survey(session, strategies=["sliding"], budgets=[None, 50], progress=False)
    assert found.figure(width=340).layout.width == 340
