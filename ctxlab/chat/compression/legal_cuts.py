"""The places of a path where a range for a summary may begin or end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.compression.visible_path import VisiblePath, is_candidate, is_full_summary
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import MessageNode
from ctxlab.errors import UnknownNode
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import pandas as pd

PAIR, EXCHANGE, OPEN, PROTECTED = (
    "between a tool call and its result",
    "inside an exchange",
    "after a message that waits for its answer",
    "after protected messages",
)


@dataclass(frozen=True, slots=True)
class Cut:
    """The place before the message at position `at` of the visible path; `why_not` says why none may cut there."""

    at: int
    before: str | None
    after: str | None
    why_not: str | None = None

    @property
    def is_legal(self) -> bool:
        return self.why_not is None


@dataclass(frozen=True, slots=True)
class MessageRange:
    """Positions `start` up to `end` of the visible path."""

    start: int
    end: int

    def __len__(self) -> int:
        return max(0, self.end - self.start)


@dataclass(frozen=True, eq=False)
class LegalCuts:
    """Every place between two messages of a path, and whether a range for a summary may begin or end there.

    None is between a tool call and its result, inside an exchange (a user message up to the next one), or after one of
    the newest `protect` messages. A summary is a boundary on both sides. With `whole_exchanges` False a range may end
    after any message that is no part of a tool pair.
    """

    path: VisiblePath
    protect: int = 0
    whole_exchanges: bool = True

    def __repr__(self) -> str:
        messages = counted(len(self.path), "message")
        return f"LegalCuts({messages}, {counted(len(self.legal), 'cut')}, {self.protect:,} protected)"

    def __iter__(self) -> Iterator[Cut]:
        return iter(self.cuts)

    def __len__(self) -> int:
        return len(self.cuts)

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        """All places, in order: that before the first message, one after each."""
        nodes = self.path.nodes
        reasons = self._reasons()
        ids = [None, *(node.id for node in nodes), None]
        return tuple(Cut(at, ids[at], ids[at + 1], reasons.get(at)) for at in range(len(nodes) + 1))

    @cached_property
    def legal(self) -> tuple[int, ...]:
        """Positions of the places where a cut is allowed."""
        return tuple(cut.at for cut in self.cuts if cut.is_legal)

    @cached_property
    def last(self) -> int:
        """The position of the last place that isn't after protected messages."""
        places = [i for i, node in enumerate(self.path.nodes) if is_candidate(node)]
        protected = places[max(0, len(places) - self.protect) :] if self.protect else []
        return protected[0] if protected else len(self.path)

    @checked_arguments
    def snap(
        self, first: str | int, last: str | int, *, to: Literal["around", "inside"] = "around"
    ) -> MessageRange | None:
        """The range from message `first` to `last`, by ids or positions, widened or narrowed to legal cuts.

        Around what was asked for, but never into protected messages; None where no message is left.
        """
        start, end = sorted((self.position(first), self.position(last)))
        end += 1
        legal = self.legal
        if to == "inside":
            return self._range(legal[bisect_left(legal, start) :][:1], legal[: bisect_right(legal, end)][-1:])
        later = legal[bisect_left(legal, end) :][:1] or legal[-1:]
        return self._range(legal[: bisect_right(legal, start)][-1:], later)

    @checked_arguments
    def oldest(self, count: int) -> MessageRange | None:
        """The oldest `count` messages that can go into a summary, or the fewest above that a legal cut allows."""
        places = [i for i, node in enumerate(self.path.nodes) if is_candidate(node) and i < self.last][:count]
        if not places:
            return None
        start = min(places[0], self._first_summary_before(places[0]))
        inside = self.snap(start, places[-1], to="inside")
        return inside if inside is not None else self.snap(start, places[0])

    def frame(self) -> pd.DataFrame:
        """One row per place: position, ids on both sides, whether a cut is legal there, and why not."""
        rows = [
            {"at": c.at, "before": c.before, "after": c.after, "legal": c.is_legal, "why_not": c.why_not}
            for c in self.cuts
        ]
        return frame_of(rows, ("at", "before", "after", "legal", "why_not"))

    def _repr_html_(self) -> str:
        def row(cut: Cut, node: MessageNode | None) -> tuple[object, ...]:
            place = "✂ cut" if cut.is_legal else cut.why_not
            return (
                cut.at,
                place,
                node.role if node else "",
                node.id if node else "",
                short(node.content) if node else "end",
            )

        nodes = [*self.path.nodes, None]
        rows = (row(cut, node) for cut, node in zip(self.cuts, nodes, strict=True))
        return heading(self) + html_table(
            ("at", "before this message", "role", "id", "text"), rows, of="places", most=60
        )

    def _first_summary_before(self, at: int) -> int:
        return next((i for i, node in enumerate(self.path.nodes[:at]) if is_full_summary(node)), at)

    @checked_arguments
    def position(self, message: str | int) -> int:
        """The position of a message in the visible path; raises UnknownNode."""
        if isinstance(message, int):
            return min(max(message, 0), max(0, len(self.path) - 1))
        if message in self.path.place:
            return self.path.place[message]
        if self.path.session.node(message).is_empty_root:
            first = f"; the first message is {self.path.nodes[0].id!r}" if self.path.nodes else ""
            raise UnknownNode(f"node {message!r} is the root, which has no words and isn't sent{first}")
        raise UnknownNode(f"node {message!r} is not on the path to {self.path.leaf!r}, or it is hidden or switched off")

    def _range(self, start: tuple[int, ...], end: tuple[int, ...]) -> MessageRange | None:
        return MessageRange(start[0], end[0]) if start and end and start[0] < end[0] else None

    def _reasons(self) -> dict[int, str]:
        """Why there is no cut, by position, the strongest reason."""
        nodes = self.path.nodes
        found: dict[int, str] = {}
        if self.whole_exchanges:
            found = {at: EXCHANGE for at in range(1, len(nodes)) if not self._is_boundary(at)}
        if nodes and self._waits_for_answer():
            found[len(nodes)] = OPEN
        for unit in self.path.units:
            found |= dict.fromkeys(range(unit.at[0] + 1, unit.newest + 1), PAIR)
        return found | dict.fromkeys(range(self.last + 1, len(nodes) + 1), PROTECTED)

    def _is_boundary(self, at: int) -> bool:
        before, after = self.path.nodes[at - 1], self.path.nodes[at]
        return after.role == "user" or is_full_summary(before) or is_full_summary(after)

    def _waits_for_answer(self) -> bool:
        """Whether the last message is the user's, a reply on its way, a result, or calls of which one has no result."""
        last = next(
            (n for n in reversed(self.path.nodes) if n.role != "system" and (n.content.strip() or n.tool_calls)), None
        )
        asked = last is not None and last.role == "user" and not last.is_summary
        is_open = last is not None and (last.role == "tool" or last.status == "generating")
        return (
            asked
            or is_open
            or any(unit.unanswered and unit.newest == len(self.path) - 1 for unit in self.path.units[-1:])
        )
