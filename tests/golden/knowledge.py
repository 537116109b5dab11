"""Knowledge: the cases through the step and its policy, with the reference's templates and texts as settings.

Compared are the messages' roles and words, and what was searched for where, each search once: equal ones are made once
here. Scores of the recorded backend are taken as those of the engine that was asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctxlab.context import BuildInput, Context, KnowledgeAnswer, KnowledgeBaseFacts, KnowledgeHit, Origin, QueryPart
from ctxlab.documents import Agent, Session
from ctxlab.errors import CtxlabError
from ctxlab.knowledge.policy.activation import Conversation, activation_of
from ctxlab.knowledge.policy.candidates import candidates_of
from ctxlab.knowledge.policy.clean_query import clean_query
from ctxlab.knowledge.policy.cuts import CutRules, decide
from ctxlab.knowledge.policy.placeholder import Placeholder, placeholders_in
from ctxlab.knowledge.policy.report import KnowledgeReport
from ctxlab.knowledge.policy.result_text import result_text
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.processors import KnowledgeProcessor
from ctxlab.processors.knowledge.conversation import placeholders_that_count
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data, draft_of, text_of
from tests.golden.materials import AGENT, stored, tokenizer_of

EMPTY = "（未检索到相关知识）"
WHOLE = "---\n📚 相关知识 (共 {count} 条)\n\n{items}\n---"
ITEM = "**[{kbName}]** {key}\n> {content}\n(相关度: {score})"
WORDING: Data = {
    "template": WHOLE,
    "item_template": ITEM,
    "empty_text": EMPTY,
    "untitled": "无标题",
    "inserted_template": "【RAG信息】\n{text}\n【RAG信息结束】",
}
SETTINGS: Data = {f"{KnowledgeProcessor.id}.{name}": text for name, text in WORDING.items()}
NAMELESS = "未知思绪集"


class RecordedBackend:
    """Answers as the recorded backend does, whatever the query; `asked` are the queries and the bases."""

    def __init__(self, data: Data, bindings: Sequence[Data], engine: str = "keyword") -> None:
        self.data, self.engine = data, engine
        known = {each["kbId"]: each["kbName"] for each in bindings}
        self.names: dict[str, str] = known | {each["id"]: each["name"] for each in data.get("bases") or ()}
        self.asked: list[Data] = []

    def bases(self) -> tuple[KnowledgeBaseFacts, ...]:
        return tuple([KnowledgeBaseFacts(id, name, engine=self.engine) for id, name in self.names.items()])

    def search(
        self,
        query: Sequence[QueryPart],
        *,
        bases: Sequence[str] | None = None,
        engine: str = "",
        limit: int = 50,
        tags: Sequence[str] = (),
    ) -> KnowledgeAnswer:
        self.asked.append({"query": query[0].text, "bases": list(bases or ()), "engine": engine})
        if self.data.get("throwSearch"):
            raise CtxlabError("backend down")
        ids = {name: id for id, name in self.names.items()}
        hits = [hit_of(found, engine or self.engine, ids) for found in self.data.get("search") or ()]
        return KnowledgeAnswer(tuple(hits), engine or self.engine, len(hits))

    def entries(self, base: str, ids: Sequence[str] | None = None) -> tuple[KnowledgeHit, ...]:
        inside = {entry["id"] for entry in ((self.data.get("meta") or {}).get(base) or {}).get("entries") or ()}
        known = {entry["id"]: entry for entry in self.data.get("entries") or ()}
        wanted = [id for id in known if id in inside] if ids is None else [id for id in ids if id in known]
        return tuple(
            [KnowledgeHit(base, self.names[base], id, id, known[id]["key"], known[id]["content"]) for id in wanted]
        )


def hit_of(found: Data, engine: str, ids: Mapping[str, str] | None = None) -> KnowledgeHit:
    """A recorded result as a hit of ours."""
    entry, name = found["entry"], found.get("recallName") or ""
    id = entry.get("id") or entry["key"]
    tags = [tag["name"] if isinstance(tag, dict) else tag for tag in entry.get("tags") or ()]
    base = (ids or {}).get(name, found.get("recallId") or "")
    scores = {engine: found["score"]}
    return KnowledgeHit(base, name, id, id, entry["key"], entry["content"], tags=tuple(tags), scores=scores)


# --- the step


def _run_step(data: Data, agent_data: Data, backend: Any) -> Trace:
    agent = stored(Agent, {**AGENT, **agent_data})
    drafts = [draft_of(message, str(n)) for n, message in enumerate(data["messages"])]
    ours = [each if each.origin.kind == "node" else _as_preset(each) for each in drafts]
    step = KnowledgeProcessor(KnowledgeProcessor.Settings(**WORDING))
    context = Context(BuildInput(Session(), agent=agent), tuple(ours))
    return Pipeline.of([step]).run(context, Services(tokenizer_of({}), retriever=backend))


def _as_preset(draft: Any) -> Any:
    """The draft as one of a preset, its words too: the reference looks at whatever is no history."""
    origin = Origin("preset", draft.key)
    body = tuple([type(part)([replace(span, origin=origin) for span in part.spans]) for part in draft.body])
    return replace(draft, origin=origin, body=body)


def _step(data: Data) -> Any:
    agent = data.get("agent") or {}
    config, backend_data = agent.get("knowledgeBaseConfig") or {}, data.get("backend") or {}
    engine = (backend_data.get("config") or {}).get("defaultEngineId") or "keyword"
    backend = RecordedBackend(backend_data, config.get("bindings") or (), engine)
    trace = _run_step(data, agent, backend)
    return {"messages": _forms(trace), "searches": _once([_search(each) for each in backend.asked])}


def _stepped(case: Case) -> Any:
    calls = [call["args"] for call in case.expected["backendCalls"] if call["cmd"] == "recall_search"]
    searches = [{"query": call["query"], "bases": call["filters"]["recallIds"]} for call in calls]
    return {"messages": _messages(case.expected["messages"]), "searches": _once(searches)}


def _search(asked: Data) -> Data:
    return {"query": asked["query"], "bases": asked["bases"]}


def _once(searches: list[Data]) -> list[Data]:
    return [each for n, each in enumerate(searches) if each not in searches[:n]]


def _forms(trace: Trace) -> list[Data]:
    return [{"role": draft.role, "text": str(draft.text)} for draft in trace.result.drafts]


def _messages(messages: Sequence[Data]) -> list[Data]:
    return [{"role": message["role"], "text": text_of(message)} for message in messages]


# --- placeholders


def _scan(data: Data) -> Any:
    if "text" in data or "raw" in data:
        return [_placeholder(found) for found in placeholders_in(data.get("text") or data["raw"])]
    if "stubbedRetrieval" in data:
        return _stubbed(data)
    drafts = [draft_of(message, str(n)) for n, message in enumerate(data["messages"])]
    ours = [each if each.origin.kind == "node" else _as_preset(each) for each in drafts]
    return [_placeholder(each.placeholder, each.draft) for each in placeholders_that_count(ours)]


def _scanned(case: Case) -> Any:
    found = case.expected
    if isinstance(found, dict) and "messages" in found:
        asked = [_asked_of(request) for request in found["requests"] if _is_searched(case, request)]
        return {"messages": _messages(found["messages"]), "searches": _once(asked)}
    return [
        {name: value for name, value in each.items() if value not in (None, "__num__:NaN")}
        for each in (found if isinstance(found, list) else [found])
    ]


def _placeholder(found: Placeholder, message: int = 0) -> Data:
    form = {"raw": found.raw, "messageIndex": message, "kbName": found.base or None, "limit": found.limit}
    form |= {"minScore": found.minimum, "mode": found.mode, "engineId": found.engine or None}
    form["modeParams"] = None if found.params is None else list(found.params)
    return {name: value for name, value in form.items() if value is not None}


class _StubbedBackend(RecordedBackend):
    """Gives one piece a search: the name of the base, or the case's own words."""

    def search(self, query: Sequence[QueryPart], **named: Any) -> KnowledgeAnswer:
        self.asked.append({part.role: part.text for part in query})
        (base, *more), content = named["bases"], self.data["stub"]
        text = content["content"] if isinstance(content, dict) else "<ALL>" if more else f"<{self.names[base]}>"
        hit = KnowledgeHit(base, self.names[base], "e", "e", "", text, scores={"keyword": 1.0})
        return KnowledgeAnswer((hit,), "keyword", 1)


