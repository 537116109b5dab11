"""Prompt caches of the fake vendors: what was sent before is read again, counted as each vendor counts it."""

from __future__ import annotations

from typing import Any

import pytest

from ctxlab.testing.fake_server import Vendor
from ctxlab.testing.fake_server.prompt_cache import CacheUse, PromptCache

LONG = "many words and 几个字, " * 400


def chat(*texts: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text} for text in texts]}


@pytest.mark.parametrize(("vendor", "step"), [("openai", 128), ("deepseek", 64), ("openai-responses", 128)])
def test_what_begins_alike_is_read_in_whole_steps(vendor: Vendor, step: int) -> None:
    cache = PromptCache()
    first = cache.use(vendor, "m", chat(LONG))
    second = cache.use(vendor, "m", chat(LONG, "and more"))

    assert first.read == 0
    assert second.read >= 1_024 and second.read % step == 0
    assert second.prompt - second.read < second.prompt - first.prompt + step + 8
    assert cache.use(vendor, "other", chat(LONG)).read == 0
    assert cache.use(vendor, "m", chat(f"x{LONG}")).read < 64


def test_short_prompts_are_not_read_again() -> None:
    cache = PromptCache()
    for vendor in ("openai", "gemini"):
        cache.use(vendor, "m", chat("short"))
        assert cache.use(vendor, "m", chat("short")).read == 0


def marked(*blocks: tuple[str, str]) -> dict[str, Any]:
    content = [
        {"type": "text", "text": text, **({"cache_control": {"type": "ephemeral", "ttl": ttl}} if ttl else {})}
        for text, ttl in blocks
    ]
    return {"messages": [{"role": "user", "content": content}]}


def use(cache: PromptCache, body: dict[str, Any], model: str = "claude-sonnet-4-5") -> CacheUse:
    return cache.use("anthropic", model, body)


def test_anthropic_writes_up_to_a_mark_and_reads_it_again() -> None:
    cache = PromptCache()
    first = use(cache, marked((LONG, "5m"), ("a", "")))
    second = use(cache, marked((LONG, ""), ("a", ""), ("b", "5m")))
    third = use(cache, marked((LONG, ""), ("a", ""), ("b", "5m")))

    assert (first.read, first.written_5m > 1_024, 0 < first.rest < 20) == (0, True, True)
    assert second.read == first.written
    assert 0 < second.written < 40
    assert (third.read, third.written, third.rest) == (third.prompt, 0, 0)


def test_anthropic_writes_nothing_below_the_model_s_least_length() -> None:
    for model, written in (("claude-opus-4-6", False), ("claude-opus-5", True)):
        cache = PromptCache()
        assert bool(use(cache, marked(("word " * 800, "5m")), model).written) is written


def test_anthropic_tells_hours_from_minutes_and_takes_a_mark_for_the_whole() -> None:
    cache = PromptCache()
    both = use(cache, marked((LONG, "1h"), (LONG, "5m")))
    whole = use(cache, {**marked((LONG, ""), (LONG, ""), ("end", "")), "cache_control": {"type": "ephemeral"}})

    assert both.written_1h > 1_024 and both.written_5m > 1_024
    assert whole.read == both.prompt
    assert whole.rest == 0


def test_a_change_before_the_mark_reads_nothing() -> None:
    cache = PromptCache()
    use(cache, marked((LONG, "5m")))

    assert use(cache, marked((f"x{LONG}", "5m"))).read == 0
    assert use(cache, marked((LONG, "5m")), "claude-opus-5").read == 0
