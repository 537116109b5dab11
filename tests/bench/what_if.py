"""What a replay costs beside building each turn anew."""

from __future__ import annotations

import ctxlab
from ctxlab.studies.turns import turns_of
from ctxlab.testing import generated_agent, generated_session
from tests.bench.timing import Work, ms, timed

TURNS = 1_000
MESSAGES = 2_060
"""Messages of a generated conversation that has as many turns."""
BUDGETS = (8_000, 6_000)
ROUNDS_ARE_LONG = 1


def replay_rows() -> list[tuple[str, str]]:
    """A replay under two budgets, under two agents, and the builds of all its turns one by one."""
    session = ctxlab.read_data(generated_session(MESSAGES, seed=1)).pick()
    agent = ctxlab.read_data(generated_agent()).agents[0]
    turns = turns_of(session)[:TURNS]
    before, after = [{"agent": agent, "budget_tokens": budget} for budget in BUDGETS]
    renamed = {**after, "agent": agent.with_(name="another")}

    def each_anew() -> None:
        for leaf in turns:
            for budget in BUDGETS:
                ctxlab.build(session, agent, leaf=leaf, budget_tokens=budget)

    works = {
        "settings": Work(lambda: ctxlab.replay(session, before, after, turns=turns)),
        "agents": Work(lambda: ctxlab.replay(session, before, renamed, turns=turns)),
        "anew": Work(each_anew),
    }
    times = timed(works, rounds=ROUNDS_ARE_LONG)
    name = f"replay of {len(turns):,} turns"
    return [
        (f"{name} under two budgets, beside building each anew", _beside(times["settings"], times["anew"])),
        (f"{name} under two agents, beside building each anew", _beside(times["agents"], times["anew"])),
    ]


def _beside(seconds: float, anew: float) -> str:
    return f"{ms(seconds)}, {seconds / anew:.2f}x"
