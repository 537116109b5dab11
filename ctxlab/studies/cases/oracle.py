"""The best that any cut can do: a variant that keeps the evidence first, then anything."""

from __future__ import annotations

from dataclasses import replace

from ctxlab.studies.study.case import Case
from ctxlab.studies.study.variant import STRATEGY, Variant

ABOVE_ALL = 10**9
"""More than any message's own priority."""


def evidence_first(case: Case) -> Case:
    """The case with its evidence above everything else in priority, short messages before long ones."""
    nodes = [case.session.nodes[each] for each in case.evidence if each in case.session.nodes]
    if not nodes:
        return case
    by_length = sorted(nodes, key=lambda node: -len(node.content))
    changed = {
        str(node.id): node.model_copy(update={"metadata": {**(node.metadata or {}), "priority": ABOVE_ALL + rank}})
        for rank, node in enumerate(by_length)
    }
    return replace(case, session=case.session.with_nodes(changed))


ORACLE = Variant("oracle", {STRATEGY: "by-priority"}, change=evidence_first)
"""The oracle's line of a table or a figure: it knows the evidence, which no strategy does."""
