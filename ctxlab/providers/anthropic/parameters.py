"""Tools and parameters in Anthropic's form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ctxlab.documents import Note
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.anthropic.blocks import VENDOR
from ctxlab.providers.anthropic.history_rules import NO_THINKING, THOUGHTS
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms
from ctxlab.providers.custom_fields import put_custom
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.placed_parameters import PlacedParameters
from ctxlab.providers.plain_json import plain_json
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.providers.request_parameters import RequestParameters, Thinking

MAX_TOKENS = 4096
"""The reply limit where neither the caller nor the model's facts have one: the API demands one."""
SAMPLING = ("temperature", "top_p", "top_k")
NO_SAMPLING = "2026-10-21"
MIN_BUDGET = 1024
BUDGET = 4096
SERVER_TOOLS = lazy_pattern(
    r"(?:web_search|web_fetch|code_execution|bash|text_editor|memory|computer|browser_toolset|computer_toolset"
    r"|tool_search_tool_(?:bm25|regex)|advisor)_\d{8}|mcp_toolset|custom"
)
_TIERS = {"auto": "auto", "standard_only": "standard_only", "default": "standard_only", "standard": "standard_only"}


def put_parameters(
    prompt: Prompt,
    parameters: RequestParameters,
    model: ModelInfo,
    provider: Provider,
    forms: CallForms,
    out: BodyWriter,
) -> None:
    """Put the tools and every parameter into the body, or record its loss; the caller's own fields last."""
    given = PlacedParameters(parameters, VENDOR, out)
    body = out.body
    _put_tools(prompt, given, forms, out)
    body["max_tokens"] = _max_tokens(given, model, out)
    thinking = _put_thinking(given, model, body)
    if has_no_sampling(provider):
        _lose_sampling(given)
    _put_sampling(given, model, body, thinking=thinking)
    _put_tool_choice(given, forms, out, thinking=thinking)
    _put_stop(given, body)
    _put_format(given, out)
    _put_rest(given, out)
    given.lose_rest()
    put_custom(parameters.custom, out, joined=("output_config", "metadata"))


def _max_tokens(given: PlacedParameters, model: ModelInfo, out: BodyWriter) -> int:
    asked = given.take("max_output_tokens")
    if asked is not None:
        return int(asked)
    limit = model.max_output_tokens or MAX_TOKENS
    out.notes.append(Note("info", f"{VENDOR} demands a reply limit: max_tokens is {limit:,}"))
    return limit


def _put_thinking(given: PlacedParameters, model: ModelInfo, body: dict[str, Any]) -> bool:
    """Whether the model thinks in this request, so far as the parameters say."""
    asked: Thinking | None = given.take("thinking")
    if asked is None:
        return False
    off = asked.mode == "off" or asked.effort == "none"
    if off and model.thinks_always:
        given.lose("thinking", "this model can't be kept from thinking", path=())
        return True
    if off:
        if set(model.thinking) - {"off"}:
            body["thinking"] = {"type": "disabled"}
        return False
    if asked.effort is not None:
        effort = "low" if asked.effort == "minimal" else asked.effort
        if effort != asked.effort:
            given.lose("thinking", f"{VENDOR} has no effort 'minimal'; 'low' is sent", path=("output_config", "effort"))
        body["output_config"] = {"effort": effort}
    config = _thinking_config(asked, model, cast("int", body["max_tokens"]))
    if config is None:
        return False
    if asked.include is not None:
        config["display"] = "summarized" if asked.include else "omitted"
    if config["type"] == "enabled" and _continues_without_thoughts(body["messages"]):
        reason = "results continue a turn whose thoughts aren't known, and with a budget it has to begin with them"
        given.lose("thinking", f"{reason}; it is switched off", path=("thinking",), fix=NO_THINKING)
        body["thinking"] = {"type": "disabled"}
        return False
    body["thinking"] = config
    return True


def _continues_without_thoughts(messages: Sequence[dict[str, Any]]) -> bool:
    """Whether the history ends with results of a turn that doesn't begin with thoughts."""
    if len(messages) < 2 or messages[-1]["role"] != "user":
        return False
    called, answered = ([b["type"] for b in m["content"] if isinstance(b, dict)] for m in messages[-2:])
    return "tool_result" in answered and "tool_use" in called and called[0] not in THOUGHTS


