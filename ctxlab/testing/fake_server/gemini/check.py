"""Refusals of Google's Gemini API for a body, all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ctxlab.testing.fake_server.gemini.models import GeminiTraits, traits_of
from ctxlab.testing.fake_server.gemini.shape import COUNT_REQUEST, DATA, OWN_TOOLS, REQUEST, in_camel_case
from ctxlab.testing.fake_server.media import has_scheme, is_base64
from ctxlab.testing.fake_server.refusal import Body, Path, Report, SentSignatures
from ctxlab.testing.fake_server.shapes import as_text

READ_TYPES = ("image/", "audio/", "video/", "text/")
READ_DOCUMENTS = {
    "application/pdf",
    "application/json",
    "application/rtf",
    "application/x-javascript",
    "application/x-python",
}
UNCHECKED_SIGNATURES = {"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"}
"""Words that Google documents for histories whose signatures don't exist."""
Part = tuple[dict[str, Any], Path]


def check(body: Body, report: Report, *, model: str, counting: bool = False, sent: SentSignatures) -> None:
    """Report everything that generateContent would refuse; with `counting`, what countTokens would."""
    camel = in_camel_case(body)
    (COUNT_REQUEST if counting else REQUEST)(camel, (), report)
    inner: Path = ()
    if counting and isinstance(camel.get("generateContentRequest"), dict):
        camel, inner = camel["generateContentRequest"], ("generateContentRequest",)
    traits = traits_of(model or str(camel.get("model", "")))
    contents = _many(camel.get("contents"))
    turns = [(turn, _parts(turn, (*inner, "contents", index))) for index, turn in enumerate(contents)]
    if len(turns) == 1 and turns[0][0].get("role") == "model":
        report.refuse("single-turn", (*inner, "contents", 0, "role"), "a request of one turn is the user's")
    for turn, parts in turns:
        for part, path in parts:
            _part(part, path, turn.get("role", "user"), report)
            _media(part, path, report)
            _signature(part, path, sent, report)
    _system(camel.get("systemInstruction"), (*inner, "systemInstruction"), report)
    _call_turns(turns, report)
    if traits.needs_signatures:
        _missing_signatures(turns, report)
    _tools(camel, inner, traits, report)
    _parameters(camel, inner, traits, report)


