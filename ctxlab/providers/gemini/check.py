"""Problems of a body for Gemini's generateContent, by our own rules over the plain JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ctxlab.display.short_texts import short
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.body_order import in_order
from ctxlab.providers.body_shapes import Found
from ctxlab.providers.gemini.history_rules import history_problems
from ctxlab.providers.gemini.parameter_rules import MAX_REQUEST, parameter_problems
from ctxlab.providers.gemini.shapes import BODY
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.problem import Problem
from ctxlab.providers.provider import Provider
from ctxlab.providers.unwritable import size_problem

NAME = lazy_pattern(r"(?:models/)?[A-Za-z0-9._-]+")


def check_body(
    body: Mapping[str, Any], model: ModelInfo, provider: Provider, *, stream: bool = False
) -> Iterator[Problem]:
    """The problems of a plain JSON body, in its order. Whether the reply is streamed is in the address alone."""
    found: Found = []
    BODY.look({name: value for name, value in body.items() if name not in provider.extra_fields}, (), found)
    parameter_problems(body, model, found)
    history_problems(body, model, found)
    if model.name and not NAME.fullmatch(model.name):
        reason = f"the model's name {short(model.name)!r} has characters that no model of Gemini's has"
        found.append(Problem((), "model-name", reason, "take a name such as gemini-2.5-pro"))
    size = size_problem(body, MAX_REQUEST, "send fewer or smaller files, or upload them before")
    if size is not None:
        found.append(size)
    yield from in_order(found, body)
