"""The contract of a strategy: the window that it gets, and the verdict that it gives."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import field
from itertools import accumulate
from typing import Any, ClassVar, Protocol, TypeVar

from ctxlab.context import Draft
from ctxlab.context.context import lacking
from ctxlab.display.one_line import plain
from ctxlab.engines.ranking import Ranking
from ctxlab.engines.truncation.least_room import Kept
from ctxlab.engines.truncation.unit_costs import Unit
from ctxlab.errors import WrongSetting
from ctxlab.lazy_dataclass import dataclass


def no_ranking(name: str) -> Ranking:
    """For a window outside a run: nothing is ranked."""
    raise WrongSetting(f"there is no ranker {name!r}")


T = TypeVar("T")

LONGEST_ID = 12
"""Longer ids say nothing to a person."""
NAME_WORDS = 24
ALL_OTHERS = range(sys.maxsize)
"""Every position that no earlier reason names."""


@dataclass(frozen=True, slots=True)
class Border:
    """The unit that didn't fit: tokens it needed, tokens that were left, and the positions of its drafts."""

    needed: int
    left: int
    at: tuple[int, ...] = ()

    def own_words(self, what: str = "") -> str:
        """Why the border itself went; `what` is what needed the tokens, the message itself where nothing is given."""
        return f"{what} {lacking(self.needed, self.left)}".strip()

    def words(self, verb: str = "needed") -> str:
        """The reason as a clause inside a sentence about another message."""
        return f"{verb} {self.needed:,} where {self.left:,} {'was' if self.left == 1 else 'were'} left"


