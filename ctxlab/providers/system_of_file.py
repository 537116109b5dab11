"""The loss of a file's wish to send system messages as the user's, where a vendor has a place for a system prompt."""

from __future__ import annotations

from typing import Final

from ctxlab.display.short_texts import counted
from ctxlab.documents import Agent
from ctxlab.documents.agent.system_as_user import field_against_system
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.problem import Fix
from ctxlab.providers.provider import Provider

AS_USER: Final = Fix("send system messages as the user's", settings={"convert-system.enabled": True})
FIELDS: Final = ("system", "systemInstruction")


def lose_wish_for_no_system(agent: Agent | None, provider: Provider, out: BodyWriter) -> None:
    """Record that the agent's file wants no system prompt for this vendor, where the body has one."""
    field = field_against_system(agent, provider.name)
    keys = {place.key for place in out.places if place.path[0] in FIELDS}
    if field is None or not keys:
        return
    reason = (
        f"the preset has this vendor get system messages as the user's; here {counted(len(keys), 'message')} stand in "
        f"the system prompt, and convert-system.enabled=true sends them as the user's"
    )
    out.lose("role", f"{field}: false", reason, fix=AS_USER)
