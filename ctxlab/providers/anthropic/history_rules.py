"""Problems of a history for Anthropic: roles, empty texts, tool pairs, thoughts, files, the beginning of a reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, cast

from ctxlab.display.short_texts import short
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.anthropic.shapes import ASSISTANT_BLOCKS, SERVER_RESULTS, SYSTEM_BLOCKS, USER_BLOCKS
from ctxlab.providers.binary_rules import base64_problem
from ctxlab.providers.body_shapes import Found
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Fix, Problem
from ctxlab.providers.signatures import is_signature

MAX_IMAGE = 5 * 1024 * 1024
"""Bytes of a picture's base64."""
_ID = lazy_pattern(r"[a-zA-Z0-9_-]+")
_OF_ROLE = {
    "user": frozenset(USER_BLOCKS),
    "assistant": frozenset(ASSISTANT_BLOCKS),
    "system": frozenset(SYSTEM_BLOCKS),
}
THOUGHTS = ("thinking", "redacted_thinking")
_SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
NO_THINKING = Fix("switch thinking off", parameters={"thinkingEnabled": False})

Block = Mapping[str, Any]
Placed = tuple[JsonPath, Block]


@dataclass(slots=True, eq=False)
class _Turn:
    """Messages of one role in a row, which the API joins."""

    role: str
    at: JsonPath
    blocks: list[Placed] = field(default_factory=list[Placed])


def history_problems(body: Mapping[str, Any], model: ModelInfo, found: Found) -> None:
    """Add the problems of `messages` and `system`, beyond their shapes."""
    messages = _list(body.get("messages"))
    _texts(("system",), body.get("system"), found, role="system", has_calls=False)
    turns: list[_Turn] = []
    for i, message in enumerate(messages):
        if isinstance(message, dict):
            _message(cast("Block", message), ("messages", i), turns, found, last=i == len(messages) - 1)
    _system_places(turns, model, found)
    _tool_pairs(turns, found)
    for turn in turns:
        if turn.role == "assistant":
            _assistant(turn, found)
    _pictures(turns, model, found)
    _continued_turn(turns, body, found)
    if turns and turns[-1].role == "assistant":
        _beginning_of_reply(turns[-1], body, model, found)


def _message(message: Block, at: JsonPath, turns: list[_Turn], found: Found, *, last: bool) -> None:
    role, content = message.get("role"), message.get("content")
    if not isinstance(role, str) or role not in _OF_ROLE:
        return
    if not turns or turns[-1].role != role:
        turns.append(_Turn(role, at))
    inside = (*at, "content")
    if isinstance(content, str):
        turns[-1].blocks.append((inside, {"type": "text", "text": content}))
        begins = last and role == "assistant"  # an empty beginning of the reply is none
        if content.isspace() or (not content and not begins):
            _blank(inside, found)
        return
    blocks = _list(content)
    if not blocks and isinstance(content, list) and not (last and role == "assistant"):
        reason = "this message is empty; only a beginning of the reply at the end may be"
        found.append(Problem(inside, "empty-message", reason, "take the message out, or write something into it"))
    has_calls = False
    for number, each in enumerate(blocks):
        if not isinstance(each, dict):
            continue
        block = cast("Block", each)
        kind = block.get("type")
        has_calls = has_calls or kind == "tool_use"
        turns[-1].blocks.append(((*inside, number), block))
        if isinstance(kind, str) and kind not in _OF_ROLE[role] and any(kind in kinds for kinds in _OF_ROLE.values()):
            reason = f"a block of type {kind!r} is not taken from the {role}"
            found.append(Problem((*inside, number), "block-role", reason, f"take it out of the {role}'s message"))
    _texts(inside, content, found, role=role, has_calls=has_calls)


def _texts(at: JsonPath, content: object, found: Found, *, role: str, has_calls: bool) -> None:
    """Problems of texts without words; beside calls the model's white space is taken."""
    for number, each in enumerate(_list(content)):
        if not isinstance(each, dict):
            continue
        block = cast("Block", each)
        text = block.get("text") if block.get("type") == "text" else None
        if isinstance(text, str) and (not text or (text.isspace() and not (has_calls and role == "assistant"))):
            _blank((*at, number, "text"), found)
        if block.get("type") == "tool_result":
            _texts((*at, number, "content"), block.get("content"), found, role="result", has_calls=False)


def _blank(at: JsonPath, found: Found) -> None:
    found.append(Problem(at, "blank-text", "a text needs a character that is no white space", "take this text out"))


