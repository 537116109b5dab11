"""The Python half of the widgets: commands are checked, reports are whole and small, ctxlab finds its views."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ctxlab
import ctxlab_widgets
from ctxlab.display import theme
from ctxlab.display.views import view_for
from ctxlab.testing.generator import generated_session
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets.step_debugger import StepDebugger

WIDGETS = Path(ctxlab_widgets.__file__).parent


def chat(n: int = 3, words: str = "some words") -> ctxlab.Session:
    roles = ("user", "assistant")
    return ctxlab.read_data([{"role": roles[i % 2], "content": f"{words} {i}"} for i in range(n)]).pick()


def asked(widget: StepDebugger, **command: Any) -> StepDebugger:
    widget._handle_custom_msg(command, [])
    return widget


def test_a_widget_of_a_debugger_drives_that_debugger() -> None:
    debugger = ctxlab.debug(chat())
    widget = asked(StepDebugger(debugger), command="step")

    assert (debugger.position, widget.position) == (1, 1)
    assert json.loads(widget.view) == debugger.trace.view()


def test_a_widget_of_a_trace_stands_at_its_end_and_leaves_it_alone() -> None:
    trace = ctxlab.build(chat())
    widget = asked(StepDebugger(trace), command="switch", step="merge-system", on=False)

    assert widget.position == len(trace.steps) - 1
    assert "merge-system" in [step.id for step in trace.steps]
    assert widget.rerun == ["merge-consecutive", "request-gate", "asset-resolver"]


def test_going_back_moves_the_position_and_sends_no_view() -> None:
    widget = StepDebugger(ctxlab.build(chat()))
    sent: list[Any] = []
    widget.observe(sent.append, "view")

    asked(widget, command="back")
    asked(widget, command="step")

    assert sent == []


def test_a_run_stops_at_breakpoints_and_goes_on_from_them() -> None:
    widget = StepDebugger(ctxlab.debug(chat()))
    asked(widget, command="breakpoint", step="token-limiter", on=True)
    last = len(widget.debugger.pipeline.running())

    asked(widget, command="run_to", position=last)
    assert widget.debugger.next_id == "token-limiter"
    asked(widget, command="run_to", position=last)
    assert widget.debugger.done


@pytest.mark.parametrize(
    "wrong",
    [
        "step",
        None,
        {"command": "explode"},
        {"command": "run_to", "position": "3"},
        {"command": "run_to", "position": True},
        {"command": "run_to", "position": -1},
        {"command": "run_to", "position": 10**9},
        {"command": "switch", "step": "no-such-step", "on": True},
        {"command": "breakpoint", "step": ["token-limiter"], "on": True},
        {"command": "back"},
    ],
)
def test_what_is_no_command_is_refused_in_a_sentence(wrong: object) -> None:
    widget = StepDebugger(ctxlab.debug(chat()))
    before = (widget.position, widget.view)

    widget._handle_custom_msg(wrong, [])

    assert widget.error
    assert (widget.position, widget.view) == before


def test_a_refusal_is_forgotten_with_the_next_command() -> None:
    widget = asked(StepDebugger(ctxlab.debug(chat())), command="back")

    assert asked(widget, command="step").error == ""


def test_half_a_surrogate_pair_reaches_the_page() -> None:
    text = as_json({"text": "\ud83d 灯"})

    assert text.encode() == '{"text":"\\ud83d 灯"}'.encode()
    assert json.loads(text) == {"text": "\ud83d 灯"}


def test_a_report_of_a_thousand_messages_is_small(tmp_path: Path) -> None:
    session = ctxlab.read_data(generated_session(1000)).pick()
    trace = ctxlab.build(session, budget_tokens=10**6)

    path = ctxlab_widgets.report(trace, tmp_path / "page.html")

    assert len(trace.result.drafts) > 990
    assert path.stat().st_size < 2_500_000


def test_a_report_holds_no_text_that_ends_its_element(tmp_path: Path) -> None:
    trace = ctxlab.build(chat(words="</script><!-- <script>"))

    html = ctxlab_widgets.report(trace, tmp_path / "page.html").read_text(encoding="utf-8")

    views = re.findall('role="tab" id="ctxlab-tab-([a-z]+)"', html)
    assert views[:2] == ["sent", "steps"]
    assert html.count("<script") == html.count("</script>") == 2 * len(views) + 1
    held = re.search(r'id="ctxlab-state-steps">(.*?)</script>', html, re.DOTALL)
    assert held is not None
    assert json.loads(json.loads(held[1])["view"]) == trace.view()


def test_a_report_names_no_address(tmp_path: Path) -> None:
    html = ctxlab_widgets.report(ctxlab.build(chat()), tmp_path / "page.html").read_text(encoding="utf-8")

    assert set(re.findall(r"https?://[^\s\"'\\]+", html)) <= {"http://www.w3.org/2000/svg"}


def test_a_report_of_a_view_is_that_view_as_it_stands_and_the_view_goes_on(tmp_path: Path) -> None:
    widget = ctxlab_widgets.SentView(ctxlab.build(chat()))

    html = ctxlab_widgets.report(widget, tmp_path / "page.html").read_text(encoding="utf-8")

    held = json.loads(re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL)[-1])
    assert "<title>SentView</title>" in html
    assert (held["state"]["live"], held["state"]["view"]) == (False, widget.view)
    assert widget.live and widget.comm is not None


def test_a_saved_notebook_keeps_a_sentence_and_a_table_of_a_view() -> None:
    trace = ctxlab.build(chat(words="<b>bold</b>"))

    for widget, words in (
        (ctxlab_widgets.SentView(trace), "SentView works where Python runs."),
        (ctxlab_widgets.lab(trace), "The page works where Python runs."),
    ):
        html = widget._repr_html_()
        assert words in html and "<table>" in html and "<b>bold" not in html
    assert "<table>" not in ctxlab_widgets.TokenView("灯塔")._repr_html_()


def test_a_saved_notebook_has_the_branches_of_a_tree_and_the_rows_or_hits_of_a_workspace(tmp_path: Path) -> None:
    session = ctxlab.Session(id="s").append("灯塔?", id="u").append("A lamp", id="a")
    tree = ctxlab_widgets.BranchTree(session.append("A tower", id="b", role="assistant", parent="u"))
    with ctxlab.open_workspace(tmp_path / "kept") as workspace:
        workspace.save(session.with_(name="Lights"))
        view = ctxlab_widgets.WorkspaceView(workspace)
        listed = view._repr_html_()
        view.search("灯塔")
        found = view._repr_html_()

    html = tree._repr_html_()
    assert "BranchTree works where Python runs." in html and html.count("<tr>") == 3 and ">b<" in html
    assert "Lights" in listed and "first hit" not in listed and ">灯塔?<" in found


def test_ctxlab_finds_its_views_and_imports_none() -> None:
    code = (
        "import sys, ctxlab; t = ctxlab.build(ctxlab.Session(id='s').append('', role='system').append('hi'));"
        "print(t._repr_mimebundle_(), 'anywidget' in sys.modules, 'ctxlab_widgets.step_debugger' in sys.modules)"
    )

    out = subprocess.check_output([sys.executable, "-c", code], text=True)

    assert out.strip() == "None False False"
    assert all(view_for(name) for name in ("trace", "debugger", "report"))
    assert view_for("nothing") is None


def test_in_a_notebook_a_run_is_a_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab_widgets.views._in_a_notebook", lambda: True)
    trace = ctxlab.build(chat())

    for value in (trace, ctxlab.debug(chat())):
        bundle = value._repr_mimebundle_()
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_tokens_are_those_of_the_figures(name: str) -> None:
    tokens: dict[str, str] = {}
    for file in ("tokens.css", "sources.css"):
        block = re.search(
            rf'\[data-theme="{name}"\][^{{]*\{{(.*?)\}}', (WIDGETS / "_shared" / file).read_text(), re.DOTALL
        )
        assert block is not None
        tokens |= dict(re.findall(r"--cx-([\w-]+):\s*([^;]+);", block[1]))
    colours = theme.theme_of(name)

    assert (tokens["s0"], tokens["ink"], tokens["edge"]) == (colours.surface, colours.ink, colours.edge)
    assert {source: tokens[source] for source in colours.sources} == dict(colours.sources)


def test_only_text_nodes_reach_a_page() -> None:
    sources = [path.read_text() for path in WIDGETS.rglob("*.ts")]

    assert sources
    written = re.compile(r"innerHTML|insertAdjacentHTML|outerHTML\s*[+]?=(?!=)|document\.write|setHTMLUnsafe")
    assert not [found[0] for text in sources if (found := written.search(text))]


@pytest.mark.notebook
@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # the kernel's own client warns
def test_the_last_line_of_a_cell_is_a_widget_with_a_table_to_fall_back_on(monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    code = "import ctxlab\nctxlab.build(ctxlab.read_data([{'role': 'user', 'content': 'hi'}]).pick())"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])

    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()

    (output,) = notebook.cells[0].outputs
    assert "application/vnd.jupyter.widget-view+json" in output.data
    assert "<table" in output.data["text/html"]


def test_a_refusal_is_short_however_long_what_it_names_is() -> None:
    widget = asked(StepDebugger(ctxlab.debug(chat())), command="switch", step="x" * 10_000, on=True)

    assert 20 < len(widget.error) < 700
