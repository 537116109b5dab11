"""Problems of a body, by the vendor's rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ctxlab.providers.model_facts import ModelFacts
from ctxlab.providers.problem import Problem
from ctxlab.providers.provider import Provider


def check_body(
    body: Mapping[str, Any], model: ModelFacts, provider: Provider, *, stream: bool = False
) -> Iterator[Problem]:
    """The problems of a plain JSON body, in its order."""
    yield from ()
