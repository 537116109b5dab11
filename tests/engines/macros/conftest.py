from dataclasses import replace

import pytest

from ctxlab.context import Variables
from ctxlab.documents import Agent
from ctxlab.engines.macros import MacroEnv

VARIABLES = Variables({"k": "v", "v": "inner", "n": 3, "t": "hi {{user}}"}, {"k": "everywhere", "n": 7})


@pytest.fixture
def env() -> MacroEnv:
    """Friday afternoon; dice that always show the middle."""
    return MacroEnv(
        user="Kim",
        char="Nova",
        persona="likes cats",
        description="a guide",
        personality="kind",
        scenario="a forest",
        mes_examples="Nova: hello",
        input="typed",
        model_id="gpt-4o",
        model_name="GPT-4o",
        profile_id="p1",
        profile_name="My profile",
        provider="openai",
        max_prompt_tokens=8000,
        agent=Agent(id="a", name="Nova", agent_version="1.2"),
        session_id="session-1",
        timestamp="2025-11-07T14:30:05.123Z",
        variables=VARIABLES,
        dice=lambda id: 0.5,
    )


@pytest.fixture
def tavern(env: MacroEnv) -> MacroEnv:
    return replace(env, dialect="sillytavern")
