"""The pipeline as a row of steps, and below it the messages after each: what came, changed, moved and went, and why."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import traitlets

from ctxlab.argument_checks import checked_arguments
from ctxlab.engines.tokens.model_encodings import ENCODINGS
from ctxlab.errors import CtxlabError, LawBroken
from ctxlab.pipeline import Debugger, Pipeline, Trace
from ctxlab.pipeline.explain.trace_json import plain
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.remedies import RemedyCache
from ctxlab_widgets._shared.view_delta import ViewDelta
from ctxlab_widgets._shared.widget import Widget, WrongCommand
from ctxlab_widgets.step_debugger.setting_errors import setting_error
from ctxlab_widgets.step_debugger.settings_effect import settings_effect

MOST_DRAFTS = 500
"""Messages whose tokens one command may ask for."""


class StepDebugger(Widget):
    """Walks through a run: steps forwards and back, breakpoints, other settings, steps switched off.

    Of a debugger it drives that very one; of a trace a debugger of its own, and the trace stays as it is.
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    trace = traitlets.Instance[Trace | None](Trace, allow_none=True)
    """The whole run with the settings shown, wherever the widget stands in it. Set from outside, it is shown instead.

    Of a debugger that hasn't come to the end the rest is run when it is first asked for. Where a step fails it is the
    run as far as it came. What is shown at this moment is `debugger.trace`.
    """
    view = traitlets.Unicode("").tag(sync=True)
    """`Trace.view()` as JSON: the longest stretch of the run that is known, as it was first sent."""
    delta = traitlets.Unicode("").tag(sync=True)
    """As JSON what has become of it since: the same keys, of the tables only the rows that came; empty when nothing."""
    position = traitlets.Int(0).tag(sync=True)
    """Steps done, a person's edits included."""
    breakpoints = traitlets.List(traitlets.Unicode()).tag(sync=True)
    rerun = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Steps that ran again because of the last change."""
    failed = traitlets.Dict().tag(sync=True)
    """`{"id", "error"}` of a step that could not be done; empty when none."""
    initial_settings = traitlets.Unicode("").tag(sync=True)
    """As JSON: `{step: {"enabled": on, "settings": {name: [value, layer]}}}` as they were in the run given at first."""
    refused = traitlets.Dict().tag(sync=True)
    """`{"step", "name", "text"}` of a value that a setting doesn't take; empty when none."""
    comparison = traitlets.Dict().tag(sync=True)
    """The effect of the last change, compared with the run before it; empty when there was none."""
    can_split_tokens = traitlets.Bool(False).tag(sync=True)
    """Whether the tokenizer of the run tells where tokens end."""
    remedies = traitlets.Unicode("").tag(sync=True)
    """As JSON, by key: what would have kept the selected message where it was dropped; empty when it wasn't."""
    token_ends = traitlets.Dict().tag(sync=True)
    """By a draft's number in the view, where the tokens of its text end, in UTF-16 units; only what was asked for."""

    @checked_arguments
    def __init__(self, run: Debugger | Trace | None = None) -> None:
        self._debugger: Debugger | None = None
        self._view_delta: ViewDelta | None = None
        self._initial_pipeline: Pipeline | None = None
        self._before: Trace | None = None
        self._changing: tuple[str, str] | None = None
        self._reached: str | None = None
        self._remedy_cache = RemedyCache()
        super().__init__()
        if isinstance(run, Debugger):
            self._set_debugger(run)
        elif run is not None:
            self._set_debugger(_finished_debugger(run))
            self.trace = run
        self.show()

    @property
    def debugger(self) -> Debugger:
        """The debugger behind the widget; raises CtxlabError when there is nothing to show."""
        if self._debugger is None:
            raise CtxlabError("the StepDebugger shows no run: set its trace, or make one of a run")
        return self._debugger

    def show(self) -> None:
        """Take over where the debugger stands, also after it was moved by Python."""
        with self.hold_sync():
            if self._debugger is None:
                self.view, self.delta, self.position, self.breakpoints = "", "", 0, []
                self._view_delta, self.token_ends, self.can_split_tokens, self.remedies = None, {}, False, ""
                return
            known = self._debugger.known
            if self._view_delta is None or not _is_prefix(self._view_delta.trace, known):
                self._send_run(known)
            if self.trait_has_value("trace") and not _is_prefix(self.trace, known):
                self.trace = self._finished_trace()
            self.position = self._debugger.position
            self.breakpoints = sorted(self._debugger.breakpoints)
            self.remedies = self._remedy_cache.of(known, [self.selected])

    @traitlets.observe("selected")
    def _on_selected(self, change: Any) -> None:
        if self._debugger is not None:
            self.remedies = self._remedy_cache.of(self._debugger.known, [change["new"]])

    def _send_run(self, known: Trace) -> None:
        sent = self._view_delta.updated(known) if self._view_delta else ViewDelta(known)
        if sent is not self._view_delta:
            self.token_ends = {}  # its messages have other numbers
        self._view_delta, self.view, self.delta = sent, sent.view, sent.delta
        tokenizer = known.services.tokenizer
        self.can_split_tokens = not tokenizer.estimated and tokenizer.name in ENCODINGS

    # --- which run

    @traitlets.default("trace")
    def _default_trace(self) -> Trace | None:
        return None if self._debugger is None else self._finished_trace()

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        run: Trace | None = change["new"]
        if run is None:
            self._debugger = self._before = None
        elif self._debugger is not None and _is_same_run(run, self._debugger.known):
            return
        else:
            self._set_debugger(_finished_debugger(run))
            old = change["old"]
            if isinstance(old, Trace) and _is_same_conversation(old, run):
                self.comparison = settings_effect(old, run, ran=_steps_only_in(run, old))
        self.show()

    def _set_debugger(self, debugger: Debugger) -> None:
        """Another run, with the breakpoints of the one before."""
        if self._debugger is not None:
            debugger.breakpoints |= self._debugger.breakpoints & set(debugger.pipeline.ids)
        self._debugger, self._initial_pipeline = debugger, debugger.pipeline
        self._before = self._changing = self._reached = None
        self.initial_settings = as_json(_settings_of(debugger.pipeline))
        self.failed, self.refused, self.rerun, self.comparison = {}, {}, [], {}

    def _finished_trace(self) -> Trace:
        """The run to its end, or as far as it came."""
        try:
            return self.debugger.finished()
        except CtxlabError:
            return self.debugger.known

    # --- what the page asks

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        if _command(content) != "tokens":
            self.failed, self.refused, self.rerun = {}, {}, []
        if _command(content) not in ("tokens", "set", "undo", "switch", "breakpoint"):
            self._reached = None
        super()._on_message(_, content, buffers)

    def _on_error(self, problem: CtxlabError) -> None:
        trace = getattr(problem, "trace", None)
        step = trace.steps[-1] if isinstance(trace, Trace) and trace.steps else None
        if step is not None and step.failure is not None:
            self.failed = {"id": step.id, "error": step.error}
        elif isinstance(problem, LawBroken):  # it stands before the step that broke it
            self.failed = {"id": self.debugger.next_id, "error": str(problem)}
        elif not self.refused:
            super()._on_error(problem)

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
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
            case {"command": "set", "step": str(step), "name": str(name), "value": value}:
                self.set_setting(step, name, value, continues=message.get("continues") is True)
            case {"command": "undo", "step": str(step)} if isinstance(message.get("name"), str | None):
                self.undo(step, message.get("name"))
            case {"command": "breakpoint", "step": str(step), "on": bool(on)}:
                self.set_breakpoint(step, on=on)
            case {"command": "tokens", "drafts": [*drafts]} if _are_numbers(drafts):
                self.load_token_ends(drafts)
            case _:
                raise self._wrong_command(message)

    # --- moving

    def run_to(self, position: int) -> None:
        """Go on until so many steps are done, or back; on the way on, breakpoints stop it."""
        debugger = self.debugger
        if not 0 <= position <= len(debugger.pipeline.running()) + len(debugger.trace.steps):
            raise WrongCommand(f"there is no step {position}")
        with self._updating():
            while debugger.position > position:
                debugger.back()
            moved = False
            while debugger.position < position and not debugger.done:
                if moved and debugger.next_id in debugger.breakpoints:
                    break
                debugger.step()
                moved = True

    def set_breakpoint(self, step: str, *, on: bool) -> None:
        """Stop before a step, or no longer."""
        stage = self.debugger.pipeline.stage(step)
        with self._updating():
            (self.debugger.breakpoints.add if on else self.debugger.breakpoints.discard)(stage.id)

    # --- changing

    def switch(self, step: str, *, on: bool) -> None:
        """Switch a step on or off, and run again as far as the run had come."""
        id = self.debugger.pipeline.stage(step).id
        self._change({f"{id}.enabled": on}, (id, "enabled"))

    def set_setting(self, step: str, name: str, value: Any, *, continues: bool = False) -> None:
        """Give a setting another value, and run again as far as the run had come.

        `continues`: it belongs to the change before, such as when a handle is dragged, and what it did is told against
        the run before that. A wrong value is refused in a sentence and changes nothing; raises WrongCommand with it.
        """
        stage = self.debugger.pipeline.stage(step)
        text = setting_error(stage, name, value)
        if text:
            self.refused = {"step": stage.id, "name": name, "text": text}
            raise WrongCommand(text)
        self.refused = {}
        self._change({f"{stage.id}.{name}": value}, (stage.id, name), continues=continues)

    def undo(self, step: str, name: str | None = None) -> None:
        """Give a setting, or all of a step, the value that it had in the run given at first."""
        now = self.debugger.pipeline.stage(step)
        was = (self._initial_pipeline or self.debugger.pipeline).stage(now.id)
        fields = type(was.processor.settings).model_fields
        if name is not None and name not in fields:
            raise WrongCommand(f"{now.id} has no setting {name!r}")
        values = {each: getattr(was.processor.settings, each) for each in ([name] if name else fields)}
        changes = {f"{now.id}.{each}": value for each, value in values.items() if not _has_value(now, each, value)}
        if name is None and now.enabled != was.enabled:
            changes[f"{now.id}.enabled"] = was.enabled
        if changes:
            self._change(changes, (now.id, name or ""))

    def _change(self, settings: Mapping[str, Any], what: tuple[str, str], *, continues: bool = False) -> None:
        """Run again with other settings as far as the run had come, also where that failed the last time."""
        debugger = self.debugger
        goes_on = self._before is not None and (self._reached is not None or (continues and self._changing == what))
        before = self._before if goes_on and self._before is not None else debugger.trace
        last = self._reached or next((step.id for step in reversed(debugger.trace.steps) if not step.edited), None)
        with self._updating():
            debugger.set(settings)
            self._before, self._changing, self._reached = before, what, last
            self.comparison = {}
            kept = debugger.position
            try:
                self._run_through(last)
            except CtxlabError:
                self.trace = debugger.known
                raise
            finally:
                self.rerun = [done.id for done in debugger.trace.steps[kept:]]
            self._reached = None
            self.trace = self._finished_trace()
            self.comparison = settings_effect(before, debugger.trace, ran=self.rerun)

    def _run_through(self, last: str | None) -> None:
        """Do the steps up to and with one of them; those that are done stay as they are."""
        debugger = self.debugger
        ids = debugger.pipeline.ids
        passed = ids[: ids.index(last) + 1] if last in ids else ()
        while debugger.next_id in passed:
            debugger.step()

    # --- tokens

    def load_token_ends(self, drafts: Sequence[int]) -> None:
        """Fill `token_ends` for messages given by their numbers in the view."""
        if self._view_delta is None or not self.can_split_tokens:
            raise WrongCommand("nobody tells where the tokens of this run end: they are counted without being cut")
        from ctxlab.engines.tokens.boundaries import token_ends

        encoding = self._view_delta.trace.services.tokenizer.name
        wanted = [n for n in dict.fromkeys(drafts) if str(n) not in self.token_ends][:MOST_DRAFTS]
        texts = {n: text for n in wanted if (text := self._view_delta.text(n)) is not None}
        self.token_ends = {**self.token_ends, **{str(n): token_ends(text, encoding) for n, text in texts.items()}}

    @contextmanager
    def _updating(self) -> Generator[None]:
        """A block whose work is shown when it ends, also when it fails half-way."""
        with self.hold_sync():
            try:
                yield
            finally:
                self.show()


