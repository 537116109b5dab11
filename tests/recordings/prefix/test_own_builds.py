"""The prefix of ctxlab's own builds: the step and the reason of each break between two turns."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path

import ctxlab
from ctxlab.pipeline.shared_beginning import common_prefix_tokens, is_sent_alike
from ctxlab.studies.scorers import PrefixBreaks
from ctxlab.studies.study import Case, ScoredRun

DATASETS = Path(__file__).parents[3] / "datasets"


@cache
def builds() -> tuple[ctxlab.Trace, ...]:
    """The last turns of a conversation whose agent puts presets at depths, so that they move with each turn."""
    session = ctxlab.example("harbour").sessions[0]
    leaves = [node.id for node in session.path() if node.role == "user"][-5:]
    return tuple(ctxlab.build(ctxlab.example("harbour"), leaf=leaf, model="gpt-5") for leaf in leaves)


def test_the_first_message_that_differs_is_named_with_the_step_to_blame() -> None:
    found = ctxlab.prefix(builds())
    assert found.turns[0].state == "first"
    assert found.breaks
    for (old, new), each in zip(pairwise(builds()), found.turns[1:], strict=True):
        pairs = zip(old.result.drafts, new.result.drafts, strict=False)
        at = next((n for n, (a, b) in enumerate(pairs) if not is_sent_alike(a, b)), None)
        assert each.common_tokens == common_prefix_tokens(old, new)
        assert (each.state, each.cause is None) == (("whole", True) if at is None else ("cut", False))
        if at is not None and each.cause is not None:
            assert f"Message {at + 1} " in each.cause.sentence
            assert each.cause.step in {step.id for step in new.steps}
            assert each.cause.reason in each.cause.sentence
            assert each.cause.part_before is not None and each.cause.part_after is not None
            assert each.cause.part_before.text == str(old.result.drafts[at].text)
            assert each.cause.part_after.text == str(new.result.drafts[at].text)


def test_what_is_put_at_a_depth_breaks_it_as_what_it_is() -> None:
    session = ctxlab.load(DATASETS / "harbour_roleplay.session.json")
    agent = ctxlab.load_agent(DATASETS / "harbour_roleplay.agent.json")
    leaves = [node.id for node in session.path() if node.role == "user"][-3:]
    presets = ctxlab.prefix([ctxlab.build(session, agent, leaf=leaf) for leaf in leaves])
    assert {each.cause.kind for each in presets.breaks if each.cause is not None} == {"preset"}
    found = ctxlab.prefix(builds())
    assert {each.cause.kind for each in found.breaks if each.cause is not None} == {"lore"}
    assert found.by_step()["lost_tokens"].sum() == found.lost_tokens > 0
    assert (found.cost_usd or 0) > 0


def test_the_same_build_again_is_whole() -> None:
    again = ctxlab.prefix([builds()[0], builds()[0]]).turns[1]
    assert (again.state, again.cause, again.lost_tokens) == ("whole", None, 0)
    assert again.common_tokens == again.total_tokens


def test_other_tools_break_all_of_it() -> None:
    session = ctxlab.Session(id="s").append("Where is the light?", id="u")
    tool = {"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {}}}
    agents = [{"id": "a", "name": "A"}, {"id": "a", "name": "A", "tools": [tool]}]
    traces = [ctxlab.build(session, ctxlab.Agent.model_validate(agent)) for agent in agents]
    found = ctxlab.prefix(traces).turns[1]
    assert found.cause is not None
    assert (found.cause.kind, found.common_tokens) == ("tools", 0)


def test_a_study_scores_the_breaks_of_the_last_turns() -> None:
    session = ctxlab.example("harbour").sessions[0]
    case = Case("harbour", "harbour", session)
    scorer = PrefixBreaks(turns=3)
    scores = scorer.score(
        ScoredRun(case, builds()[-1], lambda leaf: ctxlab.build(ctxlab.example("harbour"), leaf=leaf))
    )
    assert scores.keys() == {column.name for column in scorer.columns}
    assert scores["prefix_breaks"] == 1
    assert isinstance(scores["broken_tokens"], float) and scores["broken_tokens"] > 0
    assert scores["breaking_step"] in {step.id for step in builds()[-1].steps}
