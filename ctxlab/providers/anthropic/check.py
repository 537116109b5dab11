"""Problems of a body for Anthropic's Messages, by our own rules over the plain JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ctxlab.providers.anthropic.history_rules import history_problems
from ctxlab.providers.anthropic.parameter_rules import MAX_REQUEST, parameter_problems
from ctxlab.providers.anthropic.shapes import BODY
from ctxlab.providers.body_order import in_order
from ctxlab.providers.body_shapes import Found
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.problem import Problem
from ctxlab.providers.provider import Provider
from ctxlab.providers.unwritable import size_problem


def check_body(
    body: Mapping[str, Any], model: ModelInfo, provider: Provider, *, stream: bool = False
) -> Iterator[Problem]:
    """The problems of a plain JSON body, in its order."""
    found: Found = []
    BODY.look({name: value for name, value in body.items() if name not in provider.extra_fields}, (), found)
    if stream and body.get("stream") is not True:
        reason = "the reply is wanted as a stream, and the body doesn't say so"
        found.append(Problem((), "stream", reason, "write 'stream': true"))
    parameter_problems(body, model, provider, found)
    history_problems(body, model, found)
    size = size_problem(body, MAX_REQUEST, "send fewer or smaller files, or link them")
    if size is not None:
        found.append(size)
    yield from in_order(found, body)
