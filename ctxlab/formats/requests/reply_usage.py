"""Tokens of a reply as its vendor counted them, in one form for all."""

from __future__ import annotations

from typing import Any

from ctxlab.documents.session.usage_counts import COUNTS, is_count
from ctxlab.formats.requests.blocks import Data, fields_of


def usage_of(reply: Data, wire: str) -> Data | None:
    """`promptTokens`, `completionTokens`, `totalTokens`, and what is known of the cache and of thoughts.

    Anthropic counts tokens from and to the cache apart from its input: here they are part of it. Gemini's thoughts are
    part of the completion. None where the reply says nothing, or what is no count.
    """
    usage = fields_of(reply.get("usageMetadata" if wire == "gemini" else "usage"))
    if not usage or any(usage.get(name) is not None and not is_count(usage[name]) for name in COUNTS):
        return None
    if wire == "anthropic":
        read, written = _number(usage, "cache_read_input_tokens"), _number(usage, "cache_creation_input_tokens")
        prompt = _number(usage, "input_tokens") + read + written
        return _usage(prompt, _number(usage, "output_tokens"), None, read, written, 0)
    if wire == "gemini":
        thoughts = _number(usage, "thoughtsTokenCount")
        prompt = _number(usage, "promptTokenCount") + _number(usage, "toolUsePromptTokenCount")
        out = _number(usage, "candidatesTokenCount") + thoughts
        return _usage(prompt, out, usage.get("totalTokenCount"), _number(usage, "cachedContentTokenCount"), 0, thoughts)
    names = ("input", "output") if wire == "openai-responses" else ("prompt", "completion")
    before, after = (fields_of(usage.get(f"{name}_tokens_details")) for name in names)
    return _usage(
        _number(usage, f"{names[0]}_tokens"),
        _number(usage, f"{names[1]}_tokens"),
        usage.get("total_tokens"),
        _number(before, "cached_tokens") or _number(usage, "prompt_cache_hit_tokens"),
        _number(before, "cache_write_tokens"),
        _number(after, "reasoning_tokens"),
    )


def _usage(prompt: int, completion: int, total: Any, cached: int, written: int, thoughts: int) -> Data:
    cache = {key: value for key, value in (("cachedTokens", cached), ("cacheWriteTokens", written)) if value}
    return {
        "promptTokens": prompt,
        "completionTokens": completion,
        "totalTokens": total if is_count(total) else prompt + completion,
        **({"promptTokensDetails": cache} if cache else {}),
        **({"completionTokensDetails": {"reasoningTokens": thoughts}} if thoughts else {}),
    }


def _number(fields: Data, name: str) -> int:
    value = fields.get(name)
    return value if is_count(value) else 0
