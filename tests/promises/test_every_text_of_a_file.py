"""Every text of a file is in the session's prompt, or in its metadata with a loss, or in a field of bookkeeping.

What no session has a place for is left out with a loss that names its field.

Over samples of the formats, over what hypothesis makes of them (fields added, lists in another order, links removed),
and over real files where they are at hand.
"""

import copy
import json
import os
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import ReadError
from ctxlab.formats import Import, read, read_data
from ctxlab.formats.apps import (
    chatbot_ui,
    chatgpt_message,
    claude_ai,
    claude_code_message,
    librechat,
    loom,
    open_webui,
)
from ctxlab.formats.decode import source_at

Data = dict[str, Any]
Place = tuple[str, ...]
LONGER_THAN = 10
FOLDED = re.compile(r"</?details[^>]*>")
OTHER_NAMES = {"content": ("blocks", "output"), "messages": ("content",)}
"""Words of losses for a part of a field."""


class Sample(NamedTuple):
    """A file of a format; `links` are fields by which messages are linked, `unread` those that no model reads."""

    data: Any
    links: tuple[str, ...]
    unread: frozenset[str]


def words(number: int) -> str:
    return f"the tide of day {number} 潮汐"


def claude_ai_sample() -> Any:
    def said(id: str, parent: str, *blocks: Data, **more: Any) -> Data:
        human = id.startswith("u")
        return {"uuid": id, "parent_message_uuid": parent, "sender": "human" if human else "assistant", "text": "",
                "content": list(blocks), "created_at": f"2026-01-01T00:00:0{id[1]}Z", **more}  # fmt: skip

    call = {"type": "tool_use", "id": "toolu_0001", "name": "web_search_of_tides", "input": {"query": words(4)}}
    result = {"type": "tool_result", "tool_use_id": "toolu_0001", "content": [{"type": "text", "text": words(5)}]}
    asked = said("u1", claude_ai_root(), {"type": "text", "text": words(1)},
                 attachments=[{"file_name": "tide table.txt", "extracted_content": words(2)}])  # fmt: skip
    answer = said(
        "a2", "u1", {"type": "thinking", "thinking": words(3)}, call, result, {"type": "text", "text": words(6)}
    )
    return [{"uuid": "chat-of-tides", "name": "All about tides", "chat_messages": [asked, answer], "summary": words(7)}]


def claude_ai_root() -> str:
    return "00000000-0000-4000-8000-000000000000"


def librechat_sample() -> Any:
    content = [
        {"type": "think", "think": words(3)},
        {"type": "tool_call", "tool_call": {"id": "call_of_tides", "name": "look_at_tides", "args": {"at": words(4)},
                                            "output": words(5)}},
        {"type": "text", "text": words(6)},
        {"type": "hologram", "hologram": words(8)},
    ]  # fmt: skip
    asked = {"messageId": "u1", "parentMessageId": "00000000-0000-0000-0000-000000000000", "text": words(1),
             "isCreatedByUser": True, "files": [{"filename": "tide table.txt", "text": words(2)}]}  # fmt: skip
    answer = {"messageId": "a1", "parentMessageId": "u1", "content": content, "text": "", "isCreatedByUser": False}
    options = {"promptPrefix": words(9), "greeting": words(10)}
    return {
        "conversationId": "chat-of-tides",
        "title": "All about tides",
        "messages": [asked, answer],
        "options": options,
    }


def open_webui_sample() -> Any:
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": words(3)}]},
        {"type": "function_call", "call_id": "call_of_tides", "name": "look_at_tides", "arguments": words(4)},
        {"type": "function_call_output", "call_id": "call_of_tides", "output": [{"type": "text", "text": words(5)}]},
        {"type": "message", "content": [{"type": "output_text", "text": words(6)}]},
    ]  # fmt: skip
    messages = {
        "u1": {"id": "u1", "parentId": None, "childrenIds": ["a1"], "role": "user", "content": words(1),
               "files": [{"name": "tide table.txt", "file": {"data": {"content": words(2)}}}]},
        "a1": {"id": "a1", "parentId": "u1", "childrenIds": ["u2"], "role": "assistant", "content": words(6),
               "output": output, "sources": [{"document": [words(7)]}]},
        "u2": {"id": "u2", "parentId": "a1", "childrenIds": ["a2"], "role": "user", "content": words(8)},
        "a2": {"id": "a2", "parentId": "u2", "childrenIds": [], "role": "assistant", "content":
               f'<details type="code_interpreter" done="true">{words(9)}</details>\n{words(10)}'},
    }  # fmt: skip
    chat = {
        "title": "All about tides",
        "history": {"currentId": "a2", "messages": messages},
        "params": {"system": words(11)},
    }
    return [{"id": "chat-of-tides", "chat": chat}]


