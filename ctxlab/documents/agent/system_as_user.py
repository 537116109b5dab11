"""Vendors to which an agent's file has system messages sent as the user's, which a request doesn't do by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from ctxlab.documents.agent.agent import Agent

SYSTEM_AS_USER: Final = "systemAsUser"
"""Key of `Agent.carried`: by name of a provider the field of the file that says so."""


def field_against_system(agent: Agent | None, provider: str) -> str | None:
    """The field of the agent's file by which a provider gets no system prompt; None where none says so."""
    found = (agent.carried or {}).get(SYSTEM_AS_USER) if agent is not None else None
    name = cast("Mapping[str, object]", found).get(provider) if isinstance(found, Mapping) else None
    return name if isinstance(name, str) and name else None
