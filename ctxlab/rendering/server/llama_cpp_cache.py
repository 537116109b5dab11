"""The tokens that llama.cpp's server reads again, by the rules of its slot, its memory of prompts and its checkpoints.

Each rule was measured on a real server (PyPI xllamacpp 2026.10.11549); the tests edit prompts and compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from ctxlab.context.equal_stretch import equal_after
from ctxlab.lazy_dataclass import dataclass
from ctxlab.rendering.server.local_server import LocalServer
from ctxlab.rendering.server.window_cells import MICRO_BATCH, WindowCells

SIMILAR: Final = 0.1
"""The share of a prompt that a slot must have for being taken for it (--slot-prompt-similarity)."""
KEEPS_SLOT: Final = 0.5
"""The share of a slot below which the memory of prompts is asked for a better one."""
KEEPS_STATE: Final = 0.25
"""The share of a remembered prompt below which it isn't taken back."""
BATCH: Final = 2048
APART: Final = 8192
"""Tokens between checkpoints at users' messages (--checkpoint-min-step)."""
MOST_CHECKPOINTS: Final = 32
END_OFFSETS: Final = (4 + MICRO_BATCH, 4)
"""Tokens before the end of a prompt at which a checkpoint is made."""


class Checkpoint(NamedTuple):
    """The window of a model at a place: `tokens` were read, of which it has the `positions`.

    `lowest` is the first position that was there when it was made, which need not be saved with it.
    """

    tokens: int
    lowest: int
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A prompt that was read: its tokens, the window's cells, None for a model that sees all, and the checkpoints."""

    tokens: tuple[int, ...] = ()
    cells: WindowCells | None = None
    checkpoints: tuple[Checkpoint, ...] = ()


@dataclass(frozen=True, slots=True)
class LlamaCppCache:
    """The tokens that a server with one slot holds between two requests."""

    server: LocalServer
    slot: State
    memory: tuple[State, ...] = ()

    @classmethod
    def empty(cls, server: LocalServer, context: int) -> LlamaCppCache:
        """A server at its start; `context` are the tokens of its slot."""
        window = server.sliding_window
        cells = None if window is None else WindowCells.empty(window, context, whole=server.whole_window)
        return cls(server, State(cells=cells))

    def read(self, prompt: Sequence[int], user_starts: Sequence[int] = ()) -> tuple[int, LlamaCppCache]:
        """The tokens of a prompt that are there already, and what the server holds when it is read.

        `user_starts` are the places in it at which users' messages begin, which a chat has and a plain text hasn't.
        """
        prompt = tuple(prompt)
        slot, memory = self._chosen(prompt)
        has = equal_after(slot.tokens, prompt)
        if self.server.cache_reuse and (slot.cells is None or slot.cells.whole):
            slot, has = _with_chunks(slot, prompt, has, self.server.cache_reuse)
        slot, has = _rewound(slot, prompt, has)
        if has == len(prompt) and has > 0:
            has -= 1  # one token has to be read for the first of the reply
        after = _after(slot, prompt, has, user_starts)
        return has, replace(self, slot=after, memory=memory)

    def with_reply(self, reply: Sequence[int]) -> LlamaCppCache:
        """The server when it has written a reply to the prompt; a token that ends it isn't read."""
        if not reply:
            return self
        tokens = (*self.slot.tokens, *reply)
        cells = self.slot.cells
        for at in range(len(self.slot.tokens), len(tokens)):
            cells = cells and cells.reading(at, at + 1)
        return replace(self, slot=replace(self.slot, tokens=tokens, cells=cells))

    def _chosen(self, prompt: tuple[int, ...]) -> tuple[State, tuple[State, ...]]:
        """The slot that the prompt gets, and the memory then."""
        slot, memory = self.slot, self.memory
        shared = equal_after(slot.tokens, prompt)
        if not slot.tokens or not self.server.memory_cache:
            return slot, memory
        if shared / len(prompt) > SIMILAR and shared / len(slot.tokens) >= KEEPS_SLOT:
            return slot, memory
        if not any(equal_after(each.tokens, slot.tokens) == len(slot.tokens) for each in memory):
            memory = (*(m for m in memory if equal_after(m.tokens, slot.tokens) < len(m.tokens)), slot)
        best, kept, similar = None, shared / len(slot.tokens), shared / len(prompt)
        for each in memory:
            both = equal_after(each.tokens, prompt)
            own_kept, own_similar = both / len(each.tokens), both / len(prompt)
            if own_kept >= KEEPS_STATE and own_kept > kept and own_similar > similar:
                best, kept, similar = each, own_kept, own_similar
        if best is None:
            return slot, memory
        found = best
        if slot.cells is not None and best.cells is not None:
            found = replace(best, cells=slot.cells.holding(best.cells.positions))
        return found, tuple(each for each in memory if each is not best)


