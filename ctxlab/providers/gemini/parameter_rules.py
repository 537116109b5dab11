"""Problems of parameters and tools for Gemini: what doesn't go together, what a model doesn't take."""

from __future__ import annotations

from typing import Any, TypeGuard, cast

from ctxlab.display.short_texts import short
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.providers.body_shapes import Found
from ctxlab.providers.gemini.history_rules import name_problem
from ctxlab.providers.gemini.parts import FUNCTION_NAME
from ctxlab.providers.gemini.schema import is_object_schema
from ctxlab.providers.gemini.spellings import NOTHING, Object, items, object_of, of, spelled
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Fix, Problem

MAX_REQUEST = 100 * 1024 * 1024
MOST_FUNCTIONS = 512
BEFORE_3 = lazy_pattern(r"gemini-(?:1|2)")
"""Models that don't take functions together with tools of the vendor's, or with a reply in JSON."""
FIELDS_OF = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "seed": "seed",
    "stop": "stopSequences",
    "frequency_penalty": "frequencyPenalty",
    "presence_penalty": "presencePenalty",
    "logprobs": "responseLogprobs",
    "n": "candidateCount",
}
_SERVED = ("googleSearch", "codeExecution", "urlContext", "googleSearchRetrieval", "googleMaps", "fileSearch")


def parameter_problems(body: Object, model: ModelInfo, found: Found) -> None:
    """Add the problems of everything but the contents, beyond the shapes."""
    name = spelled(body, "generationConfig")
    config = object_of(body, "generationConfig")
    at = (name or "generationConfig",)
    functions, served = _tools(body, model, found)
    _limits(config, at, model, found)
    _thinking(config, at, model, found)
    _format(config, at, model, found, has_functions=bool(functions))
    _calling(body, functions, found)
    _safety(body, found)
    if functions and served and BEFORE_3.match(model.name):
        reason = f"{model.name} doesn't take functions together with {served[0][1]}"
        found.append(Problem(served[0][0], "tools-together", reason, "take one of the two out"))


def _limits(config: Object, at: JsonPath, model: ModelInfo, found: Found) -> None:
    field = spelled(config, "maxOutputTokens")
    limit, most = of(config, "maxOutputTokens"), model.max_output_tokens
    if field is not None and _is_number(limit) and most is not None and limit > most:
        reason = f"{model.name} writes at most {most:,} tokens"
        fix = Fix(f"at most {most:,} tokens", parameters={"maxTokens": most})
        found.append(Problem((*at, field), "reply-limit", reason, f"write {most} or less", fixes=(fix,)))
    for parameter, name in FIELDS_OF.items():
        field = spelled(config, name)
        if field is not None and parameter in model.without:
            reason = f"{model.name} doesn't take {name!r}"
            found.append(Problem((*at, field), "model-parameter", reason, "leave it out"))
    field = spelled(config, "logprobs")
    if field is not None and of(config, "responseLogprobs") is not True:
        reason = "it says how many, and nothing asks for them"
        found.append(Problem((*at, field), "logprobs", reason, "write 'responseLogprobs': true, or leave it out"))


def _thinking(config: Object, at: JsonPath, model: ModelInfo, found: Found) -> None:
    name = spelled(config, "thinkingConfig")
    thinking = object_of(config, "thinkingConfig")
    inside = (*at, name or "thinkingConfig")
    budget_field, level_field = spelled(thinking, "thinkingBudget"), spelled(thinking, "thinkingLevel")
    budget = of(thinking, "thinkingBudget")
    if budget_field and level_field:
        reason = "a level and a budget of thinking don't go together"
        found.append(Problem((*inside, budget_field), "thinking-kind", reason, "leave one of the two out"))
    elif budget_field and _is_number(budget):
        _budget(int(budget), (*inside, budget_field), model, found)
    elif level_field and model.known and "effort" not in model.thinking:
        reason = f"{model.name} has no levels of thinking"
        found.append(
            Problem((*inside, level_field), "thinking-kind", reason, "write 'thinkingBudget', or leave it out")
        )


def _budget(budget: int, at: JsonPath, model: ModelInfo, found: Found) -> None:
    if budget == 0 and model.thinks_always:
        reason = f"{model.name} can't be kept from thinking"
        found.append(Problem(at, "thinking-kind", reason, "leave it out, or write -1"))
    elif budget > 0 and not (model.min_thinking_budget or 0) <= budget <= (model.max_thinking_budget or budget):
        low, high = model.min_thinking_budget or 0, model.max_thinking_budget
        span = f"{low:,} to {high:,}" if high is not None else f"{low:,} and more"
        found.append(Problem(at, "range", f"{model.name} thinks with {span} tokens", f"write a budget of {span}"))


