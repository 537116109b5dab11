"""The prefixes of all requests of a recording, with what their breaks cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import fields_table, heading, html_table, title
from ctxlab.display.short_texts import counted, short
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.prefix.request_prefix import STATES, PrefixState, RequestPrefix

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "number",
    "request",
    "before",
    "agent",
    "state",
    "common_tokens",
    "common_characters",
    "total_tokens",
    "best",
    "best_tokens",
    "cause",
    "sentence",
    "expected_tokens",
    "lost_tokens",
    "cost_usd",
    "also",
    "unexplained_tokens",
    "unexplained_usd",
    "seconds",
    "reported",
    "cached_tokens",
    "readable_tokens",
    "agrees",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrozenPrefix:
    """A recording with something kept still: a what-if, worked out and never sent.

    `what` names it, `sentence` says what was changed. `read_tokens` are the tokens that could have been read from the
    cache in all requests, `more_tokens` how many more than as it was sent, and `saved_usd` what that saves, None where
    no price is known.
    """

    what: tuple[str, ...]
    sentence: str
    read_tokens: int
    more_tokens: int
    saved_usd: float | None = None

    def __repr__(self) -> str:
        return f"FrozenPrefix({', '.join(self.what)}: {self.more_tokens:,} more tokens read again)"

    def _repr_html_(self) -> str:
        saved = "no price is known" if self.saved_usd is None else f"${self.saved_usd:,.2f}"
        rows = {"changed": self.sentence, "read tokens": f"{self.read_tokens:,}", "more": f"{self.more_tokens:,}"}
        return heading(self) + fields_table({**rows, "saves": saved})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PrefixReport:
    """For each request of a recording, in order, how much of it begins as the one before, and why not more.

    `frozen` is what would have been with something kept still, None where that wasn't asked.
    """

    requests: tuple[RequestPrefix, ...]
    source: str = ""
    frozen: FrozenPrefix | None = None

    def __len__(self) -> int:
        return len(self.requests)

    def __iter__(self) -> Iterator[RequestPrefix]:
        return iter(self.requests)

    @property
    def breaks(self) -> tuple[RequestPrefix, ...]:
        """The requests that could not go on from the one before: cut, expired or of another model."""
        return tuple(each for each in self.requests if each.state in ("cut", "expired", "other model"))

    @property
    def states(self) -> Mapping[PrefixState, int]:
        """The number of requests in each state, of those states that there are."""
        found = Counter(each.state for each in self.requests)
        return {state: found[state] for state in STATES if found[state]}

    @property
    def common_tokens(self) -> int:
        """Tokens of all requests that begin as in the one before."""
        return sum(each.common_tokens for each in self.requests)

    @property
    def total_tokens(self) -> int:
        """Tokens of all requests."""
        return sum(each.total_tokens for each in self.requests)

    @property
    def lost_tokens(self) -> int:
        """Tokens that all breaks let be read anew though they stood in the request before; without `unknown_losses`."""
        return sum(each.lost_tokens or 0 for each in self.requests)

    @property
    def cost_usd(self) -> float | None:
        """The price of the lost tokens; None where that of one request isn't known."""
        return _sum([each.cost_usd for each in self.requests if each.lost_tokens])

    @property
    def unknown_losses(self) -> tuple[RequestPrefix, ...]:
        """The breaks of which the log lacks the parts that would tell how much they cost."""
        return tuple(each for each in self.requests if each.lost_tokens is None)

    @property
    def unexplained(self) -> tuple[RequestPrefix, ...]:
        """The requests that read less than they could by the log, as the vendor reports; the log doesn't say why."""
        return tuple(each for each in self.requests if each.unexplained_tokens)

    @property
    def unexplained_tokens(self) -> int:
        """Tokens of all requests that by the log could have been read from the cache, and weren't."""
        return sum(each.unexplained_tokens for each in self.requests)

    @property
    def unexplained_usd(self) -> float | None:
        """The price of what went unexplained; None where that of one request isn't known."""
        return _sum([each.unexplained_usd for each in self.unexplained])

    @property
    def agreement(self) -> tuple[int, int]:
        """The requests whose state is what the vendor's usage says, and all of which both are known."""
        known = [each.agrees for each in self.requests if each.agrees is not None]
        return sum(known), len(known)

    def frame(self) -> pd.DataFrame:
        """One row a request, in order: its state, tokens in common, what broke it, its cost, the vendor's usage."""
        return frame_of((each.row() for each in self.requests), COLUMNS)

    def __repr__(self) -> str:
        parts = [counted(len(self.requests), "request"), counted(len(self.breaks), "break")]
        parts += [f"{self.lost_tokens:,} tokens read anew"] if self.lost_tokens else []
        parts += [f"{self.unexplained_tokens:,} more unexplained"] if self.unexplained_tokens else []
        return f"PrefixReport({', '.join(parts)}, from {short(self.source, 80)!r})"

    def _repr_html_(self) -> str:
        head = (
            "request", "agent", "state", "common", "tokens", "cause", "lost", "USD", "unexplained", "of that, USD",
            "reported", "cached",
        )  # fmt: skip
        rows = (
            (
                each.request.id,
                each.request.agent,
                each.state,
                each.common_tokens,
                each.total_tokens,
                each.sentence,
                "not known" if each.lost_tokens is None else each.lost_tokens or "",
                _usd(each.cost_usd),
                each.unexplained_tokens or "",
                _usd(each.unexplained_usd if each.unexplained_tokens else None),
                each.reported.state,
                each.reported.cached,
            )
            for each in self.requests
        )
        still = title(self.frozen.sentence) if self.frozen is not None else ""
        return heading(self) + still + html_table(head, rows, of="requests")


def _sum(prices: Sequence[float | None]) -> float | None:
    return None if any(price is None for price in prices) else sum(price or 0.0 for price in prices)


def _usd(price: float | None) -> str:
    return "" if price is None else f"{price:.4f}"
