"""Lore as a conversation grows: at each message the entries that fire, are called up by other lore, or blocked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted, nearest
from ctxlab.display.theme import ThemeName
from ctxlab.engines.worldbook import Decision, LoreScan
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

Kind = Literal["fired", "called up", "blocked", ""]
SIGNS: Mapping[Kind, str] = {"fired": "◆", "called up": "◇", "blocked": "✕"}
COLUMNS = ("node", "key", "book", "uid", "title", "kind", "fired", "gate", "reason", "matched", "pass", "tokens")


def kind_of(decision: Decision) -> Kind:
    """The kind of a decision in a timeline; blocked means stopped by anything but the lack of a key."""
    if decision.fired:
        return "fired" if decision.made_in == 1 else "called up"
    return "" if decision.gate == "no-key" else "blocked"


@dataclass(frozen=True, slots=True, eq=False)
class LoreTimeline:
    """The scan at each message of a path, the oldest first, by the id of the message that was the newest then.

    Each scan knew what the one before it handed on: which lore fired when.
    """

    scans: Mapping[str, LoreScan] = field(default_factory=dict[str, LoreScan])

    def __repr__(self) -> str:
        by_kind = self.counts()
        fired = by_kind["fired"] + by_kind["called up"]
        entries = counted(len(self.entries()), "entry", "entries")
        return (
            f"LoreTimeline({counted(len(self.scans), 'message')}, {entries}: "
            f"{counted(fired, 'time')} fired, {counted(by_kind['blocked'], 'time')} blocked)"
        )

    def __len__(self) -> int:
        return len(self.scans)

    def __iter__(self) -> Iterator[str]:
        return iter(self.scans)

    def __getitem__(self, message: str) -> LoreScan:
        """The scan at a message."""
        if message not in self.scans:
            raise CtxlabError(f"the timeline has no message {message!r}{nearest(message, list(self.scans))}")
        return self.scans[message]

    @property
    def activations(self) -> Mapping[str, str]:
        """Activations for the next build."""
        return list(self.scans.values())[-1].activations if self.scans else {}

    def entries(self) -> dict[str, str]:
        """Titles of all entries by their key, in the order of the books."""
        return {one.key: one.lore.entry.title for scan in self.scans.values() for one in scan.decisions}

    def counts(self) -> Counter[Kind]:
        """Number of decisions of each kind."""
        return Counter(kind_of(one) for scan in self.scans.values() for one in scan.decisions)

    def frame(self) -> pd.DataFrame:
        """One row an entry and message; `node` is the newest message then.

        `kind` is fired, called up, blocked, or empty where no key was seen.
        """
        rows = (_row(message, one) for message, scan in self.scans.items() for one in scan.decisions)
        named = (dict(zip(COLUMNS, row, strict=True)) for row in rows)
        return frame_of(named, COLUMNS).astype({"tokens": "Int64"})

    def figure(self, theme: ThemeName = "light") -> go.Figure:
        """Entries by messages: ◆ fired, ◇ called up by other lore, ✕ blocked; the reason when pointed at."""
        from ctxlab.studies.lore_timeline_figure import lore_timeline_figure

        return lore_timeline_figure(self, theme)

    def _repr_html_(self) -> str:
        by_kind = {key: Counter[Kind]() for key in self.entries()}
        newest: dict[str, str] = {}
        for message, scan in self.scans.items():
            for one in scan.decisions:
                by_kind[one.key][kind_of(one)] += 1
                newest |= {one.key: message} if one.fired else {}
        rows = [
            (title, *(by_kind[key][kind] for kind in SIGNS), newest.get(key, "never"))
            for key, title in self.entries().items()
        ]
        head = ("entry", *(f"{sign} {kind}" for kind, sign in SIGNS.items()), "fired last at")
        return heading(self) + html_table(head, rows, of="entries")


def _row(message: str, one: Decision) -> tuple[object, ...]:
    lore, matched = one.lore, one.matched
    return (
        message,
        one.key,
        lore.book.shown_name,
        lore.entry.uid,
        lore.entry.title,
        kind_of(one),
        one.fired,
        one.gate,
        one.reason,
        matched.key if matched else None,
        one.made_in,
        one.tokens,
    )
