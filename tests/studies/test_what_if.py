"""What-ifs in bulk: what a replay, an ablation, a sweep and a minimised context say, and what they refuse."""

from __future__ import annotations

import re
from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, LoreEntry, Session, Trace, Worldbook
from ctxlab.errors import CtxlabError, WrongArgument, WrongSetting
from ctxlab.processors.session_loader import SessionLoader
from ctxlab.studies.turns import turn_above, turns_of
from ctxlab.studies.what_if.sent_pieces import pieces_of
from ctxlab.testing import generated_agent, generated_session

AGENT = Agent.model_validate(
    {
        "id": "a",
        "presetMessages": [
            {"id": "p0", "role": "system", "content": "You keep a lighthouse."},
            {"id": "p1", "role": "system", "content": "Answer in one line."},
        ],
    }
)


def call(id: str) -> dict[str, Any]:
    return {"toolCallsRequested": [{"requestId": id, "toolName": "look", "args": {}}]}


def result(id: str) -> dict[str, Any]:
    return {"toolCall": {"requestId": id, "toolName": "look"}}


@pytest.fixture
def talk() -> Session:
    session = Session(id="talk")
    session = session.append("Is the ship in?", id="u1").append("Not yet.", role="assistant", id="a1")
    session = session.append("Look for the 灯塔 again.", id="u2")
    session = session.append("", role="assistant", id="c1", metadata=call("x"))
    session = session.append("A light at sea.", role="tool", id="r1", metadata=result("x"))
    return session.append("There it is.", role="assistant", id="a2").append("Good. And the key?", id="u3")


def long_talk(turns: int) -> Session:
    return ctxlab.read_data(generated_session(turns, seed=3)).pick()


# --- turns


def test_a_turn_is_a_message_that_the_model_answers(talk: Session) -> None:
    assert turns_of(talk) == ["u1", "u2", "r1", "u3"]
    assert [turn_above(talk, leaf) for leaf in ("u1", "a1", "u3")] == [None, "u1", "r1"]


def test_all_branches_have_their_turns(talk: Session) -> None:
    other = talk.branch_from_edit("u2", "Never mind.")

    assert turns_of(other, "all")[:2] == ["u1", "u2"]
    assert len(turns_of(other, "all")) == 5
    assert len(turns_of(other)) == 2


# --- replay


def test_a_replay_names_what_is_lost_and_sorts_the_worst_first(talk: Session) -> None:
    found = ctxlab.replay(talk, {}, {"budget_tokens": 40}, must_keep=["灯塔", "re:key.$"])

    assert [turn.node for turn in found] == ["u1", "u2", "r1", "u3"]
    worst = found.worst(1)[0]
    assert worst.node == "u3"
    assert "node:u1" in worst.change.lost
    assert worst.facts_lost == ("灯塔",)
    assert str(worst).startswith("no longer keeps 灯塔; ")
    assert {row.key for row in worst.diff().changes} >= set(worst.change.lost)
    assert not found["u1"].has_changed


def test_a_turn_that_cannot_be_built_is_a_row_and_the_worst(talk: Session) -> None:
    found = ctxlab.replay(talk, {}, {"budget_tokens": 12})

    worst = found.worst()[0]
    assert worst.change.error is not None
    assert worst.change.error.startswith("BudgetTooSmall: ")
    assert found.frame()["error"].notna().sum() == sum(turn.change.error is not None for turn in found)


def test_lore_that_flips_is_told(talk: Session) -> None:
    book = Worldbook(id="b", entries={"0": LoreEntry(uid=0, key=("灯塔",), content="It is old.")})

    deep, shallow = [{"books": [book], "worldbook-processor.scan_depth": depth} for depth in (9, 1)]
    found = ctxlab.replay(talk, deep, shallow)

    assert found["u2"].change.fires_no_more == ()
    assert found["u3"].change.fires_no_more == ("lore:b/0",)
    assert "lore:b/0 no longer fires" in str(found["u3"])


def test_messages_are_loaded_once_for_all_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = list[int]()
    load = SessionLoader.__call__

    def counted(self: SessionLoader, ctx: Any, services: Any) -> Any:
        calls.append(1)
        return load(self, ctx, services)

    monkeypatch.setattr(SessionLoader, "__call__", counted)
    agent = ctxlab.read_data(generated_agent()).agents[0]

    found = ctxlab.replay(
        long_talk(60), {"agent": agent, "budget_tokens": 3000}, {"agent": agent, "budget_tokens": 2000}
    )

    assert len(found) > 20
    assert len(calls) == 1


