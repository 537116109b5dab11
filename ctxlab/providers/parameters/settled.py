"""The parameters of one request, settled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctxlab.context import BuildInput
from ctxlab.documents import Note
from ctxlab.providers.loss import RequestLoss
from ctxlab.providers.model_facts import ModelFacts
from ctxlab.providers.provider import Provider
from ctxlab.providers.request_parameters import RequestParameters


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Parameters that this model takes, with what is not sent of those that were asked for, and why."""

    parameters: RequestParameters
    losses: tuple[RequestLoss, ...] = ()
    notes: tuple[Note, ...] = ()


def parameters_of(
    build_input: BuildInput, model: ModelFacts, provider: Provider, *, call: Mapping[str, Any], stream: bool = False
) -> Settled:
    """The parameters of agent, session and call, the later over the earlier, settled for a model."""
    return Settled(RequestParameters(stream=True if stream else None))
