"""Whether the facts that a case names are in the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ctxlab.display.short_texts import short
from ctxlab.engines.regexes.pattern import Pattern
from ctxlab.engines.regexes.python_limited_search import BadPython
from ctxlab.engines.regexes.python_patterns import first_span
from ctxlab.engines.regexes.work_limits import Limits
from ctxlab.errors import WrongArgument
from ctxlab.studies.study.scorer import ScoreColumn, ScoredRun, ScoreValue

PATTERN = "re:"
QUESTION = "pending"
LIMITS = Limits(timeout_seconds=5.0)


@dataclass(frozen=True, slots=True)
class MustKeep:
    """The texts and patterns that a case must keep: whether all are in the prompt, and their share.

    A text is found where a message holds it as it is written; `re:` and a pattern, in the form of Python's `regex`
    module, where that matches in one message. The question itself doesn't count. A pattern that doesn't compile or
    takes too long raises WrongArgument.
    """

    name: str = "must-keep"
    version: str = "1"

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
        texts = [str(draft.text) for draft in run.trace.result.drafts if draft.key != QUESTION]
        kept = sum(is_in(each, texts) for each in wanted)
        return {"must_keep_all": float(kept == len(wanted)), "must_keep_share": kept / len(wanted)}


def is_in(wanted: str, texts: Sequence[str]) -> bool:
    """Whether a text, or a pattern behind `re:`, is in one of these texts; raises WrongArgument for a bad pattern."""
    if not wanted.startswith(PATTERN):
        return any(wanted in text for text in texts)
    pattern = Pattern(wanted.removeprefix(PATTERN), "", "python")
    try:
        return any(first_span(pattern, text, LIMITS) is not None for text in texts)
    except BadPython as problem:
        raise WrongArgument(f"must_keep names the pattern {short(wanted)!r}: {problem}") from None


MUST_KEEP = MustKeep()