def _finished_debugger(trace: Trace) -> Debugger:
    debugger = Debugger(trace)
    for _ in trace.steps:
        debugger.step()
    return debugger


def _is_prefix(seen: Trace | None, trace: Trace) -> bool:
    """Whether what was shown last holds this run already, so that only the position moves."""
    return (
        seen is not None
        and seen.pipeline is trace.pipeline
        and seen.start is trace.start
        and len(seen.steps) >= len(trace.steps)
        and all(a is b for a, b in zip(seen.steps, trace.steps, strict=False))
    )


def _is_same_run(a: Trace, b: Trace) -> bool:
    return _is_prefix(a, b) and len(a.steps) == len(b.steps)


def _is_same_conversation(a: Trace, b: Trace) -> bool:
    """Whether two runs are of the same conversation at the same place, so that comparing them says something."""
    return a.start.input.session is b.start.input.session and a.start.input.leaf_id == b.start.input.leaf_id


def _steps_only_in(run: Trace, old: Trace) -> list[str]:
    known = {id(step) for step in old.steps}
    return [step.id for step in run.steps if id(step) not in known]


def _settings_of(pipeline: Pipeline) -> dict[str, Any]:
    return {
        row["id"]: {
            "enabled": row["enabled"],
            "settings": {name: [plain(each["value"]), each["layer"]] for name, each in row["settings"].items()},
        }
        for row in pipeline.as_data()
    }


def _has_value(stage: Any, name: str, value: Any) -> bool:
    return getattr(stage.processor.settings, name) == value


def _command(content: object) -> object:
    return cast("dict[str, object]", content).get("command") if isinstance(content, dict) else None


def _are_numbers(values: Iterable[object]) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values)