def chatbot_ui_sample() -> Any:
    rows = [{"role": "user", "content": words(1)}, {"role": "assistant", "content": words(2)}]
    return {
        "version": 4,
        "history": [{"id": "chat-of-tides", "name": "All about tides", "messages": rows, "prompt": words(3)}],
    }


def chatgpt_sample() -> Any:
    def place(id: str, parent: str | None, child: str | None, role: str, text: str, **more: Any) -> Data:
        said = {
            "id": id,
            "author": {"role": role},
            "content": {"content_type": "text", "parts": [text]},
            "metadata": {},
            **more,
        }
        return {"id": id, "message": said, "parent": parent, "children": [child] if child else []}

    mapping = {
        "u1": place("u1", None, "a1", "user", words(1)),
        "a1": place("a1", "u1", "a2", "assistant", words(2), recipient="browser_of_tides"),
        "a2": place("a2", "a1", None, "assistant", words(3), metadata={"aggregate_result": {"output": words(4)}}),
    }
    return [{"title": "All about tides", "conversation_id": "chat-of-tides", "mapping": mapping, "current_node": "a2"}]


def claude_code_sample() -> Any:
    def line(id: str, parent: str | None, role: str, content: Any, **more: Any) -> Data:
        return {"type": role, "uuid": id, "parentUuid": parent, "sessionId": "session-of-tides",
                "cwd": "/home/of/tides", "message": {"role": role, "content": content}, **more}  # fmt: skip

    call = {"type": "tool_use", "id": "toolu_0001", "name": "LookAtTheTides", "input": {"query": words(2)}}
    result = {"type": "tool_result", "tool_use_id": "toolu_0001", "content": words(3)}
    return [
        line("u1", None, "user", words(1)),
        line("a1", "u1", "assistant", [{"type": "thinking", "thinking": words(4), "signature": "s" * 40}, call]),
        line("r1", "a1", "user", [result], toolUseResult={"stdout": words(3)}),
        line("a2", "r1", "assistant", [{"type": "text", "text": words(5)}, {"type": "hologram", "hologram": words(6)}]),
    ]


def loom_sample() -> Any:
    child = {"id": "b", "text": words(2), "children": [], "memories": [words(3)]}
    return {"root": {"id": "a", "text": words(1), "children": [child]}, "selected_node_id": "b", "memory": words(4)}


def openai_sample() -> Any:
    call = {"id": "call_of_tides", "type": "function", "function": {"name": "look_at_tides", "arguments": words(2)}}
    return [
        {"role": "user", "content": [{"type": "text", "text": words(1)}]},
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": words(3)},
        {"role": "tool", "tool_call_id": "call_of_tides", "content": words(4)},
    ]


SAMPLES = {
    "claude": Sample(claude_ai_sample(), ("parent_message_uuid",), claude_ai.BOOKKEEPING | {"account"}),
    "librechat": Sample(librechat_sample(), ("parentMessageId",), librechat.BOOKKEEPING - {"strangeParts"}),
    "open-webui": Sample(open_webui_sample(), ("parentId", "childrenIds"), open_webui.BOOKKEEPING - {"takenOut"}),
    "chatbot-ui": Sample(chatbot_ui_sample(), (), chatbot_ui.BOOKKEEPING),
    "chatgpt": Sample(chatgpt_sample(), ("parent", "children"), chatgpt_message.BOOKKEEPING - {"metadata"}),
    "claude-code": Sample(claude_code_sample(), ("parentUuid",), claude_code_message.BOOKKEEPING),
    "loom": Sample(loom_sample(), (), loom.BOOKKEEPING),
}  # fmt: skip
NAMES_OF_ALL = frozenset({"id", "uuid", "messageId", "conversationId", "conversation_id", "parent", "children"}) | {
    "call_id", "tool_call_id", "tool_use_id", "parent_message_uuid", "parentMessageId", "parentId", "childrenIds",
    "current_node", "currentId", "selected_node_id", "current_leaf_message_uuid",
}  # fmt: skip
"""Fields whose ids become a session's, or only link."""


