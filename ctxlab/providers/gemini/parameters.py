"""Tools and parameters in Gemini's form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.display.short_texts import short
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.call_forms import CallForms
from ctxlab.providers.custom_fields import put_custom
from ctxlab.providers.gemini.parts import VENDOR
from ctxlab.providers.gemini.schema import fits_schema, is_object_schema
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.placed_parameters import PlacedParameters
from ctxlab.providers.plain_json import plain_json
from ctxlab.providers.provider import Prompt
from ctxlab.providers.request_parameters import RequestParameters, Thinking

MOST_STOPS = 5
TOOLS = (
    "googleSearch",
    "codeExecution",
    "urlContext",
    "googleMaps",
    "fileSearch",
    "googleSearchRetrieval",
    "computerUse",
)
"""Tools of the vendor's own, by the fields that hold them."""
_SNAKE = {"".join(f"_{c.lower()}" if c.isupper() else c for c in name): name for name in TOOLS}
_NUMBERS = (
    ("temperature", "temperature"),
    ("top_p", "topP"),
    ("top_k", "topK"),
    ("n", "candidateCount"),
    ("seed", "seed"),
    ("presence_penalty", "presencePenalty"),
    ("frequency_penalty", "frequencyPenalty"),
    ("logprobs", "responseLogprobs"),
    ("top_logprobs", "logprobs"),
)
_TIERS = {"flex": "flex", "standard": "standard", "priority": "priority", "default": "standard"}
_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY", "any": "ANY", "validated": "VALIDATED"}


def put_parameters(
    prompt: Prompt, parameters: RequestParameters, model: ModelInfo, forms: CallForms, out: BodyWriter
) -> None:
    """Put the tools and every parameter into the body, or record its loss; the caller's own fields last."""
    given = PlacedParameters(parameters, VENDOR, out)
    _put_tools(prompt, given, forms, out)
    _put_tool_choice(given, forms, out)
    config: dict[str, Any] = {}
    given.put("max_output_tokens", config, "maxOutputTokens")
    for name, field in _NUMBERS:
        given.put(name, config, field)
    _put_stop(given, config)
    _put_format(given, config)
    _put_thinking(given, model, config)
    modalities = given.take("modalities")
    if modalities and modalities != ["text"]:
        config["responseModalities"] = [each.upper() for each in modalities]
    if config:
        out.body["generationConfig"] = config
    given.put("safety", out.body, "safetySettings")
    _put_tier(given, out)
    given.take("stream")  # the address says whether the reply is streamed
    given.lose_rest()
    put_custom(parameters.custom, out, joined=("generationConfig", "toolConfig"))


def _put_stop(given: PlacedParameters, config: dict[str, Any]) -> None:
    stops: list[str] = [words for words in given.take("stop") or [] if words]
    if len(stops) > MOST_STOPS:
        path = ("generationConfig", "stopSequences")
        given.lose("stop", f"{VENDOR} takes {MOST_STOPS} of them; the others aren't sent", path=path)
    if stops:
        config["stopSequences"] = stops[:MOST_STOPS]


def _put_format(given: PlacedParameters, config: dict[str, Any]) -> None:
    asked: Any = given.take("response_format")
    if not isinstance(asked, dict) or (kind := cast("dict[str, Any]", asked).get("type")) == "text":
        return
    if kind not in ("json_object", "json_schema"):
        given.lose("response_format", f"{VENDOR} has no such format, so it isn't sent")
        return
    config["responseMimeType"] = "application/json"
    held: Any = cast("dict[str, Any]", asked).get("json_schema")
    if not isinstance(held, dict):
        return
    own = cast("dict[str, Any]", held)
    if isinstance(own.get("schema"), dict):
        config["responseJsonSchema"] = own["schema"]
    for name in ("name", "description"):
        if own.get(name):
            given.lose(f"response_format.{name}", f"{VENDOR}'s form has no field for it, so it isn't sent")


def _put_thinking(given: PlacedParameters, model: ModelInfo, config: dict[str, Any]) -> None:
    asked: Thinking | None = given.take("thinking")
    if asked is None:
        return
    budgets = "budget" in model.thinking
    thinking: dict[str, Any] = {}
    if asked.include is not None:
        thinking["includeThoughts"] = asked.include
    if asked.mode == "off" or asked.effort == "none":
        thinking |= _switched_off(given, model)
    elif asked.budget_tokens is not None and (budgets or asked.effort is None):
        thinking["thinkingBudget"] = asked.budget_tokens
    elif asked.effort is not None and "effort" in model.thinking:
        thinking["thinkingLevel"] = _level(asked.effort, given, model)
    elif asked.effort is not None:
        given.lose("thinking", "this model has no levels of thinking; it thinks as it sees fit")
    elif budgets:
        thinking["thinkingBudget"] = -1  # the model decides
    if thinking:
        config["thinkingConfig"] = thinking


def _switched_off(given: PlacedParameters, model: ModelInfo) -> dict[str, Any]:
    path = ("generationConfig", "thinkingConfig")
    if not model.thinks_always and "budget" in model.thinking:
        return {"thinkingBudget": 0}
    if "effort" in model.thinking:
        least = next((each for each in ("minimal", "low") if each in model.efforts), "low")
        given.lose("thinking", f"this model can't be kept from thinking; its level is {least!r}", path=path)
        return {"thinkingLevel": least}
    if model.thinks_always:
        least_budget = model.min_thinking_budget or 128
        given.lose("thinking", f"this model can't be kept from thinking; its budget is {least_budget}", path=path)
        return {"thinkingBudget": least_budget}
    return {}


