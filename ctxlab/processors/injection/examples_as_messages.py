"""The examples of a card and of lore as messages with the names that SillyTavern gives them, in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from itertools import count

from ctxlab.context import Cause, Draft, Origin, Placement, Text
from ctxlab.lazy_dataclass import dataclass
from ctxlab.processors.injection.example_messages import ExampleBlock, Speakers, example_blocks
from ctxlab.processors.injection.read_preset_placement import EXAMPLES

LORE_BESIDE = "em"
"""The anchor of lore that goes beside the examples."""


@dataclass(slots=True)
class ExampleMessages:
    """Makes messages of example texts, whose macros are expanded, in the order in which they are sent.

    `heading` stands before each block; `key` and `origin` are those of its preset. With `yields` blocks may be cut.
    `lost` are the words that no speaker says, which aren't sent.
    """

    processor: str
    speakers: Speakers
    heading: Text
    key: str
    origin: Origin
    yields: bool
    lost: list[Draft] = field(default_factory=list[Draft])
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def of(self, draft: Draft) -> list[Draft]:
        """The messages of one text. Its first message has the text's own key."""
        out: list[Draft] = []
        keys = _keys(draft.key)
        unspoken: list[Text] = []
        for block in example_blocks(draft.text, self.speakers):
            number = next(self.numbers)
            out.extend(self._heading(draft, number))
            out.extend(self._turns(draft, block, keys, number))
            unspoken += [block.unspoken] if block.unspoken else []
        if unspoken:
            line = Text.of("\n", Origin("separator", "example"), Cause(self.processor, "example", "between blocks"))
            self.lost.append(replace(draft, key=next(keys), body=(Text.join(line, unspoken),)))
        return out

    def _turns(self, draft: Draft, block: ExampleBlock, keys: Iterator[str], number: int) -> Iterator[Draft]:
        for turn in block.turns:
            text = turn.text
            if self.speakers.members:
                cause = Cause(self.processor, "names", "in a group the speaker's name goes before the words")
                text = Text.of(f"{turn.name}: ", Origin("separator", "names"), cause) + text
            placement = self._placement(draft, number)
            key = next(keys)
            yield replace(
                draft, key=key, body=(text,), speaker=turn.speaker, placement=placement, pinned=not self.yields
            )

    def _heading(self, draft: Draft, number: int) -> Iterator[Draft]:
        if self.heading:
            placement = self._placement(draft, number)
            key = f"{self.key}@heading{number}"
            yield Draft(key, "system", (self.heading,), self.origin, pinned=not self.yields, placement=placement)

    def _placement(self, draft: Draft, number: int) -> Placement:
        return replace(draft.placement or Placement("template", anchor=EXAMPLES), block=number)


def _keys(key: str) -> Iterator[str]:
    yield key
    yield from (f"{key}@{number}" for number in count(2))


def is_example(draft: Draft) -> bool:
    """Whether a draft is example dialogue: a card's, or lore that goes beside it."""
    place = draft.placement
    if place is None:
        return False
    if place.kind == "lore":
        return place.anchor == LORE_BESIDE
    return place.anchor == EXAMPLES if place.kind == "template" else draft.meta.get("stPromptName") == EXAMPLES
