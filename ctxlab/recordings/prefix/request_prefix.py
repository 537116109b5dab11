"""One request beside the one before it: how much it begins with, what broke the rest, and what the vendor reports."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

from ctxlab.display.html_table import fields_table, heading
from ctxlab.display.short_texts import counted, short
from ctxlab.lazy_dataclass import dataclass
from ctxlab.prompt import PromptPart
from ctxlab.recordings.recorded_request import RecordedRequest

PrefixState = Literal["first", "whole", "cut", "expired", "other model", "short", "unknown"]
STATES: Final[tuple[PrefixState, ...]] = get_args(PrefixState)
CauseKind = Literal[
    "model",
    "parameters",
    "tools",
    "system",
    "preset",
    "lore",
    "reminder",
    "summary",
    "left out",
    "reordered",
    "edited",
    "template",
    "server",
]
BROKEN: Final[frozenset[PrefixState]] = frozenset({"cut", "expired"})
"""States in which a vendor reports that it read less than the request before had sent, of one model."""
CAUSES: Final[tuple[CauseKind, ...]] = get_args(CauseKind)
WHOLE: Final = 0.95
"""The share of what could be read from which on all of it was: vendors round, and count the same prompt differently."""
AROUND: Final = 40
"""Characters on each side of a place that are shown."""


@dataclass(frozen=True, slots=True)
class PrefixCause:
    """The first place at which a prompt is no longer the one before, and what made it so.

    `part_before` and `part_after` are the stretches of both prompts at that place, None where one of them has ended;
    all parts in front of them are the same. Their texts agree up to `at`, in code points, and differ there.
    `text_before` and `text_after` are a few characters of both around it. `step` and `reason` are set for ctxlab's own
    builds alone: the step of the pipeline and why it wrote.
    """

    kind: CauseKind
    sentence: str
    part_before: PromptPart | None = None
    part_after: PromptPart | None = None
    at: int = 0
    text_before: str = ""
    text_after: str = ""
    step: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReportedPrefix:
    """A request's prefix as the vendor's usage tells of it.

    `readable` are the tokens that could have been read: what the request before had read and written, or all of its
    input where the vendor caches by itself. `state` is "whole" where all of them were read, else why not, by the time
    and the model alone; "unknown" where the usage tells nothing.
    """

    state: PrefixState = "unknown"
    cached: int | None = None
    written: int | None = None
    readable: int | None = None

    @property
    def share(self) -> float | None:
        """The share of the readable tokens that were read; None where it isn't known."""
        return self.cached / self.readable if self.cached is not None and self.readable else None


