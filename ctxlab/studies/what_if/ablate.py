"""A run with one thing otherwise, for each single thing: what each step, setting, preset, entry and rule does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.errors import CtxlabError, WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.shared_beginning import prefix_tokens
from ctxlab.studies.what_if.context_change import ContextChange, context_change
from ctxlab.studies.what_if.single_changes import KINDS, SingleChange, single_changes

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("kind", "setting", "key", "title", "before", "after", "changed", "tokens", "lost_messages", "gained_messages"),
    *("rewritten_messages", "same_prefix", "error", "reason"),
)


@dataclass(frozen=True, slots=True, eq=False)
class AblationRow:
    """One change and what it does to the context.

    `same_prefix` is the share of the new prompt that is as at the head of the old one, in [0, 1]; None where it fails.
    """

    base: Trace
    change: SingleChange
    effect: ContextChange
    same_prefix: float | None

    def __repr__(self) -> str:
        return f"AblationRow({plain(str(self), 300)})"

    def __str__(self) -> str:
        return f"{self.change}: {self.effect}"

    @property
    def size(self) -> tuple[float, ...]:
        """Sorts changes, larger is more: failed, number of messages, tokens, anything else."""
        effect = self.effect
        return effect.error is not None, effect.messages, abs(effect.tokens or 0), bool(effect)

    def run(self) -> Trace:
        """The run with this change alone, built again; raises what a build raises."""
        return self.change.applied(self.base)

    def as_data(self) -> dict[str, Any]:
        """The row by the names of the frame's columns."""
        change, effect = self.change, self.effect
        is_setting = bool(change.settings)
        values = (
            *(change.kind, change.name if is_setting else None, None if is_setting else change.name),
            *(plain(change.title, 60) or None, change.before, change.after, bool(effect), effect.tokens),
            *(len(effect.lost), len(effect.gained), len(effect.rewritten), self.same_prefix, effect.error, str(effect)),
        )
        return dict(zip(COLUMNS, values, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Ablation:
    """Single changes of a run, those with the largest effect first; `trace` is the run without any of them."""

    trace: Trace
    rows: tuple[AblationRow, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[AblationRow]:
        return iter(self.rows)

    def __getitem__(self, name: str | int) -> AblationRow:
        """The change of this setting or key, the one with the largest effect of several; or the one at a place."""
        if isinstance(name, int):
            return self.rows[name]
        found = next((row for row in self.rows if row.change.name == name), None)
        if found is None:
            raise CtxlabError(
                f"nothing was changed at {name!r}{did_you_mean(name, [r.change.name for r in self.rows])}"
            )
        return found

    def __repr__(self) -> str:
        idle = sum(not row.effect for row in self.rows)
        failed = sum(row.effect.error is not None for row in self.rows)
        fails = f", {failed:,} fail" if failed else ""
        return f"Ablation({counted(len(self.rows), 'change')}, {idle:,} without effect{fails})"

    def frame(self) -> pd.DataFrame:
        """One row a change; `tokens` and messages are differences to the run without it."""
        return frame_of([row.as_data() for row in self.rows], COLUMNS).astype({"before": object, "after": object})

    def _repr_html_(self) -> str:
        rows = [
            (row.change.kind, str(row.change), row.change.title, row.effect.tokens, str(row.effect))
            for row in self.rows
        ]
        head = ("", "change", "title", "± tokens", "effect")
        return heading(self) + html_table(head, rows, cells=100, of="changes")


def ablate(
    trace: Trace, *, only: Collection[str] | None = None, progress: Callable[[float], None] | None = None
) -> Ablation:
    """Each single change of a run, alone; `only` are kinds of changes."""
    for kind in only or ():
        if kind not in KINDS:
            raise WrongArgument(f"only names {kind!r}, which is no kind of change{did_you_mean(kind, KINDS)}")
    changes = [change for change in single_changes(trace) if only is None or change.kind in only]
    rows: list[AblationRow] = []
    for change in changes:
        rows.append(_ablated(trace, change))
        if progress is not None:
            progress(len(rows) / len(changes))
    return Ablation(trace, tuple(sorted(rows, key=lambda row: row.size, reverse=True)))


def _ablated(trace: Trace, change: SingleChange) -> AblationRow:
    try:
        run = change.applied(trace)
    except CtxlabError as problem:
        return AblationRow(trace, change, context_change(trace, f"{type(problem).__name__}: {problem}"), None)
    effect = context_change(trace, run)
    messages = (effect.after_tokens or 0) - run.request_tokens
    shared = prefix_tokens(trace.result.drafts, run.result.drafts, run.services.tokenizer)
    return AblationRow(trace, change, effect, shared / messages if messages else None)
