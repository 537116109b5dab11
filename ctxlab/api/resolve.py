"""Who speaks to whom about what: the start of a run, from what a caller says and what is at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from ctxlab.context import BuildInput, Context, Pending, Variables
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
from ctxlab.errors import CtxlabError, UnknownNode, did_you_mean
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.processors import TokenLimiter, default_pipeline

if TYPE_CHECKING:
    from ctxlab.formats import Import

P = ParamSpec("P")
R = TypeVar("R")


def start_of(
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
    chosen = _Chosen(agent, ()) if agent is not None else agent_for(session, at, known)
    profile = model_for(model, chosen.agent, session, at)
    speaker = user_for(user, chosen.agent, source)
    build_input = BuildInput(
        session=session,
        leaf=leaf,
        pending=Pending(pending) if isinstance(pending, str) else pending,
        agent=chosen.agent,
        user=speaker,
        model=profile,
        presets=tuple(presets),
        books=(*books, *_linked_books(source, chosen.agent, speaker)),
        rules=rules_of(rules),
        agents=known,
        users=() if isinstance(source, Session) else source.users,
        variables=variables or Variables(),
        activations=activations or {},
        timestamp=timestamp if timestamp is not None else timestamp_of(session, at),
        zone=zone,
        seed=seed,
    )
    pipeline = (pipeline or default_pipeline()).with_settings(_call_settings(budget_tokens, settings))
    world = services or _services_for(profile)
    return pipeline.start(Context(build_input, notes=chosen.notes), world)


def starting(start: Callable[P, Trace]) -> Callable[[Callable[[Trace], R]], Callable[P, R]]:
    """A function that takes what `start` takes and goes on from there, with that signature in tooltips."""

    def decorated(then: Callable[[Trace], R]) -> Callable[P, R]:
        def run(*args: P.args, **options: P.kwargs) -> R:
            return then(start(*args, **options))

        run.__name__ = run.__qualname__ = then.__name__
        run.__doc__ = then.__doc__
        run.__signature__ = signature(start).replace(return_annotation=then.__annotations__["return"])  # pyright: ignore[reportFunctionMemberAccess]
        return run

    return decorated


class _Chosen(NamedTuple):
    agent: Agent | None
    notes: tuple[Note, ...]


def agent_for(session: Session, leaf: str | None, agents: Sequence[Agent]) -> _Chosen:
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


def model_for(
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


def timestamp_of(session: Session, leaf: str | None) -> str | None:
    node = session.nodes.get(leaf) if leaf else None
    return node.timestamp if node else None


def user_for(user: UserProfile | None, agent: Agent | None, source: Session | Import) -> UserProfile | None:
    """The one that is given, else the agent's own where it is at hand, else the only one."""
    if user is not None or isinstance(source, Session):
        return user
    own = agent.user_profile_id if agent else None
    found = next((known for known in source.users if own and known.id == own), None)
    return found or (source.users[0] if len(source.users) == 1 else None)


def refuse_agent(node: object, call: str) -> None:
    """Say how to call a function that takes a message's id where others take the agent."""
    if isinstance(node, Agent):
        raise CtxlabError(f"{call}: the second is a message's id; an agent goes third, or as agent=")


def _linked_books(source: Session | Import, agent: Agent | None, user: UserProfile | None) -> Sequence[Worldbook]:
    """The books of an Import that the agent or the user names as theirs."""
    if isinstance(source, Session):
        return ()
    named = {*(agent.worldbook_ids if agent else ()), *(user.worldbook_ids if user else ())}
    return [book for book in source.books if book.book_id in named]


def rules_of(rules: RegexConfig | Sequence[RegexPreset | RegexRule]) -> RegexConfig:
    """Rules for everyone, from presets and from single rules, which make a preset of their own."""
    if isinstance(rules, RegexConfig):
        return rules
    presets = [
        rule if isinstance(rule, RegexPreset) else RegexPreset(id=rule.id, name=rule.shown_name, rules=(rule,))
        for rule in rules
    ]
    return RegexConfig(presets=tuple(presets))


def _services_for(model: ModelProfile | None) -> Services:
    from ctxlab.engines.tokens import tokenizer_for

    return Services(tokenizer=tokenizer_for(model))


def _call_settings(budget_tokens: int | None, settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a call says of the settings of steps, its budget among them."""
    budget = {f"{TokenLimiter.id}.budget_tokens": budget_tokens}
    return {**(budget if budget_tokens is not None else {}), **(settings or {})}
