"""Answers of the topic payloads: the body that a vendor gets, what it would refuse, what its form has no place for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.testing.conformance.built import trace_of

Json = Mapping[str, Any]


def payload_of(given: Json) -> dict[str, Any]:
    """The body, whether the vendor would take it, and the losses with the message of each; of a `body` that is given
    the second alone."""
    from ctxlab.providers.payload import payload

    if "body" in given:
        return _taken(given)
    request = payload(
        trace_of(given),
        given["vendor"],
        model=given["model"],
        parameters=given.get("parameters"),
        stream=given.get("stream", False),
    )
    return {
        "body": request.body,
        "taken": not any(problem.level == "error" for problem in request.problems),
        "lost": sorted(
            [loss.kind, loss.what if loss.kind == "parameter" else (loss.key or "").removeprefix("node:")]
            for loss in request.losses
        ),
    }


def _taken(given: Json) -> dict[str, Any]:
    from ctxlab.providers.models import model_info
    from ctxlab.providers.registry import provider_named

    provider = provider_named(given["vendor"])
    facts = model_info(given["model"], provider)
    found = provider.check(given["body"], facts, provider, stream=bool(given["body"].get("stream")))
    return {"taken": not any(problem.level == "error" for problem in found)}