@dataclass(frozen=True, slots=True, eq=False)
class Reason:
    """Why messages went, in words that are true of each of them: those at `at`, as far as they went."""

    words: str
    at: Collection[int]
    border: Border


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Units that may be kept. `units` come newest first, the same ones each time, and are found lazily; `cost` counts a
    unit once, when asked.

    `query` is the text of the newest user message, and `ranking(name)` the scores of all messages by one of the
    rankers, aligned with the positions of drafts; strategies that look at the question know nothing else of it.

    `processor` is the id of the step that cuts; messages and causes that a strategy makes bear it. `asked` are the
    units that `kept` is going to be asked for; where none are named it may be any.

    `left` are the tokens for units that are free to go, what is protected already taken off; `capacity` are those for
    all units, protected ones included. `shortened` gives a unit's drafts cut to their heads, by position, or None where
    that is off.
    """

    units: Callable[[], Iterator[Unit]]
    left: int
    capacity: int
    cost: Callable[[Unit], int]
    shortened: Callable[[Unit], dict[int, Draft] | None]
    cost_of: Callable[[Draft], int]
    is_protected: Callable[[Unit], bool]
    draft: Callable[[int], Draft]
    query: str = ""
    ranking: Callable[[str], Ranking] = no_ranking
    processor: str = ""
    asked: frozenset[Unit] = frozenset()
    _shared: dict[Any, Any] = field(default_factory=dict[Any, Any], init=False)

    def shared(self, make: Callable[[Window], T]) -> T:
        """The result of a function of this window, made once however many units are asked for.

        Questions about many units cost as much as one where what they have in common is made by it: a method of a
        strategy, or a function of a module.
        """
        if make not in self._shared:
            self._shared[make] = make(self)
        return self._shared[make]

    def is_asked(self, unit: Unit) -> bool:
        """Whether `kept` may be asked for a unit."""
        return not self.asked or unit in self.asked

    def free_units(self) -> Iterator[Unit]:
        """The units that may go, newest first."""
        return (unit for unit in self.units() if not self.is_protected(unit))

    def name(self, at: int) -> str:
        """The name of a message in a sentence: its id, or its first words where that says nothing.

        It has no number: those that are sent are counted anew.
        """
        draft = self.draft(at)
        id, text = draft.key.removeprefix("node:"), draft.text
        if len(id) <= LONGEST_ID:
            return id
        words = plain(str(text.cut(0, 4 * NAME_WORDS)) if len(text) > 4 * NAME_WORDS else str(text), NAME_WORDS)
        calls = ", ".join(call.name for call in draft.calls[:3])
        return f"“{words}”" if words else plain(f"the call of {calls}", 2 * NAME_WORDS) if calls else id

    def keep_while_they_fit(self, units: Iterable[Unit], *, left: int | None = None) -> Verdict:
        """The units of a row up to the first that doesn't fit into `left` tokens; that one is the border.

        Later ones aren't tried, even if they would fit.
        """
        left = self.left if left is None else left
        start = left
        keep: list[int] = []
        for unit in units:
            needed = self.cost(unit)
            if needed > left:
                return Verdict(frozenset(keep), border=Border(needed, left, unit.at), spent=start - left)
            keep.extend(unit.at)
            left -= needed
        return Verdict(frozenset(keep), spent=start - left)

    def cost_up_to(self, unit: Unit, row: Iterable[Unit] | Callable[[Window], Iterable[Unit]]) -> int:
        """Tokens that the units of a row cost together, up to and with one of them.

        A row that is given as a function of the window is walked once, however many units are asked for.
        """
        if not callable(row):
            return self._sums(row)[unit]
        key = (Window.cost_up_to, row)
        if key not in self._shared:
            self._shared[key] = self._sums(row(self))
        return self._shared[key][unit]

    def _sums(self, row: Iterable[Unit]) -> dict[Unit, int]:
        units = list(row)
        return dict(zip(units, accumulate(map(self.cost, units)), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Positions that stay, drafts that stay shortened, and the border of the cut; what is not named goes.

    Of what goes each message has the first of `reasons` that names its position. `summary` is a message that the
    strategy made of what goes; it is sent before the history that stays, and its tokens are part of `spent`. `quoted`
    are the positions of the messages that it quotes. `kept_as` says of what stays whatever its rank why it does.
    """

    keep: frozenset[int]
    shortened: dict[int, Draft] = field(default_factory=dict[int, Draft])
    border: Border | None = None
    spent: int = 0
    reasons: tuple[Reason, ...] = ()
    summary: Draft | None = None
    quoted: frozenset[int] = frozenset()
    kept_as: Mapping[int, str] = field(default_factory=dict[int, str])


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties that a reader may rely on, whichever strategy it is.

    With `keeps_one_end` an unbroken end of the conversation stays, so that one line parts it from what goes. With
    `keeps_one_more` a little more budget keeps just one more unit, so that this line can be moved from unit to unit.
    `main_setting` is the number that the strategy goes by, a setting of its own or of the limiter, and `step` a step of
    it in a form. With `shortens` it may keep the heads of messages, as `window.shortened` gives them. With `quotes` a
    summary may quote what goes.
    """

    keeps_one_end: bool = False
    keeps_one_more: bool = False
    main_setting: str | None = None
    step: float = 1
    shortens: bool = False
    quotes: bool = False


class Strategy(Protocol):
    """Decides which units stay. It sees tokens and order, never the budget of what is protected.

    A strategy is a frozen dataclass. Its fields are settings of the limiter: each has a default, and a title, a
    description and bounds in an annotation, `Annotated[float, Field(ge=0, le=1, title=..., description=...)]`.
    """

    name: ClassVar[str]
    traits: ClassVar[Traits]

    def cut(self, window: Window) -> Verdict: ...

    def kept(self, window: Window, unit: Unit) -> Kept:
        """In which rooms larger than the window's `left` a unit that was cut stays, and what stays only with it."""
        ...

    def describe(self) -> str:
        """A sentence that says what it must count, what it keeps and what it loses."""
        ...


def needed_by(border: Border) -> str:
    """The words for what needed the tokens at a border; none for a message alone."""
    return "the call with its results" if len(border.at) > 1 else ""
