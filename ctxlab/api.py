"""The door: read, load, build, debug, diff."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from ctxlab.context import Context, Pending, Request, Variables
from ctxlab.documents import (
    Agent,
    MessageNode,
    ModelProfile,
    Note,
    RegexConfig,
    RegexPreset,
    RegexRule,
    Session,
    UserProfile,
    Worldbook,
)
from ctxlab.errors import CtxlabError, OverBudget, UnknownNode, did_you_mean
from ctxlab.pipeline import Debugger, Pipeline, Services, Trace, diff
from ctxlab.processors import default_pipeline

__all__ = ["analyze", "build", "debug", "diff", "load", "load_agent", "load_user", "read", "read_data"]

if TYPE_CHECKING:
    from ctxlab.formats import Import
    from ctxlab.studies import Analysis

LIMITER = "token-limiter"


def read(path: str | Path) -> Import:
    """Everything in a file: sessions, agents, users, and what could not be carried. The format is told by the content.

    Raises ReadError, naming the place, when the file can't be read or no reader knows it.
    """
    from ctxlab import formats

    return formats.read(path)


def read_data(data: object, *, source: str = "data") -> Import:
    """The same for JSON data that is already parsed, such as a list of OpenAI messages."""
    from ctxlab import formats

    return formats.read_data(data, source=source)


def load(path: str | Path, pick: int | str | None = None) -> Session:
    """The session of a file: the only one, or the one picked by index or id.

    Raises SeveralSessions, naming them, when there are several and none is picked; ReadError when there is none.
    """
    return read(path).pick(pick)


def load_agent(path: str | Path) -> Agent:
    """The only agent of a file."""
    return _only(read(path).agents, "agent", path)


def load_user(path: str | Path) -> UserProfile:
    """The only user profile of a file."""
    return _only(read(path).users, "user profile", path)


def analyze(session: Session | Import, node: str | None = None, agent: Agent | None = None, **options: Any) -> Analysis:
    """What the model gets for a node (default: the active leaf), taken apart: structure, raw request, shares.

    The agent and the model are those that the node's metadata names, unless `agent` or `model` says otherwise; an agent
    that is not at hand earns a note. `options` are those of `build`; every figure is of the one trace that it makes.
    """
    from ctxlab.studies import analysis_of

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


class _Chosen(NamedTuple):
    agent: Agent | None
    notes: tuple[Note, ...]


def _start(
    session: Session | Import,
    agent: Agent | None = None,
    *,
    agents: Sequence[Agent] = (),
    user: UserProfile | None = None,
    model: str | ModelProfile | None = None,
    leaf: str | None = None,
    pending: str | Pending | None = None,
    budget_tokens: int | None = None,
    presets: Sequence[MessageNode] = (),
    books: Sequence[Worldbook] = (),
    rules: RegexConfig | Sequence[RegexPreset | RegexRule] = (),
    variables: Variables | None = None,
    activations: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    pipeline: Pipeline | None = None,
    services: Services | None = None,
    timestamp: str | None = None,
    zone: str | None = None,
    seed: int = 0,
) -> Trace:
    source, session = session, session if isinstance(session, Session) else session.pick()
    if leaf is not None and leaf not in session.nodes:
        raise UnknownNode(
            f"session {session.id!r} has no node {leaf!r}{did_you_mean(leaf, list(session.nodes)[:2000])}"
        )
    at = leaf if leaf is not None else session.active_leaf_id
    known = (*agents, *(() if isinstance(source, Session) else source.agents))
    chosen = _Chosen(agent, ()) if agent is not None else _agent_for(session, at, known)
    profile = _model_for(model, chosen.agent, session, at)
    speaker = _user_for(user, chosen.agent, source)
    request = Request(
        session=session,
        leaf=leaf,
        pending=Pending(pending) if isinstance(pending, str) else pending,
        agent=chosen.agent,
        user=speaker,
        model=profile,
        presets=tuple(presets),
        books=(*books, *_linked_books(source, chosen.agent, speaker)),
        rules=_rules_of(rules),
        agents=known,
        users=() if isinstance(source, Session) else source.users,
        variables=variables or Variables(),
        activations=activations or {},
        timestamp=timestamp if timestamp is not None else _timestamp_of(session, at),
        zone=zone,
        seed=seed,
    )
    pipeline = (pipeline or default_pipeline()).with_settings(_call_settings(budget_tokens, settings))
    world = services or _services_for(profile)
    return pipeline.start(Context(request, notes=chosen.notes), world)


P = ParamSpec("P")
R = TypeVar("R")


def _starting(start: Callable[P, Trace]) -> Callable[[Callable[[Trace], R]], Callable[P, R]]:
    """A function that takes what `start` takes and goes on from there, with that signature in tooltips."""

    def decorated(then: Callable[[Trace], R]) -> Callable[P, R]:
        def run(*args: P.args, **options: P.kwargs) -> R:
            return then(start(*args, **options))

        run.__name__ = run.__qualname__ = then.__name__
        run.__doc__ = then.__doc__
        run.__signature__ = signature(start).replace(return_annotation=then.__annotations__["return"])  # pyright: ignore[reportFunctionMemberAccess]
        return run

    return decorated


@_starting(_start)
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


@_starting(_start)
def debug(start: Trace) -> Debugger:
    """A debugger at the start of the run that `build` would do; it takes what `build` takes."""
    return Debugger(start)


def _services_for(model: ModelProfile | None) -> Services:
    from ctxlab.engines.tokens import tokenizer_for

    return Services(tokenizer=tokenizer_for(model))


def _call_settings(budget_tokens: int | None, settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """A call's budget counts prompt tokens exactly, so nothing is reserved."""
    budget = {f"{LIMITER}.budget_tokens": budget_tokens, f"{LIMITER}.reserve_tokens": 0}
    return {**(budget if budget_tokens is not None else {}), **(settings or {})}


