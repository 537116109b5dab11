"""The reference's engine and its kept layouts: the cases through a pipeline of steps that do next to nothing.

Compared are the steps that ran, in order; a layout goes through JSON, as it is kept.
"""

from __future__ import annotations

import json
from typing import Any

from ctxlab.context import BuildInput, Context
from ctxlab.documents import Session
from ctxlab.errors import PipelineError
from ctxlab.pipeline import Pipeline, Processor, Services
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.materials import tokenizer_of

DEFAULT = (
    ("primary:session-loader", 100),
    ("async-task-processor", 110),
    ("primary:regex-processor", 200),
    ("transcription-processor", 250),
    ("primary:worldbook-processor", 300),
    ("primary:injection-assembler", 400),
    ("primary:knowledge-processor", 450),
    ("primary:variable-processor", 500),
    ("primary:token-limiter", 600),
    ("message-formatter", 800),
    ("asset-resolver", 10_000),
)


def step(id: str, priority: int, *, mutate: str = "", throws: str = "") -> Processor:
    def call(self: Processor, ctx: Context, services: Services) -> Context:
        changed = ctx.note("info", mutate) if mutate else ctx
        if throws:
            raise ValueError(throws)
        return changed

    return type("Step", (Processor,), {"id": id, "name": id, "priority": priority, "__call__": call})()


def run(data: Data) -> Any:
    return _engine(data["processors"]) if data["kind"] == "engine" else _kept(data)


def _engine(given: list[Data]) -> Any:
    steps = [
        step(one["id"], one.get("priority", 0), mutate=one.get("mutate", ""), throws=one.get("throws", ""))
        for one in given
    ]
    try:
        pipeline = Pipeline.of(steps)
    except PipelineError:
        return "refused"
    trace = pipeline.run(Context(BuildInput(Session()), ()), Services(tokenizer_of({})), on_error="skip")
    return {
        "executed": [one.id for one in trace.steps],
        "messages": [note.text for note in trace.result.notes if note.level == "info"],
        "failed": sum(one.error is not None for one in trace.steps),
    }


def _kept(data: Data) -> Any:
    pipeline = Pipeline.of([step(id, priority) for id, priority in DEFAULT])
    for name, *values in data["ops"]:
        pipeline = _changed(pipeline, name, values)
    before = data["persistedBefore"]
    if before:
        there = [id for id in before["enabledProcessorIds"] if id in pipeline.ids]
        pipeline = pipeline.with_layout([{"id": id, "enabled": not there or id in there} for id in pipeline.ids])
    layout = json.loads(json.dumps(pipeline.layout()))
    again = Pipeline.of([stage.base for stage in pipeline.stages]).with_layout(layout)
    return [stage.id for stage in again.stages if stage.enabled]


def _changed(pipeline: Pipeline, name: str, values: list[Any]) -> Pipeline:
    if name == "setEnabled":
        id, enabled = values
        return pipeline.with_layout([{"id": id, "enabled": enabled}])
    if name == "register":
        return pipeline.with_processor(step(values[0]["id"], values[0]["priority"]))
    if name == "unregister":
        return pipeline.without_processor(values[0])
    order = [*values[0], *(id for id, _ in _in_stored_order(pipeline) if id not in values[0])]
    return pipeline.with_layout([{"id": id, "priority": 100 * n} for n, id in enumerate(order, start=1)])


def _in_stored_order(pipeline: Pipeline) -> list[tuple[str, int]]:
    return [(stage.id, stage.priority) for stage in pipeline.stages]


def expected(case: Case) -> Any:
    wanted = case.expected
    if case.input["kind"] == "engine":
        return {"executed": wanted["executed"], "messages": wanted["messages"], "failed": len(wanted["errors"])}
    return [id for id, _ in wanted["runOrder"]]


ADAPTERS: dict[str, Adapter] = {"pipeline_engine_store": Adapter(run, expected)}
