"""A scan, from its input to a decision for every entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from ctxlab.context import Text
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted, nearest
from ctxlab.documents import Note, Worldbook
from ctxlab.engines.model_match import model_fits
from ctxlab.engines.worldbook.counterfactual.apply import with_change
from ctxlab.engines.worldbook.counterfactual.change import NearestChange
from ctxlab.engines.worldbook.counterfactual.nearest_change import NearestChanges, keeps_out
from ctxlab.engines.worldbook.decision import COLUMNS, Decision, of_fired, of_stopped
from ctxlab.engines.worldbook.growing_chat import GrowingChat
from ctxlab.engines.worldbook.key_matches import KeyMatches
from ctxlab.engines.worldbook.prepared_entry import EntryPreparer, PreparedEntry
from ctxlab.engines.worldbook.scan_input import ScanInput
from ctxlab.engines.worldbook.scan_passes import Activation
from ctxlab.engines.worldbook.timing import EntryTiming
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class LoreScan:
    """The decision on every entry; it is also the report of the worldbook step, with the table `lore`.

    `decisions` are in the order of the books; rows, the frame and what a notebook shows begin with the entries that
    fire, in the order in which they came. `activations` is what the next build should know.
    """

    name = "lore"
    scan_input: ScanInput
    decisions: tuple[Decision, ...]
    activations: Mapping[str, str]
    notes: tuple[Note, ...] = ()
    passes: int = 1
    spent_tokens: int = 0
    texts: Mapping[str, Text] = field(default_factory=dict[str, Text])
    """By key, what rules made of contents of entries that fired, with macros expanded; the others are as written."""
    _by_key: dict[str, Decision] = field(default_factory=dict[str, Decision], repr=False)

    def __repr__(self) -> str:
        return (
            f"LoreScan({len(self.fired)} of {len(self.decisions)} entries fire, "
            f"{counted(self.spent_tokens, 'token')}, {counted(self.passes, 'pass', 'passes')})"
        )

    def __len__(self) -> int:
        return len(self.decisions)

    def __getitem__(self, key: str) -> Decision:
        """The decision on an entry, by its key, such as `lore:harbour/3`."""
        if not self._by_key:
            self._by_key.update({decision.key: decision for decision in self.decisions})
        if key not in self._by_key:
            raise CtxlabError(f"there is no entry {key!r}{nearest(key, list(self._by_key))}")
        return self._by_key[key]

    @property
    def books(self) -> tuple[Worldbook, ...]:
        """The books as they were scanned; after `with_change` the changed one is among them."""
        return tuple([held.book for held in self.scan_input.books])

    @property
    def fired(self) -> tuple[Decision, ...]:
        """Those that fire, in the order in which they came."""
        return tuple(sorted((one for one in self.decisions if one.fired), key=lambda one: one.rank or 0))

    @property
    def tokens_of_all_entries(self) -> int:
        """Tokens of all entries as they are sent, together: what the books would take if everything fired.

        Counted when it is read; there no budget, group or gate leaves anything out.
        """
        return sum(self.scan_input.tokens_of(one.lore) for one in self.decisions)

    def rows(self) -> tuple[dict[str, Any], ...]:
        """Plain data, one row an entry: those that fire in the order in which they came, then the rest."""
        return tuple([one.as_data() for one in self.fired_first()])

    def summary(self) -> str:
        """`5 of 16 entries fired`; empty when there are none."""
        fired = sum(one.fired for one in self.decisions)
        return f"{fired:,} of {counted(len(self), 'entry', 'entries')} fired" if self.decisions else ""

    def frame(self) -> pd.DataFrame:
        """The rows of `rows()` as a frame."""
        return frame_of(self.rows(), COLUMNS)

    def with_change(self, key: str, change: NearestChange | Mapping[str, Any] | None = None) -> LoreScan:
        """The scan repeated with a change for an entry, by default its nearest one."""
        decision = self[key]
        made = decision.nearest if change is None else NearestChange.of(change)
        return scan(with_change(self.scan_input, made, of=decision.lore))

    def _repr_html_(self) -> str:
        rows = (
            (one.lore.book.shown_name, one.lore.entry.title, "fires" if one.fired else one.gate, one.reason, one.remedy)
            for one in self.fired_first()
        )
        head = ("book", "entry", "", "why", "nearest change")
        if_all = escape(f"all entries together: {counted(self.tokens_of_all_entries, 'token')}")
        return f"{heading(self)} {if_all}{html_table(head, rows, cells=100, of='entries')}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        from ctxlab.display.views import shown_as

        return shown_as("lore", self)

    def fired_first(self) -> tuple[Decision, ...]:
        """The decisions on entries that fire, in the order in which they came, then the others in that of the books."""
        return (*self.fired, *(one for one in self.decisions if not one.fired))


def scan(scan_input: ScanInput, *, growing: GrowingChat | None = None) -> LoreScan:
    """The decision on every entry: by which key it fires, or which gate blocks it. Nearest changes are found when read.

    `growing` knows the messages of the input and has searched those before the newest.
    """
    maker = EntryPreparer(scan_input)
    clock = EntryTiming(
        scan_input.chat, None if growing is None else growing.place_of, rests_by_turn=scan_input.rules.is_exact
    )
    lores = maker.all()
    shut, problems = _shut_books(scan_input)
    if growing is None:
        key_matches = KeyMatches.over(scan_input, lores, maker.search)
    else:
        key_matches = growing.key_matches(scan_input, lores, maker.search)
    run = Activation(scan_input, lores, key_matches, clock, maker).run(shut)
    decisions = list(_decided(run, [lore for lore in lores if lore.book_index not in shut]))
    for number in shut:  # as if this one book were meant for the model
        opened = Activation(scan_input, lores, key_matches.afresh(), clock, maker).run(
            other for other in shut if other != number
        )
        decisions += _shut_out(run, opened, [lore for lore in lores if lore.book_index == number])
    decisions.sort(key=lambda one: one.lore.index)
    return LoreScan(
        scan_input,
        tuple(decisions),
        clock.records(scan_input.chat.activations, (fired.lore for fired in run.fired.values()), lores),
        (*problems, *_notes(run, decisions, key_matches)),
        sum(not this.is_beyond for this in run.passes),
        run.spent,
    )


def _decided(run: Activation, lores: Sequence[PreparedEntry]) -> Iterator[Decision]:
    find_nearest = _NearestOf(run)
    ranks = {index: rank for rank, index in enumerate(run.fired)}
    for lore in lores:
        fired = run.fired.get(lore.index)
        if fired is not None:
            yield of_fired(fired, rank=ranks[lore.index], find_nearest=find_nearest)
        else:
            stopped = run.stopped[lore.index]
            matched = run.matched(lore, stopped.made_in) if stopped.gate in WITH_KEYS else None
            yield of_stopped(lore, stopped, matched=matched, find_nearest=find_nearest)


class _NearestOf:
    """Finds the nearest change of each decision of a scan."""

    def __init__(self, run: Activation) -> None:
        self._run = run
        self._changes: NearestChanges | None = None

    def __call__(self, decision: Decision) -> NearestChange:
        if decision.fired:
            return keeps_out(decision.lore, decision.matched.keys if decision.matched else (), self._run)
        if self._changes is None:
            self._changes = NearestChanges(self._run)
        return self._changes.of(decision.lore)


def _shut_out(run: Activation, opened: Activation, lores: Sequence[PreparedEntry]) -> Iterator[Decision]:
    decided = {decision.lore.index: decision for decision in _decided(opened, lores)}

    def find_nearest(decision: Decision) -> NearestChange:
        as_opened = decided[decision.lore.index]
        return replace(NearestChange() if as_opened.fired else as_opened.nearest, book={"modelMatch": None})

    for index, decision in decided.items():
        yield of_stopped(decision.lore, run.stopped[index], matched=None, find_nearest=find_nearest)


WITH_KEYS = frozenset({"secondary-keys", "group", "probability", "budget", "pass-limit"})


def _shut_books(scan_input: ScanInput) -> tuple[list[int], list[Note]]:
    shut: list[int] = []
    notes: list[Note] = []
    for number, held in enumerate(scan_input.books):
        verdict = model_fits(held.book.model_match, scan_input.chat.model)
        notes += [Note("warning", f"book {held.book.shown_name!r}: {why}") for why in verdict.problems]
        if not verdict.fits:
            shut.append(number)
    return shut, notes


def _notes(run: Activation, decisions: Sequence[Decision], key_matches: KeyMatches) -> list[Note]:
    notes = [
        Note("warning", f"key {text!r} is left out: {why}", details={"lore_key": text})
        for text, why in key_matches.left_out().items()
    ]
    beyond = next((this for this in run.passes if this.is_beyond), None)
    kept_out = [one.key for one in decisions if one.gate == "pass-limit"]
    if beyond is not None and kept_out:
        more, passes = counted(len(kept_out), "entry", "entries"), counted(beyond.number - 1, "pass", "passes")
        text = f"lore calls up more lore: {more} more after {passes}, the limit"
        notes.append(Note("warning", text, details={"keys": kept_out[:20]}))
    firing = {one.lore.book_index for one in decisions if one.fired}
    for number, held in enumerate(run.scan_input.books):
        if number not in firing:
            notes.append(Note("info", _silent(held.book.shown_name, number, decisions)))
    return notes


GATE_WORDS = {"no-key": "not called up by a key", "disabled": "switched off"}


def _silent(name: str, number: int, decisions: Sequence[Decision]) -> str:
    gates: dict[str, int] = {}
    for one in decisions:
        if one.lore.book_index == number and one.gate is not None:
            gates[one.gate] = gates.get(one.gate, 0) + 1
    if not gates:
        return f"book {name!r} has no entries"
    counts_text = ", ".join(
        f"{n:,} {GATE_WORDS.get(gate, gate)}" for gate, n in sorted(gates.items(), key=lambda pair: -pair[1])
    )
    return f"book {name!r}: none of its entries fires ({counts_text})"


__all__ = ["LoreScan", "PreparedEntry", "scan"]