def _agent_for(session: Session, leaf: str | None, agents: Sequence[Agent]) -> _Chosen:
    """The agent that the leaf (or the nearest message above it) names, else the only one, else none."""
    named = next((node.agent_id for node in reversed(session.path(leaf)) if node.agent_id), None) if leaf else None
    found = next((agent for agent in agents if named is not None and agent.id == named), None)
    if found is not None:
        return _Chosen(found, ())
    notes: tuple[Note, ...] = ()
    if named is not None:
        at_hand = ", ".join(repr(agent.id) for agent in agents[:5]) or "none"
        notes = (
            Note("warning", f"message {leaf!r} was written with agent {named!r}, which is not at hand ({at_hand})"),
        )
    return _Chosen(agents[0] if len(agents) == 1 else None, notes)


def _model_for(
    model: str | ModelProfile | None, agent: Agent | None, session: Session, leaf: str | None
) -> ModelProfile | None:
    if isinstance(model, ModelProfile):
        return model
    name = model or (agent.model_id if agent else None)
    if name is None and leaf is not None:
        name = next(
            (n.meta("modelId") for n in reversed(session.path(leaf)) if isinstance(n.meta("modelId"), str)), None
        )
    return ModelProfile(id=name) if name else None


def _timestamp_of(session: Session, leaf: str | None) -> str | None:
    node = session.nodes.get(leaf) if leaf else None
    return node.timestamp if node else None


def _user_for(user: UserProfile | None, agent: Agent | None, source: Session | Import) -> UserProfile | None:
    """The one that is given, else the agent's own where it is at hand, else the only one."""
    if user is not None or isinstance(source, Session):
        return user
    own = agent.user_profile_id if agent else None
    found = next((known for known in source.users if own and known.id == own), None)
    return found or (source.users[0] if len(source.users) == 1 else None)


def _linked_books(source: Session | Import, agent: Agent | None, user: UserProfile | None) -> Sequence[Worldbook]:
    """The books of an Import that the agent or the user names as theirs."""
    if isinstance(source, Session):
        return ()
    named = {*(agent.worldbook_ids if agent else ()), *(user.worldbook_ids if user else ())}
    return [book for book in source.books if book.book_id in named]


def _rules_of(rules: RegexConfig | Sequence[RegexPreset | RegexRule]) -> RegexConfig:
    """Rules for everyone, from presets and from single rules, which make a preset of their own."""
    if isinstance(rules, RegexConfig):
        return rules
    presets = [
        rule if isinstance(rule, RegexPreset) else RegexPreset(id=rule.id, name=rule.shown_name, rules=(rule,))
        for rule in rules
    ]
    return RegexConfig(presets=tuple(presets))


T = TypeVar("T")


def _only(found: Sequence[T], what: str, path: str | Path) -> T:
    if len(found) != 1:
        raise CtxlabError(f"{path} holds {len(found)} {what}s, not one; read() gives them all")
    return found[0]
