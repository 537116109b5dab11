"""A session with an agent's greetings."""

from __future__ import annotations

from ctxlab.api.resolve import engine_of, model_for, refuse_wrong_time
from ctxlab.api.sources import AgentSource, SessionSource, UserSource, agent_of, only_session, user_of
from ctxlab.api.tokenizers import ModelChoice
from ctxlab.argument_checks import checked_arguments
from ctxlab.context import BuildInput, Context
from ctxlab.documents import Greeting, Session
from ctxlab.pipeline.settings.dialects import Dialect
from ctxlab.processors import default_pipeline


@checked_arguments
def begin(
    agent: AgentSource,
    *,
    user: UserSource | None = None,
    id: str = "session",
    name: str = "",
    model: ModelChoice | None = None,
    timestamp: str | None = None,
    zone: str | None = None,
    seed: int = 0,
    dialect: str | Dialect | None = None,
) -> Session:
    """A new session with the agent's greetings, their macros expanded; the agent's default one is the active leaf.

    A library that holds one agent, such as what `read` gives of a card, is as good, and so is the path of a card.
    `dialect` says by whose engine, by default that which the agent brings.
    """
    session = Session(id=id, name=name).append("", role="system", timestamp=timestamp)
    person = user_of(user) if user is not None else None
    return greeted(session, agent, user=person, model=model, timestamp=timestamp, zone=zone, seed=seed, dialect=dialect)


@checked_arguments
def greeted(
    session: SessionSource,
    agent: AgentSource,
    *,
    user: UserSource | None = None,
    model: ModelChoice | None = None,
    timestamp: str | None = None,
    zone: str | None = None,
    seed: int = 0,
    dialect: str | Dialect | None = None,
) -> Session:
    """The session with the greetings of this agent as it is now; the same if the conversation has gone on from them.

    Their macros are expanded by the engine of the dialect, by default of that which the agent brings. What they set is
    not kept; so a greeting that sets variables stays as it is written where each build expands the first message.
    """
    from ctxlab.engines.macros import MacroEnv, expand

    refuse_wrong_time(timestamp, zone)
    session, agent = only_session(session), agent_of(agent)
    profile, person = model_for(model, agent, session, None), user_of(user) if user is not None else None
    build_input = BuildInput(
        session, agent=agent, user=person, model=profile, timestamp=timestamp, zone=zone, seed=seed
    )
    pipeline = default_pipeline().with_dialect(dialect)
    engine = engine_of(pipeline, build_input)
    env = MacroEnv.of(build_input, dice=Context(build_input).dice, engine=engine).speaking(agent.macro_dialect)

    def words(greeting: Greeting) -> str:
        expansion = expand(greeting.content, env.at(f"greeting:{greeting.id}"))
        is_set_by_builds = engine != "seed" and expansion.variables is not env.variables
        return greeting.content if is_set_by_builds else str(expansion.text)

    return session.greet(agent, expand=words, timestamp=timestamp)
