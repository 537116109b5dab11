"""The pipeline: an ordered row of steps, as a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field, replace
from functools import partial
from itertools import groupby
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import BuildInput, Context
from ctxlab.documents import Note
from ctxlab.documents.frozen_json import FrozenDict, frozen
from ctxlab.errors import LawBroken, PipelineError, UnknownProcessor, WrongSetting, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.conservation.check_step import check_step
from ctxlab.pipeline.conservation.loading_law import check_loaded_history
from ctxlab.pipeline.edits_by_hand import EditByHand, edits_due, made_again
from ctxlab.pipeline.failures import ProcessorFailed
from ctxlab.pipeline.garbage_collector import without_collection
from ctxlab.pipeline.processor import as_processor
from ctxlab.pipeline.service_calls import Call, CallLog
from ctxlab.pipeline.services import Services
from ctxlab.pipeline.settings.dialects import Dialect, dialect_named, dialect_of
from ctxlab.pipeline.settings.layers import Layer
from ctxlab.pipeline.settings.stored_layers import (
    REQUEST,
    layer_of_setting,
    layers_of_dialect,
    layout_entries,
    layout_layer,
    request_parameter,
    stored_layers,
    unknown_entries,
)
from ctxlab.pipeline.settings.tables import settings_frame, steps_as_data, steps_frame
from ctxlab.pipeline.stage import Stage
from ctxlab.pipeline.trace import Step, Trace

if TYPE_CHECKING:
    import pandas as pd

OnError = Literal["raise", "skip"]
HISTORY = "history"
"""The need that a step provides which loads the conversation."""


@dataclass(frozen=True, slots=True, eq=False)
class Pipeline:
    """Steps in running order: by priority, ties as they were given."""

    stages: tuple[Stage, ...] = ()
    layout_notes: tuple[Note, ...] = ()
    request_notes: tuple[Note, ...] = ()
    dialect: Dialect | None = None
    """The one that is asked for; without it a request's agent or session brings one."""
    request: Mapping[str, Any] = field(default_factory=FrozenDict)
    """Parameters of the request that are set here, above those of the session, the agent and the model."""

    @classmethod
    @checked_arguments
    def of(cls, processors: Iterable[Any], notes: Sequence[Note] = ()) -> Pipeline:
        """A pipeline of processors, classes of them, or plain functions; every run of it begins with the notes."""
        return cls._sorted([Stage.of(as_processor(p)) for p in processors], tuple(notes))

    @classmethod
    def _sorted(
        cls,
        stages: Sequence[Stage],
        layout_notes: tuple[Note, ...] = (),
        request_notes: tuple[Note, ...] = (),
        dialect: Dialect | None = None,
        request: Mapping[str, Any] = FrozenDict(),
    ) -> Pipeline:
        seen: set[str] = set()
        for stage in stages:
            if not stage.id:
                raise PipelineError(f"{type(stage.base).__name__} has no id")
            if stage.id in seen:
                raise PipelineError(f"two steps are called {stage.id!r}; ids are unique")
            seen.add(stage.id)
        # Steps that were moved to one place keep their usual order, whichever of them was moved first.
        in_order = sorted(stages, key=lambda stage: (stage.priority, stage.base.priority))
        return cls(tuple(in_order), layout_notes, request_notes, dialect, request)

    def __repr__(self) -> str:
        return f"Pipeline({' > '.join(stage.id for stage in self.stages if stage.enabled)})"

    def _repr_html_(self) -> str:
        from ctxlab.pipeline.explain.html import pipeline_html

        return pipeline_html(self)

    def __len__(self) -> int:
        return len(self.stages)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(stage.id for stage in self.stages)

    @checked_arguments
    def stage(self, id: str) -> Stage:
        """The stage of this id (or of an id that stored files use for it); raises UnknownProcessor."""
        for stage in self.stages:
            if stage.is_called(id):
                return stage
        raise UnknownProcessor(f"the pipeline has no step {id!r}{did_you_mean(id, self.ids)}")

    @property
    def notes(self) -> tuple[Note, ...]:
        """Wrong values in stored layouts, agents and models, and what was done about each."""
        return (*self.layout_notes, *self.request_notes, *(note for stage in self.stages for note in stage.notes))

    def _with(self, stages: Sequence[Stage]) -> Pipeline:
        return self._sorted(stages, self.layout_notes, self.request_notes, self.dialect, self.request)

    # --- changing it

    @checked_arguments
    def with_processor(self, step: Any) -> Pipeline:
        """With one more step; one of the same id is replaced and keeps its layers."""
        base = as_processor(step)
        old = next((stage for stage in self.stages if stage.id == base.id), None)
        new = Stage.of(base, old.layers if old else ())
        stages = [new if stage is old else stage for stage in self.stages] if old else [*self.stages, new]
        return self._with(stages)

    @checked_arguments
    def without_processor(self, id: str) -> Pipeline:
        gone = self.stage(id)
        if gone.base.is_core:
            raise PipelineError(f"{id!r} is a core step: it can be switched off, not removed")
        return self._with([stage for stage in self.stages if stage is not gone])

    @checked_arguments
    def with_setting(self, name: str, value: Any) -> Pipeline:
        """With `"<step>.<setting>"` set, above every other layer; every step has `enabled` and `priority`."""
        return self.with_settings({name: value})

    @checked_arguments
    def with_settings(self, settings: Mapping[str, Any]) -> Pipeline:
        """With these settings, above every other layer: `"<step>.<setting>"`, `"request.<parameter>"`.

        Parameters of a request have the names of an agent's file (`maxTokens`) or of Python (`max_tokens`); None
        switches off what a layer below says.
        """
        layers: dict[str, Layer] = {}
        request = {**self.request}
        for name, value in settings.items():
            step, dot, setting = name.rpartition(".")
            if not dot:
                raise WrongSetting(self._without_setting(name))
            if step == REQUEST and REQUEST not in self.ids:
                request |= request_parameter(setting, value)
                continue
            self.stage(step)  # raises UnknownProcessor
            layer = layer_of_setting("call", name, setting, value)
            for stage in self.stages:
                if stage.is_called(step):
                    layers[stage.id] = stage.layer_for(step, layer).over(layers.get(stage.id, Layer("call")))
        stages = [stage.with_layer(layers[stage.id]) if stage.id in layers else stage for stage in self.stages]
        return replace(self._with(stages), request=frozen(request))

    def _without_setting(self, name: str) -> str:
        """Why a name without a dot sets nothing: it is a step, a setting of some step, or neither."""
        stage = next((stage for stage in self.stages if stage.is_called(name)), None)
        if stage is not None:
            known = [*type(stage.processor.settings).model_fields, "enabled", "priority"]
            return f"{name!r} names no setting; write '{name}.<setting>', with one of: {', '.join(known)}"
        having = [stage.id for stage in self.stages if name in type(stage.processor.settings).model_fields]
        if having:
            return f"{name!r} names no step; did you mean '{having[0]}.{name}'?"
        return f"{name!r} names no step; write '<step>.<setting>', such as 'token-limiter.strategy'"

    def layout(self) -> list[dict[str, Any]]:
        """The arrangement as JSON data: one entry a step, in running order."""
        return [
            {
                "id": stage.id,
                "enabled": stage.enabled,
                "priority": stage.priority,
                "settings": stage.processor.settings.model_dump(mode="json", include=_named_or_unusual(stage)),
            }
            for stage in self.stages
        ]

    @checked_arguments
    def with_layout(self, layout: Any) -> Pipeline:
        """With a stored layout, which overrides agent and model: a list as `layout()` gives it.

        Steps that it doesn't name stay as they are; steps that aren't here, and wrong settings, earn a note.
        """
        notes = list(self.layout_notes)
        stages = list(self.stages)
        for entry in layout_entries(layout, notes):
            hit = [i for i, stage in enumerate(stages) if stage.is_called(str(entry.get("id")))]
            if not hit:
                notes.append(Note("warning", f"the layout names a step that is not here, {entry.get('id')!r}"))
            layer = layout_layer(entry, notes)
            for i in hit:
                stages[i] = stages[i].with_layer(stages[i].layer_for(str(entry.get("id")), layer))
        return self._sorted(stages, tuple(notes), self.request_notes, self.dialect, self.request)

    @checked_arguments
    def with_dialect(self, dialect: str | Dialect | None) -> Pipeline:
        """With the settings of a dialect below every other layer, whatever a request's agent brings; None asks it."""
        return replace(self, dialect=None if dialect is None else dialect_named(dialect))

    @checked_arguments
    def for_request(self, build_input: BuildInput) -> Pipeline:
        """With the layers that the dialect, the request's model and its agent bring; earlier ones of others go."""
        agent, model = build_input.agent, build_input.model
        of_dialect = layers_of_dialect(self.stages, self.dialect or dialect_of(build_input))
        stages = [
            stage.with_layers(
                (
                    *of_dialect.get(stage.id, ()),
                    *stage.without("dialect", "model", "agent"),
                    *stored_layers(stage, model, agent),
                )
            )
            for stage in self.stages
        ]
        notes = (*unknown_entries(self.stages, model, "model"), *unknown_entries(self.stages, agent, "agent"))
        return self._sorted(stages, self.layout_notes, notes, self.dialect, self.request)

    # --- looking at it

    def check(self) -> tuple[Note, ...]:
        """A warning for each step that needs what no step before it provides."""
        provided: set[str] = set()
        found: list[Note] = []
        for stage in self.stages:
            if not stage.enabled:
                continue
            for need in stage.base.needs:
                if need not in provided:
                    found.append(
                        Note("warning", f"{stage.id} needs {need!r}, and {self._why_missing(need, stage)}", stage.id)
                    )
            provided.update(stage.base.provides)
        return tuple(found)

    def warnings(self) -> tuple[Note, ...]:
        """The notes of a run at its start: wrong stored settings, steps without what they need, settings in vain."""
        idle = [note for stage in self.stages if (note := stage.settings_in_vain()) is not None]
        return (*self.notes, *self.check(), *idle)

    def _why_missing(self, need: str, stage: Stage) -> str:
        makers = [other for other in self.stages if need in other.base.provides and other is not stage]
        if not makers:
            return "no step provides it"
        maker = makers[0]
        return f"{maker.id} is switched off" if not maker.enabled else f"{maker.id} comes after it"

    def describe(self) -> pd.DataFrame:
        """One row a step, in running order: whether it is on, by which layer, and what it does."""
        return steps_frame(self.stages)

    def settings(self) -> pd.DataFrame:
        """One row a setting of a step, in running order: its value, the layer that it is from, what it means.

        Every step has `enabled` and `priority`; `<step>.<setting>` is its name in `with_settings`. Parameters of the
        request that are set here come last.
        """
        return settings_frame(self.stages, self.request)

    def as_data(self) -> list[dict[str, Any]]:
        """One dict a step, in running order: every setting's value, the layer it is from, what it means and takes."""
        return steps_as_data(self.stages)

    # --- running it

    @checked_arguments
    def run(self, ctx: Context, services: Services, *, on_error: OnError = "raise") -> Trace:
        """Every enabled step in order. A step that raises stops the run with ProcessorFailed, trace included.

        So does a result that a step refuses in `check_run`. `on_error="skip"` goes on without what the step did and
        records the error.
        """
        return self.start(ctx, services).finished(on_error=on_error)

    @checked_arguments
    def start(self, ctx: Context, services: Services) -> Trace:
        """A trace of no steps yet, with the settings of model and agent applied and their notes on the context."""
        pipeline = self.for_request(ctx.input)
        return Trace(ctx.noted(pipeline.warnings()), (), pipeline, services)

    @checked_arguments
    def resume(
        self,
        trace: Trace,
        *,
        on_error: OnError = "raise",
        known: Sequence[Call] = (),
        edits: Sequence[EditByHand] = (),
    ) -> Trace:
        """The trace with the steps that are still to come; those that it has are taken as they are.

        `known` are the service calls of an earlier run: the same call is not made again. `edits` are made again, each
        behind the step that it followed.
        """
        steps = list(trace.steps)
        done = sum(not step.edited for step in steps)
        ctx = steps[-1].after if steps else trace.start
        known_calls = list(known)
        ids = [stage.id for stage in self.running()]
        steps += made_again(edits_due(edits, ids, done=done), ctx)
        ctx = steps[-1].after if steps else ctx
        for waits, stages in groupby(self.running()[done:], key=lambda stage: stage.processor.waits):
            with nullcontext() if waits else without_collection():
                for stage in stages:
                    step = self.step(stage, ctx, trace.services, known=known_calls)
                    steps.append(step)
                    if step.failure is not None and on_error == "raise":
                        try:
                            raise error_of(step, Trace(trace.start, tuple(steps), self, trace.services))
                        finally:
                            del step, steps  # the error's traceback holds this frame, which must not hold the error
                    done += 1
                    steps += made_again(edits_due(edits, ids, done=done), step.after)
                    ctx = steps[-1].after
        return self.checked(Trace(trace.start, tuple(steps), self, trace.services), on_error=on_error)

    @checked_arguments
    def checked(self, trace: Trace, *, on_error: OnError = "raise") -> Trace:
        """A finished run that every step accepts in `check_run`; raises what the first step raises that doesn't.

        The refusal is the failure of that step. With `on_error="skip"` it is recorded in the trace, as the failure of
        a step that raised is.
        """
        ran = [i for i, step in enumerate(trace.steps) if not step.edited]
        for stage, at in zip(self.running(), ran, strict=True):
            step = trace.steps[at]
            problem = None if step.skipped or step.failure is not None else _refusal(stage, trace)
            if problem is not None:
                failed = replace(step, failure=problem)
                trace = replace(trace, steps=(*trace.steps[:at], failed, *trace.steps[at + 1 :]))
                if on_error == "raise":
                    try:
                        raise error_of(failed, trace)
                    finally:
                        del problem, failed, trace  # as in resume
        return trace

    def running(self) -> list[Stage]:
        """The enabled stages, in order."""
        return [stage for stage in self.stages if stage.enabled]

    @checked_arguments
    def step(self, stage: Stage, ctx: Context, services: Services, *, known: list[Call] | None = None) -> Step:
        """One stage run on a context and checked by the conservation law. An error is in `failure`; the context stays.

        Calls that are replayed from `known` are taken out of it.
        """
        log = CallLog([] if known is None else known)
        world = self.services_for(stage, services.recorded_by(log))
        started = perf_counter()
        try:
            after = check_step(ctx, stage.processor(ctx, world), processor=stage.id)
            if HISTORY in stage.base.provides:
                check_loaded_history(after, processor=stage.id)
        except Exception as problem:  # whatever a step raises is recorded with the run so far
            return Step(stage.id, ctx, ctx, perf_counter() - started, tuple(log.calls), problem)
        return Step(stage.id, ctx, after, perf_counter() - started, tuple(log.calls))

    @checked_arguments
    def services_for(self, stage: Stage, services: Services) -> Services:
        """The services as a stage gets them: with `later_tokens` where it reads them."""
        if not stage.base.reads_later_tokens:
            return services
        return replace(services, count_later_tokens=partial(self.later_tokens, stage, services))

    @checked_arguments
    def later_tokens(self, stage: Stage, services: Services) -> int:
        """Tokens that the enabled steps after `stage` may add to each message."""
        after = self.stages[self.stages.index(stage) + 1 :]
        return sum(later.processor.may_add_tokens(services.tokenizer) for later in after if later.enabled)

    @checked_arguments
    def first_difference(self, other: Pipeline, services: Services) -> int:
        """Number of running steps that both pipelines share at the front, so that their results can be taken over."""
        mine, theirs = self.running(), other.running()
        for i, (a, b) in enumerate(zip(mine, theirs, strict=False)):
            if not a.does_the_same_as(b):
                return i
            if a.base.reads_later_tokens and self.later_tokens(a, services) != other.later_tokens(b, services):
                return i
        return min(len(mine), len(theirs))


def _refusal(stage: Stage, trace: Trace) -> Exception | None:
    """The error that the step's `check_run` raises for a finished run; None when it accepts the run."""
    try:
        stage.processor.check_run(trace)
    except Exception as problem:  # whatever a step raises is recorded with the run
        return problem
    return None


def error_of(step: Step, trace: Trace) -> Exception:
    """The error that a run with a failed step raises: ProcessorFailed with the trace, or the law that was broken."""
    problem = step.failure
    assert problem is not None
    if isinstance(problem, LawBroken):
        return problem
    if isinstance(problem, ProcessorFailed):
        return problem.with_trace(step.id, trace)
    failed = ProcessorFailed(f"{step.id} failed: {type(problem).__name__}: {problem}", processor=step.id, trace=trace)
    failed.__cause__ = problem
    return failed


def _named_or_unusual(stage: Stage) -> set[str]:
    """Settings that some layer names, or that the step was made with: a named default is worth keeping too."""
    unusual = stage.processor.settings.model_dump(exclude_defaults=True)
    return {name for name in stage.sources if name in unusual or stage.sources[name] != "default"}
