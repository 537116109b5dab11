"""The tokens that a server reads again of prompts which it gets one after another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from ctxlab.context.equal_stretch import equal_after
from ctxlab.lazy_dataclass import dataclass
from ctxlab.rendering.server.llama_cpp_cache import LlamaCppCache
from ctxlab.rendering.server.local_server import LocalServer

VLLM_BLOCK: Final = 16
"""Tokens of a block of vLLM's cache; only whole ones are kept."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as ids of tokens, the places at which users' messages begin in it, and the reply that followed."""

    ids: tuple[int, ...]
    user_starts: Sequence[int] = ()
    reply: tuple[int, ...] = ()

    @property
    def held(self) -> tuple[int, ...]:
        """The tokens that a server has read when the reply is written."""
        return (*self.ids, *self.reply)


def read_again(server: LocalServer | None, prompts: Sequence[Prompt], *, context: int | None) -> list[int]:
    """Of each prompt the tokens that are read, all of the first; without a server those behind what both begin with.

    At least one is read. `context` is that of one slot; prompts which the server refuses should not be among them.
    """
    if server is None or server.program == "koboldcpp":
        shared = [0, *(equal_after(old.held, new.ids) for old, new in pairwise(prompts))]
        return [max(1, len(prompt.ids) - both) for prompt, both in zip(prompts, shared, strict=True)]
    if server.program == "vllm":
        return _in_blocks(prompts)
    cache = LlamaCppCache.empty(server, server.window(context))
    found: list[int] = []
    for prompt in prompts:
        has, cache = cache.read(prompt.ids, prompt.user_starts)
        found.append(len(prompt.ids) - has)
        cache = cache.with_reply(prompt.reply)
    return found


def _in_blocks(prompts: Sequence[Prompt]) -> list[int]:
    """Whole blocks that any prompt before began with are there; the last token is always read."""
    found: list[int] = []
    for number, prompt in enumerate(prompts):
        shared = max((equal_after(old.held, prompt.ids) for old in prompts[:number]), default=0)
        blocks = min(shared, len(prompt.ids) - 1) // VLLM_BLOCK
        found.append(len(prompt.ids) - blocks * VLLM_BLOCK)
    return found
