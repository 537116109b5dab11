"""Refusals of Anthropic's Messages API for a body, all of them, in the order of the body's parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeGuard

from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.testing.fake_server.anthropic.models import ClaudeTraits, traits_of
from ctxlab.testing.fake_server.anthropic.shape import COUNT_REQUEST, REQUEST
from ctxlab.testing.fake_server.anthropic.turns import THOUGHTS, Block, Turn, blocks_of, turns_of
from ctxlab.testing.fake_server.media import has_scheme, is_base64, picture_type, size_of_base64
from ctxlab.testing.fake_server.refusal import Body, Path, Report, SentSignatures
from ctxlab.testing.fake_server.shapes import as_text

ONLY_USER = {"image", "search_result", "tool_result", "container_upload"}
ONLY_ASSISTANT = {"thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use", "compaction"}
OLD_VERSIONS = {"2023-06-01"}
LARGEST_PICTURE = 5 * 1024 * 1024
MOST_MARKS = 4
SIGNATURE = lazy_pattern(r"[A-Za-z0-9+/_=-]+")


def check(body: Body, report: Report, *, version: str, counting: bool = False, sent: SentSignatures) -> None:
    """Report everything that this version of the Messages API would refuse; with `counting`, the API that counts."""
    (COUNT_REQUEST if counting else REQUEST)(body, (), report)
    traits = traits_of(body["model"]) if isinstance(body.get("model"), str) else ClaudeTraits()
    given = body.get("messages")
    messages: list[Any] = given if isinstance(given, list) else []
    turns = turns_of(messages)
    _parameters(body, traits, report)
    _sampling(body, traits, report, removed=version not in OLD_VERSIONS)
    _contents(messages, report)
    _tools(body, report)
    for block in _all_blocks(body, turns):
        _media(block, report)
    pictures = sum(block.type == "image" for block in _all_blocks(body, turns))
    if pictures > traits.pictures:
        report.refuse("picture-count", ("messages",), f"{pictures} pictures, at most {traits.pictures} go")
    _system_places(turns, traits, report)
    _roles(turns, report, old=version in OLD_VERSIONS)
    _tool_pairs([turn for turn in turns if turn.role != "system"], report)
    _thoughts(turns, sent, report)
    _ending(body, turns, traits, report)
    _cache_marks(body, turns, report)


def _parameters(body: Body, traits: ClaudeTraits, report: Report) -> None:
    limit, most = body.get("max_tokens"), traits.reply_limit
    if _whole(limit) and most is not None and limit > most:
        report.refuse("reply-limit", ("max_tokens",), f"{limit} is above the model's limit of {most}")
    _thinking_setting(body, traits, report)
    output = body.get("output_config")
    effort = output.get("effort") if isinstance(output, dict) else None
    if isinstance(effort, str) and effort not in traits.efforts:
        report.refuse("effort-model", ("output_config", "effort"), f"the model has no effort {effort!r}")
    for index, stop in enumerate(body["stop_sequences"] if isinstance(body.get("stop_sequences"), list) else []):
        if isinstance(stop, str) and not stop.strip():
            report.refuse("stop-blank", ("stop_sequences", index), "a stop sequence needs more than white space")


def _sampling(body: Body, traits: ClaudeTraits, report: Report, *, removed: bool) -> None:
    sampling = {name: body[name] for name in ("temperature", "top_p", "top_k") if name in body}
    if removed:
        for name in sampling:
            report.refuse("sampling-version", (name,), f"this version of the API has no {name}")
        return
    if not traits.sampling:
        for name in [name for name, value in sampling.items() if name == "top_k" or value != 1]:
            report.refuse("sampling-model", (name,), f"the model takes no {name}")
    if traits.one_sampling and {"temperature", "top_p"} <= sampling.keys():
        report.refuse("sampling-both", ("top_p",), "the model takes temperature or top_p, not both")
    if _thinks(body):
        _sampling_with_thinking(sampling, report)


def _sampling_with_thinking(sampling: dict[str, Any], report: Report) -> None:
    if sampling.get("temperature", 1) != 1:
        report.refuse("sampling-thinking", ("temperature",), "with thinking the temperature is 1")
    top_p = sampling.get("top_p")
    if _number(top_p) and top_p < 0.95:
        report.refuse("sampling-thinking", ("top_p",), "with thinking top_p is at least 0.95")
    if "top_k" in sampling:
        report.refuse("sampling-thinking", ("top_k",), "top_k does not go with thinking")


def _thinking_setting(body: Body, traits: ClaudeTraits, report: Report) -> None:
    setting = body.get("thinking")
    if not isinstance(setting, dict):
        return
    kind, budget, limit = setting.get("type"), setting.get("budget_tokens"), body.get("max_tokens")
    if kind in ("enabled", "adaptive", "disabled", "between_tools") and kind not in traits.thinking:
        takes = ", ".join(sorted(traits.thinking)) or "none"
        report.refuse("thinking-model", ("thinking", "type"), f"the model does not take {kind!r}; it takes {takes}")
    if kind == "enabled" and _whole(budget) and _whole(limit) and budget >= limit:
        report.refuse("thinking-budget", ("thinking", "budget_tokens"), f"{budget} is not below max_tokens, {limit}")
    choice = body.get("tool_choice")
    if _thinks(body) and isinstance(choice, dict) and choice.get("type") in ("any", "tool"):
        report.refuse("tool-choice-thinking", ("tool_choice", "type"), "with thinking only auto or none go")


def _contents(messages: list[Any], report: Report) -> None:
    for index, message in enumerate(messages):
        content = message.get("content") if isinstance(message, dict) else None
        path = ("messages", index, "content")
        is_prefill = index == len(messages) - 1 and isinstance(message, dict) and message.get("role") == "assistant"
        if content in ("", []):
            if not is_prefill:
                report.refuse("content-empty", path, "only an assistant's last message may be empty")
            continue
        blocks = [*blocks_of(content, path)]
        for block in blocks:
            if block.type == "text" and block.value.get("text") == "":
                report.refuse("text-empty", _text_path(block), "a text block is empty")
        if blocks and all(_is_blank(block) for block in blocks):
            report.refuse("text-empty", path, "the message has nothing but white space")


def _is_blank(block: Block) -> bool:
    words = block.value.get("text")
    return block.type == "text" and isinstance(words, str) and words != "" and not words.strip()


def _text_path(block: Block) -> Path:
    return (*block.path, "text") if isinstance(block.path[-1], int) else block.path


def _all_blocks(body: Body, turns: list[Turn]) -> Iterator[Block]:
    """Every block of the request, those inside of tool results too."""
    yield from blocks_of(body.get("system"), ("system",))
    for turn in turns:
        for block in turn.blocks:
            yield block
            if block.type == "tool_result":
                yield from blocks_of(block.value.get("content"), (*block.path, "content"))


def _media(block: Block, report: Report) -> None:
    source, path = block.value.get("source"), (*block.path, "source")
    if block.type not in {"image", "document"} or not isinstance(source, dict):
        return
    data, url = source.get("data"), source.get("url")
    if source.get("type") == "url" and isinstance(url, str) and not has_scheme(url, "https"):
        report.refuse("url", (*path, "url"), "files by address are read from https only")
    if source.get("type") != "base64" or not isinstance(data, str):
        return
    if not is_base64(data):
        report.refuse("base64", (*path, "data"), "the data is not base64")
    elif block.type == "image":
        said, found = source.get("media_type"), picture_type(data)
        if found is not None and found != said:
            report.refuse("picture-type", (*path, "media_type"), f"the picture is {found}, said to be {said}")
        if size_of_base64(data) > LARGEST_PICTURE:
            report.refuse("picture-size", (*path, "data"), "the picture has more than 5 MB")


def _tools(body: Body, report: Report) -> None:
    tools = [tool for tool in body["tools"] if isinstance(tool, dict)] if isinstance(body.get("tools"), list) else []
    names = Counter(tool.get("name") for tool in tools if isinstance(tool.get("name"), str))
    for index, tool in enumerate(tools):
        schema = tool.get("input_schema")
        if isinstance(schema, dict) and schema.get("type") != "object":
            report.refuse("tool-schema", ("tools", index, "input_schema", "type"), "the type of a schema is object")
        if names[as_text(tool.get("name"))] > 1:
            report.refuse("tool-name-repeated", ("tools", index, "name"), "two tools have this name")
    choice = body.get("tool_choice")
    if isinstance(choice, dict):
        if not tools:
            report.refuse("tool-choice", ("tool_choice",), "tool_choice needs tools")
        elif choice.get("type") == "tool" and as_text(choice.get("name")) not in names:
            report.refuse("tool-choice", ("tool_choice", "name"), "no tool has this name")


def _system_places(turns: list[Turn], traits: ClaudeTraits, report: Report) -> None:
    for before, turn, after in zip([None, *turns], turns, [*turns[1:], None], strict=False):
        if turn.role != "system":
            continue
        if not traits.system_messages:
            report.refuse("system-model", (*turn.path, "role"), "the model takes no system messages here")
            continue
        ends_in_tool = bool(before and before.blocks and before.blocks[-1].type.endswith("_tool_result"))
        if before is None or (before.role == "assistant" and not ends_in_tool):
            report.refuse("system-place", turn.path, "a system message follows a user turn")
        elif after is not None and after.role == "user":
            report.refuse("system-place", turn.path, "a system message ends the array or precedes the assistant")


def _roles(turns: list[Turn], report: Report, *, old: bool) -> None:
    for turn in turns:
        for block in turn.blocks:
            if turn.role == "user" and block.type == "text" and block.value.get("citations") and not old:
                report.refuse("citations-user", (*block.path, "citations"), "a text of the user has no citations")
            wrong = (ONLY_USER if old else ONLY_USER | {"document"}) if turn.role == "assistant" else ONLY_ASSISTANT
            if block.type in wrong or (turn.role == "system" and block.type != "text"):
                report.refuse("block-role", block.path, f"a message of role {turn.role} has no {block.type} blocks")


def _tool_pairs(turns: list[Turn], report: Report) -> None:
    seen: set[str] = set()
    for position, turn in enumerate(turns):
        if turn.role == "assistant":
            answers = turns[position + 1] if position + 1 < len(turns) else None
            _calls(turn, answers, seen, report)
        elif turn.role == "user":
            _results(turn, turns[position - 1] if position else None, report)


def _calls(turn: Turn, answers: Turn | None, seen: set[str], report: Report) -> None:
    results = answers.of("tool_result") if answers else []
    answered = {as_text(block.value.get("tool_use_id")) for block in results}
    called = False
    for block in turn.blocks:
        if block.type == "tool_use":
            called, id = True, as_text(block.value.get("id"))
            if id in seen:
                report.refuse("tool-id-repeated", (*block.path, "id"), f"the id {id!r} is there twice")
            seen.add(id)
            if id not in answered:
                report.refuse("tool-unanswered", block.path, f"the next turn has no tool_result for {id!r}")
        elif called and block.type == "text":
            report.refuse("tool-use-last", block.path, "a text after a tool_use parts it from its result")


def _results(turn: Turn, before: Turn | None, report: Report) -> None:
    calls = {as_text(block.value.get("id")) for block in before.of("tool_use")} if before else set[str]()
    answered: set[str] = set()
    others = False
    for block in turn.blocks:
        if block.type != "tool_result":
            others = True
            continue
        id = as_text(block.value.get("tool_use_id"))
        if id not in calls:
            report.refuse("tool-orphan", (*block.path, "tool_use_id"), f"no tool_use before it has the id {id!r}")
        elif others:
            report.refuse("tool-result-first", block.path, "results come first in their turn")
        if id in answered:
            report.refuse("tool-id-repeated", (*block.path, "tool_use_id"), f"{id!r} is answered twice")
        answered.add(id)


def _thoughts(turns: list[Turn], sent: SentSignatures, report: Report) -> None:
    for turn in turns:
        for block in turn.of("thinking"):
            _signature(block, "signature", sent, report)
        for block in turn.of("redacted_thinking"):
            _signature(block, "data", sent, report)
        if turn.blocks and turn.blocks[-1].type in THOUGHTS:
            report.refuse("thinking-last", turn.blocks[-1].path, "a turn does not end with thinking")


def _signature(block: Block, name: str, sent: SentSignatures, report: Report) -> None:
    signature, path = block.value.get(name), (*block.path, name)
    if not isinstance(signature, str):
        return
    known = sent.thinking.get(signature)
    if SIGNATURE.fullmatch(signature) is None:
        report.refuse("signature", path, "the signature is empty or none that was given")
    elif known is None and not sent.trust_others:
        report.refuse("signature", path, "the signature was not given by this server")
    elif known is not None and block.type == "thinking" and block.value.get("thinking") not in (known, ""):
        report.refuse("signature", path, "the thinking is not the one that was signed")


def _ending(body: Body, turns: list[Turn], traits: ClaudeTraits, report: Report) -> None:
    if not turns:
        return
    setting, last = body.get("thinking"), turns[-1]
    if (
        isinstance(setting, dict)
        and setting.get("type") == "enabled"
        and last.role == "user"
        and last.of("tool_result")
    ):
        start = turns[-2].blocks[:1] if len(turns) > 1 else []
        if start and start[0].type not in THOUGHTS and turns[-2].of("tool_use"):
            report.refuse("thinking-first", (*start[0].path, "type"), "with a budget this turn begins with thinking")
    if last.role != "assistant":
        return
    final = last.blocks[-1] if last.blocks else None
    if final is not None and (final.type == "server_tool_use" or final.type.endswith("_tool_result")):
        return  # a pause in the vendor's own tools, to go on from
    if not traits.prefill:
        report.refuse("prefill-model", last.path, "the model takes no prefill; the last message is the user's")
    if _thinks(body):
        report.refuse("prefill-thinking", last.path, "a prefill does not go with thinking")
    words = final.value.get("text") if final is not None else None
    if final is not None and isinstance(words, str) and words != words.rstrip():
        report.refuse("prefill-space", _text_path(final), "the last text ends with white space")


def _cache_marks(body: Body, turns: list[Turn], report: Report) -> None:
    tools = body["tools"] if isinstance(body.get("tools"), list) else []
    places: list[tuple[Any, Path]] = [
        (tool.get("cache_control"), ("tools", i, "cache_control"))
        for i, tool in enumerate(tools)
        if isinstance(tool, dict)
    ]
    for block in _all_blocks(body, turns):
        places.append((block.value.get("cache_control"), (*block.path, "cache_control")))
        if block.value.get("cache_control") and block.type == "text" and block.value.get("text") == "":
            report.refuse("text-empty", (*block.path, "cache_control"), "an empty text takes no cache mark")
    places.append((body.get("cache_control"), ("cache_control",)))
    marks = [(mark, path) for mark, path in places if isinstance(mark, dict)]
    for _, path in marks[MOST_MARKS:]:
        report.refuse("cache-marks", path, f"{len(marks)} cache marks, at most {MOST_MARKS} go")
    short = False
    for mark, path in marks:
        if mark.get("ttl") == "1h" and short:
            report.refuse("cache-order", (*path, "ttl"), "a mark of 1 h stands before those of 5 min")
        short = short or mark.get("ttl") != "1h"


def _thinks(body: Body) -> bool:
    setting = body.get("thinking")
    return isinstance(setting, dict) and setting.get("type") in ("enabled", "adaptive")


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
