"""The runs of a page: each change is one, undo and redo walk through them, and each says what it did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Trace
from ctxlab.errors import CtxlabError
from ctxlab_widgets import lab
from ctxlab_widgets.lab_page import LabPage
from ctxlab_widgets.run_history import RunHistory, Runs

DATASETS = Path(__file__).parents[2] / "datasets"


@pytest.fixture
def page() -> LabPage:
    return lab(ctxlab.example("harbour"), budget_tokens=1800)


def view(head: RunHistory) -> dict[str, Any]:
    return json.loads(head.view)


def chip(head: RunHistory, name: str) -> dict[str, Any]:
    return next(each for each in view(head)["runs"] if each["name"] == name)


def say(head: RunHistory, **message: Any) -> None:
    head._handle_custom_msg(message, [])


def test_the_first_run_is_named_after_its_budget_and_says_the_answer(page: LabPage) -> None:
    shown = view(page.head)

    assert [run.name for run in page.runs] == ["1,800"]
    assert chip(page.head, "1,800")["sub"] == "as opened"
    words = [part for part, _ in shown["summary"]["parts"]]
    sent = page.trace.result.drafts
    assert words[:2] == [f"{len(sent)} messages", f"{page.trace.tokens:,} of 1,800 tokens"]
    assert (shown["undo"], shown["redo"]) == (None, None)


def test_a_run_without_a_budget_is_called_as_opened() -> None:
    assert [run.name for run in lab(ctxlab.example("harbour")).runs] == ["as opened"]


def test_a_change_in_any_view_is_a_run_with_its_price(page: LabPage) -> None:
    before = page.trace.tokens

    page.steps.set_setting("worldbook-processor", "scan_depth", 3)
    page.tree.switch_to("a9")
    page.budget.set_budget(2100)

    assert [run.name for run in page.runs] == ["1,800", "scan depth 3", "branch a9", "2,100"]
    deeper = chip(page.head, "scan depth 3")
    assert deeper["effect"]["tokens"] == page.runs["scan depth 3"].trace.tokens - before
    assert [row["name"] for row in deeper["effect"]["came"]] == ["罗盘 · The compass"]


def test_undo_and_redo_lead_through_the_changes_of_all_views(page: LabPage) -> None:
    first = page.trace
    page.steps.set_setting("worldbook-processor", "scan_depth", 3)
    page.tree.switch_to("a9")
    last = page.trace

    assert page.undo().start.input.leaf_id == "u13"
    assert page.tree.session.leaf == "u13"
    assert page.undo() is first
    assert page.steps.trace is first
    with pytest.raises(CtxlabError, match="nothing to undo"):
        page.undo()
    page.redo()
    assert page.redo() is last
    assert page.tree.session.leaf == "a9"
    with pytest.raises(CtxlabError, match="nothing to redo"):
        page.redo()


def test_undo_of_any_view_is_that_of_the_page(page: LabPage) -> None:
    first = page.trace
    page.steps.set_setting("worldbook-processor", "scan_depth", 3)

    page.budget._handle_custom_msg({"command": "page_undo"}, [])
    assert page.trace is first
    page.tree._handle_custom_msg({"command": "page_redo"}, [])

    assert page.runs.current.name == "scan depth 3"


def test_a_change_after_going_back_forks(page: LabPage) -> None:
    page.steps.set_setting("worldbook-processor", "scan_depth", 3)
    say(page.head, command="go_to", name="1,800")
    page.budget.set_budget(2100)

    assert page.runs["2,100"].parent == "1,800"
    places = {run["name"]: (run["column"], run["row"]) for run in view(page.head)["runs"]}
    assert places == {"1,800": (0, 0), "scan depth 3": (1, 0), "2,100": (1, 1)}


def test_a_drag_is_one_run_and_what_follows_it_another(page: LabPage) -> None:
    page.budget.set_budget(2100)
    page.budget.set_budget(2050, continues=True)
    page.budget.set_budget(2000, continues=True)
    assert [run.name for run in page.runs] == ["1,800", "2,000"]

    page.budget.set_budget(1500)

    assert [run.name for run in page.runs] == ["1,800", "2,000", "1,500"]


def test_the_code_of_a_run_makes_it(page: LabPage) -> None:
    page.steps.set_setting("worldbook-processor", "scan_depth", 3)
    page.tree.switch_to("a9")
    names: dict[str, Any] = {"ctxlab": ctxlab, "page": page}

    exec(page.runs.python(page.runs["branch a9"]), names)

    assert list(names["run"].messages) == list(page.trace.messages)


def test_a_page_of_a_path_is_code_from_the_file_on() -> None:
    path = DATASETS / "harbour_roleplay.session.json"
    page = lab(str(path), budget_tokens=1500)
    page.budget.set_budget(1400)
    names: dict[str, Any] = {"ctxlab": ctxlab}

    code = page.runs.python(page.runs.current)
    assert "page" not in code
    exec(code, names)

    assert list(names["run"].messages) == list(page.trace.messages)


def test_the_sentence_opens_the_view_that_it_speaks_of(page: LabPage) -> None:
    for topic, opened in (("lore", "lore"), ("rules", "rules"), ("budget", "budget")):
        say(page.head, command="open_view", view=topic, key=f"topic:{topic}")
        assert opened in page.opened


def test_names_are_unique_and_found(page: LabPage) -> None:
    for budget in (2100, 1800, 2100):
        page.budget.set_budget(budget)

    names = [run.name for run in page.runs]
    assert len(set(names)) == len(names) == 4
    assert page.runs[-1] is page.runs.current
    with pytest.raises(CtxlabError, match="did you mean '2,100'"):
        page.runs["2.100"]
    assert "2,100" in page.runs._repr_html_()


def test_a_file_that_is_dropped_is_opened(page: LabPage) -> None:
    other = (DATASETS / "coding_chat.session.json").read_bytes()

    page.head._handle_custom_msg({"command": "open_file", "name": "../../chat.json"}, [memoryview(other)])

    assert page.head.error == ""
    assert page.session.id == ctxlab.load(DATASETS / "coding_chat.session.json").id
    page.undo()
    assert page.session.id != ctxlab.load(DATASETS / "coding_chat.session.json").id


def test_a_book_that_is_dropped_is_in_force(page: LabPage) -> None:
    plain = lab(DATASETS / "harbour_roleplay.session.json")
    book = (DATASETS / "harbour_lore.json").read_bytes()

    plain.head._handle_custom_msg({"command": "open_file", "name": "book.json"}, [memoryview(book)])

    assert len(plain.trace.start.input.books) == 1


@pytest.mark.parametrize("data", [b"", b"\x00\x01", b"{}", b"[]"])
def test_a_file_that_holds_nothing_is_refused_and_leaves_the_run(page: LabPage, data: bytes) -> None:
    before = page.trace

    page.head._handle_custom_msg({"command": "open_file", "name": "x.json"}, [memoryview(data)])

    assert page.head.error
    assert "/tmp" not in page.head.error
    assert page.trace is before


def test_a_report_of_the_current_run_is_given_to_the_page(page: LabPage, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[Any, Any]] = []
    monkeypatch.setattr(page.head, "send", lambda content, buffers=None: sent.append((content, buffers)))

    say(page.head, command="report")

    ((content, buffers),) = sent
    assert content == {"report": "雾港潮汐簿.html"}
    assert buffers[0].startswith(b"<!doctype html>")


# --- runs by themselves


def built(budget: int) -> Trace:
    return ctxlab.build([{"role": "user", "content": "one two three"}] * 5, budget_tokens=budget)


@given(st.lists(st.sampled_from(["change", "undo", "redo", "first"]), max_size=20))
@settings(max_examples=50, deadline=None)
def test_undo_takes_back_each_change_and_redo_makes_the_latest_again(steps: list[str]) -> None:
    runs, budget = Runs.begin(built(200)), 200
    for step in steps:
        before = runs.current
        match step:
            case "change":
                budget += 1
                runs.record(before.trace.rerun({"token-limiter.budget_tokens": budget}))
                assert runs.current.parent == before.name
                assert runs.undone is before
            case "undo" if runs.undone is not None:
                runs.undo()
                assert runs.current.name == before.parent
            case "redo" if runs.redone is not None:
                runs.redo()
                assert runs.current.parent == before.name
            case "first":
                runs.go_to(runs[0].name)
            case _:
                with pytest.raises(CtxlabError):
                    getattr(runs, step)()
        assert runs.current in list(runs)
    assert len({run.name for run in runs}) == len(runs)


def test_two_picked_runs_are_put_side_by_side_and_the_run_shown_stays(page: LabPage) -> None:
    page.steps.set_setting("worldbook-processor", "scan_depth", 3)
    page.budget.set_budget(2100)
    shown = page.trace
    page.head.picked = ["scan depth 3", "1,800"]

    say(page.head, command="compare")

    runs = [page.runs[name].trace for name in ("2,100", "1,800", "scan depth 3")]
    assert list(page.compare.traces.values()) == runs
    assert page.trace is shown


def test_a_step_that_fails_is_a_run_of_which_nothing_is_sent(page: LabPage) -> None:
    command = {"command": "set", "step": "token-limiter", "name": "budget_tokens", "value": 300}

    page.steps._handle_custom_msg(command, [])

    failed = chip(page.head, "300")
    assert failed["failed"] == "stops at token-limiter: nothing is sent"
    assert failed["effect"] is None
    assert view(page.head)["summary"]["parts"][0] == ["nothing is sent: the run stops at token-limiter", "failed"]
    page.undo()
    assert "cut" in [topic for _, topic in view(page.head)["summary"]["parts"]]


def test_chips_are_those_of_the_runs_however_often_one_is_replaced(page: LabPage) -> None:
    for budget in range(1801, 1860):
        page.budget.set_budget(budget, continues=True)
        shown = view(page.head)
        assert [each["name"] for each in shown["runs"]] == [run.name for run in page.runs]
        assert shown["current"] == page.runs.current.name
        assert chip(page.head, page.runs.current.name)["tokens"] == page.trace.tokens


def test_a_drag_does_not_take_the_place_of_another_change(page: LabPage) -> None:
    page.steps.set_setting("worldbook-processor", "scan_depth", 3)

    page.budget.set_budget(1500, continues=True)

    assert [run.name for run in page.runs] == ["1,800", "scan depth 3", "1,500"]


def test_a_run_has_no_name_that_a_comparison_takes_for_a_column(page: LabPage) -> None:
    page.trace = ctxlab.build(ctxlab.Session(id="words").append("", role="system").append("Hi"))

    assert ctxlab.compare(page.runs).traces


@pytest.mark.parametrize("key", ["runs:x", "runs:{}", "runs:[1]", "runs:[[]]", 'runs:["no such"]', "branches:x"])
def test_a_wrong_key_is_answered_with_a_sentence(page: LabPage, key: str) -> None:
    page.head._on_message(None, {"command": "open_view", "view": "compare", "key": key}, [])

    assert page.head.error


def test_a_long_name_of_a_file_is_no_trouble(page: LabPage) -> None:
    page.head._on_message(None, {"command": "open_file", "name": "a" * 400 + ".json"}, [memoryview(b"{}")])

    assert page.head.error


def test_what_the_head_holds_grows_with_the_number_of_runs_and_no_faster(page: LabPage) -> None:
    sizes: list[int] = []
    for n in range(40):
        page.budget.set_budget(1900 + n)
        sizes.append(len(page.head.view))

    assert sizes[39] - sizes[20] < 2 * (sizes[19] - sizes[0])
