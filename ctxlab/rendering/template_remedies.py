"""The smallest sets of settings that mend what a template does to messages, each of them tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

from ctxlab.context import Draft
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.rendering.losses import REFUSED, Losses
from ctxlab.rendering.template_effect import EffectKind, Loss


class RemedyStep(NamedTuple):
    """Something that a remedy does, in words, with the settings that do it."""

    words: str
    settings: Mapping[str, Any]


STEPS: Final = (
    RemedyStep("system messages are joined at the top", {"merge-system.enabled": True, "merge-system.hoist": "all"}),
    RemedyStep("system messages are sent as the user's", {"convert-system.enabled": True}),
    RemedyStep("messages of one role that follow each other are joined", {"merge-consecutive.enabled": True}),
    RemedyStep("turns alternate, with a placeholder where one is missing", {"ensure-alternating.enabled": True}),
)
"""Formatter steps that are tried for every loss."""
NAMES: Final = RemedyStep(
    "names stand before the words", {"merge-consecutive.enabled": True, "merge-consecutive.roles": "merge"}
)
RESULTS: Final = RemedyStep(
    "results of tools are the user's words, without calls",
    {"merge-consecutive.enabled": True, "merge-consecutive.roles": "merge", "merge-consecutive.tools": False},
)
WHOLE: Final[frozenset[EffectKind]] = frozenset(("refused", "dropped", "cut", "moved", "not traced"))


def is_whole(loss: Loss) -> bool:
    """Whether a whole message is lost, or the sight of all of them."""
    return loss.kind in WHOLE and loss.thing == "words"


@dataclass(frozen=True, slots=True)
class TemplateRemedy:
    """Settings with which a template carries what it lost; `trace.rerun(remedy.settings)` has them.

    `sentence` says in words what they do. `also` counts the losses that the run has with them: those that it had
    without them too, and of a refusal smaller ones.
    """

    settings: Mapping[str, Any]
    sentence: str
    also: int = 0

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"settings": dict(self.settings), "sentence": self.sentence, "also": self.also}


def steps_for(losses: Losses, drafts: Sequence[Draft], markup: Iterable[str]) -> tuple[RemedyStep, ...]:
    """The steps that may mend some losses: formatters always, others where something is lost that they are for."""
    results = {draft.key for draft in drafts if draft.is_result}
    steps = [*STEPS]
    if any(loss.thing == "name" for loss in losses):
        steps.append(NAMES)
    if results and any(loss.key in results or loss == REFUSED for loss in losses):
        steps.append(RESULTS)
    marks = sorted({mark for mark in markup if mark})
    if marks and any(loss.kind == "forged" for loss in losses):
        listed = ", ".join(plain(mark, 40) for mark in marks[:4]) + (" …" if len(marks) > 4 else "")
        words = f"a blank breaks up {listed} in the words of messages"
        steps.append(RemedyStep(words, {"break-markup.enabled": True, "break-markup.marks": " ".join(marks)}))
    return tuple(steps)


class Remedies:
    """Tries sets of steps on a run, the smallest first, each once for all losses; `losses_of` says what a run loses."""

    def __init__(
        self, trace: Trace, before: Losses, steps: Sequence[RemedyStep], losses_of: Callable[[Trace], Losses]
    ) -> None:
        self._trace, self._before, self._steps, self._losses_of = trace, before, steps, losses_of
        self._tried: dict[tuple[int, ...], Losses | None] = {}

    def of(self, loss: Loss) -> TemplateRemedy | None:
        """The smallest set that ends a loss and brings no new one; None where none does."""
        if REFUSED in self._before:
            return self._of_refusal()
        return self._smallest(lambda after: loss not in after and after <= self._before)

    def of_all(self) -> TemplateRemedy | None:
        """The smallest set with which no whole message is lost, and nothing that wasn't; None where there is none."""
        if REFUSED in self._before:
            return self._of_refusal()
        return self._smallest(lambda after: not any(map(is_whole, after)) and after <= self._before)

    def _smallest(self, is_right: Callable[[Losses], bool]) -> TemplateRemedy | None:
        for chosen in self._sets():
            after = self._after(chosen)
            if after is not None and is_right(after):
                return self._remedy(chosen, len(after))
        return None

    def _of_refusal(self) -> TemplateRemedy | None:
        """The smallest set with which the template takes all messages, or all but the fewest that no longer fit.

        A refusal loses everything, so that smaller losses are none that it brings.
        """
        best: tuple[int, int, tuple[int, ...]] | None = None
        for chosen in self._sets():
            after = self._after(chosen)
            if after is None or any(is_whole(loss) and loss.kind != "cut" for loss in after):
                continue
            cut = sum(map(is_whole, after))
            if best is None or cut < best[0]:
                best = cut, len(after), chosen
            if not cut:
                break
        return self._remedy(best[2], best[1], best[0]) if best is not None else None

    def _sets(self) -> Iterator[tuple[int, ...]]:
        for size in range(1, len(self._steps) + 1):
            yield from combinations(range(len(self._steps)), size)

    def _after(self, chosen: tuple[int, ...]) -> Losses | None:
        if chosen not in self._tried:
            try:
                self._tried[chosen] = self._losses_of(self._trace.rerun(self._settings(chosen)))
            except CtxlabError:  # with these steps nothing can be built
                self._tried[chosen] = None
        return self._tried[chosen]

    def _settings(self, chosen: tuple[int, ...]) -> dict[str, Any]:
        return {name: value for number in chosen for name, value in self._steps[number].settings.items()}

    def _remedy(self, chosen: tuple[int, ...], also: int, cut: int = 0) -> TemplateRemedy:
        words = ", ".join(self._steps[number].words for number in chosen)
        less = f"; {counted(cut, 'message')} no longer {'fits' if cut == 1 else 'fit'} the budget then" if cut else ""
        return TemplateRemedy(self._settings(chosen), f"{words[0].upper()}{words[1:]}{less}.", also)
