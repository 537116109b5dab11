"""What a rule is: a reason why the two differ."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from tests.golden.second_opinion.case import Case, Data

Right = Literal["ctxlab", "fast-tavern", "neither", "a choice"]
"""Who does as SillyTavern does; a choice is where ctxlab departs from it knowingly, or where it says nothing."""


@dataclass(frozen=True)
class Rule:
    """`applies` looks at a case's data; `without` takes out of it what makes the difference.

    Without what the rules name, both programs must say the same.
    """

    id: str
    kinds: tuple[str, ...]
    right: Right
    applies: Callable[[Data], bool]
    without: Callable[[Data], None]

    def fits(self, case: Case) -> bool:
        return case.kind in self.kinds and self.applies(case.data)

    def taken_out(self, case: Case) -> Case:
        data = copy.deepcopy(case.data)
        self.without(data)
        return replace(case, data=data)