def test_steps_before_the_first_difference_are_shared(talk: Session) -> None:
    from ctxlab.api.what_if import _start
    from ctxlab.processors import default_pipeline
    from ctxlab.studies.what_if.configuration import Configuration
    from ctxlab.studies.what_if.turn_builds import TurnBuilds

    options = {"agent": AGENT, "pipeline": default_pipeline()}
    one = TurnBuilds(talk, Configuration(options), _start)
    other = TurnBuilds(talk, Configuration(options, {"token-limiter.budget_tokens": 60}), _start)

    first = one.at("u3", {})
    second = other.beside(first, "u3", {})

    shared = [a.id for a, b in zip(first.steps, second.steps, strict=True) if a is b]
    assert shared[-1] == "variable-processor"
    assert second.messages == ctxlab.build(talk, AGENT, leaf="u3", budget_tokens=60).messages


def test_several_conversations_come_from_a_library_and_from_a_list(talk: Session) -> None:
    library = ctxlab.Library(sessions=(talk, talk.with_(id="other")), agents=(AGENT,))

    of_library, of_list = ctxlab.replay(library, {}, "block"), ctxlab.replay([talk, talk], {}, "block")

    assert list(of_library.frame()["conversation"].unique()) == ["talk", "other"]
    assert of_library[0].traces()[0].start.input.agent is AGENT
    assert list(of_list.frame()["conversation"].unique()) == ["talk", "talk (2)"]
    assert len(of_list) == 8
    assert len(ctxlab.replay([{"role": "user", "content": "Hi"}], {}, {})) == 1


def test_progress_rises_to_one(talk: Session) -> None:
    shares: list[float] = []

    ctxlab.replay(talk, {}, {}, progress=shares.append)

    assert shares == sorted(shares)
    assert shares[-1] == 1


@pytest.mark.parametrize(
    ("configuration", "words"),
    [
        ({"leaf": "u1"}, "leaf is each turn in its turn"),
        ({"budget": 3}, "'budget' is no option of build and no setting; did you mean 'budget_tokens'"),
        (ctxlab.studies.study.Variant("v", change=lambda case: case), "changes cases"),
    ],
)
def test_a_wrong_configuration_is_refused(talk: Session, configuration: Any, words: str) -> None:
    with pytest.raises(WrongArgument, match=words):
        ctxlab.replay(talk, {}, configuration)


def test_a_wrong_setting_and_an_unknown_turn_are_no_rows(talk: Session) -> None:
    with pytest.raises(WrongSetting):
        ctxlab.replay(talk, {}, {"token-limiter.strategy": "nothing"})
    with pytest.raises(WrongArgument, match="turns names 'u9', which no conversation has"):
        ctxlab.replay(talk, {}, {}, turns=["u9"])


# --- ablate and sweep


def test_an_ablation_says_what_each_thing_is_good_for(talk: Session) -> None:
    found = ctxlab.ablate(talk, AGENT, budget_tokens=70)

    assert found["preset:1"].effect.lost == ("preset:1",)
    assert str(found["asset-resolver.enabled"].effect) == "no effect"
    assert found["token-limiter.budget_tokens"].change.after in (63, 77)
    strategies = {row.change.after for row in found if row.change.name == "token-limiter.strategy"}
    assert {"middle-out", "block"} <= strategies
    assert not found[-1].effect


def test_a_change_with_which_nothing_can_be_built_is_a_row(talk: Session) -> None:
    least = ctxlab.build(talk, AGENT).tokens
    while True:
        try:
            ctxlab.build(talk, AGENT, budget_tokens=least - 1)
        except CtxlabError:
            break
        least -= 1

    found = ctxlab.ablate(talk, AGENT, budget_tokens=least, only=["setting"])

    failed = [row.effect.error is not None for row in found]
    assert failed == sorted(failed, reverse=True)  # those come first
    assert "token-limiter.budget_tokens" in {row.change.name for row in found if row.effect.error is not None}


def test_a_sweep_says_where_it_stands_and_what_it_pushes_out(talk: Session) -> None:
    tokens = ctxlab.build(talk, AGENT).tokens

    found = ctxlab.sweep(
        talk, AGENT, what="preset:1", depths=[0, 1, 2, -1], anchors=["before chat_history"], budget_tokens=tokens - 1
    )

    rows = {str(row.place): row for row in found}
    assert [rows[f"depth {depth}"].messages_behind for depth in (0, 1, 2)] == [0, 1, 2]
    assert rows["depth 0"].pushed_out == ("node:u1",)
    assert rows["depth 0"].pushed_out_tokens > 0
    assert "depth can't be -1" in str(rows["depth -1"].error)
    assert rows["before chat_history"].messages_behind == 6
    behind = [rows[f"depth {depth}"].tokens_behind for depth in (0, 1, 2)]
    assert behind == sorted(behind)
    assert len(found.figure().data) == 2


