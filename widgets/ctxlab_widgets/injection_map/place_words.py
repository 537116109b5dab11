"""Places in a practitioner's words: names of anchors, depths that come again, positions of lore."""

from __future__ import annotations

from collections.abc import Mapping

from ctxlab.context import BuildInput
from ctxlab.display.one_line import plain
from ctxlab.engines.worldbook.explain import decisions
from ctxlab.pipeline import Trace
from ctxlab.processors.injection.depth import CYCLE, POINT, SEPARATOR
from ctxlab.processors.injection.presets import presets_of
from ctxlab.processors.injection.read_preset_placement import ANCHORS, anchor_id

POSITION_WORDS: Mapping[str, str] = {"before_char": "before the character", "after_char": "after the character"}


def anchor_names(build_input: BuildInput) -> dict[str, str]:
    """The names of anchors by id: ctxlab's own, else that of the preset that marks the place."""
    found: dict[str, str] = {}
    for preset in presets_of(build_input):
        marks = anchor_id(preset.node)
        if marks and preset.node.name:
            found.setdefault(marks, plain(preset.node.name, 40))
    return {**found, **{anchor.id: anchor.name for anchor in ANCHORS if anchor.name}}


def position_words(position: str) -> str:
    """The place of lore, such as `at a depth` for `at_depth`."""
    return POSITION_WORDS.get(position) or position.replace("at_depth", "at a depth").replace("_", " ")


def move_label(
    run: Trace,
    key: str,
    *,
    depth: float | str | None = None,
    order: float | None = None,
    anchor: str | None = None,
    position: str | None = None,
) -> str:
    """A move in a few words, such as `Mood to depth 1`; `run` is the one with it."""
    build_input = run.start.input
    own = key.partition("@")[0]
    presets = {each.key: each.node for each in presets_of(build_input)}
    node = presets.get(own)
    name = plain((node.name or node.content) if node is not None else "", 40)
    name = name or next((plain(one.title, 40) for one in decisions(run.result) if one.key == key), "") or own
    if isinstance(depth, str):
        return f"{name} to {depths_words(depth)}"
    if depth is not None:
        return f"{name} to depth {depth:g}"
    if anchor:
        return f"{name} to {anchor_names(build_input).get(anchor, anchor)}"
    if anchor is not None:
        return f"{name} among the presets"
    if position is not None:
        return f"{name} {position_words(position)}"
    return f"{name} to order {order:g}"


def depths_words(config: str) -> str:
    """Depths such as `3, 10~5` in words; as they are written where some of them aren't in the grammar.

    >>> depths_words("4~4"), depths_words("3, 10~5"), depths_words("1, 2"), depths_words("soon")
    ('every 4th message', 'depth 3 and every 5th message from depth 10', 'depths 1 and 2', 'depths soon')
    """
    points: list[str] = []
    cycles: list[str] = []
    for segment in filter(str.strip, SEPARATOR.split(config)):
        if (cycle := CYCLE.fullmatch(segment)) and int(cycle[2]):
            cycles.append(_cycle_words(int(cycle[1]), int(cycle[2])))
        elif point := cycle or POINT.fullmatch(segment):
            points.append(str(int(point[1])))
        else:
            return f"depths {plain(config, 40)}"
    named = f"depth{'s' if len(points) > 1 else ''} {_and(points)}" if points else ""
    return _and([named, *cycles] if named else cycles) or "no depth"


def _cycle_words(start: int, interval: int) -> str:
    every = "every message" if interval == 1 else f"every {_ordinal(interval)} message"
    return every if start == interval else f"{every} from depth {start}"


def _ordinal(n: int) -> str:
    last = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{last}"


def _and(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
