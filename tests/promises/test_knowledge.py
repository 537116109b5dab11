"""Knowledge: every nearest change is true, what was found is put in as it is, and only what authors and the user wrote
asks for it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxlab.context import BuildInput, Context, Draft, KnowledgeHit, Origin, Text
from ctxlab.documents import Agent, Session
from ctxlab.documents.agent.knowledge import KnowledgeBaseConfig, KnowledgeBinding
from ctxlab.knowledge.policy.query import QueryRules, SpokenText, newest_turns, query_of, turns_of
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.processors import KnowledgeProcessor
from ctxlab.testing.fakes import FixedRetriever, WordTokenizer

STEP = KnowledgeProcessor.id
BASES = ("tides", "灯塔")
HOSTILE = ("【kb】", "【kb::tides::1】", "{content}", "{items}", "$&", "{{user}}", "\n", "\u2028", "> ", "灯", "a b")
texts = st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=5).map("".join)


@st.composite
def hits(draw: st.DrawFn) -> list[KnowledgeHit]:
    engine = draw(st.sampled_from(["vector", "keyword", "hybrid", "tags"]))
    scores = sorted(draw(st.lists(st.floats(-0.2, 1), min_size=1, max_size=8)), reverse=True)
    return [
        KnowledgeHit(
            base := draw(st.sampled_from(BASES)),
            base,
            f"e{n}",
            f"c{n}",
            draw(texts),
            draw(texts),
            tags=tuple(draw(st.lists(st.sampled_from(["夜", "Water"]), max_size=2))),
            scores={engine: score},
            ranks={engine: n},
        )
        for n, score in enumerate(scores, start=1)
    ]


@st.composite
def placeholders(draw: st.DrawFn) -> str:
    base = draw(st.sampled_from(["", *BASES, "tide", "nowhere"]))
    limit, minimum = (
        draw(st.sampled_from(["", "0", "1", "3", "x"])),
        draw(st.sampled_from(["", "0", "0.5", "80%", "y"])),
    )
    mode = draw(st.sampled_from(["always", "turn::2", "turn::x", "gate::water", "gate::夜,moon", "static::all", "odd"]))
    return f"【kb::{base}::{limit}::{minimum}::{mode}】"


settings = st.fixed_dictionaries(
    {},
    optional={
        "limit": st.integers(0, 4),
        "limit_per_base": st.integers(0, 3),
        "min_score": st.floats(-0.1, 1),
        "max_characters": st.integers(1, 20),
        "overflow": st.sampled_from(["stop", "skip"]),
        "only_tagged": st.booleans(),
        "gate_scan_depth": st.integers(0, 3),
        "result_turns": st.integers(0, 2),
        "result_join": st.sampled_from(["best", "sum"]),
        "query_turns": st.integers(1, 3),
    },
)
bindings = st.lists(
    st.builds(
        KnowledgeBinding,
        kb_name=st.sampled_from([*BASES, "gone"]),
        enabled=st.booleans(),
        limit=st.sampled_from([None, None, 0, 2]),
        min_score=st.sampled_from([None, None, 0.6]),
    ),
    max_size=3,
)
SPOKEN = ("When is high water?", "At noon.", "And at 夜?", "Low water.", "What of the moon?")


def run(
    preset: str, found: list[KnowledgeHit], config: KnowledgeBaseConfig | None = None, **own: Any
) -> tuple[Trace, FixedRetriever]:
    drafts = [_draft("preset", 0, "system", preset)]
    drafts += [_draft("node", n, "assistant" if n % 2 else "user", text) for n, text in enumerate(SPOKEN)]
    agent = Agent(id="a", knowledge_base_config=config)
    (engine,) = found[0].scores if found else ("keyword",)
    retriever = FixedRetriever(found)
    step = KnowledgeProcessor(KnowledgeProcessor.Settings(engine=engine, **own))
    context = Context(BuildInput(Session(), agent=agent), tuple(drafts))
    return Pipeline.of([step]).run(context, Services(WordTokenizer(), retriever=retriever)), retriever


def _draft(kind: str, n: int, role: Any, text: str) -> Draft:
    origin = Origin(kind, str(n))
    return Draft(f"{kind}:{n}", role, (Text.of(text, origin),), origin)


def rows(trace: Trace) -> list[dict[str, Any]]:
    return [dict(row) for report in trace.result.reports for row in report.rows()]


@given(st.lists(placeholders(), min_size=1, max_size=2), hits(), bindings, settings)
def test_every_nearest_change_brings_its_piece_in(
    asked: list[str], found: list[KnowledgeHit], bound: list[KnowledgeBinding], own: dict[str, Any]
) -> None:
    config = KnowledgeBaseConfig(enabled=True, bindings=tuple(bound)) if bound else None
    trace, _ = run(" ".join(asked), found, config, **own)

    for row in rows(trace):
        assert bool(row["nearest"]) == bool(row["remedy"])
        if not row["nearest"]:
            assert row["sent"] or row["cut"] == "nothing found"
            continue
        after = [each for each in rows(trace.rerun(row["nearest"])) if each["placeholder"] == row["placeholder"]]
        if row["cut"] == "not active":
            assert "not active" not in {each["cut"] for each in after}
        elif row["cut"] == "switched off":
            assert "switched off" not in {each["cut"] for each in after}
        else:
            assert [each["sent"] for each in after if each["key"] == row["key"]][:1] == [True], row["remedy"]


@given(st.lists(placeholders(), min_size=1, max_size=2), hits(), settings)
def test_each_candidate_is_sent_or_cut_for_one_reason(
    asked: list[str], found: list[KnowledgeHit], own: dict[str, Any]
) -> None:
    trace, _ = run(" ".join(asked), found, **own)

    for row in rows(trace):
        assert row["sent"] == (row["cut"] == "")
        assert row["reason"]
    counts = Counter((row["placeholder"], row["where"], row["sent_rank"]) for row in rows(trace) if row["sent"])
    assert set(counts.values()) <= set(Counter(asked).values())


@given(texts, texts, hits())
def test_what_was_found_is_put_in_as_it_is_and_never_looked_at_again(
    before: str, after: str, found: list[KnowledgeHit]
) -> None:
    trace, retriever = run("【kb】", found, limit=20, min_score=-1.0, item_template="{content}", template="{items}")

    assert str(trace.result.drafts[0].text) == "\n\n".join(hit.text for hit in found)
    assert len(retriever.queries) == 1
    for span in trace.result.drafts[0].text.spans:
        assert span.origin.kind == "knowledge"
    words = {hit.text for hit in found}
    own = {f"{hit.base}/{hit.chunk}" for hit in found}
    pieces = [span for span in trace.result.drafts[0].text.spans if span.origin.ref in own]
    assert {span.text for span in pieces} == words


@given(hits())
def test_every_line_of_a_piece_is_quoted(found: list[KnowledgeHit]) -> None:
    trace, _ = run("【kb】", found, limit=20, min_score=-1.0, item_template="> {content}", template="{items}")

    for part in str(trace.result.drafts[0].text).splitlines():
        assert part.startswith("> ") or not part


@given(texts, st.sampled_from(["assistant", "user", "tool"]))
def test_placeholders_in_older_history_are_only_text(text: str, role: Any) -> None:
    drafts = (_draft("node", 0, role, text), _draft("node", 1, "user", "And now?"))
    retriever = FixedRetriever(["a fact"])
    trace = Pipeline.of([KnowledgeProcessor]).run(
        Context(BuildInput(Session()), drafts), Services(WordTokenizer(), retriever=retriever)
    )

    assert trace.result.drafts is drafts
    assert retriever.queries == []


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.sampled_from(["", "a", "b c", "灯"]))),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_older_turns_than_a_query_is_made_of_are_no_part_of_it(
    said: list[tuple[str, str]], turns: int, projected: int, back: int
) -> None:
    spoken = [SpokenText(*each) for each in said]
    rules = QueryRules(turns=turns, projection_turns=projected, with_tools=True)
    newest = newest_turns(spoken, rules.turns_back + back)

    assert query_of(turns_of(newest), rules, back=back) == query_of(turns_of(spoken), rules, back=back)
