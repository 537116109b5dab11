"""One message of a Claude Code log as the fields of nodes: a line with results of several tools becomes several."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, cast

from ctxlab.documents.session.replay_artifacts import ARTIFACTS
from ctxlab.formats.openai.content_parts import inline_file
from ctxlab.formats.results import Loss, texts_aside, unused_fields
from ctxlab.lazy_dataclass import dataclass

Data = dict[str, Any]

ROLES = ("user", "assistant")
OF_THE_LINE = {"uuid": str, "parentUuid": str, "sessionId": str, "timestamp": str, "type": str, "isSidechain": bool}
"""Fields of a line for its place and kind, with the values that are read."""
OF_THE_MESSAGE = {"role": str, "model": str}
BOOKKEEPING = frozenset(
    {"uuid", "parentUuid", "logicalParentUuid", "sessionId", "timestamp", "cwd", "version", "gitBranch", "userType"}
    | {
        "requestId",
        "toolUseResult",
        "mcpMeta",
        "slug",
        "agentId",
        "agentName",
        "teamName",
        "permissionMode",
        "promptId",
    }
    | {"entrypoint", "sourceToolAssistantUUID", "sourceToolUseID", "thinkingMetadata", "todos", "imagePasteIds"}
    | {"forkedFrom", "origin", "error", "apiError", "lines", "id", "model", "usage", "stop_reason", "container", "type"}
    | {"role", "agentSetting", "attributionAgent", "attributionSkill", "attributionPlugin", "attributionMcpServer"}
    | {"interruptedMessageId", "errorDetails", "summarizeMetadata", "diagnostics", "context_management", "parts"}
)
"""Fields in which the program notes where, when and with what it ran, and the results as its screen shows them."""
FILES = {"image": "image", "document": "document"}


@dataclass(slots=True)
class _Blocks:
    """The blocks of a message's content, sorted."""

    texts: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    files: list[Data] = field(default_factory=list[Data])
    calls: list[Data] = field(default_factory=list[Data])
    results: list[Data] = field(default_factory=list[Data])
    strange: list[Any] = field(default_factory=list[Any])
    artifacts: list[Data] = field(default_factory=list[Data])
    """Thoughts as Anthropic wants them back, each with its place."""
    untaken: list[Data] = field(default_factory=list[Data])
    """Those of them that came after a text or a call, before the next call is there."""


def nodes_of(lines: Sequence[tuple[str, Data]], tools: dict[str, str], losses: list[Loss]) -> list[Data]:
    """The fields of the nodes, at least one, that the lines of one message become, each with its place.

    `tools` remembers the tools' names by call.
    """
    place, first = lines[0]
    messages = [_message(line, where, losses) for where, line in lines]
    rest = _rest_of([(line, message) for (_, line), message in zip(lines, messages, strict=True)])
    role = messages[0].get("role", first.get("type"))
    if first.get("type") in ROLES:
        losses += texts_aside(place, rest, BOOKKEEPING)
    if first.get("type") not in ROLES:
        losses += texts_aside(place, {"message": first.get("message")}, BOOKKEEPING)
        return [_of_the_program(first, rest)]
    if role not in ROLES:
        losses.append(Loss(place, f"role {role!r} is not known; it is a user message now"))
        rest[free_name(rest, "role")] = role
    blocks = _Blocks()
    for (where, line), message in zip(lines, messages, strict=True):
        _sort(message, where, str(line["uuid"]), blocks, losses)
    tools.update((call["requestId"], call["toolName"]) for call in blocks.calls)
    nodes = [_result(result, tools) for result in blocks.results]
    if blocks.texts or blocks.files or blocks.calls or blocks.thoughts or blocks.artifacts or not nodes:
        nodes.append(_node("assistant" if role == "assistant" else "user", blocks, messages))
    if blocks.untaken:
        losses.append(Loss(place, "thoughts after a text, and no call after them; they come first now"))
    if blocks.strange:
        rest[free_name(rest, "parts")] = blocks.strange
    if rest:
        nodes[0]["metadata"] = {**nodes[0].get("metadata", {}), "claudeCode": rest}
    if isinstance(first.get("timestamp"), str):
        nodes = [{**node, "timestamp": first["timestamp"]} for node in nodes]
    return nodes


def _rest_of(lines: Sequence[tuple[Data, Data]]) -> Data:
    """Metadata of a message's lines; the last line counts, differing values of others are under `lines`."""
    each = [_rest(line, message) for line, message in lines]
    rest: Data = {}
    for own in each:
        inner = {**rest.get("message", {}), **own.get("message", {})}
        rest |= {**own, "message": inner} if inner else own
    if len(lines) > 1:
        rest[free_name(rest, "lines")] = [
            {"uuid": line["uuid"], "timestamp": line.get("timestamp"), **_differing(own, rest)}
            for (line, _), own in zip(lines, each, strict=True)
        ]
    return rest


