"""The setting in which retention is measured: the history alone, cut to a budget by the strategy and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Draft
from ctxlab.display.html_table import fields_table, heading, lines
from ctxlab.display.short_texts import counted
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.tokens import CharacterTokenizer, Tokenizer, tokenizer_named
from ctxlab.engines.tokens.model_encodings import ENCODINGS
from ctxlab.pipeline import Services
from ctxlab.processors import STEPS, SessionLoader, TokenLimiter

QUESTION = "pending"
"""The key of a message that isn't in the session yet."""
HEAD_SHARE, HALF = f"{TokenLimiter.id}.head_share", 0.5
"""Head and tail was published with half of the budget for each."""
STEPS_ON = (SessionLoader.id, TokenLimiter.id)


@dataclass(frozen=True, slots=True)
class HistoryTokenizer:
    """Counts the words of a message and a fixed number of tokens besides; the question itself costs nothing.

    `name` is a tokenizer and the tokens besides: `chars4+4` is max(1, ceil(characters / 4)) + 4 a message; `o200k_base`
    counts exactly and adds nothing, `o200k_base+4` adds 4. Names of speakers, files and tools aren't counted, so that
    the budget is that of the history's words. Raises WrongSetting for a name that there is not.
    """

    name: str = "chars4+4"

    def __post_init__(self) -> None:
        _counter(self.name)

    @property
    def estimated(self) -> bool:
        return _counter(self.name)[0].estimated

    @property
    def message_tokens(self) -> int:
        return _counter(self.name)[1]

    @property
    def request_tokens(self) -> int:
        return 0

    def count(self, text: str) -> int:
        return _counter(self.name)[0].count(text)

    def count_draft(self, draft: Draft) -> int:
        if draft.key == QUESTION:
            return 0
        counter, added = _counter(self.name)
        words = str(draft.text)
        return (
            max(1, counter.count(words)) if isinstance(counter, CharacterTokenizer) else counter.count(words)
        ) + added

    def draft_is_estimated(self, draft: Draft) -> bool:
        return self.estimated

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> int:
        return 0


@cache
def _counter(name: str) -> tuple[Tokenizer | CharacterTokenizer, int]:
    """The tokenizer of a name, and the tokens that it adds to a message."""
    encoding, plus, added = name.rpartition("+")
    if plus and encoding in ENCODINGS and added.isascii() and added.isdigit() and len(added) < 6:
        return tokenizer_named(encoding), int(added)
    found = tokenizer_named(name)
    return found, found.message_tokens


@dataclass(frozen=True, slots=True)
class RetentionSetting:
    """Options under which retention is measured: no agent, and of the steps only the loader and the limiter.

    Nothing is merged, injected or added, so that a budget is spent on the history alone and a message costs exactly
    what the tokenizer counts. The question is the newest message; it always stays and costs nothing. Head and tail
    have half of the budget each.
    """

    tokenizer: str = "chars4+4"
    settings: Mapping[str, Any] = field(
        default_factory=lambda: FrozenDict(
            {f"{step.id}.enabled": False for step in STEPS if step.id not in STEPS_ON} | {HEAD_SHARE: HALF}
        )
    )

    @checked_arguments
    def with_tokenizer(self, name: str) -> RetentionSetting:
        """This setting with another count: `chars4+4`, `o200k_base`, `o200k_base+4`, `cl100k_base`, ..."""
        return replace(self, tokenizer=HistoryTokenizer(name).name)

    def options(self) -> dict[str, Any]:
        """The options of `ctxlab.build` that make this setting."""
        return {"services": Services(tokenizer=HistoryTokenizer(self.tokenizer)), "settings": dict(self.settings)}

    def study_options(self) -> dict[str, Any]:
        """The options of `ctxlab.Study` that make this setting."""
        return {"tokenizer": HistoryTokenizer(self.tokenizer), "options": {"settings": dict(self.settings)}}

    def __repr__(self) -> str:
        return f"RetentionSetting({self.tokenizer!r}, {counted(len(self.settings), 'setting')})"

    def _repr_html_(self) -> str:
        return heading(self) + lines(self.lines()) + fields_table(self.settings)

    def lines(self) -> tuple[str, ...]:
        """The setting in sentences, for a table's caption."""
        return (
            f"tokens are counted by {self.tokenizer}",
            "the budget is that of the history alone: no agent, no presets, and the question itself costs nothing",
            "nothing is merged, and only what the strategy takes out is missing",
        )


RETENTION = RetentionSetting()
"""The setting of the published figures: `max(1, ceil(characters / 4)) + 4` tokens a message."""
