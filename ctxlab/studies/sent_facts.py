"""The facts beside what is sent: what a message is called, how it came to its place, what rules did to it."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.context import Draft, Origin, Text
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.engines.regexes.report import RuleHits
from ctxlab.engines.truncation import SHORTENED
from ctxlab.engines.worldbook.decision import Decision
from ctxlab.engines.worldbook.explain import LORE, decisions
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.text_versions import CHANGED_BY_HAND
from ctxlab.pipeline.manual_edit import HAND
from ctxlab.processors.injection.depth import CYCLE
from ctxlab.processors.injection.presets import presets_of
from ctxlab.processors.injection.read_preset_placement import RequestedPlacement, requested_placement
from ctxlab.studies.landings import landings
from ctxlab.studies.titled_names import TitledNames

NAME = 48
MOST_RULES = 2
PLACED_ANYWHERE = ("skeleton", "none")


class SentFacts:
    """Names and reasons of the messages of one run, by key."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.session = trace.start.input.session
        self.presets = {preset.key: preset.node for preset in presets_of(trace.start.input)}
        self.names = TitledNames(trace)
        self.lore = {one.key: one for one in decisions(trace.result)}
        placed = any(draft.origin.kind in ("preset", LORE) for step in trace.steps[-1:] for draft in step.after.drafts)
        found = landings(trace).injections if placed or self.presets or self.lore else ()
        self.injections = {each.key: each for each in found}
        history = [part.key for draft in trace.result.drafts for part in draft.parts if _is_typed(part.origin)]
        self.newest = history[-1] if history else ""
        self.hidden = {
            draft.key: draft for group in trace.result.dropped if group.needed is None for draft in group.drafts
        }
        self.hits: dict[str, list[str]] = {}
        report = trace.result.report(RuleHits)
        for hit in report.hits if report is not None else ():
            name = plain(hit.rule.shown_name, NAME)
            self.hits.setdefault(hit.key, []).append(f"{counted(hit.hits, 'change')} by rule {name}")

    def name(self, key: str, draft: Draft | None, text: str) -> str:
        """The name of a preset, the title of an entry, the id of a message that a person can say, else first words."""
        if draft is not None:
            return self.names.of(draft)
        return plain(text, NAME) or plain(key, NAME)

    def how(self, key: str, origin: Origin, draft: Draft | None, text: Text) -> str:
        """The way to its place, in words; empty where there is nothing to say but that it was written."""
        return "; ".join(filter(None, (*self._came(key, origin, draft), *self._changed(key, text))))

    def _came(self, key: str, origin: Origin, draft: Draft | None) -> Iterator[str]:
        if origin.kind == LORE:
            yield self._place(key, draft)
            yield self._called_up(self.lore.get(key))
        elif origin.kind == "preset":
            yield self._place(key, draft)
        elif origin.kind == "summary":
            yield self._stands_for(origin.ref)
        elif key == self.newest:
            yield "the newest"
        if draft is not None and draft.pinned and _is_typed(origin):
            yield "never cut"

    def _place(self, key: str, draft: Draft | None) -> str:
        node = self.presets.get(key.partition("@")[0])
        asked = requested_placement(node) if node is not None else None
        injection = self.injections.get(key.partition("@")[0] if node is not None else key)
        if injection is not None and injection.sentence:
            return injection.sentence
        placement = draft.placement if draft is not None else None
        if placement is None or placement.kind in PLACED_ANYWHERE:
            return "in its place" if placement is not None and placement.kind == "skeleton" else ""
        words = str(placement)
        if asked is not None and asked.kind == "depths":
            return ", ".join(filter(None, (_repeated(asked), words)))
        if asked is not None and asked.kind in ("depth", "anchor") and placement.kind in ("depth", "anchor"):
            return f"{words}, order {asked.order:g}"
        landed = injection is not None and injection.outcome == "landed" and placement.is_in_history
        return f"{words}, as asked" if landed else words

    def _called_up(self, entry: Decision | None) -> str:
        if entry is None:
            return ""
        if entry.matched is None:
            return "constant" if entry.lore.entry.constant else plain(entry.reason, 2 * NAME)
        name = "the name of " if entry.matched.in_name else ""
        return f"key “{plain(entry.matched.key, NAME)}” in {name}{self._where(entry.matched.where)}"

    def _where(self, key: str) -> str:
        """The text in which a key was found, as a person calls it."""
        entry = self.lore.get(key)
        if entry is not None:
            return f"the entry {plain(entry.title or key, NAME)}"
        return plain(key.removeprefix("node:"), NAME)

    def _stands_for(self, ref: str) -> str:
        node = self.session.nodes.get(ref)
        hidden = [self.hidden[f"node:{id}"] for id in (node.hides if node else ()) if f"node:{id}" in self.hidden]
        if not hidden:
            return ""
        counter = self.trace.services.tokenizer
        tokens = sum(counter.count_draft(draft) for draft in hidden)
        return f"stands for {counted(len(hidden), 'message')}, {counted(tokens, 'token')}"

    def _changed(self, key: str, text: Text) -> Iterator[str]:
        hits = self.hits.get(key, [])
        yield from hits[:MOST_RULES]
        if len(hits) > MOST_RULES:
            yield counted(len(hits) - MOST_RULES, "more rule")
        causes = {span.cause for span in text.spans if span.cause is not None}
        yield from sorted({cause.reason for cause in causes if cause.rule == SHORTENED})
        if any(cause.processor == HAND for cause in causes) or CHANGED_BY_HAND in causes:
            yield "changed by hand"


def _is_typed(origin: Origin) -> bool:
    return origin.kind in ("node", "pending")


def _repeated(asked: RequestedPlacement) -> str:
    """`every 4th message` of a preset that asks for nothing but a distance; empty for any other configuration."""
    cycle = CYCLE.fullmatch(asked.config)
    if cycle is None or not int(cycle[2]):
        return ""
    start, distance = int(cycle[1]), int(cycle[2])
    words = "every message" if distance == 1 else f"every {_ordinal(distance)} message"
    return words if start == distance else f"{words} from depth {start} on"


def _ordinal(n: int) -> str:
    """The number as a place in a row.

    >>> [_ordinal(n) for n in (2, 3, 11, 21, 112)]
    ['2nd', '3rd', '11th', '21st', '112th']
    """
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n:,}{ending}"
