"""A step of another kind, all of it in this file: it decides, adds text of its own source, and is shown everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ctxlab
from ctxlab.context import Cause, Context, Draft, Origin, Text
from ctxlab.pipeline import Processor, ProcessorSettings, Services
from ctxlab.processors import default_pipeline
from ctxlab.testing.fakes import WordTokenizer

FACTS = {"tides": "High water is at noon.", "wind": "The wind is from the west."}


@dataclass(frozen=True, slots=True, eq=False)
class FactReport:
    """The facts that were looked up: each topic, and if it was mentioned."""

    mentioned: tuple[str, ...]
    name: str = "facts"

    def rows(self) -> Sequence[Mapping[str, Any]]:
        return [{"topic": topic, "sent": topic in self.mentioned} for topic in FACTS]

    def summary(self) -> str:
        return f"{len(self.mentioned)} of {len(FACTS)} facts fit"


class FactFinder(Processor):
    id = "fact-finder"
    name = "Fact finder"
    description = "Puts facts about mentioned topics before the newest message."
    priority = 350

    class Settings(ProcessorSettings):
        pass

    def __call__(self, ctx: Context, services: Services) -> Context:
        said = " ".join(str(draft.text) for draft in ctx.drafts)
        found = tuple(topic for topic in FACTS if topic in said)
        drafts = [self._fact(topic) for topic in found]
        return ctx.insert(len(ctx.drafts) - 1, *drafts).put(FactReport(found))

    def _fact(self, topic: str) -> Draft:
        origin = Origin("knowledge", f"facts/{topic}")
        cause = Cause(self.id, "mentioned", f"the chat mentions {topic}")
        return Draft(f"kb:facts/{topic}", "system", (Text.of(FACTS[topic], origin, cause),), origin)


def run(**options: Any) -> ctxlab.Trace:
    session = ctxlab.Session(id="s").append("", role="system").append("When are the tides best?")
    pipeline = default_pipeline().with_processor(FactFinder())
    return ctxlab.build(session, pipeline=pipeline, services=Services(tokenizer=WordTokenizer()), **options)


def test_its_decisions_are_a_table_and_a_summary_and_can_be_read_by_type() -> None:
    trace = run()

    assert trace.table("facts").to_dict("records") == [
        {"topic": "tides", "sent": True},
        {"topic": "wind", "sent": False},
    ]
    assert "1 of 2 facts fit" in trace.changes("fact-finder").summary
    report = trace.result.report(FactReport)
    assert report is not None
    assert report.mentioned == ("tides",)


def test_its_text_is_counted_under_its_source_and_explained() -> None:
    trace = run()

    tokens = len(FACTS["tides"].split())
    assert trace.budget()["knowledge"] == tokens
    ledger = trace.ledger()
    assert ledger[(ledger["step"] == FactFinder.id) & (ledger["rule"] == "knowledge")]["added"].tolist() == [tokens]
    assert "the chat mentions tides" in str(trace.why("kb:facts/tides"))
    (place,) = trace.where("High water")
    assert place.spans[0].origin.kind == "knowledge"


def test_a_cut_and_a_rerun_treat_it_as_any_other() -> None:
    trace = run()

    again = trace.rerun({"fact-finder.enabled": False})

    assert [message["content"] for message in again.messages] == ["When are the tides best?"]
    assert [row.key for row in ctxlab.diff(trace, again).changes] == ["kb:facts/tides"]
