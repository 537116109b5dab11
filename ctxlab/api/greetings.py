"""A session with an agent's greetings."""

from __future__ import annotations

from ctxlab.api.resolve import agent_of, model_for
from ctxlab.context import BuildInput, Context
from ctxlab.documents import Agent, Greeting, Library, ModelProfile, Session, UserProfile


def begin(
    agent: Agent | Library,
    *,
    user: UserProfile | None = None,
    id: str = "session",
    name: str = "",
    model: str | ModelProfile | None = None,
    timestamp: str | None = None,
    zone: str | None = None,
    seed: int = 0,
) -> Session:
    """A new session with the agent's greetings, their macros expanded; the agent's default one is the active leaf.

    A library, such as what `read` gives of a card, is as good where it holds one agent.
    """
    session = Session(id=id, name=name).append("", role="system", timestamp=timestamp)
    return greeted(session, agent, user=user, model=model, timestamp=timestamp, zone=zone, seed=seed)


def greeted(
    session: Session,
    agent: Agent | Library,
    *,
    user: UserProfile | None = None,
    model: str | ModelProfile | None = None,
    timestamp: str | None = None,
    zone: str | None = None,
    seed: int = 0,
) -> Session:
    """The session with the greetings of this agent as it is now; the same if the conversation has gone on from them.

    What macros in a greeting set is not kept.
    """
    from ctxlab.engines.macros import MacroEnv, expand

    agent = agent_of(agent)
    profile = model_for(model, agent, session, None)
    build_input = BuildInput(session, agent=agent, user=user, model=profile, timestamp=timestamp, zone=zone, seed=seed)
    env = MacroEnv.of(build_input, dice=Context(build_input).dice).speaking(agent.macro_dialect)

    def words(greeting: Greeting) -> str:
        return str(expand(greeting.content, env.at(f"greeting:{greeting.id}")).text)

    return session.greet(agent, expand=words, timestamp=timestamp)
