"""An agent's parameters and steps as a form, with the origin of each value and the request that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import traitlets

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import BuildInput
from ctxlab.documents import Agent, ModelProfile, Session
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Pipeline
from ctxlab.processors import default_pipeline
from ctxlab.providers.parameters import linked
from ctxlab.providers.problem import Fix
from ctxlab.providers.registry import built_in
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.setting_errors import setting_error
from ctxlab_widgets._shared.undo_steps import UndoSteps
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.agent_form.agent_file import AgentFile
from ctxlab_widgets.agent_form.field_rows import Row, rows_of
from ctxlab_widgets.agent_form.form_state import FormState
from ctxlab_widgets.agent_form.parameter_fields import Origin, file_names, newest_value, parameter_field
from ctxlab_widgets.agent_form.payload import form_json, initial_settings, messages_of
from ctxlab_widgets.agent_form.request_preview import RequestPreview, preview_of

__all__ = ["AgentForm"]


class AgentForm(Widget):
    """Edits an agent's parameters and the steps of its pipeline; the agent that was given stays as it is.

    Of a path the agent in the file is edited, and Save writes it there. `model` is a model's name or profile, by
    default the agent's; `call` are parameters of one request over the agent's and the session's, in the names of files
    or of Python; `layout` is an arrangement of steps as `Pipeline.layout()` gives it.

    >>> AgentForm(agent, model="claude-sonnet-4-5", call={"max_tokens": 2048})  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    agent = traitlets.Instance(Agent, allow_none=True)
    """The agent as it was saved last, at first the one given. Set it, and that one is edited."""
    call = traitlets.Dict()
    """The parameters of the call as they were saved last, in the names of files."""
    pipeline_layout: traitlets.List[Any] = traitlets.List()
    """The arrangement of steps as it was saved last, for `Pipeline.with_layout`; empty before anything was saved."""
    view = traitlets.Unicode("").tag(sync=True)
    """Fields, body, notes and steps as JSON; empty when there is no agent."""
    shown: traitlets.Enum[str] = traitlets.Enum(("model", "all"), "model").tag(sync=True)
    """Only what the model takes, or all."""
    refused = traitlets.Dict().tag(sync=True)
    """`{"step", "name", "text"}` of a value that is not taken, the step empty for a parameter; empty when none."""
    initial_settings = traitlets.Unicode("").tag(sync=True)
    """As JSON: `{step: {"enabled": on, "settings": {name: [value, layer]}}}` as the pipeline has them of its own."""
    report = traitlets.Unicode("").tag(sync=True)
    """The effect of the last Save, as a sentence; empty before one and after a change."""

    @checked_arguments
    def __init__(
        self,
        agent: Agent | Path | str | None = None,
        *,
        model: str | ModelProfile | None = None,
        call: Mapping[str, Any] | None = None,
        session: Session | None = None,
        pipeline: Pipeline | None = None,
        layout: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._file = AgentFile.read(Path(agent)) if isinstance(agent, str | Path) else None
        self._model, self._session = model, session
        self._own = (pipeline or default_pipeline()).with_layout(list(layout))
        self._form: FormState | None = None
        self._saved: FormState | None = None
        self._steps = UndoSteps[FormState]()
        self._is_own_change = False
        super().__init__()
        self.call = file_names(call or {})
        self.agent = self._file.agent if self._file is not None else agent if isinstance(agent, Agent) else None
        self.show()

    # --- what is edited

    @property
    def edited(self) -> Agent:
        """The agent with all changes, also those that are not saved; raises CtxlabError when there is none."""
        return self._now().agent

    @property
    def edited_call(self) -> dict[str, Any]:
        """The parameters of the call with all changes."""
        return dict(self._now().call)

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline with the agent's settings and all changes of steps."""
        state = self._now()
        return self._own.with_layout(list(state.layout)).for_request(self._input(state))

    @property
    def preview(self) -> RequestPreview:
        """The request without its messages, as the parameters stand."""
        return preview_of(self._now(), self._model_of(self._now()))

    def _now(self) -> FormState:
        if self._form is None:
            raise CtxlabError("the AgentForm shows no agent: set its agent, or make one of an agent or a path")
        return self._form

    def _input(self, state: FormState) -> BuildInput:
        """The input that steps take their stored settings from."""
        model = self._model if isinstance(self._model, ModelProfile) else None
        return BuildInput(state.session or Session(), agent=state.agent, model=model)

    def _model_of(self, state: FormState) -> str | ModelProfile:
        profile = self._model
        return profile if isinstance(profile, ModelProfile) and _name(profile) == state.model else state.model

    # --- what a person does

    def set_parameter(self, name: str, value: Any, *, continues: bool = False) -> None:
        """Give a parameter another value where the one that counts is from: the call, else the agent.

        Raises CtxlabError, and changes nothing, for a value that it doesn't take.
        """
        field = parameter_field(name)
        if text := field.error(value):
            self.refused = {"step": "", "name": name, "text": text}
            raise CtxlabError(text)
        state = self._now().with_parameter(field.name, value)
        if field.name == "thinkingEnabled" and value is True:
            state = self._with_budget(state)
        self._change(field.title, state, continues=continues)

    def _with_budget(self, state: FormState) -> FormState:
        """With a budget where thinking was switched on for a model that needs one, and a reply limit that holds it."""
        facts = self.preview.facts
        if "budget" not in facts.thinking or not facts.known:
            return state
        names = {"thinking_enabled": "thinkingEnabled", "thinking_budget": "thinkingBudget", "max_tokens": "maxTokens"}
        before = {name: newest_value(state.values(stored)) for name, stored in names.items()}
        for name, value in linked(before, "thinking_enabled", facts).items():
            if value != before[name]:
                state = state.with_parameter(names[name], value)
        return state

    def back_to(self, name: str, origin: Origin) -> None:
        """Give a parameter the value of an earlier origin: default, model, agent or session."""
        self._change(parameter_field(name).title, self._now().back_to(name, origin))

    def choose_model(self, model: str) -> None:
        """Show what another model takes; the agent's own model stays."""
        self._change("the model", replace(self._now(), model=model))

    def switch(self, step: str, *, on: bool) -> None:
        """Switch a step on or off."""
        id = self.pipeline.stage(step).id
        self._change(id, self._now().with_step(id, enabled=on))

    def set_setting(self, step: str, name: str, value: Any, *, continues: bool = False) -> None:
        """Give a setting of a step another value; raises CtxlabError for one that it doesn't take."""
        stage = self.pipeline.stage(step)
        if text := setting_error(stage, name, value):
            self.refused = {"step": stage.id, "name": name, "text": text}
            raise CtxlabError(text)
        self._change(f"{stage.id}.{name}", self._now().with_step(stage.id, settings={name: value}), continues=continues)

    def reset_setting(self, step: str, name: str) -> None:
        """Give a setting of a step the value that the pipeline has of its own."""
        id = self.pipeline.stage(step).id
        self._change(f"{id}.{name}", self._now().without_setting(id, name))

    def move_step(self, step: str, to: int) -> None:
        """Put a step at a place among the others, counted from 0 without it."""
        pipeline = self.pipeline
        self._change(step, self._now().with_order(pipeline, pipeline.stage(step).id, to))

    def fix(self, label: str) -> None:
        """Make the change that a note or a field offers under this label."""
        found = next((fix for fix in self._fixes() if fix.label == label), None)
        if found is None:
            raise CtxlabError(f"nothing offers {label!r} any more")
        state = self._now()
        for name, value in file_names(found.parameters).items():
            state = state.with_parameter(name, value)
        for name, value in found.settings.items():
            step, _, setting = name.rpartition(".")
            state = state.with_step(step, settings={setting: value})
        self._change(label, state)

    def undo(self) -> None:
        """The state before the last change; raises CtxlabError where there is none."""
        self._show_state(self._steps.undo(self._now()))

    def redo(self) -> None:
        """The state that was undone last; raises CtxlabError where there is none."""
        self._show_state(self._steps.redo(self._now()))

    def save(self) -> None:
        """Take over all changes into `agent`, `call` and `pipeline_layout`, and write the file that was given.

        Raises CtxlabError while a field has an error.
        """
        state = self._now()
        wrong = [row.field.title for row in self._rows() if row.error]
        if wrong:
            raise CtxlabError(f"not saved: mend {', '.join(wrong)} first")
        report = self._file.write(state.agent) if self._file is not None else "Saved: form.agent is the edited agent."
        self._is_own_change = True
        try:
            self.agent, self.call = state.agent, dict(state.call)
            self.pipeline_layout = self.pipeline.layout()
        finally:
            self._is_own_change = False
        self._saved = state
        self.show()
        self.report = report

    # --- what is shown

    def show(self) -> None:
        """Take over the state as it is."""
        state, saved = self._form, self._saved
        if state is None or saved is None:
            self.view, self.initial_settings = "", ""
            return
        preview, pipeline = self.preview, self.pipeline
        rows = rows_of(state, preview)
        data = form_json(state, saved, rows, preview, pipeline, self._models())
        with self.hold_sync():
            self.initial_settings = as_json(initial_settings(self._own.for_request(self._input(state))))
            self.view = as_json({**data, **self._steps.labels, "path": str(self._file.path) if self._file else ""})

    def _rows(self) -> list[Row]:
        return rows_of(self._now(), self.preview)

    def _fixes(self) -> list[Fix]:
        rows = self._rows()
        return [fix for *_, fixes in messages_of(rows, self.preview, self.pipeline) for fix in fixes]

    def _models(self) -> list[str]:
        """The model shown, the one asked for, the agent's, and the usual one of each provider."""
        state = self._now()
        given = self._model if isinstance(self._model, str) else _name(self._model) if self._model else ""
        usual = [provider.default_model for provider in built_in().values()]
        return [name for name in dict.fromkeys([state.model, given, state.agent.model_id or "", *usual]) if name]

    # --- what changes

    def _change(self, label: str, state: FormState, *, continues: bool = False) -> None:
        """Another state, which can be undone; with `continues` it belongs to the change of that label just made."""
        self._steps.change(label, self._now(), continues=continues)
        self._show_state(state)

    def _show_state(self, state: FormState) -> None:
        self._form, self.refused, self.report = state, {}, ""
        self.show()

    @traitlets.observe("agent", "call")
    def _on_agent(self, _: object) -> None:
        """Another agent or call from outside is edited from the start."""
        agent = cast("Agent | None", self.agent)
        if self._is_own_change:
            return
        self._steps.clear()
        self.refused, self.report = {}, ""
        if agent is None:
            self._form = self._saved = None
        else:
            name = self._model if isinstance(self._model, str) else _name(self._model) if self._model else ""
            state = FormState(agent, self._session, file_names(self.call), (), name or agent.model_id or "")
            self._form = self._saved = state
        self.show()

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        self.refused = {}
        super()._on_message(_, content, buffers)

    def _on_error(self, problem: CtxlabError) -> None:
        if not self.refused:
            super()._on_error(problem)

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "set_parameter", "name": str(name), "value": value}:
                self.set_parameter(name, value, continues=message.get("continues") is True)
            case {"command": "back_to", "name": str(name), "origin": "default" | "model" | "agent" | "session" as to}:
                self.back_to(name, to)
            case {"command": "model", "name": str(name)}:
                self.choose_model(name)
            case {"command": "switch", "step": str(step), "on": bool(on)}:
                self.switch(step, on=on)
            case {"command": "move", "step": str(step), "to": int(to)} if not isinstance(to, bool):
                self.move_step(step, to)
            case {"command": "set", "step": str(step), "name": str(name), "value": value}:
                self.set_setting(step, name, value, continues=message.get("continues") is True)
            case {"command": "undo", "step": str(step), "name": str(name)}:
                self.reset_setting(step, name)
            case {"command": "fix", "label": str(label)}:
                self.fix(label)
            case {"command": "undo" | "redo" | "save" as command}:
                getattr(self, command)()
            case _:
                raise self._wrong_command(message)


def _name(profile: ModelProfile) -> str:
    return profile.id or profile.name or ""
