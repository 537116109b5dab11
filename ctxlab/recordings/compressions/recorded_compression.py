"""A compression that a program made: what went, what stands in its place, and what of it was kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import fields_table, heading, html_table, lines, title
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import MessageNode
from ctxlab.engines.compression import CheckedFact, CompressionReport, SourceText, compression_report
from ctxlab.engines.compression.compression_report import CEILING
from ctxlab.engines.compression.facts.fact import folded
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.recordings.compressions.rule_breaches import RuleBreach, first_breaches
from ctxlab.recordings.compressions.rule_repeats import RuleRepeat, repeats
from ctxlab.recordings.parts.stretches import stretches_of
from ctxlab.recordings.recorded_request import RecordedRequest

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "compression", "agent", "request", "because", "trigger", "messages", "kept_messages", "before_tokens",
    "after_tokens", "seconds", "model", "summary_request", "generation", "lineage", "facts", "kept", "weakened",
    "lost", "lost_rules", "rules_broken", "rules_said_again", "no_report",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class RecordedCompression:
    """A compression in a recording; what the log doesn't tell is None or empty.

    `request` is the first request after it, `before` the last one before it. `is_said` tells whether the log or the
    vendor says that there was one; `because` says by what it was found. `messages` is the number of messages that
    went, as requests have them, and `sent_before` how many of them the request before had sent: an answer may have come
    since. `originals` are their texts, where they have any: a result of a tool is one of its own,
    `kept_messages` the ids of nodes that stayed word for word, `summary_messages` those of what stands in the place of
    the others, whose words are `summary`. `summary_request` is the request whose answer it is, where the recording has
    it; `model` and `seconds` are of that. Tokens are those of the requests before and after, as the log or the vendor
    counts them. `lineage` are the ids of earlier compressions whose summaries went into this one, `generation` is 1 for
    a summary of messages alone. `later` are the messages after it, up to the next compression.
    """

    id: str
    request: RecordedRequest
    before: RecordedRequest | None
    is_said: bool
    because: str
    trigger: str | None
    before_tokens: int | None
    after_tokens: int | None
    seconds: float | None
    model: str
    summary_request: RecordedRequest | None
    originals: tuple[SourceText, ...] = field(repr=False)
    kept_messages: tuple[str, ...]
    kept_texts: tuple[SourceText, ...]
    summary_messages: tuple[str, ...]
    summary: str
    generation: int
    lineage: tuple[str, ...]
    later: tuple[MessageNode, ...] = field(repr=False)
    no_report: str = ""
    messages: int = 0
    sent_before: int = 0

    @cached_property
    def report(self) -> CompressionReport:
        """Every rule, decision, task, error, file, number and name of what went: kept, weakened or lost.

        Without originals or a summary that can be read it is empty, and `no_report` says why.
        """
        return compression_report(() if self.no_report else self.originals, self.summary)

    @cached_property
    def lost_rules(self) -> tuple[CheckedFact, ...]:
        """Rules of which the summary has nothing, or the contrary, and that no message which stayed has either.

        A rule that the program puts in again later, word for word in a reminder, isn't lost, nor are the program's own
        words about messages that went with them.
        """
        return tuple(rule for rule, why in self._rules if not why)

    @cached_property
    def spared_rules(self) -> tuple[tuple[CheckedFact, str], ...]:
        """Rules that the summary lost and that aren't missing, each with the reason."""
        return tuple((rule, why) for rule, why in self._rules if why)

    @cached_property
    def _rules(self) -> tuple[tuple[CheckedFact, str], ...]:
        lost = [each for each in self.report.lost if each.kind == "rule"]
        if not lost:
            return ()
        stayed = "\n".join(folded(each.text) for each in self.kept_texts)
        again = "\n".join(map(folded, self._reminders()))
        return tuple((each, _why_spared(each, stayed, again)) for each in lost)

    def _reminders(self) -> Iterator[str]:
        """The reminders that the program put into the messages after the compression."""
        for node in self.later:
            text = node.content
            yield from (text[part.start : part.end] for part in stretches_of(text) if part.source == "reminders")

    @cached_property
    def breaches(self) -> tuple[RuleBreach, ...]:
        """For each lost rule the first later action with what it forbids by name; rules that name nothing have none."""
        return first_breaches(self.lost_rules, self.later)

    @cached_property
    def repeats(self) -> tuple[RuleRepeat, ...]:
        """For each lost rule the first later sentence in which the user said it again."""
        return repeats(self.lost_rules, self.later)

    def row(self) -> dict[str, Any]:
        """The compression as a row of a table, as plain data; numbers of facts are None where there is no report."""
        totals: dict[Any, Any] = {} if self.no_report else dict(self.report.totals())
        there = not self.no_report
        return {
            "compression": self.id,
            "agent": self.request.agent,
            "request": self.request.id,
            "because": self.because,
            "trigger": self.trigger,
            "messages": self.messages,
            "kept_messages": len(self.kept_messages),
            "before_tokens": self.before_tokens,
            "after_tokens": self.after_tokens,
            "seconds": self.seconds,
            "model": self.model,
            "summary_request": self.summary_request.id if self.summary_request is not None else None,
            "generation": self.generation,
            "lineage": " ".join(self.lineage),
            "facts": len(self.report.facts) if there else None,
            **{state: totals.get(state) for state in ("kept", "weakened", "lost")},
            "lost_rules": len(self.lost_rules) if there else None,
            "rules_broken": len(self.breaches) if there else None,
            "rules_said_again": len(self.repeats) if there else None,
            "no_report": self.no_report,
        }

    @property
    def sentence(self) -> str:
        """A sentence on what went and what was kept of it."""
        went = f"{counted(self.messages, 'message')} went" if self.messages else "Messages went"
        if 0 < self.sent_before < self.messages:
            went += f" ({self.sent_before:,} of them were in the request before)"
        stayed = f", {len(self.kept_messages):,} stayed" if self.kept_messages else ""
        if self.no_report:
            return f"{went}{stayed}; there is no report, since {self.no_report}."
        totals = self.report.totals()
        kept = f"{totals['kept']:,} of {counted(len(self.report.facts), 'fact')} kept"
        return f"{went}{stayed}; {kept}, {totals['weakened']:,} weakened, {totals['lost']:,} lost."

    def __repr__(self) -> str:
        parts = [repr(short(self.id)), f"before request {short(self.request.id, 40)!r}"]
        parts += [counted(self.messages, "message")]
        return f"RecordedCompression({', '.join(parts)})"

    def _repr_html_(self) -> str:
        known = {name: value for name, value in self.row().items() if value not in (None, "")}
        rules = ((each.rule.text, "broken", each.node, each.where, each.evidence) for each in self.breaches)
        again = ((each.rule.text, "said again", each.node, "text", each.text) for each in self.repeats)
        found = [*rules, *again]
        after = html_table(("lost rule", "afterwards", "node", "where", "words"), found, of="places") if found else ""
        report = "" if self.no_report else self.report._repr_html_()  # pyright: ignore[reportPrivateUsage]
        return heading(self) + lines([self.sentence]) + fields_table(known) + after + report