def _thinking_config(asked: Thinking, model: ModelInfo, limit: int) -> dict[str, Any] | None:
    adaptive = "adaptive" in model.thinking
    if asked.mode == "adaptive" or (asked.mode == "effort" and adaptive and asked.budget_tokens is None):
        return {"type": "adaptive"}
    if asked.mode == "effort" and asked.budget_tokens is None:
        return None
    if asked.mode == "on" and adaptive and "budget" not in model.thinking:
        return {"type": "adaptive"}
    budget = asked.budget_tokens or max(MIN_BUDGET, min(BUDGET, limit // 2))
    return {"type": "enabled", "budget_tokens": budget}


def has_no_sampling(provider: Provider) -> bool:
    """Whether the version of the API has no temperature, top_p and top_k: from 2026-10-21 on."""
    return str(provider.features.get("api_version", "")) >= NO_SAMPLING


def _lose_sampling(given: PlacedParameters) -> None:
    for name in SAMPLING:
        if given.take(name) is not None:
            given.lose(name, f"version {NO_SAMPLING} of the API has none, so it isn't sent")


def _put_sampling(given: PlacedParameters, model: ModelInfo, body: dict[str, Any], *, thinking: bool) -> None:
    temperature, top_p, top_k = given.take("temperature"), given.take("top_p"), given.take("top_k")
    if temperature is not None and not 0 <= temperature <= 1:
        nearest = min(max(temperature, 0), 1)
        given.lose("temperature", f"{VENDOR} takes 0 to 1; {nearest} is sent", path=("temperature",))
        temperature = nearest
    if thinking and temperature not in (None, 1):
        given.lose("temperature", "while it thinks the model takes 1 alone; it isn't sent")
        temperature = None
    if thinking and top_k is not None:
        given.lose("top_k", "the model takes none while it thinks; it isn't sent")
        top_k = None
    if thinking and top_p is not None and not 0.95 <= top_p <= 1:
        given.lose("top_p", "while it thinks the model takes 0.95 to 1; it isn't sent")
        top_p = None
    for name, value in (("temperature", temperature), ("top_p", top_p), ("top_k", top_k)):
        if value is not None:
            body[name] = value


def _put_tools(prompt: Prompt, given: PlacedParameters, forms: CallForms, out: BodyWriter) -> None:
    tools = [made for tool in prompt.tools if (made := _tool(tool, forms, out)) is not None]
    search = given.take("web_search")
    if search is not None:
        tools.append(_web_search(search, given))
    if tools:
        out.body["tools"] = tools


def _tool(tool: Mapping[str, Any], forms: CallForms, out: BodyWriter) -> dict[str, Any] | None:
    own = cast("dict[str, Any]", plain_json(tool))
    kind = own.get("type")
    function: Any = own.get("function")
    if isinstance(function, dict) and kind in ("function", None):
        rest = {name: each for name, each in own.items() if name not in ("type", "function")}
        return {**_function(cast("dict[str, Any]", function), forms, out), **rest}
    if "input_schema" in own:
        return own | ({"name": forms.name(own["name"])} if isinstance(own.get("name"), str) else {})
    if isinstance(kind, str) and SERVER_TOOLS.fullmatch(kind):
        return own
    if kind == "function" and isinstance(own.get("name"), str):
        return _function({name: each for name, each in own.items() if name != "type"}, forms, out)
    out.lose("field", f"tool {str(own.get('name') or kind)!r}", f"{VENDOR} has no tool of this type; it isn't sent")
    return None


def _function(function: dict[str, Any], forms: CallForms, out: BodyWriter) -> dict[str, Any]:
    made: dict[str, Any] = {"name": forms.name(str(function.get("name") or ""))}
    if isinstance(function.get("description"), str):
        made["description"] = function["description"]
    schema = function.get("parameters")
    made["input_schema"] = schema if isinstance(schema, dict) else {"type": "object", "properties": {}}
    if function.get("strict") is True:
        made["strict"] = True
    known = {"name", "description", "parameters", "strict"}
    return made | {name: each for name, each in function.items() if name not in known}


def _web_search(options: dict[str, Any], given: PlacedParameters) -> dict[str, Any]:
    tool: dict[str, Any] = {"type": "web_search_20250305", "name": "web_search"}
    place: Any = options.pop("user_location", None)
    if isinstance(place, dict):
        near: Any = cast("dict[str, Any]", place).get("approximate")
        tool["user_location"] = {"type": "approximate", **near} if isinstance(near, dict) else place
    for name, value in options.items():
        if name in ("max_uses", "allowed_domains", "blocked_domains"):
            tool[name] = value
        else:
            given.lose(f"web_search.{name}", f"{VENDOR}'s search has no such option, so it isn't sent")
    return tool


def _put_tool_choice(given: PlacedParameters, forms: CallForms, out: BodyWriter, *, thinking: bool) -> None:
    asked: Any = given.take("tool_choice")
    parallel = given.take("parallel_tool_calls")
    if asked is None and parallel is not False:
        return
    if "tools" not in out.body:
        for name, value in (("tool_choice", asked), ("parallel_tool_calls", parallel)):
            if value not in (None, "none", "auto", True):
                given.lose(name, "the request has no tools, so it isn't sent")
        return
    choice: dict[str, Any] = _tool_choice(asked, given, forms, out)
    if thinking and choice["type"] in ("any", "tool"):
        given.lose(
            "tool_choice", "a thinking model can't be made to call a tool; 'auto' is sent", path=("tool_choice",)
        )
        choice["type"] = "auto"
        choice.pop("name", None)
    if parallel is False and choice["type"] != "none":
        choice["disable_parallel_tool_use"] = True
    out.body["tool_choice"] = choice


def _tool_choice(asked: Any, given: PlacedParameters, forms: CallForms, out: BodyWriter) -> dict[str, Any]:
    plain_choices = {None: "auto", "auto": "auto", "none": "none", "required": "any", "any": "any"}
    if not isinstance(asked, dict):
        if asked in plain_choices:
            return {"type": plain_choices[asked]}
        given.lose("tool_choice", f"{VENDOR} has no choice {asked!r}; 'auto' is sent", path=("tool_choice",))
        return {"type": "auto"}
    choice = cast("dict[str, Any]", asked)
    function: Any = choice.get("function")
    name = cast("dict[str, Any]", function).get("name") if isinstance(function, dict) else choice.get("name")
    if isinstance(name, str) and choice.get("type") in ("function", "tool"):
        return {"type": "tool", "name": forms.name(name)}
    if choice.get("type") in ("auto", "any", "none"):
        return choice
    given.lose("tool_choice", f"{VENDOR} has no such choice; 'auto' is sent", path=("tool_choice",))
    return {"type": "auto"}


def _put_stop(given: PlacedParameters, body: dict[str, Any]) -> None:
    asked: list[str] = given.take("stop") or []
    kept = [words for words in asked if words.strip()]
    if len(kept) < len(asked):
        given.lose("stop", f"{VENDOR} refuses a stop sequence of white space alone; it isn't sent")
    if kept:
        body["stop_sequences"] = kept


def _put_format(given: PlacedParameters, out: BodyWriter) -> None:
    asked: Any = given.take("response_format")
    if not isinstance(asked, dict) or (kind := cast("dict[str, Any]", asked).get("type")) == "text":
        return
    held: Any = cast("dict[str, Any]", asked).get("json_schema")
    schema: Any = cast("dict[str, Any]", held).get("schema") if isinstance(held, dict) else None
    if kind != "json_schema" or not isinstance(schema, dict):
        given.lose("response_format", f"{VENDOR} takes a JSON schema alone, and this has none; it isn't sent")
        return
    config = out.body.setdefault("output_config", {})
    config["format"] = {"type": "json_schema", "schema": schema}
    for name in ("name", "description"):
        if cast("dict[str, Any]", held).get(name):
            given.lose(f"response_format.{name}", f"{VENDOR}'s form has no field for it, so it isn't sent")


def _put_rest(given: PlacedParameters, out: BodyWriter) -> None:
    metadata: dict[str, Any] = given.take("metadata") or {}
    for name in [name for name in metadata if name != "user_id"]:
        given.lose(f"metadata.{name}", f"{VENDOR} takes user_id alone, so it isn't sent")
        del metadata[name]
    user = given.take("user")
    if user is not None:
        if metadata.get("user_id", user) != user:
            given.lose("metadata.user_id", "user is given too, and is sent instead", path=("metadata", "user_id"))
        metadata["user_id"] = user
    if metadata:
        out.body["metadata"] = metadata
    tier = given.take("service_tier")
    if tier is not None:
        if tier not in _TIERS:
            given.lose("service_tier", f"{VENDOR} has no tier {tier!r}, so it isn't sent")
        else:
            out.body["service_tier"] = _TIERS[tier]
    given.put("stream", out.body, "stream")
