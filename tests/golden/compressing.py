"""Compression of conversations: the cases through ctxlab's public API, with sizes as files remember them.

Compared are what happened, the messages that are sent afterwards, the tree with what each summary hides and its config,
and of each request for a summary its settings and the messages in it; the words of the prompt are ctxlab's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import ctxlab
from ctxlab.chat.compression import (
    Compression,
    PromptSize,
    VisiblePath,
    Wanted,
    compression_if_needed,
    compression_of,
    compression_settings,
    should_compress,
    without_default_prompts,
)
from ctxlab.chat.compression.summary_prompt import CHINESE
from ctxlab.documents import Session
from ctxlab.pipeline import Trace
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data

SUMMARY = "SUMMARY"
BUILT_IN = "(built-in)"
MESSAGE = re.compile(r"(?:text|extra) \d+|FIRST")
OF_CONFIG = ("triggerMode", "thresholds", "summaryRole")
COMPARED = ("parentId", "childrenIds", "role", "content", "isEnabled")
OF_SUMMARY = ("isCompressionNode", "compressedNodeIds", "originalTokenCount", "originalMessageCount")


def run(case: Case) -> Any:
    data = case.input
    if case.name.startswith("shouldCompress"):
        size = PromptSize(data["context"]["totalTokens"], data["context"]["historyCount"])
        return bool(should_compress(size, compression_settings(call=data["config"])[0]))
    if case.name == "strip default prompts":
        prompt = CHINESE if data["summaryPrompt"].endswith(BUILT_IN) else data["summaryPrompt"]
        return without_default_prompts({"enabled": True, **data, "summaryPrompt": prompt})
    desk = _Desk(data)
    for step in data["steps"]:
        desk.do(*step)
    return {"log": desk.log, "tree": form_of_tree(desk.session.to_data()), "requests": desk.requests}


def expected(case: Case) -> Any:
    if "steps" not in case.input:
        return case.expected
    log = [_log(e["result"]["success"], e["result"].get("messageCount", 0), e["visibleHistory"]) for e in _log_of(case)]
    requests = [_request(r["temperature"], r["maxTokens"], r["prompt"]) for r in case.expected["requests"]]
    return {"log": log, "tree": form_of_tree(case.expected["tree"]), "requests": requests}


def form_of_tree(tree: Data) -> Data:
    nodes = {key: _form_of_node(node) for key, node in tree["nodes"].items()}
    return {"leaf": tree["activeLeafId"], "nodes": dict(sorted(nodes.items()))}


def _form_of_node(node: Data) -> Data:
    metadata = node.get("metadata") or {}
    config = {name: (metadata.get("compressionConfig") or {}).get(name) for name in OF_CONFIG}
    summary = {name: metadata[name] for name in OF_SUMMARY} | config if metadata.get("isCompressionNode") else {}
    return {"childrenIds": [], **{name: node[name] for name in COMPARED if name in node}} | summary


def _log_of(case: Case) -> Sequence[Data]:
    return case.expected["log"]


def _log(success: bool, messages: int, sent: Sequence[str]) -> Data:
    return {"success": success, "messages": messages, "sent": list(sent)}


def _request(temperature: float, most: int, prompt: str) -> Data:
    return {"temperature": temperature, "most": most, "messages": MESSAGE.findall(prompt)}


class _Desk:
    """A session on which the steps of a case are done, and what came of them."""

    def __init__(self, data: Data) -> None:
        tree = {name: data["detail"][name] for name in ("nodes", "rootNodeId", "activeLeafId")}
        self.session = Session.model_validate(tree)
        self.log: list[Data] = []
        self.requests: list[Data] = []

    def do(self, name: str, given: Any, summary: str = SUMMARY) -> None:
        if name in ("manual", "auto"):
            self._compress(given, summary, by_itself=name == "auto")
        elif name == "disable":
            last = next(key for key in reversed(list(self.session.nodes)) if self.session[key].is_summary)
            self.session = self.session.disable(last)
            self.log[-1]["sent"] = self._sent()
        else:
            for n in range(given):
                role = "user" if n % 2 == 0 else "assistant"
                self.session = self.session.append(f"extra {n}", id=f"x{n}", role=role, is_enabled=True)

    def _compress(self, config: Mapping[str, Any], summary: str, *, by_itself: bool) -> None:
        settings, _ = compression_settings(call=config)

        def summariser(messages: Sequence[Mapping[str, Any]]) -> str:
            prompt = messages[0]["content"]
            self.requests.append(_request(settings.summary_temperature, settings.summary_max_tokens, prompt))
            return summary

        trace = self._build(self.session)
        path = VisiblePath.of(self.session)
        done: Compression | None
        if by_itself:
            size = PromptSize.remembered(path)
            done = compression_if_needed(
                trace, self._rebuilt, settings=settings, moment="before request", summariser=summariser, size=size
            )
        else:
            new = f"NEW{1 + sum(node.is_summary for node in self.session.nodes.values())}"
            done = compression_of(trace, self._rebuilt, Wanted(id=new), settings=settings, summariser=summariser)
        success = done is not None and not done.changes_nothing
        self.session = done.session if done is not None else self.session
        if by_itself and success and done is not None:
            self.session = _renamed(self.session, done.summary_id, "NEW1")
        self.log.append(_log(success, len(done.gone) if done is not None else 0, self._sent()))

    def _build(self, session: Session) -> Trace:
        return ctxlab.build(session)

    def _rebuilt(self, session: Session, leaf: str | None) -> Trace:
        return ctxlab.build(session, leaf=leaf)

    def _sent(self) -> list[str]:
        drafts = self._build(self.session).step("session-loader").after.drafts
        return [f"{draft.role}: {draft.text}" for draft in drafts]


def _renamed(session: Session, old: str, new: str) -> Session:
    """The session in which a node has another id."""
    text = session.to_json().decode().replace(f'"{old}"', f'"{new}"')
    return Session.model_validate_json(text)


def _nothing(data: Data) -> None:
    """The name of a case says what is done."""


ADAPTERS: dict[str, Adapter] = {"compression": Adapter(_nothing, expected, whole=run)}
