"""The tokens that a server should count of a request to a model of one's own, beside those that it says it counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, cast, get_args

from ctxlab.context.equal_stretch import equal_after
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import Note
from ctxlab.errors import CtxlabError
from ctxlab.local_models.template_tokenizer import TemplateTokenizer
from ctxlab.pipeline import Trace

Engine = Literal["llama.cpp", "transformers"]
ENGINES: Final[tuple[Engine, ...]] = get_args(Engine)


def usage_notes(traces: Sequence[Trace], usage: Mapping[str, Any]) -> tuple[Note, ...]:
    """A note where a server's count of the last of a turn's prompts isn't the expected one; none without exact counts.

    Of a turn's later prompts a second note says where the server had fewer tokens at hand than both begin with.
    """
    counter = traces[-1].services.tokenizer if traces else None
    told = usage.get("promptTokens")
    if not isinstance(counter, TemplateTokenizer) or counter.estimated or not isinstance(told, int) or told <= 0:
        return ()
    expected: dict[str, int] = {}
    for engine in ENGINES:
        now = _prompt(traces[-1], engine)
        if now is not None and len(now) == told:
            return _read_again(traces, engine, now, usage)
        expected |= {engine: len(now)} if now is not None else {}
    return (_other_count(short(counter.name, 40), told, expected),) if expected else ()


def _other_count(name: str, told: int, expected: Mapping[str, int]) -> Note:
    ways = [f"{tokens:,} as {engine} renders it" for engine, tokens in expected.items()]
    said = " or ".join(ways) if len({*expected.values()}) > 1 else f"{next(iter(expected.values())):,}"
    text = (
        f"the server counted {counted(told, 'token')} of the prompt, where {name} makes {said} of it: the server's "
        "template or vocabulary is another, or it changes the messages"
    )
    return Note("warning", text)


def _read_again(
    traces: Sequence[Trace], engine: Engine, now: tuple[int, ...], usage: Mapping[str, Any]
) -> tuple[Note, ...]:
    before = _prompt(traces[-2], engine) if len(traces) > 1 else None
    if before is None:
        return ()
    shared = min(equal_after(before, now), len(now) - 1)
    details: object = usage.get("promptTokensDetails")
    has = cast("Mapping[str, Any]", details).get("cachedTokens", 0) if isinstance(details, Mapping) else 0
    if not isinstance(has, int) or has >= shared:
        return ()
    text = (
        f"the server read {counted(len(now) - has, 'token')} of the prompt again, where {len(now) - shared:,} are new "
        "since the request before: it keeps no cache, or something else was asked meanwhile"
    )
    return (Note("info", text),)


def _prompt(trace: Trace, engine: Engine) -> tuple[int, ...] | None:
    """The tokens of a run's text with the one that the server puts at the beginning; None where they aren't known."""
    from ctxlab.rendering import rendered
    from ctxlab.rendering.model_of_run import model_of_run
    from ctxlab.rendering.server.served import prompt_ids

    model = model_of_run(trace)
    if model is None:
        return None
    try:
        text = rendered(trace, model, engine=engine).rendered
        return text and prompt_ids(model, text, adds=model.adds_begin and engine == "llama.cpp")
    except CtxlabError:  # no template, or a vocabulary that only counts
        return None
