"""Values that mean a tokenizer, or a model of one's own, as the counter of a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sized
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeAlias, cast

from ctxlab.documents import ModelProfile, Note
from ctxlab.engines.tokens import Tokenizer, tokenizer_named
from ctxlab.engines.tokens.model_encodings import BY_KIND, ENCODINGS, ESTIMATES
from ctxlab.errors import WrongArgument, WrongSetting, did_you_mean
from ctxlab.local_models import LocalModel
from ctxlab.local_models.template_tokenizer import TemplateTokenizer, template_tokenizer
from ctxlab.pipeline.services import TokenCounter


class Encoder(Protocol):
    """A value that makes tokens of a text, such as a `tokenizers.Tokenizer`."""

    @property
    def encode(self) -> Callable[..., Any]: ...


TokenizerSource: TypeAlias = (
    TokenCounter
    | LocalModel
    | Encoder
    | Annotated[
        str | os.PathLike[str] | Callable[..., Any],
        "a name, a path, a tokenizers.Tokenizer, or a function of a text",
    ]
)
"""A counter of whole messages; or a name, a path, a `tokenizers.Tokenizer`, or a function of a text."""
ModelChoice: TypeAlias = str | ModelProfile | LocalModel


def tokenizer_of(source: Any) -> TokenCounter:
    """The counter of what is given as `tokenizer=`.

    A model of one's own, or the path of one, counts with its vocabulary and its template. A function of a text gives a
    number of tokens, or the tokens. Where no template says what a message costs besides, it is as at OpenAI's wire.

    Raises WrongSetting for a name that is neither a tokenizer nor a path, WrongArgument for what doesn't count.
    """
    if isinstance(source, LocalModel):
        return counter_of_model(source)
    if hasattr(source, "count_draft"):
        return cast("TokenCounter", source)
    if isinstance(source, str | os.PathLike):
        return _of_name(cast("str | os.PathLike[str]", source))
    encode = getattr(source, "encode", None)
    if encode is not None:
        return _around(type(source).__name__, partial(count_of_encoding, source))
    if callable(source):
        _count_of(source, "a")  # else a build without a budget, which counts nothing, would take any function
        return _around(getattr(source, "__name__", type(source).__name__), partial(_count_of, source))
    raise WrongArgument(
        f"tokenizer is {type(source).__name__}, which counts nothing: give a name, a path or a function"
    )


def counter_of_model(model: LocalModel) -> TokenCounter:
    """The counter of a model of one's own: exact where its vocabulary is at hand, with what its template adds."""
    words = model.vocabulary
    if model.templates:
        return template_tokenizer(model, words or Tokenizer.of_encoding(BY_KIND))
    if words is None:
        from ctxlab.providers import tokenizer_for

        return tokenizer_for(model.name)
    return _with_overhead(words)


def typed_counter(tokenizer: str | None, template: str | None, model: str | None = None) -> TokenCounter:
    """The counter of a tokenizer and a template, each of which may be a path; at least one of them is given.

    Without a tokenizer the template's own file counts where it has a vocabulary, else the tokenizer of `model`.
    """
    from ctxlab.providers import tokenizer_for

    if template is None:
        return tokenizer_of(tokenizer)
    from ctxlab.local_models import local_model

    own = local_model(template)
    if tokenizer is not None:
        words = tokenizer_of(tokenizer)
        words = words.words if isinstance(words, TemplateTokenizer) else words
    else:
        words = own.vocabulary or tokenizer_for(model)
    if not isinstance(words, Tokenizer):
        raise WrongSetting(
            f"{words.name} counts whole messages: with a template give a vocabulary, or an encoding's name"
        )
    return template_tokenizer(own, words)


def profile_of(model: LocalModel) -> ModelProfile:
    """The profile of a model of one's own: its name and its window."""
    return ModelProfile(id=model.name, context_window=model.context_length)


def notes_on(counter: TokenCounter) -> tuple[Note, ...]:
    """A note where the counts of messages aren't the whole of what a template writes."""
    problem = getattr(counter, "problem", "")
    return (Note("warning", f"{counter.name}: {problem}"),) if problem else ()


def _of_name(source: str | os.PathLike[str]) -> TokenCounter:
    from ctxlab.local_models.read_local_model import is_path, local_model
    from ctxlab.providers import tokenizer_for

    name = os.fspath(source)
    if name in ENCODINGS or name in ESTIMATES:
        return tokenizer_for(name)
    if not isinstance(source, str) or is_path(name) or os.sep in name:
        return counter_of_model(local_model(Path(name)))
    try:
        return tokenizer_named(name)
    except WrongSetting as unknown:
        known = [*sorted(ENCODINGS), *ESTIMATES, "chars4+4", "o200k_base+4"]
        raise WrongSetting(f"there is no tokenizer {name!r}, and no such file{did_you_mean(name, known)}") from unknown


def _around(name: str, count: Callable[[str], int]) -> Tokenizer:
    return _with_overhead(Tokenizer.counting(name, count))


def _with_overhead(words: Tokenizer) -> Tokenizer:
    """The tokenizer with what OpenAI's wire adds, which is near what most templates do."""
    from ctxlab.providers.tokenizers import overhead_of_wire

    message, name, call, request = overhead_of_wire("openai").costs
    return replace(words, message_tokens=message, name_tokens=name, call_tokens=call, request_tokens=request)


def _count_of(function: Callable[[str], Any], text: str) -> int:
    """The count that a function gives, or that of the tokens which it gives."""
    found = function(text)
    if isinstance(found, int) and not isinstance(found, bool) and found >= 0:
        return found
    if isinstance(found, Sized):
        return len(found)
    raise WrongArgument(f"the tokenizer gave {found!r} for a text: it should be a number of tokens, or the tokens")


def count_of_encoding(tokenizer: Any, text: str) -> int:
    """The count of a value with an `encode` of its own, such as `tokenizers` and `transformers` have."""
    ordinary = getattr(tokenizer, "encode_ordinary", None)
    if ordinary is not None:
        found = ordinary(text)
    else:
        try:
            found = tokenizer.encode(text, add_special_tokens=False)
        except TypeError:  # it adds none of its own
            found = tokenizer.encode(text)
    return _count_of(lambda _: getattr(found, "ids", found), text)