def texts_in(data: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    if isinstance(data, str):
        yield from ((place, text) for text in FOLDED.split(data) if len(text) > LONGER_THAN)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from texts_in(value, (*place, str(key)))
    elif isinstance(data, list):
        for value in data:
            yield from texts_in(value, place)


def prompts_of(found: Import) -> str:
    """All that could be sent of an import, on any branch."""
    pieces: list[Any] = []
    for session in found.sessions:
        pieces += [session.id, session.name]
        for node in session.nodes.values():
            pieces += [node.id, node.content, node.name]
            metadata = node.to_data().get("metadata") or {}
            pieces += [
                metadata.get(key)
                for key in ("reasoningContent", "toolCallsRequested", "toolCall", "artifacts", "modelId")
            ]
            pieces += [value for key, value in metadata.items() if "rtifact" in key]
            for asset in node.to_data().get("attachments") or ():
                pieces.append({key: value for key, value in asset.items() if key in ("id", "name", "url", "fileId")})
                inline = asset.get("inlineData") or {}
                pieces.append(inline.get("base64"))
                if str(inline.get("mimeType", "")).startswith("text/"):
                    pieces.append(b64decode(inline["base64"]).decode("utf-8", "replace"))
    pieces += [agent.to_data() for agent in found.agents]
    return "\n".join(each if isinstance(each, str) else spelled(each) for each in pieces if each is not None)


def spelled(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def plain(text: str) -> str:
    return "".join(text.split())


def untold(data: Any, found: Import, unread: frozenset[str]) -> list[tuple[Place, str]]:
    """The texts that the law misses."""
    sent = plain(prompts_of(found))
    kept = spelled([session.to_data() for session in found.sessions])
    told = {word for loss in found.losses for word in re.findall(r"\w+", f"{loss.field} {loss.text}")}
    left_out = [loss for loss in found.losses if "left out" in loss.text]
    gone = {word for loss in left_out for word in re.findall(r"\w+", f"{loss.place} {loss.field} {loss.text[:40]}")}
    kinds = {kind for loss in found.losses for kind in re.findall("a part of type '([^']+)'", loss.text)}
    parts = [part for part in objects_in(data) if isinstance(part.get("type"), str) and part["type"] in kinds]
    in_parts = {text for part in parts for _, text in texts_in(part)}  # each is told of as a whole
    missed: list[tuple[Place, str]] = []
    for place, text in texts_in(data):
        if text in in_parts and spelled(text)[1:-1] in kept:
            continue
        if not unread.isdisjoint(place) or plain(text) in sent or plain(spelled(text)[1:-1]) in sent:
            continue
        if not place and left_out:  # a line that is nothing but a text
            continue
        names = {name for key in place for name in (key, *OTHER_NAMES.get(key, ()))}
        if gone.isdisjoint(names) and (spelled(text)[1:-1] not in kept or told.isdisjoint(names)):
            missed.append((place, text))
    return missed


@pytest.mark.parametrize("name", SAMPLES)
def test_every_text_of_a_sample_is_sent_or_told(name: str) -> None:
    sample = SAMPLES[name]
    found = read_data(copy.deepcopy(sample.data))
    assert found.format == name
    assert untold(sample.data, found, sample.unread | NAMES_OF_ALL) == []


def objects_in(data: Any) -> Iterator[Data]:
    if isinstance(data, dict):
        yield data
        for value in data.values():
            yield from objects_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from objects_in(value)


def lists_in(data: Any) -> Iterator[list[Any]]:
    if isinstance(data, list):
        yield data
    for value in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from lists_in(value)


@st.composite
def changed(draw: st.DrawFn) -> tuple[str, Any]:
    """A sample with a text more in any object, its lists in another order, or some of its links gone."""
    name = draw(st.sampled_from([*SAMPLES]))
    sample = SAMPLES[name]
    data = copy.deepcopy(sample.data)
    for _ in range(draw(st.integers(0, 2))):
        target = draw(st.sampled_from([*objects_in(data)]))
        target[draw(st.sampled_from(["excerpt", "remark", "hidden_words"]))] = draw(
            st.sampled_from(
                ["words of a remark", "一二三四五六七八九十十一", {"of": ["words deep inside"]}, ["words in a list"]]
            )
        )
    if draw(st.booleans()):
        target_list = draw(st.sampled_from([*lists_in(data)] or [[]]))
        target_list[:] = draw(st.permutations(target_list))
    for each in objects_in(data):
        for link in sample.links:
            if link in each and draw(st.integers(0, 5)) == 0:
                del each[link]
    return name, data


@settings(max_examples=400, deadline=None)
@given(changed())
def test_every_text_of_a_changed_sample_is_sent_or_told(case: tuple[str, Any]) -> None:
    name, data = case
    try:
        found = read_data(copy.deepcopy(data))
    except ReadError:
        return
    if found.format == name:
        assert untold(data, found, SAMPLES[name].unread | NAMES_OF_ALL) == []


SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared"))
EXPORTS = ("recordings/chat-exports/*.json", "claude-code-log/*.jsonl")
REAL = sorted(path for pattern in EXPORTS for path in SHARED.glob(f"data/{pattern}"))


@pytest.mark.skipif(not REAL, reason=f"real exports are not at hand: there are none in {SHARED / 'data'}")
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_every_text_of_a_real_export_is_sent_or_told(path: Path) -> None:
    found = read(path)
    assert untold(source_at(path, path.name).data, found, SAMPLES[found.format].unread | NAMES_OF_ALL) == []
