"""The tokens that a server should count of a request to a model of one's own, beside those that it says it counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from ctxlab.display.short_texts import counted, short
from ctxlab.documents import Note
from ctxlab.errors import CtxlabError
from ctxlab.local_models.template_tokenizer import TemplateTokenizer
from ctxlab.pipeline import Trace

ENGINES: tuple[Literal["transformers", "llama.cpp"], ...] = ("llama.cpp", "transformers")


def usage_notes(traces: Sequence[Trace], usage: Mapping[str, Any]) -> tuple[Note, ...]:
    """A note where a server's count of the last of a turn's prompts isn't the expected one; none without exact counts.

    Of a turn's later prompts a second note says where the server had fewer tokens at hand than both begin with.
    """
    counter = traces[-1].services.tokenizer if traces else None
    told = usage.get("promptTokens")
    if not isinstance(counter, TemplateTokenizer) or counter.estimated or not isinstance(told, int) or told <= 0:
        return ()
    prompts = [_prompts(trace) for trace in traces[-2:]]
    expected = {engine: len(ids) for engine, ids in prompts[-1].items()}
    if not expected:
        return ()
    name = short(counter.name, 40)
    if told not in expected.values():
        ways = " or ".join(f"{tokens:,} as {engine} renders it" for engine, tokens in expected.items())
        same = len(set(expected.values())) == 1
        said = f"{next(iter(expected.values())):,}" if same else ways
        return (
            Note(
                "warning",
                f"the server counted {counted(told, 'token')} of the prompt, where {name} makes {said} of it: the "
                "server's template or vocabulary is another, or it changes the messages",
            ),
        )
    return _cached(prompts, usage, told, expected)


def _cached(
    prompts: Sequence[Mapping[str, Sequence[int]]], usage: Mapping[str, Any], told: int, expected: Mapping[str, int]
) -> tuple[Note, ...]:
    if len(prompts) < 2:
        return ()
    from ctxlab.rendering.server.llama_cpp_cache import common

    engine = next(engine for engine, tokens in expected.items() if tokens == told)
    before, now = (each.get(engine) for each in prompts)
    if before is None or now is None:
        return ()
    shared = min(common(before, now), len(now) - 1)
    details: object = usage.get("promptTokensDetails")
    has = cast("Mapping[str, Any]", details).get("cachedTokens", 0) if isinstance(details, Mapping) else 0
    if not isinstance(has, int) or has >= shared:
        return ()
    text = (
        f"the server read {counted(told - has, 'token')} of the prompt again, where {told - shared:,} are new since "
        "the request before: it keeps no cache, or something else was asked meanwhile"
    )
    return (Note("info", text),)


def _prompts(trace: Trace) -> dict[str, Sequence[int]]:
    """The tokens of a run's text by engine, with the one that the server puts at the beginning."""
    from ctxlab.rendering import rendered
    from ctxlab.rendering.model_of_run import model_of_run
    from ctxlab.rendering.server.served import prompt_ids

    model = model_of_run(trace)
    found: dict[str, Sequence[int]] = {}
    if model is None:
        return found
    for engine in ENGINES:
        try:
            text = rendered(trace, model, engine=engine)
            if text.rendered is not None:
                found[engine] = prompt_ids(model, text.rendered, adds=model.adds_begin and engine == "llama.cpp")
        except CtxlabError:  # no template, or a vocabulary that only counts: nothing is expected
            continue
    return found
