"""A recording: requests in order, which point into one session tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.data_frame import frame_of
from ctxlab.display.guessed_names import WithHints
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import Session
from ctxlab.errors import UnknownName
from ctxlab.formats.results import Loss, Losses, losses_html
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.frozen_names import FrozenName
from ctxlab.recordings.recorded_request import RecordedRequest, SentTree

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.recordings.compressions import RecordedCompressions
    from ctxlab.recordings.parts import ContextParts
    from ctxlab.recordings.prefix import PrefixReport

COLUMNS = (
    "number",
    "request",
    "agent",
    "parent_request",
    "time",
    "model",
    "vendor",
    "messages",
    "new_messages",
    "input_tokens",
    "cached_tokens",
    "written_tokens",
    "output_tokens",
    "reasoning_tokens",
    "usd",
    "seconds",
    "whole",
    "error",
    "node",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class Recording(WithHints):
    """A sequence of requests that a program sent, in order; each points to a leaf of `session`.

    Messages that requests share are one node; a compression, an edit or a reordering is a branch of its own. `losses`
    name what could not be read or is not known; `program` is which wrote it, "" where that isn't told; `source` is the
    name of the file.
    """

    requests: tuple[RecordedRequest, ...]
    session: Session
    losses: tuple[Loss, ...] = Losses()
    program: str = ""
    source: str = ""

    def __len__(self) -> int:
        return len(self.requests)

    def __iter__(self) -> Iterator[RecordedRequest]:
        return iter(self.requests)

    @checked_arguments
    def request(self, id: str) -> RecordedRequest:
        """The request of an id; raises UnknownName."""
        found = next((request for request in self.requests if request.id == id), None)
        if found is None:
            raise UnknownName(f"the recording has no request {short(id)!r}")
        return found

    @property
    def agents(self) -> Mapping[str, tuple[RecordedRequest, ...]]:
        """The requests by agent, the main one, whose name is empty, first."""
        found: dict[str, list[RecordedRequest]] = {}
        for request in self.requests:
            found.setdefault(request.agent, []).append(request)
        return {name: tuple(found[name]) for name in sorted(found)}

    @property
    def tree(self) -> SentTree:
        """The messages that requests sent, by node."""
        return self.requests[0].tree if self.requests else SentTree(self.session, {})

    @property
    def parts(self) -> ContextParts:
        """The requests taken apart by source, tool and file, with tokens; worked out once."""
        from ctxlab.recordings.parts import parts_of

        return parts_of(self.tree)

    @checked_arguments
    def compressions(self, before: Recording | None = None) -> RecordedCompressions:
        """Every compression that the program made: what went, what it kept of that, and what came of lost rules.

        Found as the log says, else where messages went and a summary stands in their place. `before` is the recording
        of the same conversation that this one goes on from, where the log begins anew with the summary.
        """
        from ctxlab.recordings.compressions.find_compressions import find_compressions

        return find_compressions(self, before)

    @checked_arguments
    def prefix(self, *, frozen: FrozenName | Sequence[FrozenName] = ()) -> PrefixReport:
        """For each request how much of it begins as the one before, what broke the rest, and what that costs.

        Set beside what the vendor's usage reports. `frozen` names what is kept still in a what-if: "reminders" (each
        stays as it was first sent), "reminders-last", "tools", "tools-sorted" or "clock" (no dates and times in system
        texts); then `.frozen` of the report says how much more could have been read from the cache. Nothing is sent,
        and the recording stays as it is.
        """
        from ctxlab.recordings.prefix.of_recording import prefix_of

        return prefix_of(self, (frozen,) if isinstance(frozen, str) else tuple(frozen))

    def frame(self) -> pd.DataFrame:
        """One row a request, in order: who asked which model when, messages and new ones, tokens, price, time."""
        return frame_of((request.row() for request in self.requests), COLUMNS)

    def __repr__(self) -> str:
        parts = [repr(short(self.program))] if self.program else []
        parts += [counted(len(self.requests), "request"), counted(len(self.session.nodes) - 1, "message")]
        parts += [counted(len(self.losses), "loss", "losses")] if self.losses else []
        return f"Recording({', '.join(parts)}, from {short(self.source, 80)!r})"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        from ctxlab.display.views import shown_as

        return shown_as("recording", self)

    def _repr_html_(self) -> str:
        head = ("request", "agent", "time", "model", "messages", "new", "input", "cached", "output", "error")
        rows = (
            (
                request.id,
                request.agent,
                request.time,
                request.model,
                request.message_count,
                request.new_messages,
                request.usage.input,
                request.usage.cached,
                request.usage.output,
                request.error,
            )
            for request in self.requests
        )
        return heading(self) + html_table(head, rows, of="requests") + losses_html(self.losses)
