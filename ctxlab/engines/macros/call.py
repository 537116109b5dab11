"""The call of a macro with its evaluated arguments, and the state of one expansion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ctxlab.context import Cause, Variables
from ctxlab.documents import Level, Note
from ctxlab.engines.macros.registry import PHASE_NAMES, Phase
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.engines.macros.clock_and_timeline import Moment
    from ctxlab.engines.macros.environment import MacroEnv

CAUSE = "macros"
MOST_CHARACTERS = 1_000_000
MOST_NOTES = 20
MOST_WORK = 20_000_000
"""Characters that are read for values that macros take from elsewhere, in one expansion."""


class BadCall(Exception):
    """A macro that can't be evaluated as it is written; the message says why. It stays in the text, with a note.

    What is told once, whatever the macro, has a `key`.
    """

    def __init__(self, why: str = "", *, key: str = "") -> None:
        super().__init__(why)
        self.key = key


class NoRoom(BadCall):
    """Raised when the value would be too long."""


@dataclass(slots=True)
class ExpansionState:
    """The mutable state of one expansion: notes, variables, room left, dice, time."""

    env: MacroEnv
    reference: bool = False
    room: int = MOST_CHARACTERS
    work: int = MOST_WORK
    rolls: int = 0
    notes: list[Note] = field(default_factory=list[Note])
    _noted: set[str] = field(default_factory=set[str])
    _session: dict[str, Any] | None = None
    _everywhere: dict[str, Any] | None = None
    _moment: Moment | None = None

    def is_new(self, key: str) -> bool:
        """Whether a note with this key is still to be made: each key once, and only the first 20 in all."""
        if key in self._noted or len(self.notes) >= MOST_NOTES:
            return False
        self._noted.add(key)
        return True

    def note(self, text: str, *, level: Level = "warning", **details: Any) -> None:
        where = f"{self.env.place}: " if self.env.place else ""
        self.notes.append(Note(level, f"{where}{text}", CAUSE, details))

    def works(self, characters: int) -> None:
        """Raises NoRoom where so much has been read that a text must be hostile."""
        self.work -= characters
        if self.work < 0:
            raise NoRoom("too much is read for its value", key="too much")

    # --- variables

    def variables_of(self, scope: str) -> Mapping[str, Any]:
        changed = self._session if scope == "session" else self._everywhere
        return changed if changed is not None else getattr(self.env.variables, scope)

    def length_of(self, scope: str, name: str) -> int:
        """Characters that are read when a variable is added to; a list is read as JSON."""
        value = self.variables_of(scope).get(name)
        return 4 * len(value) if isinstance(value, str) else 0

    def set(self, scope: str, name: str, value: Any) -> None:
        """Give a variable a value in this expansion; what the environment holds stays as it is."""
        if scope == "session":
            self._session = dict(self.env.variables.session) if self._session is None else self._session
            self._session[name] = value
        else:
            self._everywhere = dict(self.env.variables.everywhere) if self._everywhere is None else self._everywhere
            self._everywhere[name] = value

    def delete(self, scope: str, name: str) -> None:
        """Take a variable away in this expansion; what the environment holds stays as it is."""
        if name in self.variables_of(scope):
            self.set(scope, name, None)
            changed = self._session if scope == "session" else self._everywhere
            if changed is not None:
                del changed[name]

    @property
    def variables(self) -> Variables:
        """The variables now; the very same object when nothing was set."""
        if self._session is None and self._everywhere is None:
            return self.env.variables
        return Variables(self.variables_of("session"), self.variables_of("everywhere"))

    # --- dice and clock

    def roll(self) -> float:
        """The next number in [0, 1): the same one for the same place, turn and seed."""
        number = self.env.dice(f"macro:{self.env.place}:{self.rolls}")
        self.rolls += 1
        return number

    def moment(self) -> Moment:
        """The request's time in its zone; raises BadCall when the request has none."""
        if self._moment is None:
            from ctxlab.engines.macros.clock_and_timeline import moment_of

            self._moment = moment_of(self)
        return self._moment

    def now_ms(self) -> int:
        """The request's real time, whatever timeline its agent has."""
        from ctxlab.engines.macros.clock_and_timeline import real_time

        return real_time(self)[0]


@dataclass(slots=True)
class MacroCall:
    """One macro at a character of a text, with its arguments evaluated.

    `single` says that in SillyTavern's spelling it has one argument after a single colon or a blank.
    """

    name: str
    arguments: tuple[str, ...]
    env: MacroEnv
    run: ExpansionState
    at: int = 0
    text: str = ""
    single: bool = False

    def argument(self, i: int, default: str = "") -> str:
        return self.arguments[i] if i < len(self.arguments) else default

    @property
    def moment(self) -> Moment:
        return self.run.moment()

    def roll(self) -> float:
        return self.run.roll()


def cause_at(name: str, start: int, phase: Phase) -> Cause:
    """The cause of what a macro puts in its place, with where it stood and when it was evaluated."""
    reason = f"stood at character {start}, {PHASE_NAMES[phase]} phase"
    return Cause(CAUSE, name, reason, words=f"macro {{{{{name}}}}}, which {reason}")