def _many(value: Any) -> list[dict[str, Any]]:
    """The objects of a list, or of a single value that stands for a list of one."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    return [item if isinstance(item, dict) else {} for item in values]


def _parts(turn: dict[str, Any], path: Path) -> list[Part]:
    return [(part, (*path, "parts", index)) for index, part in enumerate(_many(turn.get("parts")))]


def _part(part: dict[str, Any], path: Path, role: Any, report: Report) -> None:
    held = [name for name in DATA if part.get(name) is not None]
    if len(held) != 1 and not (part.get("thoughtSignature") and not held):
        report.refuse("part-data", path, f"a part has one kind of data, this one {', '.join(held) or 'none'}")
    elif part.get("text") == "" and not part.get("thoughtSignature"):
        report.refuse("part-data", (*path, "text"), "the text of the part is empty")
    wrong = {"functionCall", "executableCode", "toolCall"} if role == "user" else {"functionResponse"}
    for name in sorted(wrong & {*held}):
        report.refuse("part-role", (*path, name), f"a turn of role {role} has no {name}")
    if role == "user" and part.get("thought"):
        report.refuse("part-role", (*path, "thought"), "thoughts are the model's")


def _media(part: dict[str, Any], path: Path, report: Report) -> None:
    blob, file = part.get("inlineData"), part.get("fileData")
    if isinstance(blob, dict):
        data, mime = blob.get("data"), blob.get("mimeType")
        if isinstance(data, str) and not is_base64(data, url_safe=True):
            report.refuse("base64", (*path, "inlineData", "data"), "the data is not base64")
        if isinstance(mime, str) and not mime.startswith(READ_TYPES) and mime not in READ_DOCUMENTS:
            report.refuse("mime-type", (*path, "inlineData", "mimeType"), f"files of type {mime} are not read")
    uri = file.get("fileUri") if isinstance(file, dict) else None
    if isinstance(uri, str) and not has_scheme(uri, "https", "gs"):
        report.refuse("url", (*path, "fileData", "fileUri"), "a file by address is at https or gs")


def _signature(part: dict[str, Any], path: Path, sent: SentSignatures, report: Report) -> None:
    signature = part.get("thoughtSignature")
    if not isinstance(signature, str) or not signature or signature in UNCHECKED_SIGNATURES:
        return
    if not is_base64(signature, url_safe=True):
        report.refuse("signature", (*path, "thoughtSignature"), "the signature is not base64")
    elif signature not in sent.thinking and not sent.trust_others:
        report.refuse("signature", (*path, "thoughtSignature"), "the signature was not given by this server")


def _system(system: Any, path: Path, report: Report) -> None:
    if not isinstance(system, dict):
        return
    for part, where in _parts(system, path):
        if not isinstance(part.get("text"), str) or not part["text"]:
            report.refuse("system-text", where, "a part of the system instruction has text")


def _holding(parts: Sequence[Part], name: str) -> list[tuple[dict[str, Any], Path]]:
    return [(part[name], (*path, name)) for part, path in parts if isinstance(part.get(name), dict)]


def _call_turns(turns: Sequence[tuple[dict[str, Any], list[Part]]], report: Report) -> None:
    waiting: list[tuple[dict[str, Any], Path]] = []
    before = ""
    for turn, parts in turns:
        calls, responses = _holding(parts, "functionCall"), _holding(parts, "functionResponse")
        path = parts[0][1][:-2] if parts else ()
        if responses and not waiting:
            report.refuse("response-orphan", responses[0][1], "no turn of calls stands right before these responses")
        elif waiting and len(responses) != len(waiting):
            wanted = f"{len(waiting)} calls, {len(responses)} responses in the next turn"
            report.refuse("call-unanswered", path or waiting[0][1], wanted)
        elif responses:
            _match(waiting, responses, report)
        if calls and before != "user":
            report.refuse("call-turn", path, "a turn of calls follows the user's turn")
        waiting, before = calls, turn.get("role", "user")
    if waiting:
        report.refuse("call-unanswered", waiting[0][1], "no responses follow these calls")


def _match(
    calls: Sequence[tuple[dict[str, Any], Path]], responses: Sequence[tuple[dict[str, Any], Path]], report: Report
) -> None:
    names = [as_text(call.get("name")) for call, _ in calls]
    ids = {as_text(call.get("id")) for call, _ in calls} - {""}
    seen: set[str] = set()
    for response, path in responses:
        name, id = as_text(response.get("name")), as_text(response.get("id"))
        if name not in names:
            report.refuse("response-name", (*path, "name"), f"no call has the name {name!r}")
        else:
            names.remove(name)
        if id and ids and (id not in ids or id in seen):
            report.refuse("response-name", (*path, "id"), f"no call that is still open has the id {id!r}")
        seen.add(id)


def _missing_signatures(turns: Sequence[tuple[dict[str, Any], list[Part]]], report: Report) -> None:
    """The present turn begins with the last content of the user that isn't a response."""
    starts = [
        i
        for i, (turn, parts) in enumerate(turns)
        if turn.get("role") != "model" and not _holding(parts, "functionResponse")
    ]
    for _, parts in turns[starts[-1] if starts else 0 :]:
        calling = [(part, path) for part, path in parts if isinstance(part.get("functionCall"), dict)]
        if calling and not calling[0][0].get("thoughtSignature"):
            report.refuse(
                "signature-missing",
                (*calling[0][1], "thoughtSignature"),
                "the first call of a step needs its signature",
            )


def _tools(body: dict[str, Any], inner: Path, traits: GeminiTraits, report: Report) -> None:
    tools = _many(body.get("tools"))
    names: set[str] = set()
    for declaration, path in _declarations(tools, inner):
        name, schema = as_text(declaration.get("name")), declaration.get("parameters")
        if name in names:
            report.refuse("tool-name-repeated", (*path, "name"), "two functions have this name")
        names.add(name)
        if schema is not None and declaration.get("parametersJsonSchema") is not None:
            report.refuse("tool-schema", (*path, "parametersJsonSchema"), "parameters are there in both forms")
        if isinstance(schema, dict) and str(schema.get("type", "")).upper() != "OBJECT":
            report.refuse("tool-schema", (*path, "parameters", "type"), "the type of parameters is OBJECT")
    generation = body.get("generationConfig")
    mime = generation.get("responseMimeType") if isinstance(generation, dict) else None
    if names and not traits.json_with_tools:
        if any(tool.get(name) is not None for tool in tools for name in OWN_TOOLS):
            report.refuse("tool-mix", (*inner, "tools"), "functions and the vendor's own tools don't go together")
        if mime == "application/json":
            path = (*inner, "generationConfig", "responseMimeType")
            report.refuse("json-with-tools", path, "JSON replies don't go with functions")
    _tool_choice(body.get("toolConfig"), names, inner, report)


