"""Anchors that other packages bring, by entry point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache

from ctxlab.lazy_dataclass import dataclass
from ctxlab.plugins import announced
from ctxlab.processors.injection.read_preset_placement import ANCHORS, OLDER_HISTORY, Anchor

GROUP = "ctxlab.anchors"


@dataclass(frozen=True, slots=True)
class PluginAnchors:
    """The anchors that can be used, by id, and a sentence for each plugin that can't."""

    anchors: Mapping[str, Anchor] = field(default_factory=dict[str, Anchor])
    problems: tuple[str, ...] = ()


@cache
def plugin_anchors() -> PluginAnchors:
    """Anchors announced under the entry point group `ctxlab.anchors`; scanned once per process.

    They are looked for when a preset names an anchor that ctxlab doesn't have.
    """
    problems: list[str] = []
    own = {OLDER_HISTORY, *(anchor.id for anchor in ANCHORS)}
    found: dict[str, Anchor] = {}
    for plugin in announced(GROUP, problems):
        anchor = plugin.value
        if not isinstance(anchor, Anchor):
            problems.append(plugin.left_out(f"it is {type(anchor).__name__}, not an Anchor"))
        elif not isinstance(anchor.id, str) or not anchor.id:  # pyright: ignore[reportUnnecessaryIsInstance]
            problems.append(plugin.left_out(f"its id is {anchor.id!r}, not a name"))
        elif anchor.id in own or anchor.id in found:
            problems.append(plugin.left_out(f"there is an anchor {anchor.id!r} already; ids are unique"))
        else:
            found[anchor.id] = anchor
    return PluginAnchors(found, tuple(problems))
