"""A strategy that keeps what the user said as long as it can, and fills the rest with the other messages."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from ctxlab.engines.truncation import Kept, KeptRange, Reason, Traits, Unit, Verdict, Window


@dataclass(frozen=True)
class UserFirst:
    """Keep in this order while they fit: the newest units, the user's older messages, everything else, newest first."""

    name: ClassVar[str] = "user-first"
    traits: ClassVar[Traits] = Traits(main_setting="newest_units", step=1)
    newest_units: Annotated[int, Field(ge=0, title="Newest units", description="Units kept first, by whomever.")] = 2

    def cut(self, window: Window) -> Verdict:
        """What stays, and for every message that goes a reason that is true of it."""
        verdict = window.keep_while_they_fit(self._order(window))
        if verdict.border is None:
            return verdict
        border = verdict.border
        own = Reason(border.own_words(), border.at, border)
        others = Reason(
            f"its turn comes after {window.name(border.at[0])}, which {border.words()}", range(10**9), border
        )
        return Verdict(verdict.keep, {}, border, verdict.spent, (own, others))

    def kept(self, window: Window, unit: Unit) -> Kept:
        """The rooms in which a unit stays that was cut: from the tokens of all that has its turn before it."""
        return Kept(unit.at, (KeptRange(window.cost_up_to(unit, self._order)),))

    def describe(self) -> str:
        """The sentence that a reader sees beside the name."""
        return "takes the newest, then the user's messages, then the others, while they fit; loses old answers first"

    def _order(self, window: Window) -> list[Unit]:
        free = list(window.free_units())
        newest, older = free[: self.newest_units], free[self.newest_units :]
        by_user = [unit for unit in older if window.draft(unit.at[0]).role == "user"]
        others = [unit for unit in older if window.draft(unit.at[0]).role != "user"]
        return [*newest, *by_user, *others]