def _differing(own: Data, rest: Data) -> Data:
    others = {key: value for key, value in own.items() if key != "message" and value != rest[key]}
    inner = {key: value for key, value in own.get("message", {}).items() if value != rest["message"][key]}
    return {**others, "message": inner} if inner else others


def _rest(line: Data, message: Data) -> Data:
    rest = _unread({key: value for key, value in line.items() if key != "message"}, OF_THE_LINE)
    if line.get("isSidechain") is True:
        rest["isSidechain"] = True
    if line.get("type") in ROLES and message.get("role", line["type"]) != line["type"]:
        rest["type"] = line["type"]
    inner = _unread({key: value for key, value in message.items() if key != "content"}, OF_THE_MESSAGE)
    if inner.get("type") == "message":
        del inner["type"]
    return {**rest, "message": inner} if inner else rest


def _unread(fields: Data, read: Mapping[str, type]) -> Data:
    """Fields that aren't read: unknown names, and values of a wrong type; null is no value."""
    return {
        key: value
        for key, value in fields.items()
        if value is not None and not (key in read and isinstance(value, read[key]))
    }


def free_name(rest: Data, name: str) -> str:
    """A name that no field of the line has."""
    return name if name not in rest else free_name(rest, f"{name}~2")


def _message(line: Data, place: str, losses: list[Loss]) -> Data:
    message = line.get("message")
    if isinstance(message, dict):
        return cast("Data", message)
    if line.get("type") in ROLES:
        losses.append(Loss(place, f"its message is {type(message).__name__}, not an object; its text is used"))
        return {"content": "" if message is None else str(message)}
    return {}


def _of_the_program(line: Data, rest: Data) -> Data:
    """A line that the program wrote for itself or for the screen: it links messages, but the model never saw it."""
    content = line.get("content")
    text = content if isinstance(content, str) else ""
    if text:
        del rest["content"]
    if isinstance(line.get("message"), dict):
        rest["message"] = line["message"]
    node: Data = {"role": "system", "content": text, "isEnabled": False}
    if isinstance(line.get("timestamp"), str):
        node["timestamp"] = line["timestamp"]
    return {**node, "metadata": {"claudeCode": {"type": line.get("type"), **rest}}}


def _node(role: str, blocks: _Blocks, messages: Sequence[Data]) -> Data:
    node: Data = {"role": role, "content": "\n".join(blocks.texts)}
    metadata: Data = {}
    if blocks.files:
        node["attachments"] = blocks.files
    if blocks.calls:
        metadata["toolCallsRequested"] = blocks.calls
    if blocks.thoughts:
        metadata["reasoningContent"] = "\n\n".join(blocks.thoughts)
    if blocks.artifacts:
        metadata[ARTIFACTS] = blocks.artifacts
    model = next((message["model"] for message in messages if isinstance(message.get("model"), str)), None)
    if model is not None:
        metadata["modelId"] = model
    return {**node, "metadata": metadata} if metadata else node


def _result(result: Data, tools: dict[str, str]) -> Data:
    call_id = result["requestId"]
    answered: Data = {"requestId": call_id, **({"toolName": tools[call_id]} if call_id in tools else {})}
    if result["failed"]:
        answered["status"] = "error"
    node: Data = {"role": "tool", "content": result["text"], "metadata": {"toolCall": answered}}
    return {**node, "attachments": result["files"]} if result["files"] else node


# --- blocks of content


def _sort(message: Data, place: str, uuid: str, blocks: _Blocks, losses: list[Loss]) -> None:
    if "content" not in message:
        losses.append(Loss(place, "it has no content; it is empty now"))
    for number, block in _numbered(message.get("content"), place, losses):
        where = f"{place}.content[{number}]"
        if (text := _text(block, where, losses)) is not None:
            if blocks.calls or blocks.files:
                losses.append(Loss(where, "text after a call or a file; text comes first now"))
            blocks.texts.append(text)
            continue
        fields = cast("Data", block) if isinstance(block, dict) else {}
        match fields.get("type"):
            case "thinking" if isinstance(fields.get("thinking"), str):
                sealed = ("signature",) if isinstance(fields.get("signature"), str) else ()
                losses += unused_fields(where, _other(fields, "thinking", *sealed), "a thought")
                blocks.thoughts += filter(None, [fields["thinking"]])
                _keep_thought(fields, where, ("thinking", "signature"), blocks, losses)
            case "redacted_thinking" if isinstance(fields.get("data"), str):
                losses += unused_fields(where, _other(fields, "data"), "a thought")
                _keep_thought(fields, where, ("data",), blocks, losses)
            case "tool_use":
                blocks.calls.append(_call(fields))
                for artifact in blocks.untaken:
                    artifact["before"] = blocks.calls[-1]["requestId"]
                blocks.untaken.clear()
            case "tool_result":
                if blocks.texts:
                    losses.append(Loss(where, "a result after text; results come first now"))
                blocks.results.append(_answer(fields, where, f"{uuid}-{number}", losses))
            case _ if (file := _file(fields, f"{uuid}-part-{number}")) is not None:
                blocks.files.append(file)
            case kind:
                shown = kind if fields else block
                blocks.strange.append(block)
                losses.append(Loss(where, f"a part of type {shown!r:.40} is kept in the metadata only"))