def test_the_deeper_it_stands_the_less_of_the_prefix_is_kept() -> None:
    session = Session(id="s")
    for n in range(8):
        session = session.append(f"question {n}", id=f"u{n}").append(f"answer {n}", role="assistant", id=f"a{n}")
    session = session.append("the last", id="u8")

    found = ctxlab.sweep(session, AGENT, what="preset:1", depths=[0, 2, 6], anchors=["before chat_history"])

    at_0, at_2, at_6, before = [row.prefix_share or 0 for row in found]
    assert before > at_0 > at_2 > at_6


def test_a_sweep_of_nothing_known_is_refused(talk: Session) -> None:
    with pytest.raises(WrongArgument, match="there is no 'preset:9'; did you mean 'preset:1'"):
        ctxlab.sweep(talk, AGENT, what="preset:9")


# --- minimise


def built(talk: Session) -> Trace:
    return ctxlab.build(talk, AGENT, settings={"merge-consecutive.enabled": True})


def test_the_smallest_context_keeps_what_is_named_and_nothing_else(talk: Session) -> None:
    found = ctxlab.minimise(built(talk), keeps=["node:u1", "灯塔"])

    assert list(pieces_of(found.trace.result.drafts)) == ["node:u1", "node:u2"]
    assert [(piece.keys, piece.needed_for) for piece in found.pieces] == [
        (("node:u1",), ("node:u1",)),
        (("node:u2",), ("灯塔",)),
    ]
    assert set(found.removed) == {"preset:0", "preset:1", "node:a1", "node:c1", "node:r1", "node:a2", "node:u3"}
    states = found.frame().set_index("key")["state"]
    assert states["node:u1"] == "kept"
    assert states["preset:0"] == "removed"


def test_a_call_and_its_result_stay_together(talk: Session) -> None:
    found = ctxlab.minimise(built(talk), keeps="re:(?i)a LIGHT at")

    assert {"node:c1", "node:r1"} <= set(pieces_of(found.trace.result.drafts))
    assert ("node:c1", "node:r1") in [piece.keys for piece in found.pieces]


def test_a_part_of_a_merged_message_is_kept_alone(talk: Session) -> None:
    trace = built(talk)
    assert any("preset:1" in [part.key for part in draft.parts] and draft.merged for draft in trace.result.drafts)

    found = ctxlab.minimise(trace, keeps=["preset:1", re.compile("THE ship", re.IGNORECASE)])

    assert [str(draft.text) for draft in found.trace.result.drafts] == ["Answer in one line.", "Is the ship in?"]


def test_a_function_says_whether_a_context_will_do(talk: Session) -> None:
    def has_two_messages(trace: Trace) -> bool:
        return len(trace.result.drafts) >= 2

    found = ctxlab.minimise(built(talk), keeps=has_two_messages)

    assert len(found.trace.result.drafts) == 2
    assert {piece.needed_for for piece in found.pieces} == {("has_two_messages",)}


def test_the_same_question_has_the_same_answer(talk: Session) -> None:
    answers = [ctxlab.minimise(built(talk), keeps="re:.").frame().to_dict() for _ in range(2)]

    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("keeps", "words"),
    [
        ("a word that nobody says", "doesn't keep 'a word that nobody says' to begin with"),
        ("node:u9", "doesn't keep 'node:u9' to begin with"),
        ([], "keeps is empty"),
        ("", "an empty text"),
        ("re:(", "pattern 're:(': it doesn't compile"),
    ],
)
def test_what_cannot_be_kept_is_refused(talk: Session, keeps: Any, words: str) -> None:
    with pytest.raises(WrongArgument, match=re.escape(words)):
        ctxlab.minimise(built(talk), keeps=keeps)


def test_a_sweep_takes_the_name_that_is_shown(talk: Session) -> None:
    note = ctxlab.preset("Be kind.", depth=2, id="note", name="Kindness")
    by_key = ctxlab.sweep(talk, AGENT, what="preset:global/0", depths=[0, 1], presets=note)

    for name in ("note", "preset note", "Kindness"):
        found = ctxlab.sweep(talk, AGENT, what=name, depths=[0, 1], presets=note)
        assert (found.key, list(map(str, found))) == ("preset:global/0", list(map(str, by_key)))
    twice = [note, ctxlab.preset("Be brief.", depth=3, id="note")]
    with pytest.raises(WrongArgument, match=r"'note' names 2 of them; give a key: preset:global/0, preset:global/1"):
        ctxlab.sweep(talk, AGENT, what="note", presets=twice)
