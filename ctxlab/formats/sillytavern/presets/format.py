"""SillyTavern's prompt presets as files, those for chat completion and for text completion."""

from __future__ import annotations

from typing import Any, Final, cast

from ctxlab.documents import Agent
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern.card_fields import Data, converted
from ctxlab.formats.sillytavern.presets.chat_completion import is_preset, preset_from
from ctxlab.formats.sillytavern.presets.text_completion import parts_of, text_preset_from
from ctxlab.formats.sillytavern.presets.writer import preset_json
from ctxlab.formats.source import Source, one_or_mostly
from ctxlab.formats.unsent_texts import with_unsent_texts
from ctxlab.formats.values_to_export import left_out, pick_agent

BOOKKEEPING: Final = frozenset({"identifier", "findRegex", "chat_completion_source", "bias_preset_selected"}) | {
    "impersonation_prompt", "continue_nudge_prompt", "group_nudge_prompt", "send_if_empty", "wi_format",
    "openai_model", "claude_model", "openrouter_model", "ai21_model", "mistralai_model", "google_model",
    "vertexai_model", "cohere_model", "perplexity_model", "groq_model", "deepseek_model", "custom_model", "xai_model",
    "moonshot_model", "openrouter_sort_models", "openrouter_middleout", "human_sysprompt_message", "custom_url",
    "reverse_proxy",
}  # fmt: skip
"""Names of prompts, models and places, what regular expressions are made of, and texts of turns of other kinds."""


def sniff_chat_preset(data: Any) -> bool:
    return one_or_mostly(data, is_preset)


def read_chat_preset(source: Source) -> Import:
    losses = list(source.losses)
    agents: list[Agent] = []
    names = Names()
    for place, item in source.items():
        if not is_preset(item):
            losses.append(Loss(place, "no preset; it is left out"))
            continue
        agent, found = preset_from(cast("Data", item), name=source.stem, id=names.take(f"preset-{source.stem}"))
        agents.append(agent)
        losses += [loss.inside(place) for loss in found]
    return with_unsent_texts(Import(agents=tuple(agents), losses=tuple(losses)), source, BOOKKEEPING, converted)


def write_chat_preset(found: Import, pick: Pick) -> Export[bytes]:
    """The only agent, or the picked one."""
    export = preset_json(pick_agent(found, pick))
    return export.after(
        left_out(found, ("sessions", "users", "rules", "quick_actions", "knowledge_bases"), "no agent; left out")
    )


PRESET = Format(
    "preset",
    "preset",
    (".preset.json",),
    sniff=sniff_chat_preset,
    read=read_chat_preset,
    write=write_chat_preset,
    holds=("agents",),
)


def sniff_text_preset(data: Any) -> bool:
    return bool(parts_of(data))


def read_text_preset(source: Source) -> Import:
    raw = cast("Data", source.data)
    agent, losses = text_preset_from(raw, name=source.stem)
    agents = [agent]
    if is_preset(raw.get("preset")):
        inside, found = preset_from(raw["preset"], name=source.stem, id=f"{agent.id}-prompts")
        agents.append(inside)
        losses += [loss.inside("preset") for loss in found]
    read = Import(agents=tuple(agents), losses=(*source.losses, *losses))
    return with_unsent_texts(read, source, BOOKKEEPING, converted)


TEXT_PRESET = Format("text-preset", "preset", sniff=sniff_text_preset, read=read_text_preset)
