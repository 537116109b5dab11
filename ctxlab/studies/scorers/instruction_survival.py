"""Whether what the first messages demanded is still in the prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ctxlab.context import Draft
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.studies.scorers.message_states import MessageStates
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue

SENTENCE = lazy_pattern(r"[^.!?。！？；;\n]+[.!?。！？；;]*")
ENGLISH = (
    r"must(?:n['’]?t)?|shall|always|never|do\s+not|don['’]t|cannot|can['’]t|only|ensure|make\s+sure|avoid|required?|"
    r"forbidden|refrain|no\s+matter"
)
CHINESE = (
    "必须|必需|务必|一定要|不要|不得|不能|不可|不准|不许|禁止|切勿|请勿|只能|只要|仅限|总是|始终|永远|从不|绝不|只"
)
DEMAND = lazy_pattern(rf"\b(?:{ENGLISH})\b|{CHINESE}", re.IGNORECASE)
MOST_SENTENCES = 200
"""Demands of one conversation that are looked for."""


@dataclass(frozen=True, slots=True)
class InstructionSurvival:
    """The sentences of the first messages that demand something, and the share of them whole in the prompt.

    First are the system's and the user's messages before the first reply. A sentence demands where it has a word such
    as must, always, never, only, do not, 必须, 不要, 只. There is no share where nothing is demanded.
    """

    name: str = "instructions"
    version: str = "1"

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        return (
            ScoreColumn("instructions", "sentences that demand something", "number"),
            ScoreColumn("instructions_kept", "share of them whole in the prompt", "share", "higher"),
        )

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        wanted = list(dict.fromkeys(demands(first_messages(MessageStates.of(run.trace).before))))[:MOST_SENTENCES]
        if not wanted:
            return {"instructions": 0, "instructions_kept": None}
        texts = [str(draft.text) for draft in run.trace.result.drafts]
        kept = sum(any(sentence in text for text in texts) for sentence in wanted)
        return {"instructions": len(wanted), "instructions_kept": kept / len(wanted)}


def first_messages(drafts: Sequence[Draft]) -> Iterator[str]:
    """Texts of the messages before the first reply."""
    for draft in drafts:
        if draft.role not in ("user", "system"):
            return
        yield str(draft.text)


def demands(texts: Iterator[str]) -> Iterator[str]:
    """The sentences that demand something, without the blanks around them.

    >>> list(demands(iter(["Hello. You must answer in French!"])))
    ['You must answer in French!']
    """
    for text in texts:
        for found in SENTENCE.finditer(text):
            sentence = found[0].strip()
            if DEMAND.search(sentence):
                yield sentence


INSTRUCTIONS = InstructionSurvival()
