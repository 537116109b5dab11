"""Tokens of a request as its vendor or its program counted them, in one form for all."""

from __future__ import annotations

from typing import Any

from ctxlab.documents.session.usage_counts import COUNTS, is_count
from ctxlab.formats.requests.blocks import Data, fields_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.wires import CHAT, WIRES


@dataclass(frozen=True, slots=True)
class RecordedUsage:
    """Tokens that a log reports; None where it says nothing.

    `input` is all of the input, `cached` the part that was read from the vendor's cache and `written` the part that was
    written to it. `output` is all of the output, `reasoning` the part that was thought. `written_1h` is the part of
    `written` that is kept for an hour and not for five minutes, which costs more.
    """

    input: int | None = None
    cached: int | None = None
    written: int | None = None
    output: int | None = None
    reasoning: int | None = None
    written_1h: int | None = None

    def __bool__(self) -> bool:
        return any(count is not None for count in (self.input, self.cached, self.written, self.output, self.reasoning))


NO_USAGE = RecordedUsage()


def usage_of_reply(reply: Data, wire: str) -> RecordedUsage:
    """The usage that a vendor's reply brings."""
    return usage_in(fields_of(reply.get(WIRES.get(wire, CHAT).usage)), wire)


def usage_in(usage: Data, wire: str) -> RecordedUsage:
    """The usage in a vendor's own words.

    Anthropic counts what was read from the cache and written to it apart from its input; here it is part of it.
    Gemini's thoughts are part of the output.
    """
    if wire == "anthropic":
        cached, written = count_of(usage, "cache_read_input_tokens"), count_of(usage, "cache_creation_input_tokens")
        plain = count_of(usage, "input_tokens")
        whole = None if plain is None else plain + (cached or 0) + (written or 0)
        hour = count_of(fields_of(usage.get("cache_creation")), "ephemeral_1h_input_tokens")
        return RecordedUsage(whole, cached, written, count_of(usage, "output_tokens"), None, hour)
    if wire == "gemini":
        thoughts, answer = count_of(usage, "thoughtsTokenCount"), count_of(usage, "candidatesTokenCount")
        prompt = _sum(count_of(usage, "promptTokenCount"), count_of(usage, "toolUsePromptTokenCount"))
        return RecordedUsage(prompt, count_of(usage, "cachedContentTokenCount"), None, _sum(answer, thoughts), thoughts)
    before, after = WIRES.get(wire, CHAT).counts
    of_input, of_output = (fields_of(usage.get(f"{name}_tokens_details")) for name in (before, after))
    cached = count_of(of_input, "cached_tokens")
    return RecordedUsage(
        count_of(usage, f"{before}_tokens"),
        count_of(usage, "prompt_cache_hit_tokens") if cached is None else cached,
        count_of(of_input, "cache_write_tokens"),
        count_of(usage, f"{after}_tokens"),
        count_of(of_output, "reasoning_tokens"),
    )


def count_of(fields: Data, name: str) -> int | None:
    """A number of tokens; None where there is none."""
    value: Any = fields.get(name)
    return value if is_count(value) else None


def _sum(a: int | None, b: int | None) -> int | None:
    return a if b is None else b if a is None else a + b


def usage_of(reply: Data, wire: str) -> Data | None:
    """`promptTokens`, `completionTokens`, `totalTokens`, and what is known of the cache and of thoughts.

    None where the reply says nothing, or what is no count.
    """
    usage = fields_of(reply.get(WIRES.get(wire, CHAT).usage))
    if not usage or any(usage.get(name) is not None and not is_count(usage[name]) for name in COUNTS):
        return None
    found = usage_in(usage, wire)
    total = next((usage[name] for name in ("total_tokens", "totalTokenCount") if is_count(usage.get(name))), None)
    # A count that is 0 isn't written: chats that are stored have none either.
    cache = {"cachedTokens": found.cached, "cacheWriteTokens": found.written}
    cache = {name: count for name, count in cache.items() if count}
    prompt = found.input if found.input is not None else (found.cached or 0) + (found.written or 0)
    completion = found.output or 0
    return {
        "promptTokens": prompt,
        "completionTokens": completion,
        "totalTokens": prompt + completion if total is None else total,
        **({"promptTokensDetails": cache} if cache else {}),
        **({"completionTokensDetails": {"reasoningTokens": found.reasoning}} if found.reasoning else {}),
    }
