"""Models that an agent's file names, one for each vendor, which a request is not sent to by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from ctxlab.documents.agent.agent import Agent

NAMED_MODELS: Final = "namedModels"
"""Key of `Agent.carried`: by name of a provider the model that the file names for it."""
OWN_MODEL: Final = "ownModel"
"""Key of `Agent.carried`: the model that the file is used with in its program."""


def own_model(agent: Agent | None) -> str | None:
    """The model that the agent's file is used with in its program; None where it doesn't say."""
    name = (agent.carried or {}).get(OWN_MODEL) if agent is not None else None
    return name if isinstance(name, str) and name else None


def named_model(agent: Agent | None, provider: str) -> str | None:
    """The model that the agent's file names for a provider; None where it names none."""
    models = (agent.carried or {}).get(NAMED_MODELS) if agent is not None else None
    name = cast("Mapping[str, object]", models).get(provider) if isinstance(models, Mapping) else None
    return name if isinstance(name, str) and name else None
