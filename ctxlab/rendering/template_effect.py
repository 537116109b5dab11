"""An effect of a template on messages as a value, and which effects are losses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.rendering.template_remedies import TemplateRemedy

EffectKind = Literal[
    "refused", "dropped", "cut", "moved", "shortened", "doubled", "merged", "forged", "added", "not traced"
]
EFFECTS: Final[tuple[EffectKind, ...]] = get_args(EffectKind)
LOSSES: Final[frozenset[EffectKind]] = frozenset(EFFECTS) - {"added"}
"""Effects that a remedy ends, or at least never brings."""
Thing = Literal["words", "calls", "reasoning", "name"]
"""The thing of a message that an effect is about."""


class Loss(NamedTuple):
    """A loss of a run: its kind, the message, "" where it is none's, and the thing of it."""

    kind: EffectKind
    key: str = ""
    thing: Thing = "words"


@dataclass(frozen=True, slots=True, eq=False)
class TemplateEffect:
    """Something that a template does to a message or with its own words; `sentence` says it.

    `key` is the message, "" where it is none's; `thing` is what of it: its words, calls, reasoning or speaker's name.
    `start` and `end` are characters of the text, None where it has none; `line` is that of the template, None where it
    isn't known. `remedy` is the smallest change of settings that mends it, tried; None where none of them does, or
    where nothing is lost. `advice` says then what is left to do, "" where nothing is lost.
    """

    kind: EffectKind
    key: str
    sentence: str
    start: int | None = None
    end: int | None = None
    line: int | None = None
    thing: Thing = "words"
    _remedy: Callable[[], TemplateRemedy | None] = field(default=lambda: None, repr=False)
    _advice: Callable[[], str] = field(default=lambda: "", repr=False)

    @property
    def loss(self) -> Loss:
        return Loss(self.kind, self.key, self.thing)

    @property
    def remedy(self) -> TemplateRemedy | None:
        """The smallest change that mends it; found at first use."""
        return self._remedy()

    @property
    def advice(self) -> str:
        """The way out where no setting mends it, in words; "" where one does."""
        return "" if self.remedy is not None else self._advice()

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data."""
        names = ("kind", "key", "sentence", "start", "end", "line", "thing", "advice")
        remedy = self.remedy
        return {**{name: getattr(self, name) for name in names}, "remedy": remedy and remedy.as_data()}
