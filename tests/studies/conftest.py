"""The bundled conversations, built in several ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ctxlab import api
from ctxlab.pipeline import Trace

DATASETS = Path(__file__).parents[2] / "datasets"
NAMES = ("coding_chat", "harbour_roleplay", "research_tree")
STRATEGIES = ("sliding", "head-and-tail", "middle-out")

Built = Callable[..., Trace]
Runs = Callable[..., dict[str, Trace]]


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def built() -> Built:
    """A bundled conversation with the agent and the user that lie beside it."""

    def build(name: str = "harbour_roleplay", **options: object) -> Trace:
        user = DATASETS / f"{name}.user.json"
        return api.build(
            api.load(DATASETS / f"{name}.session.json"),
            api.load_agent(DATASETS / f"{name}.agent.json"),
            user=api.load_user(user) if user.is_file() else None,
            **options,  # pyright: ignore[reportArgumentType]
        )

    return build


@pytest.fixture
def runs(built: Built) -> Runs:
    """The same conversation cut by three strategies to 1,000 tokens."""

    def cut(name: str = "harbour_roleplay", **settings: object) -> dict[str, Trace]:
        return {
            strategy: built(name, budget_tokens=1000, settings={"token-limiter.strategy": strategy, **settings})
            for strategy in STRATEGIES
        }

    return cut