NOT_REPORTED: Final = ReportedPrefix()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RequestPrefix:
    """A request and the beginning that it has in common with the one before it of the same agent.

    `state`: "first" of its agent, "whole" where it begins with all of the one before, "cut" where it doesn't, "expired"
    after more time than the vendor keeps a prefix, "other model", "short" of the vendor's least length, or "unknown"
    where the log doesn't have what was sent. `common_tokens` of `total_tokens` and `common_characters` are counted in
    the parts that the log has. `best` is the earlier request with the longest common beginning, of any agent, with
    `best_tokens`. `cause` is the first thing that broke it, `also` a second one. `lost_tokens` were read anew for that,
    though they stood in the request before, in the vendor's count where usage is known: at most, since a log may lack
    parts, and None where it lacks those that would tell; `cost_usd` is what that costs, None where no price is known.
    `unexplained_tokens` stood in the request before, could be read by what the log has, and weren't, as the vendor
    reports; `unexplained_usd` is their price. `seconds` is the time since the one
    before, `lifetime_seconds` how long the vendor keeps a prefix, at the longest, None where it isn't known.
    `expected_tokens` are those that the vendor could read from its cache, in its own count, None for a first request.
    """

    request: RecordedRequest
    before: RecordedRequest | None
    common_tokens: int
    common_characters: int
    total_tokens: int
    state: PrefixState
    best: RecordedRequest | None = None
    best_tokens: int = 0
    cause: PrefixCause | None = None
    reported: ReportedPrefix = NOT_REPORTED
    lost_tokens: int | None = 0
    cost_usd: float | None = None
    seconds: float | None = None
    lifetime_seconds: int | None = None
    expected_tokens: int | None = None
    also: PrefixCause | None = None
    unexplained_tokens: int = 0
    unexplained_usd: float | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether the state is the one that the vendor's usage tells; None where one of them isn't known.

        A cut that is smaller than what usage can tell agrees with a whole prefix.
        """
        if self.state in ("first", "unknown") or self.reported.state in ("first", "unknown"):
            return None
        if self.state == "cut" and self.reported.state == "whole":
            return (self.expected_tokens or 0) >= WHOLE * (self.reported.readable or 0)
        return self.state == self.reported.state

    @property
    def sentence(self) -> str:
        """Why the request doesn't go on from the one before, or wasn't read all the same, in words; else ""."""
        if self.state == "short":
            return "The prompt before is shorter than what the vendor keeps."
        if self.state == "unknown":
            return "The log doesn't have what was sent."
        return " ".join(filter(None, (self.explained, self.unexplained)))

    @property
    def explained(self) -> str:
        """The causes of a break that the log tells, in words; "" where there are none."""
        said = [each.sentence for each in (self.cause, self.also) if each is not None]
        if self.state == "expired" and self.seconds is not None and self.lifetime_seconds is not None:
            kept, went = duration_words(self.lifetime_seconds), duration_words(self.seconds)
            said.insert(0, f"{went} went by since the request before; a prefix is kept for {kept} after its last use.")
        return " ".join(said)

    @property
    def unexplained(self) -> str:
        """The vendor's own words on a prefix that could be read and wasn't, which the log doesn't explain; else ""."""
        if not self.unexplained_tokens:
            return ""
        cached = self.reported.cached or 0
        begins = "The request goes on from the one before" if self.cause is None else "What both begin with is the same"
        late = self.reported.state == "expired" and self.seconds is not None
        after = f" {duration_words(self.seconds)} later" if late and self.seconds is not None else ""
        could = counted(cached + self.unexplained_tokens, "token")
        return (
            f"{begins}; the vendor reports that{after} it read {cached:,} of {could} that it could, and the log "
            "doesn't say why."
        )

    def row(self) -> dict[str, Any]:
        """The request as a row of a table."""
        cause, reported = self.cause, self.reported
        return {
            "number": self.request.number,
            "request": self.request.id,
            "before": self.before.id if self.before is not None else None,
            "agent": self.request.agent,
            "state": self.state,
            "common_tokens": self.common_tokens,
            "common_characters": self.common_characters,
            "total_tokens": self.total_tokens,
            "best": self.best.id if self.best is not None else None,
            "best_tokens": self.best_tokens,
            "cause": cause.kind if cause is not None else None,
            "sentence": self.sentence or None,
            "expected_tokens": self.expected_tokens,
            "lost_tokens": self.lost_tokens,
            "cost_usd": self.cost_usd,
            "also": self.also.kind if self.also is not None else None,
            "unexplained_tokens": self.unexplained_tokens,
            "unexplained_usd": self.unexplained_usd if self.unexplained_tokens else None,
            "seconds": self.seconds,
            "reported": reported.state,
            "cached_tokens": reported.cached,
            "readable_tokens": reported.readable,
            "agrees": self.agrees,
        }

    def __repr__(self) -> str:
        begins = f"{self.common_tokens:,} of {counted(self.total_tokens, 'token')}"
        cause = f", {self.cause.kind}" if self.cause is not None else ""
        return f"RequestPrefix({short(self.request.id)!r}, {self.state!r}, {begins}{cause})"

    def _repr_html_(self) -> str:
        return heading(self) + fields_table(self.row())


def duration_words(seconds: float) -> str:
    """A time in words of its largest unit."""
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return counted(round(seconds / size), name)
    return counted(round(seconds), "second")
