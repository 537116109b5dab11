"""Prompt caches of the fake vendors: what of a prompt was sent before, counted as each vendor counts it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import field
from typing import Any, NamedTuple

from ctxlab.lazy_dataclass import dataclass
from ctxlab.testing.fake_server.anthropic.models import traits_of as claude_traits
from ctxlab.testing.fake_server.anthropic.turns import blocks_of
from ctxlab.testing.fake_server.gemini.models import traits_of as gemini_traits
from ctxlab.testing.fake_server.gemini.shape import in_camel_case
from ctxlab.testing.fake_server.refusal import Body, Vendor
from ctxlab.testing.fake_server.token_estimate import canonical, estimated_tokens

LOOK_BACK = 20
"""Blocks before a mark among which Anthropic looks for what it kept."""
KEPT_PROMPTS = 64
OPENAI_LEAST, OPENAI_STEP = 1_024, 128
DEEPSEEK_STEP = 64


class CacheUse(NamedTuple):
    """Tokens of a prompt: all of them, those read from the cache, and those written to it for 5 minutes or an hour."""

    prompt: int
    read: int = 0
    written_5m: int = 0
    written_1h: int = 0

    @property
    def written(self) -> int:
        return self.written_5m + self.written_1h

    @property
    def rest(self) -> int:
        return self.prompt - self.read - self.written


class Segment(NamedTuple):
    text: str
    tokens: int
    ttl: str = ""
    """The lifetime of the mark at its end; empty without a mark."""


@dataclass(slots=True)
class PromptCache:
    """All that was sent before; nothing of it grows old."""

    prefixes: set[str] = field(default_factory=set[str])
    prompts: dict[tuple[str, ...], list[str]] = field(default_factory=dict[tuple[str, ...], list[str]])

    def use(self, vendor: Vendor, model: str, body: Body) -> CacheUse:
        """The tokens of a prompt, which is remembered from now on."""
        if vendor == "anthropic":
            return self._marked(model, [*segments_of(body)], claude_traits(model).least_cached)
        if vendor == "gemini":
            least, step = gemini_traits(model).least_cached, 1
        elif vendor == "deepseek":
            least, step = DEEPSEEK_STEP, DEEPSEEK_STEP
        else:
            least, step = OPENAI_LEAST, OPENAI_STEP
        return self._by_prefix(
            (vendor, model, str(body.get("prompt_cache_key", ""))), prompt_text(vendor, body), least, step
        )

    def _by_prefix(self, key: tuple[str, ...], prompt: str, least: int, step: int) -> CacheUse:
        earlier = self.prompts.setdefault(key, [])
        common = max((_same_start(prompt, one) for one in earlier), default=0)
        tokens = estimated_tokens(prompt[:common])
        earlier.append(prompt)
        del earlier[:-KEPT_PROMPTS]
        return CacheUse(estimated_tokens(prompt), tokens // step * step if tokens >= least else 0)

    def _marked(self, model: str, segments: list[Segment], least: int) -> CacheUse:
        totals, prefixes, total = [0], [""], 0
        digest = hashlib.sha256(model.encode())
        for segment in segments:
            total += segment.tokens
            digest.update(f"{len(segment.text)}:{segment.text}".encode("utf-8", "surrogatepass"))
            totals.append(total)
            prefixes.append(digest.hexdigest())
        marks = [end for end, segment in enumerate(segments, 1) if segment.ttl and totals[end] >= least]
        near = {end for mark in marks for end in range(max(mark - LOOK_BACK, 1), mark + 1)}
        read = max((end for end in near if prefixes[end] in self.prefixes), default=0)
        self.prefixes |= {prefixes[end] for end in marks}
        written = {"5m": 0, "1h": 0}
        done = read
        for mark in marks:
            if mark > done:
                written[segments[mark - 1].ttl] += totals[mark] - totals[done]
                done = mark
        return CacheUse(total, totals[read], written["5m"], written["1h"])


def segments_of(body: Body) -> Iterator[Segment]:
    """The pieces of an Anthropic prompt in the order in which it caches them: tools, system, messages."""
    pieces: list[tuple[str, Any]] = [("tool", tool) for tool in body.get("tools") or []]
    pieces += [("system", block.value) for block in blocks_of(body.get("system"), ())]
    for message in body.get("messages") or []:
        pieces += [(message["role"], block.value) for block in blocks_of(message.get("content"), ())]
    automatic = body.get("cache_control")
    for number, (role, piece) in enumerate(pieces, 1):
        mark = piece.get("cache_control") or (automatic if number == len(pieces) else None)
        text = f"{role}:{canonical(piece)}"
        yield Segment(text, estimated_tokens(text), (mark.get("ttl") or "5m") if isinstance(mark, dict) else "")


def prompt_text(vendor: Vendor, body: Body) -> str:
    """A prompt as one text, of which two begin alike as far as the vendor could cache the first."""
    if vendor == "gemini":
        body = in_camel_case(body)
    head = [body.get(name) for name in ("tools", "systemInstruction", "instructions")]
    given = next((body[name] for name in ("messages", "input", "contents") if name in body), [])
    messages = given if isinstance(given, list) else [given]
    return "\n".join(canonical(piece) for piece in [*head, *messages] if piece is not None)


def _same_start(a: str, b: str) -> int:
    """Characters with which both texts begin, found by halving."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a.startswith(b[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low