def _stubbed(data: Data) -> Any:
    agent = data.get("agentConfig") or {}
    named = [each.base for message in data["messages"] for each in placeholders_in(text_of(message)) if each.base]
    bindings = (agent.get("knowledgeBaseConfig") or {}).get("bindings") or [{"kbId": n, "kbName": n} for n in named]
    backend = _StubbedBackend({"stub": data["stubbedRetrieval"]}, bindings)
    own = {**agent.get("knowledgeSettings", {}), "resultTemplate": "{content}"}
    off = {"empty_text": ""}
    agent = stored(Agent, {**AGENT, **agent, "knowledgeSettings": own})
    drafts = [draft_of(message, str(n)) for n, message in enumerate(data["messages"])]
    ours = [each if each.origin.kind == "node" else _as_preset(each) for each in drafts]
    step = KnowledgeProcessor(KnowledgeProcessor.Settings(**{**WORDING, **off}))
    context = Context(BuildInput(Session(), agent=agent), tuple(ours))
    trace = Pipeline.of([step]).run(context, Services(tokenizer_of({}), retriever=backend))
    return {"messages": _forms(trace), "searches": _once(backend.asked)}


def _is_searched(case: Case, request: Data) -> bool:
    config = (case.input["agentConfig"] or {}).get("knowledgeBaseConfig")
    return config is None or bool(request["enabledBindings"])


