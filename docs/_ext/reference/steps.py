"""Steps of the pipeline with all of their settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from _ext.reference.markdown import code, page, plain, table
from ctxlab.processors import STEPS


def steps() -> str:
    """The page."""
    ordered = sorted((step() for step in STEPS), key=lambda step: step.priority)
    overview = table(
        ["priority", "step", "default", "what it does"],
        (
            [s.priority, f"[`{s.id}`](#{s.id})", "on" if s.default_enabled else "off", plain(s.description)]
            for s in ordered
        ),
    )
    return page("Steps and settings", INTRO, overview, *(part for step in ordered for part in _of_step(step)))


INTRO = """Steps run by their priority. A setting is named by its step: `settings={"token-limiter.strategy":
"block"}` in a call, `{"id": "token-limiter", "settings": {"strategy": "block"}}` under `processors` of an agent or a
model. Layers, the later one wins: default, dialect, model, agent, your layout, the call. `trace.pipeline.settings()`
says of each value from which layer it is."""


def _of_step(step: Any) -> Iterator[str]:
    yield f"({step.id})=\n## {step.id}"
    yield f"{plain(step.description)} Priority {step.priority}{', always on' if step.is_core else ''}."
    rows = [*_settings(step.Settings)] if step.Settings is not None else []
    if rows:
        yield table(["setting", "default", "takes", "what it does"], rows)


def _settings(model: Any) -> Iterator[list[str]]:
    schema = model.model_json_schema(by_alias=False)
    for name, own in schema.get("properties", {}).items():
        yield [code(name), code(_default(own)), _takes(own, schema.get("$defs", {})), plain(own.get("description", ""))]


def _default(own: dict[str, Any]) -> object:
    value = own.get("default")
    return repr(value) if isinstance(value, str) else value


def _takes(own: dict[str, Any], known: dict[str, Any]) -> str:
    if "$ref" in own:
        own = {**known.get(own["$ref"].rpartition("/")[2], {}), **own}
    if "enum" in own:
        return ", ".join(code(each) for each in own["enum"])
    if "const" in own:
        return code(own["const"])
    if "anyOf" in own:
        return " or ".join(dict.fromkeys(filter(None, (_takes(each, known) for each in own["anyOf"]))))
    bounds = [f"{sign} {own[key]}" for key, sign in BOUNDS.items() if key in own]
    return ", ".join([KINDS.get(str(own.get("type")), str(own.get("type", ""))), *bounds])


BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
KINDS = {"string": "text", "integer": "whole number", "boolean": "yes or no", "array": "list", "null": "none"} | {
    "object": "mapping",
    "None": "anything",
}
