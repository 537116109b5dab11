"""Macros of names and descriptions: user, agent, model, profile."""

from __future__ import annotations

from ctxlab.context import Text
from ctxlab.engines.macros.call import MacroCall
from ctxlab.engines.macros.registry import macro

GUIDELINE = (
    "Write Markdown. Use headings, lists and tables where they help to read, fenced blocks for code, "
    "and $...$ for formulas. Plain sentences stay plain."
)


@macro("user", phase="substitute")
def user(call: MacroCall) -> str:
    """Name of the user."""
    return call.env.user


@macro("char", "agent", phase="substitute")
def char(call: MacroCall) -> str:
    """Name of the agent."""
    return call.env.char


@macro("persona", phase="substitute")
def persona(call: MacroCall) -> str:
    """Who the user is, as the user profile says."""
    return call.env.persona


@macro("description", phase="substitute")
def description(call: MacroCall) -> str:
    """Description of the agent."""
    return call.env.description


@macro("personality", phase="substitute")
def personality(call: MacroCall) -> str:
    """Personality of the agent."""
    return call.env.personality


@macro("scenario", phase="substitute")
def scenario(call: MacroCall) -> str:
    """Where the conversation takes place."""
    return call.env.scenario


@macro("mesExamples", phase="substitute")
def mes_examples(call: MacroCall) -> str:
    """Examples of what the agent says."""
    return call.env.mes_examples


@macro("modelId", phase="substitute")
def model_id(call: MacroCall) -> str:
    """Id of the model."""
    return call.env.model_id


@macro("modelName", phase="substitute")
def model_name(call: MacroCall) -> str:
    """Name of the model, or its id."""
    return call.env.model_name or call.env.model_id


@macro("profileId", phase="substitute")
def profile_id(call: MacroCall) -> str:
    """Id of the profile that the model belongs to."""
    return call.env.profile_id


@macro("profileName", phase="substitute")
def profile_name(call: MacroCall) -> str:
    """Name of the profile that the model belongs to, or its id."""
    return call.env.profile_name or call.env.profile_id


@macro("provider", phase="substitute")
def provider(call: MacroCall) -> str:
    """Kind of service that the model runs at."""
    return call.env.provider


@macro("agentVersion", phase="substitute")
def agent_version(call: MacroCall) -> str:
    """Version of the agent."""
    return (call.env.agent.agent_version if call.env.agent else None) or ""


@macro("visual_guideline", phase="pre", template=True)
def visual_guideline(call: MacroCall) -> str:
    """How answers should look, as the agent says, its own macros included; a short text when it says nothing."""
    return (call.env.agent.visual_guideline if call.env.agent else None) or GUIDELINE


@macro("outlet", phase="substitute", arguments="1")
def outlet(call: MacroCall) -> str | Text:
    """The worldbook entries that were sent to this outlet; empty when there are none."""
    return call.env.outlets.get(call.arguments[0].strip(), "")