def _asked_of(request: Data) -> Data:
    said = {"user": request["userText"], "assistant": request["aiText"]}
    return {role: text for role, text in said.items() if text}


# --- the policy


def _policy(case: Case) -> Any:
    data = case.input
    function = data.get("fn") or case.name.partition(" ")[0]
    asked = data.get("req") or data
    if function == "shouldActivate":
        depth = asked["settings"].get("gateScanDepth", 3)
        about = Conversation(tuple(asked["recentMessageTexts"]), asked["turnCount"], depth)
        return activation_of(asked["mode"], asked.get("modeParams"), about).active
    if function == "resolveRetrievalParams":
        return _params(asked)
    hits = tuple(hit_of(found, "keyword") for found in data["results"])
    found = candidates_of(KnowledgeAnswer(hits, "keyword", len(hits)))
    if function == "applyCharLimit":
        rules = CutRules(limit=len(found), max_characters=max(data["maxChars"], 0))
        return [one.candidate.hit.title for one in decide(found, rules) if one.sent]
    decisions = decide(found, CutRules(limit=len(found)))
    settings = _with_settings(data["settings"])
    return str(result_text(decisions, settings.templates, processor="p", placeholder="【kb】"))


def _with_settings(own: Data) -> Any:
    entry = KnowledgeProcessor.settings_from(stored(Agent, {"knowledgeSettings": own}))
    return KnowledgeProcessor.Settings(**{**WORDING, **(entry.settings if entry else {})})


def _params(asked: Data) -> Any:
    """The bases, the limit and the minimum of a search; with no base bound one is, to be left out again."""
    bindings = [{"kbId": each["recallId"], "kbName": each["recallName"]} for each in asked["enabledBindings"]]
    written = [asked.get(name) for name in ("recallName", "limit", "minScore", "mode", "params", "engineId")]
    text = f"【kb::{'::'.join(['' if each is None else str(each) for each in written])}】"
    config: Data = {"enabled": True, "bindings": bindings or [{"kbId": "0", "kbName": "0"}]}
    config["autoInjectIfMacroMissing"] = False
    backend = RecordedBackend({"search": []}, config["bindings"], "")
    messages = [
        {"role": "system", "content": text, "sourceType": "agent_preset"},
        {"role": "user", "content": "q", "sourceType": "session_history"},
    ]
    agent = {"knowledgeBaseConfig": config, "knowledgeSettings": asked["settings"]}
    report = _run_step({"messages": messages}, agent, backend).result.report(KnowledgeReport)
    assert report is not None
    if not backend.asked:
        return {"recallIds": []}
    rules, (search,) = report.results[0].rules, backend.asked
    found = {"recallIds": search["bases"] if bindings else [], "limit": rules.limit, "minScore": rules.minimum}
    return found | ({"engineId": search["engine"]} if search["engine"] else {})


def _decided(case: Case) -> Any:
    """Of a search that has no base only that is compared; pieces by their titles."""
    found, data = case.expected, case.input
    if isinstance(found, dict) and not found["recallIds"] and (data.get("req") or data)["enabledBindings"]:
        return {"recallIds": []}
    if isinstance(found, list):
        titles = {entry.get("id"): entry["key"] for entry in [each["entry"] for each in data["results"]]}
        return [titles.get(id, id) for id in found]
    return found


def _clean(data: Data) -> Any:
    options = data["options"]
    found = clean_query(
        data["query"], options.get("tagPool") or (), drop_stop_words=options.get("enableStopwordFilter", True)
    )
    return {
        "cleanedQuery": found.text,
        "tokens": list(found.words),
        "matchedTags": list(found.tags),
        "cleanStage": found.plain,
    }


ADAPTERS: dict[str, Adapter] = {
    "kb_placeholder_grammar": Adapter(_scan, _scanned),
    "kb_policy": Adapter(lambda data: None, _decided, whole=_policy),
    "kb_query_preprocess": Adapter(_clean, lambda case: case.expected),
    "knowledge_placeholders": Adapter(_scan, _scanned),
    "knowledge_processor": Adapter(_step, _stepped),
    "knowledge_retrieval_policy": Adapter(lambda data: None, _decided, whole=_policy),
}
