"""Prompts as the reference program takes them, which loses markers and mistakes depths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ctxlab.formats.sillytavern.card_fields import Data, text_at
from ctxlab.formats.sillytavern.presets.prompt_order import DEPTH, HISTORY, MARKERS, ORDER, Orders, is_marker, message


def as_the_reference(prompts: Mapping[str, Data], orders: Orders) -> Iterator[Data]:
    """No markers but the history's and nothing blank; a place of its own only after the history."""
    after, ordered = False, orders.names()
    for name, enabled in orders.entries:
        if name == HISTORY:
            after = True
            yield {**message(name, {}, enabled=enabled, losses=[]), "type": MARKERS[HISTORY]}
        elif _has_words(name, prompts.get(name, {})):
            strategy = _reference_place(prompts[name]) if after else None
            preset = message(name, prompts[name], enabled=enabled, losses=[])
            yield {**preset, **({"injection_strategy": strategy} if strategy else {})}
    for name, prompt in prompts.items():
        if orders.index is not None and name not in ordered and _has_words(name, prompt):
            yield message(name, prompt, enabled=False, losses=[])


def _has_words(name: str, prompt: Mapping[str, Any]) -> bool:
    return not is_marker(name, prompt) and bool(text_at(prompt, "content", []).strip())


def _reference_place(prompt: Mapping[str, Any]) -> Data | None:
    depth, position = prompt.get("injection_depth"), prompt.get("injection_position")
    if isinstance(depth, int | float) and depth > 0:
        return {"depth": depth, "order": ORDER}
    if position in (1, 2):
        side = "before" if position == 1 else "after"
        return {"anchor_target": MARKERS[HISTORY], "anchor_position": side, "order": ORDER}
    return {"depth": DEPTH, "order": ORDER} if position == 4 else None
