"""The setting in which retention is measured: the history alone, cut to a budget by the strategy and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.html_table import fields_table, heading, lines
from ctxlab.display.short_texts import counted
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.lazy_dataclass import dataclass
from ctxlab.processors import STEPS, SessionLoader, TokenLimiter

HEAD_SHARE, HALF = f"{TokenLimiter.id}.head_share", 0.5
"""Head and tail was published with half of the budget for each."""
STEPS_ON = (SessionLoader.id, TokenLimiter.id)


@dataclass(frozen=True, slots=True)
class RetentionSetting:
    """Options under which retention is measured: no agent, and of the steps only the loader and the limiter.

    Nothing is merged, injected or added, and the budget is that of the history: the question is the newest message,
    stays, and comes on top. A message costs its text and a fixed number of tokens, as `tokenizer` names them, and the
    name of its speaker nothing, as in the published figures. Head and tail have half of the budget each.
    """

    tokenizer: str = "chars4+4"
    settings: Mapping[str, Any] = field(
        default_factory=lambda: FrozenDict(
            {f"{step.id}.enabled": False for step in STEPS if step.id not in STEPS_ON} | {HEAD_SHARE: HALF}
        )
    )

    @checked_arguments
    def with_tokenizer(self, name: str) -> RetentionSetting:
        """This setting with another count: `chars4+4`, `o200k_base+4`, or `o200k_base`, which adds nothing (`+0`)."""
        named = tokenizer_named(name).name
        return replace(self, tokenizer=named if "+" in named else f"{named}+0")

    def study_options(self) -> dict[str, Any]:
        """The options of `ctxlab.Study` that make this setting."""
        return {"tokenizer": self.tokenizer, "budget_of": "history", "options": {"settings": dict(self.settings)}}

    def __repr__(self) -> str:
        return f"RetentionSetting({self.tokenizer!r}, {counted(len(self.settings), 'setting')})"

    def _repr_html_(self) -> str:
        return heading(self) + lines(self.lines()) + fields_table(self.settings)

    def lines(self) -> tuple[str, ...]:
        """The setting in sentences, for a table's caption."""
        return (
            f"tokens are counted by {self.tokenizer}, of texts alone: the name of a speaker costs nothing",
            "the budget is that of the history alone: no agent, no presets, and the question comes on top",
            "nothing is merged, and only what the strategy takes out is missing",
        )


RETENTION = RetentionSetting()
"""The setting of `ctxlab study retention` and of the published figures, in Python.

`ctxlab.Study(cases, ..., scorers=["evidence"], **ctxlab.RETENTION.study_options())`: the history alone, nothing merged
or injected, `max(1, ceil(characters / 4)) + 4` tokens a message, and half of the budget for the head of
`head-and-tail`, whose default is a quarter. `ctxlab.RETENTION.with_tokenizer("o200k_base")` counts otherwise.
"""
