"""The context of a node, taken apart: the reference's preview and our analysis in one form.

A preview has the presets and the history with their words and counts, the messages that are sent, and statistics. The
reference's total is that of the pieces, without what joins them; ours counts that apart. Characters are UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ctxlab.context import Context, Draft
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.prompt_of_trace import parts_alone
from ctxlab.processors import default_pipeline
from ctxlab.studies import AnalysisRow, analysis_of
from ctxlab.studies.context_analysis import HISTORY
from tests.golden.cases import Case
from tests.golden.files import FRAMES, sent_file, sent_form, services_of
from tests.golden.forms import Data, Form, form_of_draft, form_of_message
from tests.golden.knowledge import SETTINGS as KNOWLEDGE_SETTINGS
from tests.golden.knowledge import RecordedBackend
from tests.golden.materials import MARKER, PLACEHOLDERS, request_of, tokenizer_of, utf16_length

SETTINGS: Data = {
    "token-limiter.overhead_tokens": 0,
    "token-limiter.marker": MARKER,
    "merge-system.hoist": "all",
    "injection-assembler.lore_places": "reference",
    **FRAMES,
    **KNOWLEDGE_SETTINGS,
    **{f"ensure-alternating.{name}": text for name, text in PLACEHOLDERS.items()},
}


def preview(data: Data) -> Any:
    return _preview(_built(data))


def full(data: Data) -> Any:
    """The messages that all steps together give."""
    trace = _built(data)
    alone = parts_alone(trace)
    return [_message(draft, alone) for draft in trace.result.drafts]


def full_expected(case: Case) -> Any:
    return [sent_form(message, form_of_message(message)) for message in case.expected["messages"]]


def _built(data: Data) -> Trace:
    agent = data.get("agentConfig") or {}
    native = (agent.get("toolCallConfig") or {}).get("convertToolRoleToUser") is False
    pipeline = default_pipeline().with_settings({**SETTINGS, "session-loader.tool_role": "tool" if native else "user"})
    request = request_of(data)
    if data.get("capabilities") and request.model is not None:
        request = replace(request, model=request.model.with_(capabilities=data["capabilities"]))
    bindings = (agent.get("knowledgeBaseConfig") or {}).get("bindings") or ()
    retriever = RecordedBackend({"search": data.get("recallSearch")}, bindings)
    return pipeline.run(Context(request), replace(services_of(data), tokenizer=tokenizer_of(data), retriever=retriever))


def _preview(trace: Trace) -> Any:
    found = analysis_of(trace)
    pieces, said, alone = list(found.pieces()), found.statistics, parts_alone(trace)
    presets = [_preset(piece) for piece in pieces if piece.kind in ("preset", "lore")]
    history = [_spoken(piece) for piece in pieces if piece.kind in HISTORY]
    assert said["tokens"] == sum(piece.tokens for piece in pieces)
    return {
        "presets": presets,
        "history": history,
        "messages": [_message(draft, alone) for draft in trace.result.drafts],
        "statistics": {
            "messages": said["messages"],
            "tokens": sum(piece.tokens for piece in pieces if piece.source != "seams"),
            "characters": sum(utf16_length(piece.text) for piece in pieces),
            "preset_tokens": said["preset_tokens"] + said["lore_tokens"],
            "preset_characters": sum(each["characters"] for each in presets),
            "history_tokens": said["history_tokens"],
            "history_characters": sum(each["characters"] for each in history),
            "cut": said["cut_messages"] + said["shortened_messages"],
            "saved_tokens": said["saved_tokens"],
            "estimated": said["estimated"],
            "tokenizer": said["tokenizer"],
        },
    }


def _preset(piece: AnalysisRow) -> Data:
    index = -1 if piece.kind == "lore" else int(piece.key.removeprefix("preset:").partition("@")[0])
    changed = {} if piece.original in (None, piece.text) else {"original": piece.original}
    return {"index": index, **_counted(piece), **changed}


def _spoken(piece: AnalysisRow) -> Data:
    return {"id": piece.id or "pending", **_counted(piece)}


def _counted(piece: AnalysisRow) -> Data:
    return {"text": piece.text, "tokens": piece.tokens, "characters": utf16_length(piece.text)}


def _message(draft: Draft, alone: Mapping[str, Draft]) -> Form:
    form = form_of_draft(replace(draft, merged=()), {})
    if draft.assets:
        form = {**form, "files": [sent_file(asset) for asset in draft.assets]}
    if not draft.merged:
        return form
    parts = [form_of_draft(alone[part.key], {}) for part in draft.merged]
    return {name: value for name, value in form.items() if name not in ("source", "index")} | {"parts": parts}


# --- the reference's


def previewed(case: Case) -> Any:
    found, said = case.expected, case.expected["statistics"]
    return {
        "presets": [
            {
                "index": preset["index"],
                "text": preset["content"],
                "tokens": preset["tokenCount"],
                "characters": preset["charCount"],
                **({"original": preset["originalContent"]} if "originalContent" in preset else {}),
            }
            for preset in found["presetMessages"]
        ],
        "history": [
            {
                "id": "pending" if message["nodeId"].startswith("virtual-pending-input-") else message["nodeId"],
                "text": message["content"],
                "tokens": message["tokenCount"],
                "characters": message["charCount"],
            }
            for message in found["chatHistory"]
        ],
        "messages": [sent_form(message, form_of_message(message)) for message in found["finalMessages"]],
        "statistics": {
            "messages": said["messageCount"],
            "tokens": said["totalTokenCount"],
            "characters": said["totalCharCount"],
            "preset_tokens": said["presetMessagesTokenCount"],
            "preset_characters": said["presetMessagesCharCount"],
            "history_tokens": said["chatHistoryTokenCount"],
            "history_characters": said["chatHistoryCharCount"],
            "cut": said.get("truncatedMessageCount", 0),
            "saved_tokens": said.get("savedTokenCount", 0),
            "estimated": said["isEstimated"],
            "tokenizer": said["tokenizerName"],
        },
    }
