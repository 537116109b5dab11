"""Values that mean a vocabulary, as the name and the function that cuts a text into its tokens."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any, cast

from ctxlab.api.tokenizers import count_of_encoding, tokenizer_of
from ctxlab.engines.tokens import TextTokenizer, Tokenizer
from ctxlab.engines.tokens.boundaries import (
    TokenBoundaries,
    boundaries_of_bytes,
    boundaries_of_offsets,
    token_boundaries,
)
from ctxlab.engines.tokens.model_encodings import ENCODINGS
from ctxlab.engines.tokens.split import unbroken
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.local_models import LocalModel
from ctxlab.local_models.template_tokenizer import TemplateTokenizer
from ctxlab.local_models.vocabulary import whole

Cut = Callable[[str], TokenBoundaries]


@dataclass(frozen=True, slots=True, eq=False)
class TokenCutter:
    """Cuts a text into the tokens of a vocabulary: `cut` gives their ids and places, `name` is what it is called."""

    name: str
    cut: Cut


def token_cutter(source: Any) -> TokenCutter:
    """The cutter of an encoding's name, a path, a model of one's own, a tokenizer of a library, or a run's counter.

    Raises WrongArgument for what only counts, and as `ctxlab.local_model` does for a path; WrongSetting for a name that
    is neither an encoding nor a path.
    """
    found = cutter_or_none(source)
    if found is not None:
        return found
    named = repr(source) if isinstance(source, str) else getattr(source, "name", None) or type(source).__name__
    raise WrongArgument(
        f"{named} says how many tokens a text has, not where each of them ends: give a vocabulary, such as the path of "
        "a tokenizer.json, ctxlab.local_model(path) or a tokenizers.Tokenizer"
    )


def cutter_or_none(source: Any) -> TokenCutter | None:
    """The cutter of a value; None where it only counts."""
    if isinstance(source, LocalModel):
        own = _of_tokenizer(source.vocabulary) if source.vocabulary is not None else None
        return own and TokenCutter(source.name, own.cut)
    if isinstance(source, str) and source in ENCODINGS:
        return TokenCutter(source, partial(token_boundaries, encoding=ENCODINGS[source]))
    if isinstance(source, str | os.PathLike):
        return _of_counter(tokenizer_of(cast("Any", source)))
    if hasattr(source, "count_draft"):
        return _of_counter(source)
    return _of_library(source)


def _of_counter(counter: Any) -> TokenCutter | None:
    if isinstance(counter, TemplateTokenizer):
        counter = counter.words
    if isinstance(counter, TextTokenizer):
        counter = counter.encoding
    return _of_tokenizer(counter) if isinstance(counter, Tokenizer) else None


def _of_tokenizer(tokenizer: Tokenizer) -> TokenCutter | None:
    count = tokenizer.counts.count
    if tokenizer.name in ENCODINGS and tokenizer.joined is not None:
        return TokenCutter(tokenizer.name, partial(token_boundaries, encoding=ENCODINGS[tokenizer.name]))
    if isinstance(count, partial):
        own = cast("partial[int]", count)
        return _of_library(own.args[0]) if own.func is count_of_encoding else None
    cut: Cut | None = getattr(count, "boundaries", None)
    return cut and TokenCutter(tokenizer.name, cut)


def _of_library(source: Any) -> TokenCutter | None:
    """The cutter of a tokenizer of tiktoken, tokenizers or transformers."""
    name = str(getattr(source, "name", None) or getattr(source, "name_or_path", None) or type(source).__name__)
    if hasattr(source, "encode_ordinary") and hasattr(source, "decode_tokens_bytes"):
        return TokenCutter(name, partial(_cut_by_bytes, source))
    fast = getattr(source, "backend_tokenizer", source)
    if hasattr(fast, "encode") and hasattr(fast, "post_processor"):
        return TokenCutter(name, partial(_cut_by_offsets, _without_post_processor(fast)))
    return None


def _cut_by_bytes(encoding: Any, text: str) -> TokenBoundaries:
    ids: list[int] = list(chain.from_iterable(encoding.encode_ordinary(part) for part in unbroken(text)))
    return boundaries_of_bytes(ids, encoding.decode_tokens_bytes(ids))


def _cut_by_offsets(tokenizer: Any, text: str) -> TokenBoundaries:
    text = whole(text)
    found = tokenizer.encode(text, add_special_tokens=False)
    return boundaries_of_offsets(text, found.ids, found.offsets)


def _without_post_processor(tokenizer: Any) -> Any:
    """A copy that leaves out nothing of a text, and no blanks at the ends of its tokens."""
    from tokenizers import Tokenizer as Library

    own: Any = Library.from_str(tokenizer.to_str())
    own.post_processor = None
    own.no_truncation()
    own.no_padding()
    return own