def _system_places(turns: Sequence[_Turn], model: ModelInfo, found: Found) -> None:
    for i, turn in enumerate(turns):
        if turn.role != "system":
            continue
        if model.system_inside is False:
            reason = f"{model.name or 'this model'} takes no system messages inside the history"
            found.append(
                Problem(turn.at, "system-inside", reason, "write it into the field 'system', or as the user's")
            )
        elif i == 0:
            reason = "the history can't begin with a system message"
            found.append(Problem(turn.at, "system-first", reason, "write it into the field 'system'"))
        elif not (turns[i - 1].role == "user" or _ends_with_server_tool(turns[i - 1])):
            reason = "a system message has to follow the user"
            found.append(Problem(turn.at, "system-place", reason, "move it behind a user's message, or send it as one"))
        elif i + 1 < len(turns) and turns[i + 1].role != "assistant":
            reason = "after a system message the model has to speak, or nobody"
            found.append(Problem(turn.at, "system-place", reason, "send it as the user's"))


def _ends_with_server_tool(turn: _Turn) -> bool:
    kind = turn.blocks[-1][1].get("type") if turn.blocks else None
    return turn.role == "assistant" and (kind in _SERVER_CALLS or kind in SERVER_RESULTS or kind == "mcp_tool_result")


def _tool_pairs(turns: Sequence[_Turn], found: Found) -> None:
    seen: set[str] = set()
    waiting: dict[str, JsonPath] = {}
    for turn in turns:
        if turn.role == "user":
            _results(turn, waiting, found)
        elif waiting and turn.role == "system":
            continue
        _unanswered(waiting, found)
        waiting = {}
        if turn.role == "assistant":
            waiting = _calls(turn, seen, found)
    _unanswered(waiting, found)


def _calls(turn: _Turn, seen: set[str], found: Found) -> dict[str, JsonPath]:
    waiting: dict[str, JsonPath] = {}
    for at, block in turn.blocks:
        kind, call_id = block.get("type"), block.get("id")
        if kind == "text" and waiting:
            reason = "words after a call stand between it and its result"
            found.append(Problem(at, "text-after-call", reason, "move the text in front of the calls"))
        if kind not in ("tool_use", *_SERVER_CALLS) or not isinstance(call_id, str):
            continue
        if call_id in seen:
            reason = f"two calls have the id {short(call_id)!r}"
            found.append(Problem((*at, "id"), "repeated-id", reason, "give the call and its result an id of their own"))
        elif call_id and not _ID.fullmatch(call_id):
            reason = "an id of a call has letters of ASCII, digits, _ and - alone"
            found.append(
                Problem((*at, "id"), "call-id", reason, "replace the other characters, here and in the result")
            )
        seen.add(call_id)
        if kind == "tool_use":
            waiting[call_id] = at
    return waiting


def _results(turn: _Turn, waiting: dict[str, JsonPath], found: Found) -> None:
    others = False
    answered: set[str] = set()
    for at, block in turn.blocks:
        if block.get("type") != "tool_result":
            others = True
            continue
        call_id = block.get("tool_use_id")
        if not isinstance(call_id, str):
            continue
        if call_id in waiting:
            del waiting[call_id]
            answered.add(call_id)
            if others:
                reason = "results stand before everything else in the message after their calls"
                found.append(Problem(at, "results-first", reason, "move it to the front of the message"))
        elif call_id in answered:
            reason = f"there is a result of {short(call_id)!r} already"
            found.append(Problem(at, "tool-pair", reason, "take one of the two out"))
        else:
            reason = f"no call {short(call_id)!r} stands in the message before"
            found.append(Problem(at, "tool-pair", reason, "take it out, or put the call in front of it"))


def _unanswered(waiting: Mapping[str, JsonPath], found: Found) -> None:
    for call_id, at in waiting.items():
        reason = f"the message after it has no result of {short(call_id)!r}"
        found.append(Problem(at, "tool-pair", reason, "take the call out, or put its result into the next message"))


def _assistant(turn: _Turn, found: Found) -> None:
    served: set[object] = set()
    for at, block in turn.blocks:
        kind = block.get("type")
        if kind in _SERVER_CALLS:
            served.add(block.get("id"))
        elif kind in SERVER_RESULTS or kind == "mcp_tool_result":
            if block.get("tool_use_id") not in served:
                reason = "no call of the vendor's tool with this id stands before it"
                found.append(Problem(at, "server-pair", reason, "take it out, or put the call in front of it"))
        elif kind in THOUGHTS:
            name = "signature" if kind == "thinking" else "data"
            if isinstance(block.get(name), str) and not is_signature(block[name]):
                reason = f"thoughts go back with what the vendor gave as {name!r}, and this is no base64"
                found.append(Problem((*at, name), "signature", reason, "take the block out"))
    if turn.blocks and turn.blocks[-1][1].get("type") in THOUGHTS:
        reason = "a message of the model can't end with thoughts"
        found.append(Problem(turn.blocks[-1][0], "thoughts-last", reason, "take the block out, or put words after it"))


