"""The range of an estimated count: the same messages by each of the open vocabularies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ctxlab.context import Draft
from ctxlab.engines.tokens.bpe_counter import CountCache
from ctxlab.engines.tokens.open_vocabularies import MARGIN, VOCABULARIES, counts_of_vocabulary
from ctxlab.prompt.token_counter import TokenCounter
from ctxlab.prompt.token_range import TokenRange, tokens_of


def estimated_range(
    counting_by: Callable[[CountCache], TokenCounter], drafts: Sequence[Draft], tools: Sequence[Mapping[str, Any]]
) -> TokenRange:
    """The range of a request's tokens; `counting_by` gives a counter that takes its counts of texts from a cache.

    What is no text, such as pictures and what a wire format adds, is the same at both ends.
    """
    beside = tokens_of(counting_by(CountCache(_nothing)), drafts, tools)
    found = [tokens_of(counting_by(counts_of_vocabulary(name)), drafts, tools) - beside for name in VOCABULARIES]
    low, high = int(min(found) * (1 - MARGIN)), int(max(found) * (1 + MARGIN)) + 1
    return TokenRange(beside + low, beside + (high if max(found) else 0), VOCABULARIES)


def _nothing(text: str) -> int:
    return 0
