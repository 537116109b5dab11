"""The body of a request without its messages: what the parameters of a form become for a vendor."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from ctxlab.context import BuildInput
from ctxlab.documents import ModelProfile, Note, Session
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.loss import RequestLoss
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.models import model_info
from ctxlab.providers.parameters import effective, parameters_of
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Problem
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.providers.registry import provider_of_model
from ctxlab.providers.request_parameters import RequestParameters
from ctxlab_widgets.agent_form.form_state import FormState
from ctxlab_widgets.agent_form.parameter_fields import ParameterField

OF_THE_PROMPT = frozenset(
    {"messages", "input", "contents", "system", "instructions", "systemInstruction", "system_instruction", "tools"}
)
"""Fields of bodies that hold messages and tools, in all forms of requests."""
SAMPLES: Mapping[str, Any] = FrozenDict(
    temperature=0.5,
    top_p=0.9,
    top_k=40,
    frequency_penalty=0.5,
    presence_penalty=0.5,
    seed=7,
    stop=("END",),
    n=2,
    logprobs=True,
    top_logprobs=2,
    logit_bias={"1": 1},
    response_format={"type": "json_object"},
    tool_choice="auto",
    parallel_tool_calls=False,
    modalities=("text", "audio"),
    audio={"voice": "alloy", "format": "wav"},
    prediction={"type": "content", "content": "word"},
    web_search={},
    safety=({"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"},),
    user="somebody",
    service_tier="auto",
    store=True,
    include=("reasoning.encrypted_content",),
    metadata={"user_id": "somebody"},
)
"""Values by which a writer shows whether its vendor has a place for a parameter."""


@dataclass(frozen=True, slots=True, eq=False)
class RequestPreview:
    """A body without messages and tools, the parameters in it, and what the vendor would say of them."""

    provider: Provider
    facts: ModelInfo
    parameters: RequestParameters
    body: Mapping[str, Any]
    problems: tuple[Problem, ...]
    losses: tuple[RequestLoss, ...]
    notes: tuple[Note, ...]

    def lines(self) -> list[dict[str, Any]]:
        """The body as lines of JSON: `text`, and whether something there is `wrong`."""
        wrong = {problem.path for problem in self.problems}
        return [{"text": text, "wrong": path in wrong} for text, path in _lines(self.body, (), -1, "")][1:-1]

    def takes(self, field: ParameterField) -> bool:
        """Whether the vendor's form of request has a place for a parameter; one that isn't sent needs none."""
        return field.sent_as not in SAMPLES or _takes(self.provider, self.facts, field.sent_as)


def preview_of(state: FormState, model: str | ModelProfile) -> RequestPreview:
    """The request that the parameters of a form become for the vendor of a model."""
    provider = provider_of_model(model)
    facts = model_info(model, provider)
    build_input = BuildInput(
        state.session or Session(), agent=state.agent, model=model if isinstance(model, ModelProfile) else None
    )
    settled = parameters_of(effective(build_input, state.call), facts, provider)
    out = _written(provider, facts, settled.parameters)
    body = {name: value for name, value in out.body.items() if name not in OF_THE_PROMPT}
    problems = [
        problem
        for problem in provider.check(out.body, facts, provider)
        if problem.path and problem.path[0] not in OF_THE_PROMPT
    ]
    losses, notes = (*settled.losses, *out.losses), (*settled.notes, *out.notes)
    return RequestPreview(provider, facts, settled.parameters, body, tuple(problems), losses, notes)


@lru_cache(1000)
def _takes(provider: Provider, facts: ModelInfo, name: str) -> bool:
    """Whether a writer puts a sample of a parameter into the body and loses nothing of it."""
    parameters = replace(RequestParameters(), **{name: SAMPLES[name]})
    return not any(loss.kind == "parameter" for loss in _written(provider, facts, parameters).losses)


def _written(provider: Provider, facts: ModelInfo, parameters: RequestParameters) -> BodyWriter:
    out = BodyWriter()
    provider.write(Prompt(()), parameters, facts, provider, out)
    return out


def _lines(value: object, path: JsonPath, depth: int, end: str) -> Iterator[tuple[str, JsonPath]]:
    """JSON text line by line, each with the path of the value that begins there."""
    blank = "  " * max(depth, 0)
    name = f"{json.dumps(path[-1], ensure_ascii=False)}: " if path and isinstance(path[-1], str) else ""
    if isinstance(value, Mapping) and value:
        yield f"{blank}{name}{{", path
        items = list(cast("Mapping[str, Any]", value).items())
        for i, (key, each) in enumerate(items):
            yield from _lines(each, (*path, key), depth + 1, "," if i < len(items) - 1 else "")
        yield f"{blank}}}{end}", ()
    else:
        yield f"{blank}{name}{json.dumps(value, ensure_ascii=False)}{end}", path
