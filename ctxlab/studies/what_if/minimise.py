"""The smallest context that keeps what it must: presets, lore entries and messages taken out one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.context import Draft
from ctxlab.context.tool_pairs import units_newest_first
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, first_of
from ctxlab.engines.worldbook import LoreScan
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.studies.what_if.delta_debugging import ddmin
from ctxlab.studies.what_if.keeps import Keep, KeepSource, SentContext, keeps_of
from ctxlab.studies.what_if.removals import Removals, preset_keys, run_on
from ctxlab.studies.what_if.sent_pieces import pieces_of

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("key", "state", "tokens", "needed_for", "words")
NEVER_FIRED = ("no-key", "disabled")
"""Gates of lore entries that nothing depends on: they neither fire nor compete."""


@dataclass(frozen=True, slots=True)
class NeededPiece:
    """Something that stayed: the keys that go or stay together, and what is lost without them.

    `needed_for` are the names of what is kept; where the run itself fails without it, its error is one, a sentence.
    """

    keys: tuple[str, ...]
    needed_for: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Minimised:
    """The smallest context that was found: taking out any one more of its pieces loses something that is kept.

    `trace` is its run, `before` the run that it was made from; `removed` are the keys of what was sent and was taken
    out, `pieces` what stayed and could be taken out. `runs` is the number of builds that it took.
    """

    before: Trace
    trace: Trace
    keeps: tuple[str, ...]
    removed: tuple[str, ...]
    pieces: tuple[NeededPiece, ...]
    runs: int

    def __repr__(self) -> str:
        return (
            f"Minimised({counted(len(self.trace.result.drafts), 'message')} of {len(self.before.result.drafts):,}, "
            f"{self.trace.tokens:,} of {counted(self.before.tokens, 'token')}, "
            f"for {plain(first_of(self.keeps, 3), 80)})"
        )

    def frame(self) -> pd.DataFrame:
        """One row a message that was sent: kept or removed, and what it is needed for.

        `tokens` are those of the message, of a part of a merged one those of its words.
        """
        return frame_of(self.rows(), COLUMNS)

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the frame, in the order in which the messages were sent."""
        was, now = pieces_of(self.before.result.drafts), pieces_of(self.trace.result.drafts)
        counter = self.before.services.tokenizer
        needed = {key: piece.needed_for for piece in self.pieces for key in piece.keys}
        return [
            {
                "key": key,
                "state": "kept" if key in now else "removed",
                "tokens": piece.tokens(counter),
                "needed_for": "; ".join(needed.get(key.partition("@")[0] if key.startswith("preset:") else key, ()))
                or None,
                "words": plain(piece.text, 60),
            }
            for key, piece in (was | {key: piece for key, piece in now.items() if key not in was}).items()
        ]

    def _repr_html_(self) -> str:
        now = pieces_of(self.trace.result.drafts)
        rows = [
            (
                first_of(piece.keys, 3),
                plain(" ".join(now[k].text for k in piece.keys if k in now)),
                "; ".join(piece.needed_for),
            )
            for piece in self.pieces
        ]
        return heading(self) + html_table(("stays", "words", "needed for"), rows, cells=80, of="pieces")


def minimise(
    trace: Trace,
    *,
    keeps: KeepSource | Iterable[KeepSource],
    progress: Callable[[float], None] | None = None,
) -> Minimised:
    """The smallest context that still keeps all of `keeps`, by taking out presets, lore entries and messages."""
    wanted = keeps_of(keeps, trace)
    if not wanted:
        raise WrongArgument("keeps is empty; name what the context is to keep: keys, texts or patterns")
    work = _Minimiser(trace, wanted, progress)
    missing = next((keep for keep in wanted if not keep.holds(SentContext.of(trace))), None)
    if missing is not None:
        raise WrongArgument(
            f"the context doesn't keep {plain(missing.name, 60)!r} to begin with{_message_of(missing.name, trace)}"
        )
    return work.result()


def _message_of(name: str, trace: Trace) -> str:
    """The key of the message that is sent and has this id, where it was meant; else nothing."""
    key = f"node:{name}"
    return f"; {key} names the message of this id" if key in pieces_of(trace.result.drafts) else ""


Unit = tuple[str, ...]
"""Keys that are taken out together: a message with its tool results, a summary with what it stands for."""