def _with_chunks(slot: State, prompt: tuple[int, ...], has: int, least: int) -> tuple[State, int]:
    """The slot and its tokens with stretches that moved towards the front: what stood before them was cut."""
    tokens, cells = slot.tokens, slot.cells
    head, at = has, has
    while head < len(tokens) and at < len(prompt):
        size = equal_after(tokens, prompt, head, at)
        if size >= least:
            cells = cells and cells.moved(head, head + size, at)
            head, at = head + size, at + size
        else:
            head += 1
    return replace(slot, tokens=(*prompt[:at], *tokens[at:]), cells=cells), at


def _rewound(slot: State, prompt: tuple[int, ...], has: int) -> tuple[State, int]:
    """The state from which reading goes on, and the tokens that it has: the window must reach back far enough."""
    cells = slot.cells
    if cells is None:
        return slot, has
    if 0 < has <= len(slot.tokens):
        needed = max(0, has - cells.reach - (has >= len(prompt)))
        if cells.lowest >= needed:
            able = (
                each
                for each in reversed(slot.checkpoints)
                if each.tokens - 1 <= has and (each.lowest < needed or each.lowest == 0)
            )
            found = next(able, None)
            if found is None:
                return State(cells=cells.without(0)), 0
            has = min(has, max(found.lowest + 1, found.tokens - 1), found.tokens)
            cells = cells.holding(found.positions)
    kept = tuple(each for each in slot.checkpoints if each.tokens - 1 <= has)
    return replace(slot, cells=cells, checkpoints=kept), has


def _after(slot: State, prompt: tuple[int, ...], has: int, user_starts: Sequence[int]) -> State:
    """The state when a prompt is read from a place on."""
    if slot.cells is None:
        return State(prompt)
    checkpoints, at, cells = list(slot.checkpoints), has, slot.cells.without(has)
    starts, last = frozenset(user_starts), max(user_starts, default=-1)
    size = len(prompt)
    while at < size:
        end = _end_of_batch(at, size, starts, last, checkpoints)
        near_end = size < end + MICRO_BATCH
        apart = not checkpoints or at > checkpoints[-1].tokens + APART
        if (
            not cells.whole
            and at > 0
            and (end == size or at in starts or near_end)
            and (apart or at == last or near_end)
        ):
            checkpoints = [each for each in checkpoints if each.tokens != at][-(MOST_CHECKPOINTS - 1) :]
            checkpoints.append(Checkpoint(at, cells.lowest, cells.positions))
        cells = cells.reading(at, end)
        at = end
    return State(prompt, cells, tuple(checkpoints))


def _end_of_batch(at: int, size: int, starts: frozenset[int], last: int, checkpoints: Sequence[Checkpoint]) -> int:
    """The place up to which one batch is read: it ends at users' messages and shortly before the end."""
    ends = [min(size, at + BATCH)]
    ends += [size - offset for offset in END_OFFSETS if at < size - offset < ends[0]]
    for start in starts:
        if at < start < ends[0]:
            apart = not checkpoints or start > checkpoints[-1].tokens + APART
            if start == last or apart:
                ends.append(start)
    return min(ends)
