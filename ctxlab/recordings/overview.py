"""A recording in one row: what its requests are made of, how large they grow, and how much a cache gave back."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted
from ctxlab.formats.requests.blocks import Data
from ctxlab.lazy_dataclass import dataclass
from ctxlab.prompt import Source
from ctxlab.recordings.read import read_recording
from ctxlab.recordings.recorded_request import RecordedRequest, SentMessage
from ctxlab.recordings.recording import Recording

if TYPE_CHECKING:
    import pandas as pd

SHARES: tuple[Source, ...] = (
    *("tools", "system", "summaries", "reminders", "files", "results", "attachments", "history", "calls", "reasoning"),
)
"""Sources that a recorded request can have."""
COLUMNS = (
    "recording",
    "program",
    "models",
    "agents",
    "requests",
    "whole",
    "failed",
    "compressions",
    "tools",
    "tool_tokens",
    "system_tokens",
    "reminder_tokens",
    "median_tokens",
    "largest_tokens",
    *(f"{source}_share" for source in SHARES),
    "input_tokens",
    "cached_share",
    "output_tokens",
    "reported",
    "unseen_tokens",
    "usd",
    "priced",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RecordingComparison:
    """Recordings side by side; `rows` has a mapping for each.

    `whole` is the number of requests whose bodies are known whole. Tokens counted here: `tool_tokens`, `system_tokens`
    of the newest head that has any, `reminder_tokens` of all reminders, each once, `median_tokens` and `largest_tokens`
    of requests, and the shares of all that the requests sent by source, from 0 to 1. Tokens that vendors reported, for
    the `reported` requests that say them: `input_tokens`, `output_tokens`, and `cached_share` of the input where both
    are known; None where nothing is. `unseen_tokens` is the median of what was reported and isn't counted here: parts
    that the log leaves out, and other ways to count. `usd` is the price of `priced` requests at list prices,
    those whose model's price and usage are known; None where there is none.
    """

    rows: tuple[Data, ...]

    def frame(self) -> pd.DataFrame:
        """One row a recording."""
        return frame_of(self.rows, COLUMNS)

    def __repr__(self) -> str:
        return f"RecordingComparison({counted(len(self.rows), 'recording')})"

    def _repr_html_(self) -> str:
        shown = (
            "recording",
            "program",
            "requests",
            "largest_tokens",
            "unseen_tokens",
            "compressions",
            "cached_share",
            "usd",
        )
        return heading(self) + html_table(shown, ([row[name] for name in shown] for row in self.rows), of="recordings")


@checked_arguments
def compare_recordings(recordings: Iterable[Recording | str | os.PathLike[str]]) -> RecordingComparison:
    """Recordings side by side, given as values or as paths.

    Raises ReadError for a file that can't be read, UnknownFormat for one of another kind.
    """
    given = [each if isinstance(each, Recording) else read_recording(each) for each in recordings]
    return RecordingComparison(tuple(overview_of(recording) for recording in given))


def overview_of(recording: Recording) -> Data:
    """The row of one recording."""
    requests, parts = recording.requests, recording.parts
    sent = dict.fromkeys(SHARES, 0)
    sizes = [parts.tokens(request) for request in requests]
    for request in requests:
        for source, tokens in parts.tokens_by_source(request).items():
            sent[source] += tokens
    total = sum(sent.values())
    own = [part for message in _messages(recording) for part in parts.of_message(message)]
    return {
        "recording": recording.source,
        "program": recording.program,
        "models": ", ".join(dict.fromkeys(request.model for request in requests if request.model)),
        "agents": len({request.agent for request in requests}),
        "requests": len(requests),
        "whole": sum(request.whole for request in requests),
        "failed": sum(bool(request.error) for request in requests),
        "compressions": sum(request.compaction is not None for request in requests),
        **_of_head(recording),
        "reminder_tokens": sum(part.tokens for part in own if part.source == "reminders"),
        "median_tokens": _middle(sizes),
        "largest_tokens": max(sizes, default=None),
        **{f"{source}_share": sent[source] / total if total else None for source in SHARES},
        **_reported(requests),
        "unseen_tokens": _middle(r.usage.input - parts.tokens(r) for r in requests if r.usage.input),
        **_priced(requests),
    }


def _middle(counts: Iterable[int]) -> int | None:
    found = sorted(counts)
    return found[len(found) // 2] if found else None


def _messages(recording: Recording) -> Iterable[SentMessage]:
    return recording.requests[0].tree.sent.values() if recording.requests else ()


def _of_head(recording: Recording) -> Data:
    """Tools and system texts of the newest head that has any."""
    for request in reversed(recording.requests):
        own = recording.parts.of_head(request.head)
        tools = [part.tokens for part in own if part.source == "tools"]
        texts = [part.tokens for part in own if part.source == "system"]
        if tools or texts:
            return {"tools": len(tools), "tool_tokens": sum(tools), "system_tokens": sum(texts)}
    return {"tools": 0, "tool_tokens": 0, "system_tokens": 0}


def _priced(requests: Iterable[RecordedRequest]) -> Data:
    """The sum of the prices that are known, and how many they are."""
    prices = [usd for request in requests if (usd := request.usd) is not None]
    return {"usd": sum(prices) if prices else None, "priced": len(prices)}


def _reported(requests: Iterable[RecordedRequest]) -> Data:
    """Sums of what vendors reported."""
    known = [request.usage for request in requests if request.usage.input is not None]
    pairs = [(usage.cached, usage.input) for usage in known if usage.cached is not None and usage.input]
    whole = sum(given for _, given in pairs)
    return {
        "input_tokens": sum(usage.input or 0 for usage in known) if known else None,
        "cached_share": sum(cached for cached, _ in pairs) / whole if whole else None,
        "output_tokens": sum(usage.output or 0 for usage in known) if known else None,
        "reported": len(known),
    }
