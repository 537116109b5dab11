"""SillyTavern's prompt presets (chat completion) as files."""

from __future__ import annotations

from typing import Any, cast

from ctxlab.documents import Agent
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.sillytavern.card_fields import Data
from ctxlab.formats.sillytavern.presets.chat_completion import is_preset, preset_from
from ctxlab.formats.sillytavern.presets.writer import preset_json
from ctxlab.formats.source import Source, one_or_mostly
from ctxlab.formats.values_to_write import left_out, pick_agent


def sniff(data: Any) -> bool:
    return one_or_mostly(data, is_preset)


def read(source: Source) -> Import:
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
    return Import(agents=tuple(agents), losses=tuple(losses))


def write(found: Import, pick: Pick) -> Export[bytes]:
    """The only agent, or the picked one."""
    export = preset_json(pick_agent(found, pick))
    return export.after(left_out(found, ("sessions", "users", "rules"), "no agent; left out"))


PRESET = Format("preset", "preset", (".preset.json",), sniff=sniff, read=read, write=write, holds=("agents",))
