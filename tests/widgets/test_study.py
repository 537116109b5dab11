"""The Python half of a study: claims that hold, commands that are checked, cases whose runs are shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ctxlab
import ctxlab_widgets
from ctxlab.errors import CtxlabError, ReadError, WrongArgument
from ctxlab.studies.study.cell_folder import CellFolder
from ctxlab_widgets import Study
from tests.gallery.studies import made_up_result, result
from tests.studies.synthetic_study import study_frame

BEST, NEXT = "summary and relevant", "relevant and recent"


def held(widget: Study) -> dict[str, Any]:
    return json.loads(widget.view)


def pair(widget: Study) -> dict[str, Any]:
    return json.loads(widget.pair)


def asked(widget: Study, **command: Any) -> Study:
    widget._handle_custom_msg(command, [])
    return widget


def of_skills(*skills: float, conversations: int = 10, seed: int = 1) -> Study:
    variants = {"sliding": 0.2} | {f"v{i}": skill for i, skill in enumerate(skills)}
    frame = study_frame(variants=variants, budgets=(2048,), conversations=conversations, seed=seed)
    return Study(frame, baseline="sliding")


@pytest.fixture(scope="module")
def kept() -> Study:
    """One that no test changes."""
    return Study(result())


def test_the_numbers_are_those_of_the_study_table() -> None:
    widget = Study(result())
    table = result().table("all_evidence", budget=2048, baseline="sliding", also=["input_usd"])

    rows = {row["variant"]: row for row in held(widget)["rows"]}

    assert [row.variant for row in table.rows] == list(rows)
    for row in table.rows:
        assert row.mean is not None
        assert row.mean.interval is not None
        shown = rows[row.variant]
        assert shown["mean"] == [100 * each for each in (row.mean.mean, row.mean.interval.low, row.mean.interval.high)]
        assert shown["verdict"] == row.verdict
        assert shown["cost"] == pytest.approx(1000 * (row.also["input_usd"] or 0))
        if row.difference is not None:
            assert shown["difference"]["text"] == row.difference.amount(row.difference.mean)


def test_the_first_sentence_counts_only_what_is_told_apart() -> None:
    sentence = held(Study(result()))["sentence"]

    assert sentence == (
        "5 of 8 variants are better than sliding by +57.0 to +75.8 points, 3 are open; "
        "which of the best two is better, summary and relevant or relevant and recent, stays open."
    )


def test_a_best_variant_is_named_only_where_all_pairs_leave_it_so() -> None:
    widget = of_skills(0.5, 0.95)

    assert held(widget)["sentence"].endswith(
        "v1 is better than v0, the next best, also after correction for all 3 pairs."
    )
    assert widget.table.rows[1].verdict == "better"


def test_alike_variants_are_not_told_apart() -> None:
    widget = of_skills(0.2, 0.2)

    sentence = held(widget)["sentence"]

    assert sentence == "All 2 variants score as sliding does in every cell."
    assert {row["verdict"] for row in held(widget)["rows"]} == {"baseline", "equal"}
    widget.picked = ["v0", "v1"]
    assert pair(widget)["claim"].startswith("They are equal on every one of")


def test_nearly_alike_variants_are_open() -> None:
    widget = of_skills(0.2, 0.201)

    sentence = held(widget)["sentence"]

    assert "open" in sentence and "better than" not in sentence


def test_too_few_conversations_are_said_aloud_and_nothing_is_claimed() -> None:
    widget = of_skills(0.9, 0.95, conversations=4)
    widget.picked = ["v0", "v1"]

    view = held(widget)

    assert view["sentence"] == "Too few conversations to tell any variant from sliding: nothing is claimed."
    assert view["loud"][0].startswith("TOO FEW CONVERSATIONS: With 4 conversations")
    assert (pair(widget)["kind"], pair(widget)["more"]) == ("few", "")
    assert {row["verdict"] for row in view["rows"]} == {"baseline", "open"}


def test_one_variant_has_no_difference_and_says_so() -> None:
    widget = Study(study_frame(variants={"sliding": 0.3}, budgets=(2048,)))

    view = held(widget)

    assert not view["compared"]
    assert view["sentence"].startswith("sliding: all evidence ")
    assert view["sentence"].endswith("there is no other variant to compare it with.")


def test_above_forty_variants_only_the_frontier_and_the_baseline_are_named_in_the_plot() -> None:
    frame = study_frame(variants={f"v{i}": 0.2 + i / 100 for i in range(42)}, budgets=(512,), conversations=3, cases=4)

    rows = held(Study(frame))["rows"]

    assert {row["variant"] for row in rows if row["labelled"]} == {
        row["variant"] for row in rows if row["frontier"] or row["baseline"]
    }
    assert len([row for row in rows if row["labelled"]]) < 42


@pytest.mark.parametrize("seed", range(6))
def test_none_of_the_frontier_is_beaten_and_each_other_one_is(seed: int) -> None:
    frame = study_frame(variants={f"v{i}": 0.1 + i / 10 for i in range(9)}, conversations=3, cases=6, seed=seed)
    rows = held(Study(frame))["rows"]

    def is_beaten(row: dict[str, Any]) -> bool:
        others = (o for o in rows if (o["cost"], o["mean"][0]) != (row["cost"], row["mean"][0]))
        return any(o["cost"] <= row["cost"] and o["mean"][0] >= row["mean"][0] for o in others)

    assert [row["frontier"] for row in rows] == [not is_beaten(row) for row in rows]


def test_an_oracle_is_on_no_frontier_and_compared_with_none() -> None:
    rows = {row["variant"]: row for row in held(Study(study_frame()))["rows"]}

    assert rows["oracle"]["oracle"]
    assert not rows["oracle"]["frontier"]
    assert rows["oracle"]["difference"] is None


def test_two_picked_variants_are_told_apart_or_not() -> None:
    widget = asked(asked(Study(result()), command="pick", variant=BEST), command="pick", variant=NEXT)
    found = pair(widget)

    assert found["told"] == "+6.1 points, 95% interval −0.7 to +12.8, paired over 165 cases of 10 conversations."
    assert found["claim"] == "The interval holds 0: the difference is open, and no order is claimed."
    assert "about 22 conversations" in found["more"]
    assert found["cases"] == 24


def test_a_pair_that_only_its_own_p_tells_apart_stays_open() -> None:
    widget = Study(result())
    widget.picked = [BEST, "block"]
    found = widget._shown().difference(*widget.picked)

    assert found.p < 0.05 < found.p_holm
    assert pair(widget)["kind"] == "open"
    assert pair(widget)["claim"].startswith(
        "p is 0.002 for this pair alone, and 0.070 after correction for all 36 pairs"
    )
    assert pair(widget)["claim"].endswith("With one of the two as the baseline fewer comparisons count.")
    widget.baseline = "block"
    assert pair(widget)["kind"] == "told"
    assert pair(widget)["claim"] == (
        "summary and relevant is better: p 0.016 after Holm for the 8 comparisons with the baseline."
    )


def test_of_three_picked_the_first_one_goes_and_a_second_pick_takes_back() -> None:
    widget = Study(result())
    for variant in (BEST, NEXT, "block"):
        widget.pick(variant)
    assert widget.picked == [NEXT, "block"]

    widget.pick("block")

    assert widget.picked == [NEXT]


def test_cases_that_differ_are_all_that_differ() -> None:
    widget = Study(result())
    widget.picked = [BEST, NEXT]
    asked(widget, command="cases")
    frame = result().frame().query("budget == 2048").set_index(["case", "variant"])["all_evidence"].unstack()

    rows = json.loads(widget.cases)["rows"]

    assert {row["case"] for row in rows} == set(frame.index[frame[BEST] != frame[NEXT]])
    assert rows[0]["kind"] in ("single hop", "multi hop", "when")
    asked(widget, command="cases")
    assert widget.cases == ""


def test_a_case_is_built_again_and_shown_below() -> None:
    widget = Study(result())
    page = widget.page
    run = widget.open_case("talk 3, q2", "sliding")

    assert widget.trace is run
    assert (widget.selected_case, widget.selected_variant) == ("talk 3, q2", "sliding")
    assert "What is lever 7 for?" in str(run.result.drafts[-1].text)
    assert page.steps is not None
    assert page.steps.trace is run
    assert widget.opened == "talk 3, q2 under sliding is below."
    assert page.children[1].children == (page.steps,)


def test_both_runs_of_a_case_are_opened_side_by_side() -> None:
    widget = Study(result())
    page = widget.page
    widget.picked = [BEST, "block"]

    asked(widget, command="compare")

    assert widget.error == ""
    assert page.comparison is not None
    assert list(page.comparison.traces) == [BEST, "block"]
    assert widget.selected_case == json.loads(asked(widget, command="cases").cases)["rows"][0]["case"]


def test_alone_it_says_where_the_run_is() -> None:
    widget = Study(result())

    widget.open_case("talk 1, q1", "block")

    assert widget.opened == "talk 1, q1 under block is in Python: StepDebugger(widget.trace) shows it."
    assert ctxlab_widgets.StepDebugger(widget.trace).view


def test_a_frame_is_shown_and_says_why_its_cases_cannot_be_opened() -> None:
    widget = asked(Study(study_frame()), command="open", case="q1", variant="sliding", seed=0)

    assert widget.error == (
        "these cells can't be built again: pass the result of ctxlab.Study(...).run(), which knows the cases"
    )
    assert not widget.can_build


def test_a_folder_is_shown_as_its_result(tmp_path: Path) -> None:
    kept = made_up_result(conversations=3, cases=2)
    with CellFolder(tmp_path / "study") as folder:
        folder.add(kept.cell_table.rows())
        folder.finish([row["cell_key"] for row in kept.cell_table.rows()], kept.cell_table.facts)

    of_folder, of_result = held(Study(tmp_path / "study", baseline="block")), held(Study(kept, baseline="block"))

    numbers = [
        {row["variant"]: (row["mean"], row["verdict"]) for row in view["rows"]} for view in (of_folder, of_result)
    ]
    assert numbers[0] == numbers[1]
    assert held(Study(str(tmp_path / "study")))["score"]["title"] == "all evidence"


@pytest.mark.parametrize("name", ["nothing", "broken.parquet"])
def test_a_folder_without_cells_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 no")

    with pytest.raises(ReadError, match="cells"):
        Study(tmp_path / name)


def test_what_has_no_cells_is_refused_in_a_sentence() -> None:
    with pytest.raises(WrongArgument, match="the frame has no column 'case'"):
        Study(pd.DataFrame({"a": [1]}))
    with pytest.raises(CtxlabError, match="no score 'evidnce'"):
        Study(result(), score="evidnce")
    with pytest.raises(CtxlabError, match="no budget 7; there are: 1,024, 2,048"):
        Study(result(), budget=7)
    with pytest.raises(CtxlabError, match="no cost 'all_evidence'"):
        Study(result(), cost="all_evidence")


def test_without_a_study_it_is_empty() -> None:
    for widget in (Study(), Study(study_frame().head(0))):
        assert widget.view == ""
        with pytest.raises(CtxlabError, match=r"Study\(\.\.\.\)\.run\(\)|scorers="):
            _ = widget.table


@pytest.mark.parametrize(
    "wrong",
    [
        "budget",
        None,
        {"command": "explode"},
        {"command": "budget", "value": True},
        {"command": "budget", "value": 3},
        {"command": "budget", "value": "2048"},
        {"command": "score", "value": "kind"},
        {"command": "baseline", "value": "<b>"},
        {"command": "cost", "value": 1},
        {"command": "pick", "variant": "none"},
        {"command": "pick", "variant": ["sliding"]},
        {"command": "open", "case": "no case", "variant": "sliding", "seed": 0},
        {"command": "open", "case": "talk 1, q1", "variant": "no", "seed": 0},
        {"command": "open", "case": "talk 1, q1", "variant": "sliding", "seed": 9},
        {"command": "compare"},
        {"command": "compare_case", "case": "talk 1, q1", "seed": None},
    ],
)
def test_what_is_no_command_is_refused_and_changes_nothing(wrong: object, kept: Study) -> None:
    widget = kept
    before = (widget.view, widget.budget, widget.score, widget.baseline, widget.cost, widget.picked, widget.trace)

    widget._handle_custom_msg(wrong, [])

    assert widget.error
    assert (
        widget.view,
        widget.budget,
        widget.score,
        widget.baseline,
        widget.cost,
        widget.picked,
        widget.trace,
    ) == before


def test_another_budget_score_and_baseline_are_other_numbers() -> None:
    widget = Study(result())
    first = held(widget)

    asked(asked(widget, command="budget", value=1024), command="baseline", value="block")
    asked(asked(widget, command="score", value="share_of_evidence"), command="cost", value="tokens")
    second = held(widget)

    assert widget.error == ""
    assert dict(second["rests_on"])["budget"] == "1,024"
    assert second["rows"][0]["variant"] == second["baseline"] == "block"
    assert second["score"]["title"] == "share of evidence"
    assert second["cost"]["title"] == "tokens of the prompt"
    assert first["rows"] != second["rows"]


def test_a_kind_of_case_has_a_table_of_its_own() -> None:
    widget = Study(result())
    kinds = [value for value, _ in json.loads(widget.choices)["kinds"]]
    assert kinds[0] == "" and len(kinds) > 2

    asked(widget, command="kind", value=kinds[1])

    frame = result().frame()
    own = frame[(frame["kind"] == kinds[1]) & (frame["budget"] == widget.budget)]
    assert widget.error == ""
    assert dict(held(widget)["rests_on"])["kind of case"] == kinds[1]
    for row in widget.table.rows:
        assert row.mean is not None
        assert row.mean.mean == pytest.approx(own[own["variant"] == row.variant][widget.score].mean())
    assert "no kind 'of nobody'" in asked(widget, command="kind", value="of nobody").error
    assert "kind of case" not in dict(held(asked(widget, command="kind", value=""))["rests_on"])


def test_of_cases_of_one_kind_none_is_offered() -> None:
    assert json.loads(Study(study_frame().assign(kind="single")).choices)["kinds"] == []


def test_a_report_of_a_study_has_tables_notes_and_errors_and_fetches_nothing(tmp_path: Path) -> None:
    session = ctxlab.Session(id="s").append("<b>one</b> " * 9, id="m1").append("two", id="m2")
    cases = [ctxlab.Case(f"q{n}", "talk <i>", session, question="what?", evidence=("m1",)) for n in range(3)]
    study = ctxlab.Study(cases, ["sliding", "middle-out"], [3, 90], scorers=["evidence"], tokenizer="chars4+4")

    page = ctxlab_widgets.report(study.run(progress=False), tmp_path / "study.html").read_text()

    start = page.index("<h2>")
    assert "tokens counted with chars4+4" in page and "TOO FEW CONVERSATIONS" in page
    assert "<h2>Errors</h2>" in page and "6" in page[page.index("<h2>Errors</h2>") :]
    assert "<script" not in page[start:] and "src=" not in page[start:]
    assert page.count("Plotly.newPlot") >= 2


def test_the_copied_table_is_the_markdown_of_the_study_table(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    widget = Study(result())
    monkeypatch.setattr(widget, "send", sent.append)

    asked(widget, command="copy")

    (message,) = sent
    lines = message["copied"].splitlines()
    assert lines[0].startswith("| variant | budget | all\\_evidence, % |")
    assert "mean tokens | mean prefix\\_share | mean input\\_usd" in lines[0]
    assert len([line for line in lines if line.startswith("| ")]) == 2 + len(result().variants)


def test_a_case_that_raises_whatever_it_likes_is_a_sentence() -> None:
    made = made_up_result(conversations=2, cases=1)
    case = made.source[0]  # pyright: ignore[reportIndexIssue]
    object.__setattr__(case, "options", {"budget_of": object()})

    widget = asked(Study(made), command="open", case=case.id, variant="block", seed=0)

    assert f"{case.id} can't be built: TypeError" in widget.error or "budget_of" in widget.error


def test_a_result_is_shown_as_its_widget_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab_widgets.views._in_a_notebook", lambda: True)

    bundle = result()._repr_mimebundle_()

    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "application/vnd.jupyter.widget-view+json" in data


def test_what_it_rests_on_names_cases_conversations_and_what_was_left_out() -> None:
    facts = dict(held(Study(result()))["rests_on"])

    assert facts["cases"] == "165"
    assert facts["conversations (clusters)"] == "10"
    assert facts["left out"] == "446 questions without an answer"
    assert facts["corrected"] == "Holm, 8 comparisons"
    assert facts["tokenizer"] == "o200k_base"
    assert facts["interval"] == "95%, Korn and Graubard's, over conversations"


def test_closing_it_closes_its_page() -> None:
    widget = Study(result())
    page = widget.page
    widget.open_case("talk 1, q1", "block")

    widget.close()

    assert page.comm is None
    assert page.steps is not None
    assert page.steps.comm is None


def test_ctxlab_is_not_asked_for_widgets_when_a_result_is_made() -> None:
    assert isinstance(ctxlab.StudyResult.__module__, str)
    assert result()._repr_mimebundle_() is None