STAYED = "in a message that stayed"
AGAIN = "put in again by the program"
OF_PROGRAM = "the program's own, about messages that went too"
_CAVEAT = lazy_pattern(r"do not respond to these messages or otherwise consider them in your response", re.IGNORECASE)
"""The words that Claude Code puts in front of the commands that the user ran by themselves."""


def _why_spared(rule: CheckedFact, stayed: str, again: str) -> str:
    """The reason for which a rule that the summary lost isn't missing; empty where it is."""
    words = folded(rule.text)
    if words in stayed:
        return STAYED
    if words in again:
        return AGAIN
    return OF_PROGRAM if _CAVEAT.search(rule.text) else ""


class RecordedCompressions(tuple[RecordedCompression, ...]):
    """The compressions of a recording, in order: a tuple, and a table by `frame`."""

    __slots__ = ()

    def frame(self) -> pd.DataFrame:
        """One row a compression: trigger, tokens before and after, lineage, and how many facts were kept and lost."""
        return frame_of((each.row() for each in self), COLUMNS)

    def __repr__(self) -> str:
        shown = [plain(f"{each.id} before {each.request.id}", 60) for each in self[:5]]
        more = [f"and {len(self) - 5:,} more"] if len(self) > 5 else []
        return f"RecordedCompressions({counted(len(self), 'compression')}: {'; '.join([*shown, *more])})"

    def _repr_html_(self) -> str:
        names = ("compression", "request", "because", "messages", "before_tokens", "after_tokens", "lineage")
        counts = ("kept", "weakened", "lost", "lost_rules", "rules_broken", "rules_said_again")
        rows = ([row[name] for name in (*names, *counts)] for row in (each.row() for each in self))
        head = [name.replace("_", " ") for name in (*names, *counts)]
        table = html_table(head, rows, of="compressions", most=60) if self else ""
        return title(repr(self) if self else "no compressions") + table + lines([CEILING] if self else [])
