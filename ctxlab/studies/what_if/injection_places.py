"""Places for a preset or a lore entry: depths, orders and anchors, and a build input with it in one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import TypeVar

from ctxlab.context import BuildInput
from ctxlab.documents import Agent, MessageNode, UserProfile
from ctxlab.documents.agent.place_preset import placed
from ctxlab.documents.lore import POSITIONS
from ctxlab.engines.worldbook import LoreScan
from ctxlab.errors import Refused, WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.processors.injection.read_preset_placement import HISTORY, anchor_id
from ctxlab.studies.what_if.removals import preset_keys

Holder = TypeVar("Holder", Agent, UserProfile)
FAR = (15, 20, 30, 50, 100, 200, 500, 1000)
"""Depths beyond the tenth message that are tried where none are named."""
NEAR = 10
AT_DEPTH = POSITIONS.index("at_depth")
BESIDE = tuple([name for name in POSITIONS if name not in ("at_depth", "outlet")])


@dataclass(frozen=True, slots=True)
class InjectionPlace:
    """A depth (0 is after the newest message), or a side of an anchor; `order` None leaves the order as it is."""

    depth: float | None = None
    anchor: str | None = None
    order: float | None = None

    def __str__(self) -> str:
        place = f"depth {self.depth:g}" if self.depth is not None else str(self.anchor)
        return place if self.order is None else f"{place}, order {self.order:g}"


class Placed:
    """A preset or a lore entry of a run, to be put into other places, by its key."""

    def __init__(self, trace: Trace, name: str) -> None:
        scan = trace.result.report(LoreScan)
        entries = {one.key: (one.lore.book_index, one.lore.name) for one in scan.decisions} if scan else {}
        titles = {one.key: one.title for one in scan.decisions} if scan else {}
        self.key = _key_of(name, _names_of_presets(trace.start.input), titles)
        self.is_entry = self.key.startswith("lore:")
        self._entry = entries.get(self.key, (0, ""))

    def at(self, build_input: BuildInput, place: InjectionPlace) -> BuildInput:
        """The input with it in another place; raises Refused for a place that doesn't exist."""
        return self._entry_at(build_input, place) if self.is_entry else self._preset_at(build_input, place)

    def _entry_at(self, build_input: BuildInput, place: InjectionPlace) -> BuildInput:
        number, name = self._entry
        fields: dict[str, object] = {} if place.order is None else {"order": place.order}
        if place.order is not None and not isfinite(place.order):
            raise Refused(f"order can't be {place.order!r}: it is a finite number")
        if place.depth is not None and not (isfinite(place.depth) and place.depth >= 0):
            raise Refused(f"depth can't be {place.depth!r}: it counts messages from the newest one, 0 is after it")
        if place.depth is not None:
            fields |= {"position": AT_DEPTH, "depth": int(place.depth)}
        elif place.anchor not in BESIDE:
            raise Refused(f"anchor can't be {place.anchor!r} for a lore entry{did_you_mean(str(place.anchor), BESIDE)}")
        else:
            fields["position"] = POSITIONS.index(place.anchor)
        books = list(build_input.books)
        entries = dict(books[number].entries)
        entries[name] = entries[name].model_copy(update=fields)
        books[number] = books[number].model_copy(update={"entries": entries})
        return replace(build_input, books=tuple(books))

    def _preset_at(self, build_input: BuildInput, place: InjectionPlace) -> BuildInput:
        level, _, number = self.key.removeprefix("preset:").rpartition("/")
        if level == "global":
            return replace(build_input, presets=_moved(build_input.presets, int(number), place))
        if level == "user" and build_input.user is not None:
            return replace(build_input, user=_holder_with(build_input.user, int(number), place))
        assert build_input.agent is not None
        return replace(build_input, agent=_holder_with(build_input.agent, int(number), place))


def _names_of_presets(build_input: BuildInput) -> dict[str, tuple[str, ...]]:
    """By key, the names under which a preset is shown: its id and its name, each with the word preset before it too."""
    held = {"": build_input.agent, "user": build_input.user}
    found: dict[str, tuple[str, ...]] = {}
    for key in preset_keys(build_input):
        level, _, number = key.removeprefix("preset:").rpartition("/")
        speaker = held.get(level)
        presets = build_input.presets if level == "global" else speaker.preset_messages if speaker is not None else ()
        preset = presets[int(number)] if int(number) < len(presets) else None
        names = (preset.id, preset.name) if preset is not None else ()
        found[key] = tuple([said for name in names if name for said in (name, f"preset {name}")])
    return found


def _key_of(name: str, presets: Mapping[str, Sequence[str]], titles: Mapping[str, str]) -> str:
    """The key that a key or a shown name stands for; raises WrongArgument for one of none or of several."""
    if name in presets or name in titles:
        return name
    named = {**presets, **{key: (title, f"lore {title}") for key, title in titles.items()}}
    keys = [key for key, names in named.items() if name in names]
    if len(keys) == 1:
        return keys[0]
    if keys:
        raise WrongArgument(f"{name!r} names {len(keys)} of them; give a key: {', '.join(keys[:8])}")
    known = list(dict.fromkeys([*named, *(each for names in named.values() for each in names)]))
    raise WrongArgument(
        f"what takes a preset or a lore entry, by its key or the name that is shown; there is no {name!r}"
        f"{did_you_mean(name, known)}"
    )


def places_to_try(
    trace: Trace,
    placed_thing: Placed,
    *,
    depths: Sequence[float] | None,
    orders: Sequence[float] | None,
    anchors: Sequence[str] | None,
) -> list[InjectionPlace]:
    """Every depth and every anchor in every order; where neither depths nor anchors are named, all that there are."""
    if depths is None and anchors is None:
        depths, anchors = _depths(trace), list(_anchors(trace, placed_thing))
    there = [InjectionPlace(depth=depth) for depth in depths or ()] + [
        InjectionPlace(anchor=name) for name in anchors or ()
    ]
    return [replace(place, order=order) for place in there for order in (orders or (None,))]


def _depths(trace: Trace) -> list[float]:
    loaded = next((step.after.drafts for step in trace.steps if step.after.drafts), ())
    length = len(loaded)
    return [*range(min(length, NEAR) + 1), *[depth for depth in FAR if depth <= length]]


def _anchors(trace: Trace, thing: Placed) -> Iterator[str]:
    if thing.is_entry:
        yield from BESIDE
        return
    agent = trace.start.input.agent
    names = [anchor_id(preset) for preset in (agent.preset_messages if agent else ())]
    for name in dict.fromkeys([HISTORY, *[name for name in names if name]]):
        yield from (f"before {name}", f"after {name}")


def _holder_with(holder: Holder, number: int, place: InjectionPlace) -> Holder:
    return holder.model_copy(update={"preset_messages": _moved(holder.preset_messages, number, place)})


def _moved(presets: tuple[MessageNode, ...], number: int, place: InjectionPlace) -> tuple[MessageNode, ...]:
    side, _, name = (place.anchor or "").rpartition(" ")
    at = {"depth": place.depth} if place.depth is not None else {"anchor": name, "position": side or "after"}
    moved = placed(presets[number], **at, order=place.order)  # type: ignore[arg-type]
    return (*presets[:number], moved, *presets[number + 1 :])
