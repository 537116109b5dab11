"""Macros of names and descriptions: user, agent, model, profile."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ctxlab.context import Text
from ctxlab.engines.macros.call import MacroCall
from ctxlab.engines.macros.environment import MacroEnv
from ctxlab.engines.macros.registry import Macro, MacroFamily, macro

GUIDELINE = (
    "Write Markdown. Use headings, lists and tables where they help to read, fenced blocks for code, "
    "and $...$ for formulas. Plain sentences stay plain."
)

Read = Callable[[MacroEnv], str]
FIELDS: tuple[tuple[tuple[str, ...], str, Read], ...] = (
    (("user",), "Name of the user.", lambda env: env.user),
    (("char", "agent"), "Name of the agent.", lambda env: env.char),
    (("persona",), "The user's persona, as in the user profile.", lambda env: env.persona),
    (("description",), "Description of the agent.", lambda env: env.description),
    (("personality",), "Personality of the agent.", lambda env: env.personality),
    (("scenario",), "Scenario of the conversation.", lambda env: env.scenario),
    (("mesExamples",), "Examples of what the agent says.", lambda env: env.mes_examples),
    (("modelId",), "Id of the model.", lambda env: env.model_id),
    (("modelName",), "Name of the model, or its id.", lambda env: env.model_name or env.model_id),
    (("profileId",), "Id of the profile that the model belongs to.", lambda env: env.profile_id),
    (
        ("profileName",),
        "Name of the profile that the model belongs to, or its id.",
        lambda env: env.profile_name or env.profile_id,
    ),
    (("provider",), "Kind of service that the model runs at.", lambda env: env.provider),
    (
        ("agentVersion",),
        "Version of the agent.",
        lambda env: (env.agent.agent_version if env.agent else None) or "",
    ),
)
"""Names, description and value of the macros that read one field of the environment."""

TEMPLATES = frozenset({"persona", "description", "personality", "scenario", "mesExamples"})
"""Texts that people write with macros of their own, such as a description that names {{char}}."""


def _field_macros() -> Iterator[Macro]:
    for names, description, read in FIELDS:
        for name in names:
            is_template = name in TEMPLATES
            yield Macro(name, "substitute", lambda call, read=read: read(call.env), description, template=is_template)


fields = MacroFamily(tuple(_field_macros()))


@macro("visual_guideline", phase="pre", template=True)
def visual_guideline(call: MacroCall) -> str:
    """The agent's guideline for the look of answers, its own macros included; a short default when it has none."""
    return (call.env.agent.visual_guideline if call.env.agent else None) or GUIDELINE


@macro("outlet", phase="substitute", arguments="1")
def outlet(call: MacroCall) -> str | Text:
    """The worldbook entries that were sent to this outlet; empty when there are none."""
    return call.env.outlets.get(call.arguments[0].strip(), "")
