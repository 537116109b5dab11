"""The front of prompts in the order in which vendors read it: tools, system texts, and parameters that change them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from ctxlab.formats.requests.blocks import fields_of, items_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.prompt import PromptPart
from ctxlab.recordings.cache_marks import MARK
from ctxlab.recordings.content_hash import hash_of
from ctxlab.recordings.parts import ContextParts
from ctxlab.recordings.request_head import RequestHead
from ctxlab.wires import WIRES, WireName

HELD: Final = ("previous_response_id", "conversation")
"""Parameters that name messages which the vendor holds, so that the request has only a part of its prompt."""
_MARK = lazy_pattern(rf',"{MARK}":\{{[^{{}}]*\}}')
_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
CLOCK: Final = lazy_pattern(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?"
    r"|\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?"
    r"|\d{4}年\d{1,2}月\d{1,2}日"
    r"|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    r"|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
    rf"|\b{_MONTH}\s\d{{1,2}}(?:,\s\d{{4}})?\b"
    rf"|\b\d{{1,2}}\.?\s{_MONTH}(?:\s\d{{4}})?\b"
)
"""Times and dates in texts."""


@dataclass(frozen=True, slots=True, eq=False)
class PromptHead:
    """The parts in front of the messages, in order; `keys[i]` is the same for heads whose first i parts are the same.

    `tokens[i]` and `characters[i]` are those of the first i parts. `held` says that the vendor holds messages of it;
    `marked` are the numbers of parts that end with a cache mark.
    """

    parts: tuple[PromptPart, ...]
    keys: tuple[bytes, ...]
    tokens: tuple[int, ...]
    characters: tuple[int, ...]
    held: bool = False
    marked: frozenset[int] = frozenset()

    @property
    def key(self) -> bytes:
        """A hash that is one for all heads that a vendor reads alike."""
        return self.keys[-1]

    @classmethod
    def of(cls, parts: Sequence[PromptPart], *, held: bool = False, marked: frozenset[int] = frozenset()) -> PromptHead:
        """The head of parts in their order."""
        keys, tokens, characters = [b""], [0], [0]
        for part in parts:
            keys.append(hash_of(keys[-1].hex(), part.source, part.name, part.text))
            tokens.append(tokens[-1] + part.tokens)
            characters.append(characters[-1] + (len(part.text) if part.source != "parameters" else 0))
        return cls(tuple(parts), tuple(keys), tuple(tokens), tuple(characters), held, marked)


Change = Callable[[list[PromptPart]], list[PromptPart]]


class HeadReader:
    """Heads of requests, each read once; `change` is what a what-if makes of their parts."""

    def __init__(self, parts: ContextParts, change: Change | None = None) -> None:
        self._parts, self._change = parts, change
        self._known: dict[str, PromptHead] = {}

    def head(self, head: RequestHead) -> PromptHead:
        """The head in the vendor's order."""
        found = self._known.get(head.id)
        if found is None:
            parts = ordered(self._parts.of_head(head), head.wire)
            held = any(name in HELD and value for name, value in head.fields)
            plain = [_without_mark(part) for part in parts]
            changed = self._change(plain) if self._change else plain
            found = PromptHead.of(changed, held=held, marked=_marked(parts, head))
            self._known[head.id] = found
        return found


def _without_mark(part: PromptPart) -> PromptPart:
    """A tool without its cache mark, which moves and is no part of the prompt."""
    return replace(part, text=_MARK.sub("", part.text)) if part.source == "tools" and MARK in part.text else part


def _marked(parts: Sequence[PromptPart], head: RequestHead) -> frozenset[int]:
    """The numbers of the parts with a cache mark."""
    system = items_of(next((value for name, value in head.fields if name == "system"), None))
    texts = [number for number, part in enumerate(parts) if part.source == "system"]
    tools = {n for n, part in enumerate(parts) if part.source == "tools" and MARK in part.text}
    if len(texts) != len(system):
        return frozenset(tools)
    return frozenset(tools | {n for n, block in zip(texts, system, strict=True) if MARK in fields_of(block)})


def ordered(parts: Iterable[PromptPart], wire: WireName) -> list[PromptPart]:
    """The parts that belong to the prompt, as a vendor reads them; of parameters no order is read."""
    names = (*WIRES[wire].first, *WIRES[wire].last)
    kept = (part for part in parts if part.source != "parameters" or part.name in names)
    chosen = [part for part in kept if part.name != "text" or part.source != "parameters" or "format" in part.text]
    return sorted(chosen, key=lambda part: (region(part), part.name if part.source == "parameters" else ""))


def region(part: PromptPart) -> int:
    """The number of the region of a head that a part is in, in the order in which vendors read them."""
    if part.source == "tools":
        return 1
    if part.source == "system":
        return 2
    return 0 if part.name in _FIRST else 3


_FIRST: Final = frozenset(name for wire in WIRES.values() for name in wire.first)