def _declarations(tools: Sequence[dict[str, Any]], inner: Path) -> Iterator[Part]:
    for number, tool in enumerate(tools):
        for index, declaration in enumerate(_many(tool.get("functionDeclarations"))):
            yield declaration, (*inner, "tools", number, "functionDeclarations", index)


def _tool_choice(config: Any, names: set[str], inner: Path, report: Report) -> None:
    calling = config.get("functionCallingConfig") if isinstance(config, dict) else None
    allowed = calling.get("allowedFunctionNames") if isinstance(calling, dict) else None
    if not isinstance(calling, dict) or not allowed:
        return
    path: Path = (*inner, "toolConfig", "functionCallingConfig", "allowedFunctionNames")
    if str(calling.get("mode", "")).upper() not in {"ANY", "VALIDATED"}:
        report.refuse("tool-choice", path, "allowedFunctionNames go with mode ANY or VALIDATED")
    for index, name in enumerate(allowed if isinstance(allowed, list) else [allowed]):
        if as_text(name) not in names:
            report.refuse("tool-choice", (*path, index), f"no function {name!r} is declared")


def _parameters(body: dict[str, Any], inner: Path, traits: GeminiTraits, report: Report) -> None:
    path: Path = (*inner, "generationConfig")
    generation = body.get("generationConfig")
    if isinstance(generation, dict):
        limit = generation.get("maxOutputTokens")
        if isinstance(limit, int) and traits.reply_limit is not None and limit > traits.reply_limit:
            report.refuse(
                "reply-limit", (*path, "maxOutputTokens"), f"{limit} is above the limit of {traits.reply_limit}"
            )
        if generation.get("logprobs") is not None and generation.get("responseLogprobs") is not True:
            report.refuse("logprobs", (*path, "logprobs"), "logprobs need responseLogprobs: true")
        _response_schema(generation, path, report)
        if isinstance(generation.get("thinkingConfig"), dict):
            _thinking(generation["thinkingConfig"], (*path, "thinkingConfig"), traits, report)
    seen: set[str] = set()
    for index, setting in enumerate(_many(body.get("safetySettings"))):
        category = as_text(setting.get("category"))
        if category in seen:
            report.refuse(
                "safety-repeated", (*inner, "safetySettings", index, "category"), "the category is there twice"
            )
        seen.add(category)
    if body.get("cachedContent"):
        for name in ("systemInstruction", "tools", "toolConfig"):
            if body.get(name) is not None:
                report.refuse("cached-content", (*inner, name), f"{name} does not go with cachedContent")


def _response_schema(generation: dict[str, Any], path: Path, report: Report) -> None:
    schemas = [name for name in ("responseSchema", "responseJsonSchema") if generation.get(name) is not None]
    if len(schemas) == 2:
        report.refuse("json-schema", (*path, schemas[1]), "the schema of the reply is there in both forms")
    if schemas and generation.get("responseMimeType") not in ("application/json", "text/x.enum"):
        report.refuse(
            "json-schema", (*path, schemas[0]), "a schema of the reply needs responseMimeType application/json"
        )


def _thinking(config: dict[str, Any], path: Path, traits: GeminiTraits, report: Report) -> None:
    budget, level = config.get("thinkingBudget"), config.get("thinkingLevel")
    if traits.budgets is None and (budget is not None or level is not None or config.get("includeThoughts")):
        report.refuse("thinking-model", path, "the model does not think")
        return
    if budget is not None and level is not None:
        report.refuse("thinking-both", (*path, "thinkingLevel"), "thinkingBudget and thinkingLevel exclude each other")
    if level is not None and not traits.levels:
        report.refuse("thinking-model", (*path, "thinkingLevel"), "the model takes a thinkingBudget")
    if not isinstance(budget, int) or isinstance(budget, bool) or traits.budgets is None or budget < 0:
        return
    least, most = traits.budgets
    if not (least <= budget <= most or (budget == 0 and traits.may_stop_thinking)):
        report.refuse("thinking-budget", (*path, "thinkingBudget"), f"the budget is from {least} to {most}")
