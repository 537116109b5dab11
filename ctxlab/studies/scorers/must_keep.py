"""Whether the facts that a case names are in the prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ctxlab.engines.regexes import WordsOrPattern
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.scorers.sent_texts import sent_texts
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue

QUESTION = "pending"


@dataclass(frozen=True, slots=True)
class MustKeep:
    """The texts and patterns that a case must keep: whether all are in the prompt, and their share.

    A text is found where a message holds it as it is written: in its words, in the name or the arguments of a tool
    call, in its reasoning or its speaker's name; `re:` and a pattern, in the form of Python's `regex` module, where
    that matches in one of these. The question itself and the definitions of tools don't count. A pattern that doesn't
    compile or takes too much work raises WrongArgument.
    """

    needs: ClassVar[str] = (
        "no case names what it must keep; that is must_keep of a ctxlab.Case, or of the questions that a study's file "
        'names as labels, with kind = "questions" under [cases]'
    )
    name: str = "must-keep"
    version: str = "2"

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        return (
            ScoreColumn("must_keep_all", "everything named is kept", "share", "higher"),
            ScoreColumn("must_keep_share", "share of what is named that is kept", "share", "higher"),
        )

    def score(self, run: ScoredRun) -> Mapping[str, ScoreValue]:
        wanted = run.case.must_keep
        if not wanted:
            return {"must_keep_all": None, "must_keep_share": None}
        texts = [text for draft in run.trace.result.drafts if draft.key != QUESTION for text in sent_texts(draft)]
        kept = sum(WordsOrPattern(each).is_in_any(texts) for each in wanted)
        return {"must_keep_all": float(kept == len(wanted)), "must_keep_share": kept / len(wanted)}


MUST_KEEP = MustKeep()
