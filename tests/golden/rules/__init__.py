"""Where ours differs from the reference on purpose: why, on which cases, and what ours must give instead.

A rule is only for what no setting reproduces. `id` is the number of a defect in the specification's section 12, or a
paragraph of the decisions. What ours must give is derived from the case alone, never by running what is tested.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.golden.cases import Case
from tests.golden.reference import expected
from tests.golden.rules import (
    agents,
    cards,
    compressing,
    exporting,
    files,
    formatting,
    keeping,
    languages,
    limiting,
    loading,
    lore,
    lorebooks,
    matching,
    parameters,
    placing,
    previewing,
    regexes,
    replies,
    requests,
    requests_anthropic_gemini,
    tasks,
    topics,
    trees,
    variables,
)
from tests.golden.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *keeping.RULES,
    *matching.RULES,
    *loading.RULES,
    *placing.RULES,
    *limiting.RULES,
    *formatting.RULES,
    *trees.RULES,
    *exporting.RULES,
    *previewing.RULES,
    *languages.RULES,
    *regexes.RULES,
    *variables.RULES,
    *tasks.RULES,
    *topics.RULES,
    *compressing.RULES,
    *lore.RULES,
    *cards.RULES,
    *lorebooks.RULES,
    *agents.RULES,
    *files.RULES,
    *requests.RULES,
    *replies.RULES,
    *requests_anthropic_gemini.RULES,
    *parameters.RULES,
)

__all__ = ["RULES", "Rule", "applying", "hits", "ours"]


def applying(case: Case) -> list[Rule]:
    return [rule for rule in RULES if case.file in rule.files and rule.applies(case)]


def ours(case: Case) -> Any:
    """What ours must give: the reference's result as each rule that applies mends it."""
    read = replace(case, expected=expected(case))
    for rule in applying(case):
        read = replace(read, expected=rule.ours(read))
    return read.expected


def hits(case: Case) -> list[Rule]:
    """The rules that make a difference to this case."""
    read = replace(case, expected=expected(case))
    return [rule for rule in applying(case) if rule.ours(read) != read.expected]
