"""The head of a page of views: the answer in one sentence, every run as a chip, one undo for all of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import traitlets

from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.shared_state import SharedState
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.run_history.payload import head_json
from ctxlab_widgets.run_history.runs import Run, Runs

MOST_BYTES = 200_000_000
"""A file larger than this is not taken from a page."""

MOST_IN_NAME = 60

__all__ = ["Run", "RunHistory", "Runs"]


class RunHistory(Widget):
    """Shows the runs of a page, and goes back, forward and elsewhere among them.

    >>> RunHistory(trace)  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    trace = traitlets.Instance(Trace, allow_none=True)
    """The current run. Set it, and it becomes a run of the history, made from the one before."""
    view = traitlets.Unicode("").tag(sync=True)
    """The sentence, the chips and what undo leads to, as JSON; empty when there is no run."""
    picked: traitlets.List[str] = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Names of up to two runs to compare."""

    def __init__(self, trace: Trace | None = None, *, python: str = "") -> None:
        self.runs: Runs | None = None if trace is None else Runs.begin(trace, python)
        self._chips: dict[Run, dict[str, Any]] = {}
        self._opens: Callable[[str, bytes], Trace] | None = None
        super().__init__()
        if trace is not None:
            self.trace = trace
        self.show()

    def follow(self, state: SharedState) -> None:
        """Record every run that a view of the page makes; the page's undo and redo are those of here."""
        state.undo, state.redo = self.undo, self.redo
        super().follow(state)

    def on_file(self, opens: Callable[[str, bytes], Trace]) -> None:
        """Call this with the name and the bytes of a file that is dropped; the run that it gives is shown."""
        self._opens = opens

    def show(self) -> None:
        """Take over the runs as they are."""
        if self.runs is None:
            self.view = ""
            return
        view = head_json(self.runs, self._chips)
        self._chips = {run: self._chips[run] for run in self.runs}
        with self.hold_sync():
            self.view = as_json({**view, "opens": self._opens is not None})
            self.picked = [name for name in self.picked if any(run.name == name for run in self.runs)]

    # --- what a person does

    def go_to(self, name: str) -> Trace:
        """Show another run; what is changed then is made from that one."""
        return self._shows(self._held().go_to(name))

    def undo(self) -> Trace:
        """Show the run that this one was made from; raises CtxlabError where there is none."""
        return self._shows(self._held().undo())

    def redo(self) -> Trace:
        """Show the run that was undone last; raises CtxlabError where there is none."""
        return self._shows(self._held().redo())

    def compare(self) -> None:
        """Open the two picked runs side by side, the older one first."""
        runs = self._held()
        names = [run.name for run in runs if run.name in self.picked]
        if len(names) != 2 or self._state is None:
            raise CtxlabError("pick two runs first")
        self._state.open("compare", f"runs:{json.dumps(names)}")

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "go_to", "name": str(name)}:
                self.go_to(name)
            case {"command": "undo" | "redo" | "compare" as command}:
                getattr(self, command)()
            case {"command": "report"}:
                self._send_report()
            case _:
                raise self._wrong_command(message)

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        match content:
            case {"command": "open_file", "name": str(name)} if len(buffers) == 1:
                super()._on_message(_, {"command": "open_file", "name": name, "data": buffers[0]}, ())
            case _:
                super()._on_message(_, content, buffers)

    def _handle_shared(self, message: Mapping[str, Any]) -> bool:
        match message:
            case {"command": "open_file", "name": str(name), "data": data}:
                self._open_file(name, bytes(data))
            case _:
                return super()._handle_shared(message)
        return True

    # --- what is held

    def _held(self) -> Runs:
        if self.runs is None:
            raise CtxlabError("there is no run yet: set `trace` first")
        return self.runs

    def _shows(self, run: Run) -> Trace:
        self.trace = run.trace
        self.show()
        return run.trace

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        trace: Trace | None = change["new"]
        if trace is None:
            return
        if self.runs is None:
            self.runs = Runs.begin(trace)
        else:
            self.runs.record(trace, continues=self._state is not None and self._state.continues)
        if self._state is not None:
            self._state.changed_last = self._state.changing_view
        self.show()

    def _open_file(self, name: str, data: bytes) -> None:
        if self._opens is None:
            raise CtxlabError("files can't be opened here")
        if len(data) > MOST_BYTES:
            raise CtxlabError(f"{name} is larger than {MOST_BYTES // 1_000_000} MB: open it with ctxlab.read(path)")
        self.trace = self._opens(name, data)

    def _send_report(self) -> None:
        """Give the page the HTML report of the current run, which it saves as a file."""
        from ctxlab_widgets.html_report import report_html

        trace = self._held().current.trace
        session = trace.start.input.session
        name = re.sub(r"[^\w.-]+", "-", session.name or session.id).strip("-.")[:MOST_IN_NAME] or "what-is-sent"
        self.send({"report": f"{name}.html"}, [report_html(trace).encode()])