def _level(effort: str, given: PlacedParameters, model: ModelInfo) -> str:
    order = ("minimal", "low", "medium", "high", "xhigh", "max")
    known = [each for each in order[:4] if not model.efforts or each in model.efforts]
    if effort in known or not known:
        return effort
    nearest = min(known, key=lambda each: abs(order.index(each) - order.index(effort)))
    path = ("generationConfig", "thinkingConfig", "thinkingLevel")
    given.lose("thinking", f"this model has no level {effort!r}; {nearest!r} is sent", path=path)
    return nearest


def _put_tools(prompt: Prompt, given: PlacedParameters, forms: CallForms, out: BodyWriter) -> None:
    functions: list[dict[str, Any]] = []
    tools: list[dict[str, Any]] = []
    for tool in prompt.tools:
        own = cast("dict[str, Any]", plain_json(tool))
        function: Any = own.get("function", own if own.get("type") == "function" else None)
        kind = own.get("type")
        if isinstance(function, dict):
            functions.append(_declaration(cast("dict[str, Any]", function), forms, out))
            if function is not own:
                _lose_fields(own, {"type", "function"}, out)
        elif isinstance(kind, str) and (_SNAKE.get(kind, kind)) in TOOLS:
            tools.append({_SNAKE.get(kind, kind): own.get(kind, {})})
            _lose_fields(own, {"type", kind}, out)
        elif any(name in own for name in (*TOOLS, *_SNAKE, "functionDeclarations", "function_declarations")):
            tools.append(own)
        else:
            what = f"tool {str(own.get('name') or kind)!r}"
            out.lose("field", what, f"{VENDOR} has no tool of this type; it isn't sent")
    if functions:
        tools.insert(0, {"functionDeclarations": functions})
    search = given.take("web_search")
    if search is not None:
        tools.append({"googleSearch": {}})
        for name in search:
            given.lose(f"web_search.{name}", f"{VENDOR}'s search has no such option, so it isn't sent")
    if tools:
        out.body["tools"] = tools


def _lose_fields(tool: dict[str, Any], known: set[str], out: BodyWriter) -> None:
    """Record the fields of a tool in another vendor's form that stand beside what is sent of it."""
    for name in sorted(tool.keys() - known):
        out.lose("field", f"{short(name)} of a tool", f"{VENDOR}'s form has no place for it, so it isn't sent")


def _declaration(function: dict[str, Any], forms: CallForms, out: BodyWriter) -> dict[str, Any]:
    made: dict[str, Any] = {"name": forms.name(str(function.get("name") or ""))}
    if isinstance(function.get("description"), str):
        made["description"] = function["description"]
    schema: Any = function.get("parameters")
    if isinstance(schema, Mapping) and schema:
        fits = is_object_schema(schema) and fits_schema(cast("Mapping[str, Any]", schema))
        made["parameters" if fits else "parametersJsonSchema"] = schema
    if function.get("strict") is True:
        reason = f"{VENDOR} has no strict calls; it isn't sent"
        out.lose("field", f"strict of tool {made['name']!r}", reason)
    known = {"name", "description", "parameters", "strict", "type"}
    return made | {name: each for name, each in function.items() if name not in known}


def _put_tool_choice(given: PlacedParameters, forms: CallForms, out: BodyWriter) -> None:
    asked: Any = given.take("tool_choice")
    if asked is None:
        return
    functions = any("functionDeclarations" in tool for tool in out.body.get("tools", ()))
    config: dict[str, Any] | None = None
    if isinstance(asked, str) and asked in _MODES:
        config = {"mode": _MODES[asked]}
    elif isinstance(asked, dict):
        config = _named_choice(cast("dict[str, Any]", asked), forms, out)
    if config is None:
        given.lose("tool_choice", f"{VENDOR} has no such choice, so it isn't sent")
    elif functions:
        out.body["toolConfig"] = {"functionCallingConfig": config}
    elif config["mode"] not in ("AUTO", "NONE"):
        given.lose("tool_choice", "the request has no functions, so it isn't sent")


def _named_choice(asked: dict[str, Any], forms: CallForms, out: BodyWriter) -> dict[str, Any] | None:
    function: Any = asked.get("function", asked)
    name = cast("dict[str, Any]", function).get("name") if isinstance(function, dict) else None
    if asked.get("type") in ("function", "tool") and isinstance(name, str):
        return {"mode": "ANY", "allowedFunctionNames": [forms.name(name)]}
    own: Any = asked.get("allowed_tools")
    allowed = cast("dict[str, Any]", own) if isinstance(own, dict) else asked
    if asked.get("type") == "allowed_tools" and isinstance(allowed.get("tools"), list):
        listed: list[Any] = allowed["tools"]
        found: list[str] = []
        for tool in listed:
            inner: Any = cast("dict[str, Any]", tool).get("function", tool) if isinstance(tool, dict) else None
            each = cast("dict[str, Any]", inner).get("name") if isinstance(inner, dict) else None
            if isinstance(each, str):
                found.append(forms.name(each))
        mode = "ANY" if allowed.get("mode") == "required" else "VALIDATED"
        return {"mode": mode, "allowedFunctionNames": found} if found else None
    return None


def _put_tier(given: PlacedParameters, out: BodyWriter) -> None:
    tier = given.take("service_tier")
    if tier in _TIERS:
        out.body["serviceTier"] = _TIERS[tier]
    elif tier not in (None, "auto"):
        given.lose("service_tier", f"{VENDOR} has no tier {tier!r}, so it isn't sent")
