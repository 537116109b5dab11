"""The pipeline as a row of steps, and below it the messages after each: what came, changed, moved and went, and why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import traitlets

from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Debugger, Trace
from ctxlab_widgets._shared.values import as_json
from ctxlab_widgets._shared.widget import Widget, WrongCommand


class StepDebugger(Widget):
    """Walks through a run: steps forwards and back, breakpoints, steps switched off.

    Of a debugger it drives that very one; of a trace a debugger of its own, and the trace stays as it is.
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    view = traitlets.Unicode("").tag(sync=True)
    """`Trace.view()` as JSON: the longest stretch of the run that is known."""
    position = traitlets.Int(0).tag(sync=True)
    """Steps done, a person's edits included."""
    breakpoints = traitlets.List(traitlets.Unicode()).tag(sync=True)
    rerun = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Steps that ran again because of the last change."""
    failed = traitlets.Dict().tag(sync=True)
    """`{"id", "error"}` of a step that could not be done; empty when none."""

    def __init__(self, run: Debugger | Trace) -> None:
        self.debugger = run if isinstance(run, Debugger) else _at_the_end(run)
        self._seen: Trace | None = None
        super().__init__()
        self.show()

    @property
    def trace(self) -> Trace:
        """The run up to where the debugger stands."""
        return self.debugger.trace

    def show(self) -> None:
        """Take over where the debugger stands, also after it was moved by Python."""
        trace = self.debugger.trace
        with self.hold_sync():
            if not _begins_with(self._seen, trace):
                self._seen = trace
                self.view = as_json(trace.view())
            self.position = self.debugger.position
            self.breakpoints = sorted(self.debugger.breakpoints)

    # --- what the page asks

    def _asked(self, _: Any, content: Any, buffers: Any) -> None:
        self.failed, self.rerun = {}, []
        super()._asked(_, content, buffers)

    def _refused(self, problem: CtxlabError) -> None:
        trace = getattr(problem, "trace", None)
        step = trace.steps[-1] if isinstance(trace, Trace) and trace.steps else None
        if step is not None and step.failure is not None:
            self.failed = {"id": step.id, "error": step.error}
        else:
            super()._refused(problem)

    def _do(self, asked: Mapping[str, Any]) -> None:
        match asked:
            case {"command": "step"}:
                self.debugger.step()
            case {"command": "back"}:
                self.debugger.back()
            case {"command": "run"}:
                self.debugger.run()
            case {"command": "run_to", "position": int(position)} if not isinstance(position, bool):
                self.run_to(position)
            case {"command": "switch", "step": str(step), "on": bool(on)}:
                self.switch(step, on=on)
            case {"command": "breakpoint", "step": str(step), "on": bool(on)}:
                self.set_breakpoint(step, on=on)
            case _:
                raise self._wrong(asked)

    def run_to(self, position: int) -> None:
        """Go on until so many steps are done, or back; on the way on, breakpoints stop it."""
        debugger = self.debugger
        if not 0 <= position <= len(debugger.pipeline.running()) + len(debugger.trace.steps):
            raise WrongCommand(f"there is no step {position}")
        while debugger.position > position:
            debugger.back()
        moved = False
        while debugger.position < position and not debugger.done:
            if moved and debugger.next_id in debugger.breakpoints:
                break
            debugger.step()
            moved = True

    def switch(self, step: str, *, on: bool) -> None:
        """Switch a step on or off, and run again as far as the run had come."""
        debugger = self.debugger
        stage = debugger.pipeline.stage(step)
        last = debugger.trace.steps[-1].id if debugger.trace.steps else None
        debugger.set({f"{stage.id}.enabled": on})
        kept = debugger.position
        passed = {stage.id for stage in debugger.pipeline.stages[: _place(debugger, last) + 1]} if last else set[str]()
        while debugger.next_id in passed:
            debugger.step()
        self.rerun = [done.id for done in debugger.trace.steps[kept:]]

    def set_breakpoint(self, step: str, *, on: bool) -> None:
        """Stop before a step, or no longer."""
        stage = self.debugger.pipeline.stage(step)
        (self.debugger.breakpoints.add if on else self.debugger.breakpoints.discard)(stage.id)


def _at_the_end(trace: Trace) -> Debugger:
    debugger = Debugger(trace)
    for _ in trace.steps:
        debugger.step()
    return debugger


def _begins_with(seen: Trace | None, trace: Trace) -> bool:
    """Whether what was shown last holds this run already, so that only the position moves."""
    return (
        seen is not None
        and seen.pipeline is trace.pipeline
        and seen.start is trace.start
        and len(seen.steps) >= len(trace.steps)
        and all(a is b for a, b in zip(seen.steps, trace.steps, strict=False))
    )


def _place(debugger: Debugger, id: str) -> int:
    return next((i for i, stage in enumerate(debugger.pipeline.stages) if stage.id == id), -1)