def _keep_thought(fields: Data, where: str, names: Sequence[str], blocks: _Blocks, losses: list[Loss]) -> None:
    """Keep a thought as Anthropic wants it back; without a signature it isn't taken back."""
    sealed = fields.get(names[-1])
    if not isinstance(sealed, str) or not sealed.strip():
        losses.append(Loss(where, "a thought without a signature, which can't be sent again"))
        return
    item = {"type": fields["type"], **{name: fields[name] for name in names}}
    artifact: Data = {"wire": "anthropic", "item": item, "before": "text", "replayPolicy": "always"}
    blocks.artifacts.append(artifact)
    if blocks.texts or blocks.calls:
        blocks.untaken.append(artifact)


def _numbered(content: Any, place: str, losses: list[Loss]) -> Iterator[tuple[int, Any]]:
    if isinstance(content, list):
        return enumerate(cast("list[Any]", content))
    if content is None or content == "":
        return enumerate(())
    if not isinstance(content, str):
        losses.append(Loss(place, "content is no text; its JSON is used"))
        content = json.dumps(content, ensure_ascii=False)
    return enumerate([content])


def _text(block: Any, where: str, losses: list[Loss]) -> str | None:
    if isinstance(block, str):
        return block
    fields = cast("Data", block) if isinstance(block, dict) else {}
    if fields.get("type") != "text" or not isinstance(fields.get("text"), str):
        return None
    losses += unused_fields(where, _other(fields, "text"))
    return fields["text"]


def _other(fields: Data, *known: str) -> list[str]:
    """Names of the fields of a block that say something beyond the known ones."""
    return [key for key, value in fields.items() if key not in ("type", *known) and value is not None]


def _call(fields: Data) -> Data:
    rest = {key: fields[key] for key in _other(fields, "id", "name", "input")}
    call = {"requestId": str(fields.get("id") or ""), "toolName": str(fields.get("name") or "")}
    call["args"] = fields.get("input", {})
    return {
        **{free_name(call, key) if key != "function" else "function~2": value for key, value in rest.items()},
        **call,
    }


def _answer(fields: Data, where: str, name: str, losses: list[Loss]) -> Data:
    texts: list[str] = []
    files: list[Data] = []
    read = ("tool_use_id", "content", *(["is_error"] if isinstance(fields.get("is_error"), bool) else []))
    losses += unused_fields(where, _other(fields, *read), "a result")
    for number, block in _numbered(fields.get("content"), where, losses):
        inner = f"{where}.content[{number}]"
        if (text := _text(block, inner, losses)) is not None:
            texts.append(text)
        elif (file := _file(block, f"{name}-part-{number}")) is not None:
            files.append(file)
        else:
            losses.append(Loss(inner, "neither text nor picture; its JSON is used"))
            texts.append(json.dumps(block, ensure_ascii=False))
    return {
        "requestId": str(fields.get("tool_use_id") or ""),
        "failed": fields.get("is_error") is True,
        "text": "\n".join(texts),
        "files": files,
    }


def _file(block: Any, asset_id: str) -> Data | None:
    fields = cast("Data", block) if isinstance(block, dict) else {}
    kind, source = FILES.get(str(fields.get("type"))), fields.get("source")
    if kind is None or not isinstance(source, dict):
        return None
    file: Data = {"id": asset_id, "type": kind}
    titled = isinstance(fields.get("title"), str)
    if titled:
        file["name"] = fields["title"]
    body = cast("Data", source)
    rest: Data = {key: fields[key] for key in _other(fields, "source", *(["title"] if titled else []))}
    if isinstance(body.get("data"), str) and body.get("type") == "base64":
        file |= inline_file(body["data"], str(body.get("media_type") or "application/octet-stream"))
        more = _other(body, "data", "media_type")
    elif isinstance(body.get("url"), str):
        file["url"] = body["url"]
        more = _other(body, "url")
    else:
        return None
    if more:
        rest["source"] = {key: body[key] for key in more}
    return {**file, "claudeCode": rest} if rest else file