class _Minimiser:
    """Builds with less and less in it, each set of things at most once."""

    def __init__(self, trace: Trace, keeps: Sequence[Keep], progress: Callable[[float], None] | None) -> None:
        self.trace, self.keeps = trace, keeps
        self.progress = progress
        self.removals = Removals(trace)
        self.units = _units(trace)
        self.known: dict[frozenset[Unit], bool] = {}
        self.runs = 0

    def result(self) -> Minimised:
        sent = pieces_of(self.trace.result.drafts)
        left = ddmin(self._sent_first(set(map(_own_key, sent))), self.holds)
        smallest = self._run(left) if len(left) < len(self.units) else self.trace
        assert isinstance(smallest, Trace)
        now = pieces_of(smallest.result.drafts)
        pieces = [NeededPiece(unit, self._needed_for(left, unit)) for unit in self.units if unit in set(left)]
        if self.progress is not None:
            self.progress(1.0)
        return Minimised(
            before=self.trace,
            trace=smallest,
            keeps=tuple([keep.name for keep in self.keeps]),
            removed=tuple([key for key in sent if key not in now]),
            pieces=tuple(pieces),
            runs=self.runs,
        )

    def _sent_first(self, sent: set[str]) -> list[Unit]:
        """All units, or only those that are sent where the others aren't needed."""
        those_sent = [unit for unit in self.units if sent.intersection(unit)]
        return those_sent if len(those_sent) < len(self.units) and self.holds(those_sent) else list(self.units)

    def holds(self, units: Sequence[Unit]) -> bool:
        """Whether a run with these units alone comes to its end and keeps everything."""
        name = frozenset(units)
        if name not in self.known:
            self.known[name] = not self._lost(units)
        return self.known[name]

    def _lost(self, units: Sequence[Unit]) -> tuple[str, ...]:
        """The names of what a run with these units alone doesn't keep; its error where it fails."""
        run = self._run(units)
        if isinstance(run, str):
            return (run,)
        sent = SentContext.of(run)
        return tuple([keep.name for keep in self.keeps if not keep.holds(sent)])

    def _needed_for(self, left: Sequence[Unit], unit: Unit) -> tuple[str, ...]:
        lost = self._lost([other for other in left if other != unit])
        kept_itself = [keep.name for keep in self.keeps if keep.name in unit and keep.name not in lost]
        return (*kept_itself, *lost)

    def _run(self, units: Sequence[Unit]) -> Trace | str:
        self.runs += 1
        if self.progress is not None:
            # How many builds it takes isn't known before; the share nears 1 as they outnumber the units.
            self.progress(self.runs / (self.runs + len(self.units) + 1))
        there = {key for unit in units for key in unit}
        gone = [key for unit in self.units for key in unit if key not in there]
        try:
            return run_on(self.trace, self.removals.without(gone))
        except CtxlabError as problem:
            return f"{type(problem).__name__}: {problem}"


def _own_key(key: str) -> str:
    """The key of a preset, of which a depth in its key says where one of its copies stands."""
    return key.partition("@")[0] if key.startswith("preset:") else key


def _units(trace: Trace) -> list[Unit]:
    """All that can be taken out of a run, in the order of presets, lore and messages."""
    build_input = trace.start.input
    presets: list[Unit] = [(key,) for key in preset_keys(build_input)]
    scan = trace.result.report(LoreScan)
    decisions = scan.decisions if scan is not None else ()
    entries: list[Unit] = [(one.key,) for one in decisions if one.fired or one.gate not in NEVER_FIRED]
    return [*presets, *entries, *_message_units(trace)]


def _message_units(trace: Trace) -> list[Unit]:
    """Messages of the path with the results of their calls; a summary with the messages that it stands for."""
    loaded = next((step.after.drafts for step in trace.steps if step.after.drafts), ())
    drafts = [draft for draft in loaded if draft.origin.kind in ("node", "summary", "pending")]
    units = [tuple([drafts[at].key for at in unit.at]) for unit in units_newest_first(drafts)][::-1]
    hidden = {draft.key: _hidden_by(trace, draft) for draft in drafts if draft.origin.kind == "summary"}
    return [(*unit, *[key for part in unit for key in hidden.get(part, ())]) for unit in units]


def _hidden_by(trace: Trace, summary: Draft) -> tuple[str, ...]:
    nodes = trace.start.input.session.nodes
    return tuple([f"node:{node_id}" for node_id in nodes[summary.origin.ref].hides if node_id in nodes])
