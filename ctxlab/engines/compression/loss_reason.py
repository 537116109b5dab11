"""The reason for which a fact counts as lost: what of its words the summary has all the same."""

from __future__ import annotations

from ctxlab.display.one_line import plain
from ctxlab.engines.compression.fate import Outcome
from ctxlab.engines.compression.summary_index import SummaryIndex
from ctxlab.engines.ranking.words import words_as_written

NOTHING = "nothing of it is in the summary"
_SHOWN = 40
_MOST = 4


def lost(text: str, index: SummaryIndex) -> Outcome:
    """The outcome of words that the summary has lost, with the place where they stand and mean something else."""
    place = index.place_of(text)
    if place is not None:
        return beside_other_words(place, index)
    if index.holds(text):
        return Outcome("lost", reason=f"{plain(text, _SHOWN)} stands there, but inside other words")
    found = list(dict.fromkeys(written for _, term in words_as_written(text) if (written := index.written(term))))
    if not found:
        return Outcome("lost", reason=NOTHING)
    words = ", ".join(plain(each, _SHOWN) for each in found[:_MOST])
    more = f" and {len(found) - _MOST:,} more" if len(found) > _MOST else ""
    return Outcome("lost", reason=f"only {words}{more} of it {'stands' if len(found) == 1 else 'stand'} there")


def beside_other_words(place: tuple[int, int], index: SummaryIndex) -> Outcome:
    """The outcome of a number that stands in the summary where it counts something else."""
    return Outcome("lost", *place, f"{plain(index.text[slice(*place)], _SHOWN)} stands there, beside other words")
