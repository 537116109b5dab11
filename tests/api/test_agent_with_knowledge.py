"""An agent from a file, real bases and a build: what is found and sent in two languages, and what it costs."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.knowledge.retrieval.indexed_base import IndexedBase
from ctxlab.knowledge.retrieval.search_cache import cache_of_process

TIDES = {
    "id": "tides",
    "name": "潮汐 · Tides",
    "entries": [
        {"id": "lamp", "key": "灯塔", "content": "雾港的灯塔建于1890年，由陈守望看守。", "tags": ["灯塔"]},
        {"id": "oil", "key": "灯油", "content": "灯塔每夜烧两加仑鲸油，油库在塔底。"},
        {"id": "steps", "key": "Steps", "content": "The lighthouse has one hundred and thirty-two steps."},
        {"id": "bell", "key": "Bell", "content": "In fog the lighthouse rings its bell every ninety seconds."},
        {"id": "old", "key": "Old lamp", "content": "The lighthouse lamp was brought from Lisbon.", "enabled": False},
        {"id": "cat", "key": "猫", "content": "看守人养了一只叫墨墨的黑猫。"},
    ],
}
BOATS = {
    "id": "boats",
    "name": "Boats",
    "entries": [
        {"id": "ferry", "key": "Ferry", "content": "The ferry passes the lighthouse at ten and at four."},
        {"id": "pilot", "key": "引航", "content": "引航船在灯塔以北等候。"},
    ],
}
AGENT = {
    "id": "keeper",
    "name": "守望 · Keeper",
    "presetMessages": [{"role": "system", "content": "You keep the lighthouse. 【kb::潮汐 · Tides::1】"}],
    "knowledgeBaseConfig": {
        "enabled": True,
        "bindings": [
            {"kbId": "tides", "kbName": "潮汐 · Tides", "enabled": True},
            {"kbId": "boats", "kbName": "Boats", "enabled": True, "limit": 1},
        ],
        "autoInjectIfMacroMissing": True,
        "autoInjectPosition": "context_head",
    },
}
QUESTIONS = {"灯塔是哪一年建的？谁看守灯塔？": "1890", "How many steps has the lighthouse?": "thirty-two"}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for base in (TIDES, BOATS):
        ctxlab.write(ctxlab.KnowledgeBase.model_validate(base), tmp_path / f"{base['id']}.knowledge.json")
    return tmp_path


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The engine of each search that is made."""
    made: list[str] = []
    found = ctxlab.KnowledgeRetriever.search

    def counted(self: ctxlab.KnowledgeRetriever, *args: Any, **named: Any) -> Any:
        made.append(named["engine"])
        return found(self, *args, **named)

    monkeypatch.setattr(ctxlab.KnowledgeRetriever, "search", counted)
    return made


def built(folder: Path, question: str, *, engine: str = "keyword", **fields: Any) -> ctxlab.Trace:
    stored = {**AGENT, "knowledgeSettings": {"defaultEngineId": engine, "defaultMinScore": 0, **fields}}
    path = folder / "keeper.agent.json"
    path.write_text(json.dumps(stored, ensure_ascii=False), "utf-8")
    bases = [
        base for name in ("tides", "boats") for base in ctxlab.read(folder / f"{name}.knowledge.json").knowledge_bases
    ]
    session = ctxlab.Session(id="s").append("", role="system", id="r").append(question, id="u")
    return ctxlab.build(session, ctxlab.load_agent(path), library=ctxlab.Library(knowledge_bases=tuple(bases)))


def rows(trace: ctxlab.Trace) -> list[dict[str, Any]]:
    return trace.table("knowledge").to_dict("records")


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_answer_is_in_the_prompt_with_its_origin_and_nothing_that_is_off(files: Path, question: str) -> None:
    trace = built(files, question)

    text = str(trace.messages[0]["content"])
    assert QUESTIONS[question] in text
    assert ("Lisbon" in text, "【" in text) == (False, False)
    sent = [(row["base"], row["entry"]) for row in rows(trace) if row["sent"]]
    assert sent[0] == ("tides", "lamp" if "年" in question else "steps")
    assert [base for base, _ in sent] == ["tides", "boats"]
    place = trace.where(QUESTIONS[question])[0]
    assert {span.origin.kind for span in place.spans} == {"knowledge"}


@pytest.mark.parametrize("engine", ["keyword", "blender"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_each_nearest_change_brings_its_piece_in(files: Path, question: str, engine: str) -> None:
    trace = built(files, question, engine=engine)

    cut = [row for row in rows(trace) if row["cut"] and row["nearest"]]
    assert "tides" in {row["base"] for row in cut}
    for row in cut:
        again = rows(trace.rerun(row["nearest"]))
        place = (row["where"], row["placeholder"], row["key"])
        assert [each["sent"] for each in again if (each["where"], each["placeholder"], each["key"]) == place] == [True]


def test_the_engine_that_is_told_is_the_one_that_was_used(files: Path) -> None:
    question = next(iter(QUESTIONS))

    assert {row["engine"] for row in rows(built(files, question))} == {"keyword"}
    assert {row["engine"] for row in rows(built(files, question, engine="lens"))} == {"tags"}


def test_a_run_from_a_later_step_searches_nothing_and_a_trace_is_small(files: Path, searches: list[str]) -> None:
    trace = built(files, "灯塔 lighthouse")
    made = len(searches)
    data = pickle.dumps(trace)
    copy = pickle.loads(data)

    again = copy.rerun({"token-limiter.budget_tokens": 4_000})

    assert made == 2
    assert len(searches) == made
    assert again.messages == trace.messages
    assert len(data) < 100_000


def test_a_run_without_a_placeholder_looks_at_no_base(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut: list[object] = []
    monkeypatch.setattr(IndexedBase, "_cut", lambda self, entry, base: cut.append(entry) or iter(()))
    base = ctxlab.knowledge_base("unread", entries=["A text of no other base."])
    session = ctxlab.Session(id="s").append("", role="system", id="r").append("Hi", id="u")

    ctxlab.build(session, knowledge=[base])
    assert cut == []

    ctxlab.build(session.append("【kb】 text", id="v"), knowledge=[base])
    assert len(cut) == 1


@pytest.mark.parametrize("is_on", [True, False])
def test_answers_are_kept_where_the_agent_says_so(files: Path, is_on: bool) -> None:
    cache_of_process().clear()

    first = built(files, "灯塔 lighthouse", enableCache=is_on)
    again = built(files, "灯塔 lighthouse", enableCache=is_on)

    assert len(cache_of_process()) == (2 if is_on else 0)
    assert again.messages == first.messages
    cache_of_process().clear()
