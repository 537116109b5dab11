"""Searches by a query that a person wrote, in the place of the one that a conversation gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ctxlab.context import KnowledgeAnswer, KnowledgeBaseFacts, KnowledgeHit, QueryPart
from ctxlab.errors import CtxlabError
from ctxlab.knowledge.policy.query import query_words
from ctxlab.knowledge.policy.report import KnowledgeReport
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Retriever, Trace
from ctxlab.pipeline.edits_by_hand import edits_in
from ctxlab.pipeline.trace import calls_to_replay
from ctxlab.processors import KnowledgeProcessor

STEP = KnowledgeProcessor.id
SERVICE = "retriever"
Query = tuple[QueryPart, ...]


@dataclass(frozen=True, slots=True)
class AskedOtherwise:
    """A retriever that searches by `text` where it is asked for `query`, and does all else as the one it is around."""

    inner: Retriever
    query: Query
    text: str

    def bases(self) -> Sequence[KnowledgeBaseFacts]:
        return self.inner.bases()

    def search(
        self,
        query: Sequence[QueryPart],
        *,
        bases: Sequence[str] | None = None,
        engine: str = "",
        limit: int = 50,
        tags: Sequence[str] = (),
    ) -> KnowledgeAnswer:
        asked = (QueryPart(self.text),) if tuple(query) == self.query else tuple(query)
        return self.inner.search(asked, bases=bases, engine=engine, limit=limit, tags=tags)

    def entries(self, base: str, ids: Sequence[str] | None = None) -> Sequence[KnowledgeHit]:
        return self.inner.entries(base, ids)


def own_query(trace: Trace) -> Query:
    """The newest query that the conversation gave, as parts with weights; empty where nothing was searched."""
    report = trace.result.report(KnowledgeReport)
    words = {result.query for result in report.results} if report is not None else set[str]()
    return next((query for query in _queries(trace) if query_words(query) in words), ())


def asked_text(trace: Trace) -> str | None:
    """The text that is searched by instead of the conversation's query; None where that one is."""
    retriever = trace.services.retriever
    return retriever.text if isinstance(retriever, AskedOtherwise) and retriever.query == own_query(trace) else None


def asked(trace: Trace, text: str) -> Trace:
    """The run again with this text as the query, from the step that searches; an empty one is the conversation's."""
    retriever, query = trace.services.retriever, own_query(trace)
    if isinstance(retriever, AskedOtherwise):
        retriever = retriever.inner
    if retriever is None or not query:
        raise CtxlabError("this run has searched for nothing, so that there is no query to change")
    services = replace(trace.services, retriever=AskedOtherwise(retriever, query, text) if text.strip() else retriever)
    at = trace.index(STEP)
    known = [call for call in calls_to_replay(trace.steps, kept=at) if call.service != SERVICE]
    kept = Trace(trace.start, trace.steps[:at], trace.pipeline, services)
    return trace.pipeline.resume(kept, known=known, edits=edits_in(trace.steps, kept=at))


def _queries(trace: Trace) -> Iterator[Query]:
    for step in trace.steps:
        if step.id == STEP:
            for call in step.calls:
                if (call.service, call.method) == (SERVICE, "search") and call.arguments:
                    yield tuple(call.arguments[0])
