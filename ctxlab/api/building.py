"""What would be sent, step by step, and taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxlab.api.request import LIMITER, refuse_agent, start_of, starting
from ctxlab.documents import Agent, Session
from ctxlab.errors import OverBudget
from ctxlab.pipeline import Debugger, Trace

if TYPE_CHECKING:
    from ctxlab.formats import Import
    from ctxlab.studies import Analysis


@starting(start_of)
def build(start: Trace) -> Trace:
    """What would be sent for a leaf, with every step that led there.

    Without an `agent` it is, among `agents` (or those that an Import brings), the one that the leaf's metadata names,
    else the only one, else none. `model` is a name or a ModelProfile. `budget_tokens` counts prompt tokens exactly.
    `presets`, `books` and `rules` are those in force everywhere; agent and user bring their own. `variables` and
    `activations` are what an earlier trace gave back. `settings` are `{"<step>.<setting>": value}`.

    Raises SeveralSessions for an Import of several, BudgetTooSmall when what must stay doesn't fit, ProcessorFailed
    when a step raises.
    """
    return within_budget(start.finished())


@starting(start_of)
def debug(start: Trace) -> Debugger:
    """A debugger at the start of the run that `build` would do; it takes what `build` takes."""
    return Debugger(start)


def analyze(session: Session | Import, node: str | None = None, agent: Agent | None = None, **options: Any) -> Analysis:
    """What the model gets for a node (default: the active leaf), taken apart: structure, raw request, shares.

    The agent and the model are those that the node's metadata names, unless `agent` or `model` says otherwise; an agent
    that is not at hand earns a note. `options` are those of `build`; every figure is of the one trace that it makes.
    """
    from ctxlab.studies import analysis_of

    refuse_agent(node, "analyze(session, node, agent)")
    chosen = session if isinstance(session, Session) else session.pick()
    leaf = node if node is not None else chosen.active_leaf_id
    if "model" not in options and leaf is not None and leaf in chosen.nodes:
        named = chosen.node(leaf).meta("modelId")
        options |= {"model": named} if isinstance(named, str) else {}
    trace = build(session, agent, leaf=node, **options)
    return analysis_of(trace, leaf)


def within_budget(trace: Trace) -> Trace:
    """The trace, its final messages counted anew; raises OverBudget when they are more than the limiter promised."""
    report = trace.result.shared.get(LIMITER)
    if report is None or report["overhead_tokens"] is not None:
        return trace
    tokens = trace.tokens
    if tokens > report["budget"]:
        raise OverBudget(
            f"the final messages have {tokens:,} tokens, the limiter promised {report['budget']:,}: "
            "a step after it adds more than its may_add_tokens says"
        )
    return trace
