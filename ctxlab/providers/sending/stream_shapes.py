"""Places of a vendor's JSON that hold something else than they should, or that are of a kind that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ctxlab.display.short_texts import kind_in_words, short
from ctxlab.documents.session.usage_counts import COUNTS, is_count
from ctxlab.providers.sending.assemblers import form_of
from ctxlab.providers.sending.deltas import Data
from ctxlab.providers.sending.json_values import values_at
from ctxlab.providers.sending.stream_errors import one_line
from ctxlab.wires import WireName

MOST: Final = 5
"""Sentences about one reply."""


def unfit(data: Data, wire: WireName) -> Iterator[str]:
    """A sentence for each place that can't be read as what it should be, and for each block of an unknown kind."""
    form = form_of(wire)
    for path, kinds in form.SHAPES.items():
        for place, value in values_at(data, path):
            if value is not None and not isinstance(value, kinds):
                yield f"{place} is {kind_in_words(value)}, not {kind_in_words(kinds[0]())}: left out"
    yield from _no_counts(data)
    yield from form.unknown(data)


def _no_counts(data: Data) -> Iterator[str]:
    for holder in ("usage", "message.usage", "response.usage", "usageMetadata"):
        for name in COUNTS:
            for place, value in values_at(data, f"{holder}.{name}"):
                if value is not None and not is_count(value):
                    yield f"{place} is {short(one_line(repr(value)), 30)}, which is no count: the usage is left out"
