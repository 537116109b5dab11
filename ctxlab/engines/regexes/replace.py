"""Replacements in many texts at once, each applied to the result of the one before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ctxlab.engines.javascript.utf16_offsets import Replacement16, changes_in_characters
from ctxlab.engines.regexes.parse_replacement import Replacement, parts_for_javascript
from ctxlab.engines.regexes.python_limited_search import BadPython
from ctxlab.engines.regexes.python_patterns import MOST_GROWTH, changes_of
from ctxlab.engines.regexes.work_limits import DEFAULT, Limits
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.engines.regexes.v8 import Machine

Plan = tuple[int, ...]
"""Numbers of replacements, in the order in which they run."""


@dataclass(frozen=True, slots=True, eq=False)
class Replaced:
    """`changes[i]` are what happened to text i: a replacement's number, and its changes, in order.

    Offsets count characters of the text as it stood before that replacement. What puts back the same characters is not
    among the changes. `problems` says, by number, why a replacement was left out; then it is left out of every text.
    """

    changes: tuple[tuple[tuple[int, tuple[Replacement16, ...]], ...], ...]
    problems: dict[int, str]


class _LeftOut(Exception):
    def __init__(self, replacement: int, why: str) -> None:
        super().__init__(why)
        self.replacement = replacement
        self.why = why


def replace_all(
    texts: Sequence[str],
    plans: Sequence[Plan],
    replacements: Sequence[Replacement],
    *,
    limits: Limits = DEFAULT,
) -> Replaced:
    """The changes of `plans[i]` in `texts[i]`.

    Goes to V8 once for all texts, as long as no replacement of Python's flavour stands between two of JavaScript's. One
    that hangs is found out only while it runs: then everything is done anew without it, as if it had never been there.
    """
    problems: dict[int, str] = {}
    while True:
        try:
            changes = _Replacing(texts, replacements, problems, limits).changes(plans)
        except _LeftOut as found:
            problems[found.replacement] = found.why
        else:
            return Replaced(changes, dict(sorted(problems.items())))


def changed(text: str, changes: Iterable[Replacement16]) -> str:
    """The text with the changes made."""
    parts: list[str] = []
    at = 0
    for start, end, new in changes:
        parts += (text[at:start], new)
        at = end
    parts.append(text[at:])
    return "".join(parts)


class _Replacing:
    """Texts while their plans are applied."""

    def __init__(
        self, texts: Sequence[str], replacements: Sequence[Replacement], problems: dict[int, str], limits: Limits
    ) -> None:
        self.texts = list(texts)
        self.lengths = [len(text) for text in texts]
        self.replacements = replacements
        self.problems = problems
        self.limits = limits
        self.done: list[list[tuple[int, tuple[Replacement16, ...]]]] = [[] for _ in texts]

    def changes(self, plans: Sequence[Plan]) -> tuple[tuple[tuple[int, tuple[Replacement16, ...]], ...], ...]:
        stretches = {plan: self._stretches(plan) for plan in set(plans)}
        for stage in range(max(map(len, stretches.values()), default=0)):
            now = {index: stretches[plan][stage] for index, plan in enumerate(plans) if stage < len(stretches[plan])}
            self._in_javascript({index: plan for index, (flavor, plan) in now.items() if flavor == "javascript"})
            self._in_python({index: plan for index, (flavor, plan) in now.items() if flavor == "python"})
        return tuple(map(tuple, self.done))

    def _stretches(self, plan: Plan) -> list[tuple[str, Plan]]:
        """The plan cut where the flavour changes, without what is left out."""
        kept = [number for number in plan if number not in self.problems]
        return [
            (flavor, tuple(numbers))
            for flavor, numbers in groupby(kept, key=lambda number: self.replacements[number].pattern.flavor)
        ]

    def _in_javascript(self, plans: dict[int, Plan]) -> None:
        if plans:
            from ctxlab.engines.regexes import v8

            v8.run(lambda machine: self._on(machine, plans))

    def _on(self, machine: Machine, plans: dict[int, Plan]) -> None:
        from ctxlab.engines.regexes import v8

        indexes = list(plans)
        different = {plan: number for number, plan in enumerate(dict.fromkeys(plans.values()))}
        used = sorted({number for plan in different for number in plan})
        place = {number: i for i, number in enumerate(used)}
        rules = [_for_javascript(self.replacements[number]) for number in used]
        written = [[place[number] for number in plan] for plan in different]
        for first, end in v8.batches([self.texts[index] for index in indexes]):
            piece = indexes[first:end]
            which = [different[plans[index]] for index in piece]
            head = {"rules": rules, "plans": written, "which": which, "most": self.limits.max_backtracks}
            texts = json.dumps([self.texts[index] for index in piece])
            try:
                result = v8.run_function(machine, "startReplacing", head, texts, self.limits)
            except v8.Interrupted as stopped:
                raise _LeftOut(used[stopped.pattern], stopped.why) from None
            for text, rule, flat in result["found"]:
                index = piece[text]
                self._note(index, used[rule], changes_in_characters(flat, self.texts[index]))
            for rule, why in result["problems"].items():
                self.problems[used[int(rule)]] = f"it doesn't compile: {why}"

    def _in_python(self, plans: dict[int, Plan]) -> None:
        for index, plan in plans.items():
            for number in plan:
                text = self.texts[index]
                room = MOST_GROWTH + self.lengths[index] - len(text)
                try:
                    changes = changes_of(self.replacements[number], text, room=room, limits=self.limits)
                except BadPython as problem:
                    raise _LeftOut(number, str(problem)) from None
                if changes:
                    self._note(index, number, changes)

    def _note(self, index: int, number: int, changes: Sequence[Replacement16]) -> None:
        self.done[index].append((number, tuple(changes)))
        self.texts[index] = changed(self.texts[index], changes)


def _for_javascript(replacement: Replacement) -> dict[str, object]:
    return {
        "pattern": (replacement.pattern.body, replacement.pattern.flags),
        "template": parts_for_javascript(replacement),
        "trim": replacement.trim,
        "grammar": replacement.grammar,
    }
