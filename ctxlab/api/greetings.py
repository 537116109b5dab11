"""A session with an agent's greetings."""

from __future__ import annotations

from ctxlab.api.resolve import model_for, refuse_wrong_time
from ctxlab.api.sources import AgentSource, SessionSource, UserSource, agent_of, only_session, user_of
from ctxlab.argument_checks import checked_arguments
from ctxlab.context import BuildInput, Context
from ctxlab.documents import Greeting, ModelProfile, Session


@checked_arguments
def begin(
    agent: AgentSource,
    *,
    user: UserSource | None = None,
    id: str = "session",
    name: str = "",
    model: str | ModelProfile | None = None,
    timestamp: str | None = None,
    zone: str | None = None,
    seed: int = 0,
) -> Session:
    """A new session with the agent's greetings, their macros expanded; the agent's default one is the active leaf.

    A library that holds one agent, such as what `read` gives of a card, is as good, and so is the path of a card.
    """
    session = Session(id=id, name=name).append("", role="system", timestamp=timestamp)
    person = user_of(user) if user is not None else None
    return greeted(session, agent, user=person, model=model, timestamp=timestamp, zone=zone, seed=seed)


@checked_arguments
def greeted(
    session: SessionSource,
    agent: AgentSource,
    *,
    user: UserSource | None = None,
    model: str | ModelProfile | None = None,
    timestamp: str | None = None,
    zone: str | None = None,
    seed: int = 0,
) -> Session:
    """The session with the greetings of this agent as it is now; the same if the conversation has gone on from them.

    What macros in a greeting set is not kept.
    """
    from ctxlab.engines.macros import MacroEnv, expand

    refuse_wrong_time(timestamp, zone)
    session, agent = only_session(session), agent_of(agent)
    profile, person = model_for(model, agent, session, None), user_of(user) if user is not None else None
    build_input = BuildInput(
        session, agent=agent, user=person, model=profile, timestamp=timestamp, zone=zone, seed=seed
    )
    env = MacroEnv.of(build_input, dice=Context(build_input).dice).speaking(agent.macro_dialect)

    def words(greeting: Greeting) -> str:
        return str(expand(greeting.content, env.at(f"greeting:{greeting.id}")).text)

    return session.greet(agent, expand=words, timestamp=timestamp)