def _continued_turn(turns: Sequence[_Turn], body: Mapping[str, Any], found: Found) -> None:
    """With a budget the turn that results continue begins with its thoughts; adaptive thinking doesn't ask for them."""
    thinking = body.get("thinking")
    if not isinstance(thinking, dict) or cast("Block", thinking).get("type") != "enabled" or len(turns) < 2:
        return
    called, answered = turns[-2:]
    kinds = [block.get("type") for _, block in called.blocks]
    results = any(block.get("type") == "tool_result" for _, block in answered.blocks)
    if called.role == "assistant" and results and "tool_use" in kinds and kinds[0] not in THOUGHTS:
        reason = "with a budget of thinking the turn that results continue begins with thoughts"
        mend = "put its thoughts in front with their signature, or switch thinking off"
        found.append(Problem(called.blocks[0][0], "thinking-first", reason, mend, fixes=(NO_THINKING,)))


def _beginning_of_reply(turn: _Turn, body: Mapping[str, Any], model: ModelInfo, found: Found) -> None:
    at, block = turn.blocks[-1] if turn.blocks else (turn.at, {})
    if block.get("type") not in ("text", None):
        return
    thinking = body.get("thinking")
    mode = cast("Block", thinking).get("type") if isinstance(thinking, dict) else None
    mend = "end the history with a message of the user"
    if model.prefill is False:
        reason = f"{model.name or 'this model'} takes no beginning of its reply at the end of the history"
        found.append(Problem(turn.at, "prefill-model", reason, mend))
    elif mode in ("enabled", "adaptive", "between_tools"):
        reason = "a model that thinks takes no beginning of its reply at the end of the history"
        found.append(
            Problem(turn.at, "prefill-thinking", reason, f"{mend}, or switch thinking off", fixes=(NO_THINKING,))
        )
    elif _has_format(body):
        reason = "with a JSON schema the model takes no beginning of its reply"
        found.append(Problem(turn.at, "prefill-format", reason, mend))
    text = block.get("text")
    if isinstance(text, str) and text and not text.isspace() and text != text.rstrip():
        where = at if len(at) == 3 else (*at, "text")
        reason = "the beginning of a reply can't end with white space"
        found.append(Problem(where, "trailing-space", reason, "cut the white space off"))


def _has_format(body: Mapping[str, Any]) -> bool:
    config = body.get("output_config")
    return "output_format" in body or (isinstance(config, dict) and bool(cast("Block", config).get("format")))


def _pictures(turns: Sequence[_Turn], model: ModelInfo, found: Found) -> None:
    most = 100 if model.context_window is not None and model.context_window < 1_000_000 else 600
    pictures = 0
    for at, block in _with_inner(turns):
        kind, source = block.get("type"), block.get("source")
        if kind not in ("image", "document") or not isinstance(source, dict):
            continue
        own = cast("Block", source)
        pictures += kind == "image"
        if kind == "image" and pictures == most + 1:
            reason = f"a request has at most {most} pictures"
            found.append(Problem(at, "picture-count", reason, f"take away all but {most}"))
        if not model.capabilities.reads("image" if kind == "image" else "document") and model.capabilities.known:
            reason = f"{model.name} reads no {'pictures' if kind == 'image' else 'documents'}"
            found.append(Problem(at, "unread-file", reason, "take it out, or choose a model that reads it"))
        _source(own, (*at, "source"), kind, found)


def _source(source: Block, at: JsonPath, kind: str, found: Found) -> None:
    data, url = source.get("data"), source.get("url")
    if source.get("type") == "base64" and isinstance(data, str):
        mime_type = source.get("media_type")
        problem = base64_problem(data, (*at, "data"), mime_type if kind == "image" else None)
        if problem is not None:
            found.append(problem)
        elif kind == "image" and len(data) > MAX_IMAGE:
            reason = f"a picture has at most {MAX_IMAGE:,} bytes of base64, and this one {len(data):,}"
            found.append(Problem((*at, "data"), "picture-size", reason, "send it smaller"))
    elif source.get("type") == "url" and isinstance(url, str) and not url.startswith("https://"):
        reason = "the vendor fetches files by https alone"
        found.append(Problem((*at, "url"), "url-scheme", reason, "give a link that begins with https://"))


def _with_inner(turns: Sequence[_Turn]) -> Iterator[Placed]:
    for turn in turns:
        for at, block in turn.blocks:
            if "source" in block:
                yield at, block
            elif block.get("type") == "tool_result":
                for i, inner in enumerate(_list(block.get("content"))):
                    if isinstance(inner, dict):
                        yield (*at, "content", i), cast("Block", inner)


def _list(value: object) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list | tuple) else ()
