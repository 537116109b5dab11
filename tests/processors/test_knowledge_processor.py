"""Knowledge in the place of placeholders: where they count, what is searched, what is sent, and why not."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab.context import KnowledgeHit
from ctxlab.documents import Agent, read_stored
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Services
from ctxlab.testing.fakes import FixedRetriever, WordTokenizer

STEP = "knowledge-processor"
HIGH = KnowledgeHit("t", "tides", "e1", "c1", "High water", "At noon.\nAnd at night.", "page 3", ("Water",))
LOW = KnowledgeHit("t", "tides", "e2", "c2", "Low water", "At six.")
LAMP = KnowledgeHit("l", "灯塔", "e3", "c3", "灯", "灯塔在北边。", tags=("夜",))


def scored(*hits: KnowledgeHit, engine: str = "vector") -> list[KnowledgeHit]:
    from dataclasses import replace

    return [replace(hit, scores={engine: 0.9 - n / 5}, ranks={engine: n + 1}) for n, hit in enumerate(hits)]


def build(preset: str, typed: str = "When is high water?", *, found: Any = None, **options: Any) -> ctxlab.Trace:
    config = {"enabled": True, "autoInjectIfMacroMissing": False, "bindings": [{"kbName": "tides"}, {"kbName": "灯塔"}]}
    fields = {"knowledgeBaseConfig": {**config, **options.pop("config", {})}, **options.pop("agent", {})}
    stored = {"id": "a", "name": "Nova", "presetMessages": [{"role": "system", "content": preset}], **fields}
    agent = Agent.model_validate(stored if preset else {**stored, "presetMessages": []})
    session = options.pop("session", None) or ctxlab.Session(id="s").append("", role="system").append(typed)
    retriever = options.pop("retriever", None) or FixedRetriever(scored(HIGH, LOW, LAMP) if found is None else found)
    settings = {f"{STEP}.{name}": value for name, value in {"engine": "vector", **options.pop("own", {})}.items()}
    services = Services(WordTokenizer(), retriever=retriever)
    return ctxlab.build(session, agent, services=services, settings=settings, **options)


def sent(trace: ctxlab.Trace) -> list[str]:
    return [message["content"] for message in trace.messages]


def rows(trace: ctxlab.Trace) -> list[dict[str, Any]]:
    return [dict(row) for report in trace.result.reports if report.name == "knowledge" for row in report.rows()]


def notes(trace: ctxlab.Trace) -> str:
    return "\n".join(note.text for note in trace.result.notes)


# --- in the place of a placeholder


def test_what_a_search_finds_takes_the_place_of_its_placeholder() -> None:
    trace = build("Facts: 【kb::tides::1】!")

    assert sent(trace)[0] == (
        "Facts: [knowledge: 1]\n\ntides: High water (0.90)\n> At noon.\n> And at night.\n\n[end of knowledge]!"
    )
    assert "1 of 2 pieces of knowledge sent" in trace.changes(STEP).summary


def test_each_character_has_its_piece_and_the_reason() -> None:
    trace = build("【kb::tides】")

    (place,) = trace.where("And at night.")
    (span,) = place.spans
    assert (span.origin.kind, span.origin.ref) == ("knowledge", "t/c1")
    story = str(place)
    for words in ("High water", "page 3", "rank 1 by vector", "score 0.9", "【kb::tides】"):
        assert words in story
    assert "knowledge" in set(trace.ledger()["rule"])


def test_the_users_newest_words_may_ask_and_nobody_elses() -> None:
    session = ctxlab.Session(id="s").append("", role="system").append("Old 【kb::tides】")
    session = session.append("Mine 【kb::tides】", role="assistant").append("New 【kb::tides::1】")

    trace = build("", session=session)

    assert sent(trace)[:2] == ["Old 【kb::tides】", "Mine 【kb::tides】"]
    assert sent(trace)[2].startswith("New [knowledge: 1]")
    typed = build("", session=session, pending="Typed 【kb::tides::1】")
    assert "New 【kb::tides::1】" in sent(typed)[2]
    assert "Typed [knowledge: 1]" in sent(typed)[2]


def test_words_of_a_model_in_a_preset_ask_for_nothing() -> None:
    session = ctxlab.Session(id="s").append("", role="system").append("Hi")
    session = session.append("【kb::tides】", role="assistant").append("And?")

    trace = build("It said: {{lastCharMessage}}", session=session)

    assert sent(trace)[0] == "It said: 【kb::tides】"


def test_the_macros_become_placeholders() -> None:
    trace = build("{{kb::tides::1}}")

    assert "> At noon." in sent(trace)[0]
    assert rows(trace)[0]["placeholder"] == "【kb::tides::1】"


def test_an_unknown_base_earns_a_note_with_the_nearest_name() -> None:
    trace = build("【kb::tide】【kb::灯塔::x】")

    assert "there is no base 'tide'; did you mean 'tides'?" in notes(trace)
    assert "'x' is no limit: a whole number is" in notes(trace)
    (row,) = [row for row in rows(trace) if row["placeholder"] == "【kb::tide】"]
    assert row["cut"] == "nothing found"


def test_without_bases_a_note_says_so() -> None:
    session = ctxlab.Session(id="s").append("", role="system").append("【kb】?")

    trace = ctxlab.build(session, services=Services(WordTokenizer()))

    assert "no knowledge base is given" in notes(trace)
    assert sent(trace) == ["(no knowledge found)?"]


def test_a_search_that_fails_is_a_note_and_nothing_found() -> None:
    class Broken(FixedRetriever):
        def search(self, query: Any, **named: Any) -> Any:
            raise CtxlabError("the index is broken")

    trace = build("【kb::tides】", retriever=Broken(scored(HIGH)))

    assert "the index is broken" in notes(trace)
    assert sent(trace)[0] == "(no knowledge found)"


# --- when


def test_a_gate_looks_at_the_conversation_without_the_placeholders_in_it() -> None:
    shut = build("", "Hello 【kb::tides::::::gate::water】")
    open_ = build("", "Hello water 【kb::tides::::::gate::water】")

    assert sent(shut) == ["Hello "]
    (row,) = rows(shut)
    assert (row["cut"], row["reason"]) == ("not active", "'water' isn't in the newest 3 messages")
    assert "[knowledge" in sent(shut.rerun(row["nearest"]))[0]
    assert "[knowledge" in sent(open_)[0]


@pytest.mark.parametrize(("every", "remedy"), [("2", ""), ("3", "every 3 → every 2 messages")])
def test_turns_count_the_users_messages(every: str, remedy: str) -> None:
    session = ctxlab.Session(id="s").append("", role="system").append("One")
    session = session.append("Yes", role="assistant").append("Two")

    trace = build(f"【kb::tides::1::::turn::{every}】", session=session)

    assert rows(trace)[0]["remedy"] == remedy or not remedy
    assert (rows(trace)[0]["cut"] == "not active") == bool(remedy)


def test_static_takes_entries_by_their_ids_and_notes_unknown_ones() -> None:
    trace = build("【kb::::::::static::e3,e1,e9】", own={"item_template": "{key}", "template": "{items}"})

    assert sent(trace)[0] == "灯\n\nHigh water"
    assert "there is no entry 'e9'" in notes(trace)
    every = build("【kb::::::::static::all】", own={"item_template": "{key}", "template": "{items}"})
    assert sent(every)[0] == "High water\n\nLow water\n\n灯"


# --- by itself


def test_a_bound_base_that_nothing_names_comes_behind_the_first_system_messages() -> None:
    trace = build("Be kind.", config={"autoInjectIfMacroMissing": True, "bindings": [{"kbName": "灯塔", "limit": 1}]})

    assert sent(trace)[0].startswith("Be kind.\n\n[knowledge: 1]\n\n灯塔: 灯")
    assert rows(trace)[0]["placeholder"] == "【kb::灯塔::1】"
    alone = build("", config={"autoInjectIfMacroMissing": True, "autoInjectPosition": "before_last_user"})
    assert alone.result.drafts[0].key == "made:knowledge-processor:0"
    assert sent(alone)[0].startswith("[knowledge for this conversation]\n[knowledge: 2]")
    assert alone.budget()["knowledge"] > 10


def test_a_placeholder_without_a_name_stands_for_all_and_nothing_comes_by_itself() -> None:
    trace = build("Be kind. 【kb】", config={"autoInjectIfMacroMissing": True})

    assert {row["placeholder"] for row in rows(trace)} == {"【kb】"}


# --- the query


def test_a_query_is_the_users_last_words_and_what_came_after_them() -> None:
    retriever = FixedRetriever(scored(HIGH))
    session = ctxlab.Session(id="s").append("", role="system").append("**Old** question")
    session = session.append("Old reply", role="assistant").append("New <b>question</b> 【kb::tides】")
    session = session.append("Half a", role="assistant")

    build("【kb::tides】", session=session, retriever=retriever)
    build("【kb::tides】", session=session, retriever=retriever, own={"query_turns": 2, "projection": 0.5})

    one, two = retriever.queries[0], retriever.queries[-1]
    assert [(part.role, part.text, part.weight) for part in one] == [
        ("user", "New question", 0.7),
        ("assistant", "Half a", 0.3),
    ]
    assert [(part.text, part.weight, part.back) for part in two[2:]] == [
        ("Old question", 0.35, 1),
        ("Old reply", 0.15, 1),
    ]


def test_earlier_searches_are_made_again_and_fade() -> None:
    class ByQuery(FixedRetriever):
        def search(self, query: Any, **named: Any) -> Any:
            self.found = tuple(scored(LAMP if "lamp" in query[0].text else HIGH))
            return super().search(query, **named)

    session = ctxlab.Session(id="s").append("", role="system").append("Where is the lamp?")
    session = session.append("North.", role="assistant").append("And high water?")
    own = {"result_turns": 1, "result_decay": 0.5, "min_score": 0.5}

    trace = build("【kb】", session=session, retriever=ByQuery(scored(HIGH, LAMP)), own=own)

    found = {row["title"]: row for row in rows(trace)}
    assert found["High water"]["sent"]
    assert (found["灯"]["cut"], found["灯"]["back"]) == ("decay", 1)
    assert found["灯"]["remedy"] == "minimum 0.5 → 0.45"


# --- why not


def test_each_candidate_has_a_row_with_the_nearest_change() -> None:
    trace = build("【kb】", own={"min_score": 0.75, "limit": 1})

    high, low, lamp = rows(trace)
    assert (high["sent"], high["scores"], high["query"]) == (True, {"vector": 0.9}, "When is high water?")
    assert (low["cut"], low["reason"]) == ("minimum", "cosine 0.7 is below the minimum 0.75")
    assert low["remedy"] == "minimum 0.75 → 0.7; limit 1 → 2"
    again = trace.rerun(lamp["nearest"])
    assert [row["sent"] for row in rows(again)] == [True, True, True]
    assert list(trace.table("knowledge")["key"]) == ["kb:t/c1", "kb:t/c2", "kb:l/c3"]


def test_a_minimum_is_a_share_by_keywords_and_a_rank_by_fused_ranks() -> None:
    by_words = [dict(row) for row in rows(build("【kb::::::80%】", found=scored(HIGH, LOW, LAMP, engine="keyword"),
                                                own={"engine": "keyword"}))]  # fmt: skip
    assert [row["sent"] for row in by_words] == [True, False, False]
    assert by_words[1]["reason"] == "share of the best score 0.778 is below the minimum 0.8"
    fused = rows(build("【kb::::::0.5】", found=scored(HIGH, LOW, LAMP, engine="hybrid"), own={"engine": "hybrid"}))
    assert [row["sent"] for row in fused] == [True, True, False]


def test_a_cap_stops_at_what_does_not_fit_or_skips_it() -> None:
    stop = rows(build("【kb】", own={"max_characters": 10}))
    skip = rows(build("【kb】", own={"max_characters": 10, "overflow": "skip"}))

    assert [row["sent"] for row in stop] == [False, False, False]
    assert stop[1]["reason"] == "comes after one that didn't fit, 10 of 10 were left"
    assert [row["sent"] for row in skip] == [False, True, False]


def test_tags_that_the_user_names_may_be_asked_for() -> None:
    trace = build("【kb】", "Is there water at night?", own={"only_tagged": True})

    assert [row["cut"] for row in rows(trace)] == ["", "tags", "tags"]


def test_a_binding_that_is_off_is_named_with_its_remedy() -> None:
    trace = build("【kb::tides】", config={"bindings": [{"kbName": "tides", "enabled": False}]})

    (row,) = rows(trace)
    assert (row["cut"], row["remedy"]) == ("switched off", "switch on the binding of tides")
    assert any(each["sent"] for each in rows(trace.rerun(row["nearest"])))


# --- as files have it


def test_an_agents_settings_are_read_and_wrong_ones_are_notes() -> None:
    data = {
        "id": "a",
        "knowledgeSettings": {"defaultLimit": "many", "defaultMinScore": "80%", "emptyText": "nothing", "mine": 1},
        "knowledgeBaseConfig": {"enabled": True, "bindings": [{"kbId": "t", "minScore": "high", "other": 2}]},
    }

    agent, problems = read_stored(Agent, data, place="agent 'a'")

    assert [note.text.partition(" is ")[0] for note in problems] == [
        "agent 'a': knowledgeBaseConfig.bindings.0.minScore",
        "agent 'a': knowledgeSettings.defaultLimit",
    ]
    written = agent.to_data()
    assert written["knowledgeSettings"]["mine"] == 1
    assert written["knowledgeBaseConfig"]["bindings"][0] == {"kbId": "t", "other": 2}
    trace = build("【kb::tides】", agent={"knowledgeSettings": data["knowledgeSettings"] | {"defaultLimit": 1}})
    (found,) = [each for each in trace.pipeline.stages if each.id == STEP]
    assert (found.processor.settings.limit, found.processor.settings.min_score) == (1, 0.8)


def test_an_agents_template_with_the_fields_of_a_piece_is_one_for_a_piece() -> None:
    own = {"resultTemplate": "{rank}. {kbName}/{key}: {content}"}

    trace = build("【kb::灯塔】", agent={"knowledgeSettings": own})

    assert sent(trace)[0] == "1. 灯塔/灯: 灯塔在北边。"
