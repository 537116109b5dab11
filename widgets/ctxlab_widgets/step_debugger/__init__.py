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
from ctxlab.pipeline import Debugger, Pipeline, Step, Trace
from ctxlab.pipeline.explain.consequential_step import most_consequential_step
from ctxlab.pipeline.explain.message_names import message_name
from ctxlab.pipeline.explain.trace_json import plain
from ctxlab.pipeline.manual_edit import reworded
from ctxlab_widgets._shared.attachments import FilesPayload
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.remedies import RemedyCache
from ctxlab_widgets._shared.setting_errors import setting_error
from ctxlab_widgets._shared.stands_for import summaries_json
from ctxlab_widgets._shared.view_delta import ViewDelta
from ctxlab_widgets._shared.widget import Widget, WrongCommand
from ctxlab_widgets.step_debugger.run_places import (
    debugger_at,
    is_finished,
    is_prefix,
    is_same_conversation,
    is_same_run,
    place_in,
    steps_only_in,
)
from ctxlab_widgets.step_debugger.settings_effect import settings_effect

MOST_DRAFTS = 500
"""Messages whose tokens one command may ask for."""


class StepDebugger(Widget):
    """Walks through a run: steps forwards and back, breakpoints, other settings, steps switched off.

    Of a debugger it drives that very one, where that stands. Of a trace it has a debugger of its own, the trace stays
    as it is, and what is shown first is the step with most consequence.
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
    result = traitlets.Bool(False).tag(sync=True)
    """Whether what is sent is shown, behind the last step, instead of what that step did."""
    breakpoints = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Ids of the steps before which a run stops."""
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
    """As JSON, by key: what would have kept dropped messages, of the selected one and of those that the page shows."""
    summaries = traitlets.Unicode("").tag(sync=True)
    """As JSON, by key: what each summary of the path stands for; empty when there is none."""
    files = traitlets.Unicode("").tag(sync=True)
    """As JSON the files of the run, what the model gets of each, and small pictures; empty when there are none."""
    token_ends = traitlets.Dict().tag(sync=True)
    """By a draft's number in the view, where the tokens of its text end, in UTF-16 units; only what was asked for."""

    @checked_arguments
    def __init__(self, run: Debugger | Trace | None = None) -> None:
        self._debugger: Debugger | None = None
        self._view_delta: ViewDelta | None = None
        self._files = FilesPayload()
        self._initial_pipeline: Pipeline | None = None
        self._before: Trace | None = None
        self._changing: tuple[str, str] | None = None
        self._reached: tuple[Step, ...] | None = None
        self._remedy_cache = RemedyCache()
        self._dropped_in_sight: set[str] = set()
        self._continues = False
        self._before_effect: Trace | None = None
        super().__init__()
        if isinstance(run, Debugger):
            self._set_debugger(run)
        elif run is not None:
            self._open(run, None)
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
                self._view_delta, self.token_ends, self.can_split_tokens, self.remedies, self.files = (
                    None,
                    {},
                    False,
                    "",
                    "",
                )
                self.result, self.effect, self.summaries = False, {}, ""
                return
            known = self._debugger.known
            if self._view_delta is None or not is_prefix(self._view_delta.trace, known):
                self._send_run(known)
            if self.trait_has_value("trace") and not is_prefix(self.trace, known):
                self._take_run(self._finished_trace(), continues=self._continues)
            self.position = self._debugger.position
            self.result = self.result and self._debugger.done
            self.breakpoints = sorted(self._debugger.breakpoints)
            self._update_remedies()

    @traitlets.observe("selected")
    def _on_selected(self, _: Any) -> None:
        if self._debugger is not None:
            self._update_remedies()

    def _update_remedies(self) -> None:
        self.remedies = self._remedy_cache.of(self.debugger.known, [self.selected, *self._dropped_in_sight])

    def _send_run(self, known: Trace) -> None:
        sent = self._view_delta.updated(known) if self._view_delta else ViewDelta(known)
        if sent is not self._view_delta:
            self.token_ends = {}  # its messages have other numbers
        self._dropped_in_sight.clear()
        self._view_delta, self.view, self.delta = sent, sent.view, sent.delta
        self.files = self._files.json(known)
        self.summaries = summaries_json(known)
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
        elif self._debugger is not None and is_same_run(run, self._debugger.known):
            return
        else:
            old = change["old"] if isinstance(change["old"], Trace) else None
            follows = old is not None and is_same_conversation(old, run)
            self.effect, self._before_effect = {}, None
            self._open(run, self._debugger if follows else None)
            if old is not None and follows:
                self.comparison = settings_effect(old, run, ran=steps_only_in(run, old))
        self.show()

    def _open(self, run: Trace, before: Debugger | None) -> None:
        """Another run at the step where the one before stood; without one, at the step with most consequence."""
        at = None if before is None else place_in(run, before.trace.steps)
        first = most_consequential_step(run)
        if at is None:
            self.result = first is None
            at = len(run.steps) if first is None else first + 1
        self._set_debugger(debugger_at(run, at))

    def _set_debugger(self, debugger: Debugger) -> None:
        """Another run, with the breakpoints of the one before."""
        if self._debugger is not None:
            debugger.breakpoints |= self._debugger.breakpoints & set(debugger.pipeline.ids)
        self._debugger, self._initial_pipeline = debugger, debugger.pipeline
        self._before = self._changing = self._reached = None
        self.initial_settings = as_json(_settings_of(debugger.pipeline))
        self.failed, self.refused, self.rerun, self.comparison = {}, {}, [], {}

    def _take_run(self, run: Trace, *, label: str = "", continues: bool = False) -> None:
        """A run that was made here: settings stay marked as changed against the run given at first."""
        before = self._shown_run()
        initial = self._initial_pipeline, self.initial_settings
        super()._take_run(run, label=label, continues=continues)
        self._initial_pipeline, self.initial_settings = initial
        self._before_effect = before if self.effect else None

    def _finished_trace(self) -> Trace:
        """The run to its end, or as far as it came."""
        try:
            return self.debugger.finished()
        except CtxlabError:
            return self.debugger.known

    # --- what the page asks

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        if _command(content) not in ("tokens", "remedies", "open_view"):
            self.failed, self.refused, self.rerun = {}, {}, []
        if _command(content) not in ("tokens", "remedies", "open_view", "set", "undo", "switch", "breakpoint"):
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
                self.back()
            case {"command": "run"}:
                self.debugger.run()
            case {"command": "result"}:
                self.show_result()
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
            case {"command": "edit", "key": str(key), "text": str(text)}:
                self.edit_message(key, text)
            case {"command": "undo_change"}:
                self.undo_change()
            case {"command": "tokens", "drafts": [*drafts]} if _are_numbers(drafts):
                self.load_token_ends(drafts)
            case {"command": "remedies", "keys": [*keys]} if all(isinstance(key, str) for key in keys):
                self._dropped_in_sight.update(keys[:MOST_DRAFTS])
            case _:
                raise self._wrong_command(message)

    # --- moving

    def show_result(self) -> None:
        """Go to the end, and show what is sent instead of what the last step did; breakpoints on the way stop it."""
        with self._updating():
            if not self.debugger.done:
                self.debugger.run()
            self.result = self.debugger.done

    def run_to(self, position: int) -> None:
        """Go on until so many steps are done, or back; on the way on, breakpoints stop it."""
        debugger = self.debugger
        if not 0 <= position <= len(debugger.pipeline.running()) + len(debugger.trace.steps):
            raise WrongCommand(f"there is no step {position}")
        with self._updating():
            self.result = False
            while debugger.position > position:
                debugger.back()
            moved = False
            while debugger.position < position and not debugger.done:
                if moved and debugger.next_id in debugger.breakpoints:
                    break
                debugger.step()
                moved = True

    def back(self) -> None:
        """Go back by a step; from what is sent to the last step."""
        with self._updating():
            if not self.result:
                self.debugger.back()
            self.result = False

    def set_breakpoint(self, step: str, *, on: bool) -> None:
        """Stop before a step, or no longer."""
        stage = self.debugger.pipeline.stage(step)
        with self._updating():
            (self.debugger.breakpoints.add if on else self.debugger.breakpoints.discard)(stage.id)

    # --- changing

    def edit_message(self, key: str, text: str) -> None:
        """Give a message other words at the step that is shown; the run goes on from there to its end.

        Raises WrongCommand where no message of that key is among those, and what a run would raise.
        """
        debugger = self.debugger
        draft = debugger.context.draft(key)
        if draft is None:
            raise WrongCommand(f"no message {key} is there to be edited")
        if reworded(draft, text) is draft:
            return
        was_finished = self.trait_has_value("trace") or is_finished(debugger.known)
        if was_finished:
            self._shown_run()  # that of before, which the effect is told against
        with self._updating():
            self.result = False
            debugger.reword(key, text)
            self._before, self.comparison = None, {}
            if was_finished:
                self._take_run(debugger.finished(), label=f"Edited {message_name(draft)} by hand")

    def undo_change(self) -> None:
        """Show the run before the change that `effect` tells of."""
        if self._before_effect is None:
            raise WrongCommand("there is no change to undo")
        self._take_run(self._before_effect)

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
        before = self._before if goes_on and self._before is not None else self._run_so_far()
        done = self._reached or debugger.trace.steps
        with self._updating(continues=continues):
            debugger.set(settings)
            self._before, self._changing, self._reached = before, what, done
            self.comparison = {}
            try:
                self._run_on(done, to_the_end=is_finished(before))
            finally:
                run = self._run_so_far() if is_finished(before) else debugger.trace
                self.rerun = steps_only_in(run, before)
            self._reached = None
            self.comparison = settings_effect(before, run, ran=self.rerun)

    def _run_so_far(self) -> Trace:
        """The whole run where it is known to its end, else the steps done."""
        known = self.debugger.known
        return known if is_finished(known) else self.debugger.trace

    def _run_on(self, done: Sequence[Step], *, to_the_end: bool) -> None:
        """Do steps again up to the place behind those, and with `to_the_end` all others without going there."""
        debugger = self.debugger
        ids = debugger.pipeline.ids
        last = next((step.id for step in reversed(done) if not step.edited), None)
        passed = {*ids[: ids.index(last) + 1]} if last in ids else set[str]()
        while passed.intersection(self._ids_to_come()):
            debugger.step()
        if to_the_end:
            debugger.finished()
        at = place_in(debugger.known, done)
        while at is not None and debugger.position < at:
            debugger.step()

    def _ids_to_come(self) -> list[str]:
        running = [stage.id for stage in self.debugger.pipeline.running()]
        return running[sum(not step.edited for step in self.debugger.trace.steps) :]

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
    def _updating(self, *, continues: bool = False) -> Generator[None]:
        """A block whose work is shown when it ends, also when it fails half-way."""
        with self.hold_sync():
            self._continues = continues
            try:
                yield
            finally:
                self.show()
                self._continues = False


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