def _format(config: Object, at: JsonPath, model: ModelInfo, found: Found, *, has_functions: bool) -> None:
    mime_field = spelled(config, "responseMimeType")
    mime_type = of(config, "responseMimeType")
    schemas = [field for name in ("responseSchema", "responseJsonSchema") if (field := spelled(config, name))]
    if len(schemas) > 1:
        reason = "there are two schemas of the reply"
        found.append(Problem((*at, schemas[1]), "response-schema", reason, "leave one of the two out"))
    if schemas and mime_type not in ("application/json", "text/x.enum"):
        reason = "a reply by a schema is JSON, and 'responseMimeType' doesn't say so"
        mend = "write 'responseMimeType': 'application/json'"
        found.append(Problem((*at, schemas[0]), "response-schema", reason, mend))
    if mime_field and mime_type == "application/json" and has_functions and BEFORE_3.match(model.name):
        reason = f"{model.name} doesn't take functions together with a reply in JSON"
        found.append(
            Problem(
                (*at, mime_field), "tools-together", reason, "leave it out and the schema, or take the functions out"
            )
        )


def _tools(body: Object, model: ModelInfo, found: Found) -> tuple[dict[str, JsonPath], list[tuple[JsonPath, str]]]:
    """Add the problems of the tools; gives the functions' names, and the vendor's tools."""
    functions: dict[str, JsonPath] = {}
    served: list[tuple[JsonPath, str]] = []
    for index, tool in items(body.get("tools")):
        at = ("tools", *index)
        field = spelled(tool, "functionDeclarations")
        for place, function in items(of(tool, "functionDeclarations")):
            _function(function, (*at, field or "functionDeclarations", *place), functions, found)
        served += [((*at, spelling), name) for name in _SERVED if (spelling := spelled(tool, name))]
    if functions and model.tools is False:
        found.append(Problem(("tools",), "model-parameter", f"{model.name} takes no functions", "take them out"))
    if len(functions) > MOST_FUNCTIONS:
        reason = f"a request has at most {MOST_FUNCTIONS} functions"
        found.append(Problem(("tools",), "too-many", reason, f"take away all but {MOST_FUNCTIONS}"))
    return functions, served


def _function(function: Object, at: JsonPath, functions: dict[str, JsonPath], found: Found) -> None:
    name = function.get("name")
    if isinstance(name, str) and name:
        if name in functions:
            reason = f"two functions have the name {short(name)!r}"
            found.append(Problem((*at, "name"), "function-name", reason, "give each a name of its own"))
        elif len(name) > 128 or not FUNCTION_NAME.fullmatch(name):
            found.append(name_problem((*at, "name")))
        functions[name] = at
    both = spelled(function, "parametersJsonSchema")
    if both is not None and function.get("parameters") is not None:
        reason = "there are two schemas of its arguments"
        found.append(Problem((*at, both), "schema", reason, "leave one of the two out"))
    parameters = function.get("parameters")
    if isinstance(parameters, dict) and not is_object_schema(cast("Object", parameters)):
        reason = "a function's arguments are an object, and the schema doesn't say so"
        found.append(Problem((*at, "parameters", "type"), "schema", reason, "write 'object'"))


def _calling(body: Object, functions: dict[str, JsonPath], found: Found) -> None:
    outer = spelled(body, "toolConfig")
    inner_of = object_of(body, "toolConfig")
    inner = spelled(inner_of, "functionCallingConfig")
    calling = object_of(inner_of, "functionCallingConfig")
    if calling is NOTHING:
        return
    at = (outer or "toolConfig", inner or "functionCallingConfig")
    mode = str(calling.get("mode") or "AUTO").upper()
    field = spelled(calling, "allowedFunctionNames")
    allowed: Any = of(calling, "allowedFunctionNames")
    if mode in ("ANY", "VALIDATED") and not functions:
        reason = "there are no functions to call"
        found.append(Problem((*at, "mode"), "tool-choice", reason, "write 'AUTO', or declare functions"))
    if field and mode not in ("ANY", "VALIDATED"):
        reason = "names are allowed in the modes ANY and VALIDATED alone"
        found.append(Problem((*at, field), "tool-choice", reason, "write 'ANY' as the mode, or leave the names out"))
    for i, name in enumerate(cast("list[Any]", allowed) if isinstance(allowed, list) else ()):
        if isinstance(name, str) and functions and name not in functions:
            reason = f"there is no function {short(name)!r}"
            found.append(Problem((*at, field or "", i), "tool-choice", reason, "name a function that is declared"))


def _safety(body: Object, found: Found) -> None:
    name = spelled(body, "safetySettings") or "safetySettings"
    seen: set[str] = set()
    for index, setting in items(of(body, "safetySettings")):
        category = setting.get("category")
        if isinstance(category, str):
            if category in seen:
                reason = f"there are two settings of {short(category)}"
                found.append(Problem((name, *index), "safety-twice", reason, "take one of the two out"))
            seen.add(category)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
