"""What would be sent, step by step, and taken apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ctxlab.api.resolve import refuse_agent, rules_of, start_of, starting, timestamp_of
from ctxlab.context import Context
from ctxlab.documents import (
    Agent,
    MessageNode,
    RegexConfig,
    RegexPreset,
    RegexRule,
    Session,
    UserProfile,
    Worldbook,
)
from ctxlab.pipeline import Debugger, Trace
from ctxlab.pipeline.services import TokenCounter
from ctxlab.pipeline.trace import calls_to_replay

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

    Raises SeveralSessions for an Import of several, BudgetTooSmall when what must stay doesn't fit, OverBudget when
    steps after the limiter add more than fits, ProcessorFailed when a step raises.
    """
    return start.finished()


@starting(start_of)
def debug(start: Trace) -> Debugger:
    """A debugger at the start of the run that `build` would do; it takes what `build` takes."""
    return Debugger(start)


def rebuild(
    trace: Trace,
    *,
    session: Session | None = None,
    leaf: str | None = None,
    agent: Agent | None = None,
    user: UserProfile | None = None,
    presets: Sequence[MessageNode] | None = None,
    books: Sequence[Worldbook] | None = None,
    rules: RegexConfig | Sequence[RegexPreset | RegexRule] | None = None,
    tokenizer: TokenCounter | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Trace:
    """The run again with something else in it; what isn't named stays as it was, answers of services too.

    `leaf` is a message's id; with another session and no leaf it is that session's active one. For settings alone
    `trace.rerun` does less work. Edits that a person made between steps are not made again. Raises what `build` raises.
    """
    before = trace.start.input
    chosen = session if session is not None else before.session
    changes: dict[str, Any] = {}
    if session is not None or leaf is not None:
        if leaf is not None:
            chosen.node(leaf)
        at = leaf if leaf is not None else chosen.active_leaf_id
        changes |= {"session": chosen, "leaf": leaf, "timestamp": timestamp_of(chosen, at)}
    changes |= {"agent": agent} if agent is not None else {}
    changes |= {"user": user} if user is not None else {}
    changes |= {"presets": tuple(presets)} if presets is not None else {}
    changes |= {"books": tuple(books)} if books is not None else {}
    changes |= {"rules": rules_of(rules)} if rules is not None else {}
    if not changes and tokenizer is None:
        return trace.rerun(settings)
    given = len(trace.start.notes) - len(trace.pipeline.warnings())
    context = Context(replace(before, **changes), notes=trace.start.notes[:given])
    services = trace.services if tokenizer is None else replace(trace.services, tokenizer=tokenizer)
    pipeline = trace.pipeline.with_settings(settings or {})
    start = pipeline.start(context, services)
    return pipeline.resume(start, known=calls_to_replay(trace.steps, kept=0))


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
