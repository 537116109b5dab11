"""Facts of models, from the table, a user's file and a model's profile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from ctxlab.argument_checks import checked_arguments
from ctxlab.assets.capabilities import capabilities_of
from ctxlab.display.short_texts import short
from ctxlab.documents import Agent, ModelProfile, Note
from ctxlab.documents.agent.named_models import named_model, own_model
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.refused_values import reason_of
from ctxlab.engines.tokens import read_model_name
from ctxlab.errors import ReadError, did_you_mean
from ctxlab.pipeline.parameters.thinking import ThinkingMode
from ctxlab.providers.model_info import PROFILE, UNREAD, ModelInfo
from ctxlab.providers.models_table import TABLE, ModelRow, ModelTable
from ctxlab.providers.provider import Provider
from ctxlab.wires import PROVIDERS

OTHER_MODEL = "other_model"
"""Detail of a note that says which model is asked in place of the one that an agent's file names."""
BY_TYPE: Mapping[str, tuple[ThinkingMode, ...]] = {
    "none": ("off",),
    "switch": ("off", "on"),
    "budget": ("off", "budget"),
    "effort": ("off", "effort"),
}
"""Ways of thinking by the `thinkingConfigType` of a stored profile."""


@checked_arguments
def model_info(
    model: str | ModelProfile | None, provider: Provider | None = None, *, table: ModelTable | None = None
) -> ModelInfo:
    """Everything that is known of a model; of no model of the provider's usual one.

    Rows of `table` come before those of ctxlab's own table, and what a profile says of itself before both.
    """
    name = name_of(model) or (provider.default_model if provider else "")
    family = read_model_name(name) if name else UNREAD
    found = _of_family(name, family.bare, table or ())
    found = replace(found, name=name, asked=model, family=family, capabilities=capabilities_of(model or name))
    return _with_profile(found, model) if isinstance(model, ModelProfile) else found


def window_of(model: ModelProfile) -> int | None:
    """The window of a model in tokens, by its profile, else by its name; None where neither says it."""
    return model_info(model).context_window


def model_for(
    model: ModelInfo, provider: Provider, *, is_wanted: bool, table: ModelTable | None = None
) -> tuple[ModelInfo, tuple[Note, ...]]:
    """The model of a request: the one that is wanted, or the run's, else the provider's usual one.

    Where the run was built for a model of another vendor, the usual one takes its place, with a note.
    """
    if not model.name:
        return model_info(model.asked, provider, table=table), ()
    serves = PROVIDERS.get(provider.name)
    if serves is None or model.vendor in (None, serves):
        return model, ()
    if is_wanted:
        text = f"{model.name!r} is a model of {model.vendor}; {provider.title} may not know it"
        return model, (Note("warning", text),)
    if model.wire is not None and provider.wire.startswith(model.wire):
        return model, ()
    text = (
        f"{provider.title} doesn't serve {short(model.name)!r}, for which this run was built: the request is for "
        f"{provider.default_model!r}, while files and lengths were decided on for the other"
    )
    return model_info(provider.default_model, provider, table=table), (Note("warning", text),)


def model_of_file(agent: Agent | None, model: str | ModelProfile | None, provider: Provider) -> tuple[Note, ...]:
    """A note where the usual model is taken and the agent's file names another, for this vendor or for another one."""
    if model is not None:
        return ()
    start = f"the request is for {provider.default_model!r}, {provider.title}'s usual model here; the preset "
    named, own = named_model(agent, provider.name), own_model(agent)
    if named is not None:
        text = f"names {short(named)!r}, which model={short(named)!r} asks for"
        return (_other_model(start + text),) if named != provider.default_model else ()
    if own is None or own == provider.default_model:
        return ()
    return (_other_model(f"{start}is for {short(own)!r} and names none of {provider.title}'s"),)


def _other_model(text: str) -> Note:
    return Note("info", text, details={OTHER_MODEL: True})


def name_of(model: str | ModelProfile | None) -> str:
    """The name by which a model is asked for; "" for none."""
    return (model.id or model.name or "") if isinstance(model, ModelProfile) else str(model or "")


def vendor_of(name: str) -> str | None:
    """The vendor of a model by its name: openai, anthropic, google, deepseek; None where the name doesn't say.

    >>> vendor_of("openrouter:anthropic/claude-sonnet-4.5"), vendor_of("qwen3-max")
    ('anthropic', None)
    """
    return ModelInfo(name).vendor


def _of_family(name: str, bare: str, own: ModelTable) -> ModelInfo:
    found = _from_table(bare)
    for row in own:
        if re.match(row.pattern, bare) or row.pattern == name:
            return replace(found, known=True, origins=dict.fromkeys(row.facts, "a file of one's own"), **row.facts)
    return found


@cache
def _from_table(bare: str) -> ModelInfo:
    found = next((row for row in TABLE if re.match(row.pattern, bare)), None)
    return ModelInfo(**found.facts) if found else ModelInfo()


def _with_profile(facts: ModelInfo, profile: ModelProfile) -> ModelInfo:
    """A profile's own window, limit and way of thinking, which beat the table."""
    stored = profile.capabilities or {}
    kind = stored.get("thinkingConfigType")
    thinking = BY_TYPE.get(kind) if isinstance(kind, str) else None
    if thinking is None and stored.get("thinking") is False:
        thinking = BY_TYPE["none"]
    tools = stored.get("toolUse")
    said = {
        "context_window": profile.context_window,
        "max_output_tokens": profile.max_output_tokens,
        "tools": tools if isinstance(tools, bool) else None,
        "thinking": None if thinking is None or _agrees(facts, thinking) else thinking,
    }
    said = {name: value for name, value in said.items() if value or value is False}
    return replace(
        facts,
        **said,
        thinks_always=facts.thinks_always and "thinking" not in said,
        origins=FrozenDict({**facts.origins, **dict.fromkeys(said, PROFILE)}),
    )


def _agrees(facts: ModelInfo, thinking: tuple[ThinkingMode, ...]) -> bool:
    """Whether the table says the same and more: a profile's few words know nothing of adaptive or constant thinking."""
    return facts.known and set(thinking) - {"off"} <= set(facts.thinking) and thinking != ("off",)


# --- a user's file


@checked_arguments
def read_model_facts(path: str | PathLike[str]) -> ModelTable:
    """The rows of a file, JSON or YAML: a list of objects, each with `name` or `pattern` and facts of the model.

    Facts are named as in ModelInfo, `maxOutputTokens` or `max_output_tokens`; what a row doesn't say stays as in
    ctxlab's table. A name means itself and what begins with it; a pattern is a regular expression. Raises CtxlabError
    that names the row and the field of a wrong value.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ReadError(f"{file}: {error.strerror or error}") from None
    rows = _parsed_yaml(data, file) if file.suffix.lower() in (".yaml", ".yml") else _parsed_json(data, file)
    return tuple(_rows(rows, str(file)))


def _parsed_json(data: bytes, file: Path) -> object:
    import orjson

    try:
        return orjson.loads(data)
    except ValueError as error:
        raise ReadError(f"{file}: it is no JSON: {error}") from None


def _parsed_yaml(data: bytes, file: Path) -> object:
    import yaml

    try:
        return yaml.safe_load(data)
    except (yaml.YAMLError, ValueError) as error:
        raise ReadError(f"{file}: it is no YAML: {' '.join(str(error).split())}") from None


def _rows(rows: object, where: str) -> Iterator[ModelRow]:
    if not isinstance(rows, list):
        raise ReadError(f"{where}: a list of models is expected, got {type(rows).__name__}")
    for number, stored in enumerate(cast("list[object]", rows)):
        at = f"{where}[{number}]"
        if not isinstance(stored, dict):
            raise ReadError(f"{at}: an object is expected, got {type(stored).__name__}")
        yield _row(cast("dict[str, Any]", stored), at)


def _row(stored: dict[str, Any], at: str) -> ModelRow:
    name, pattern = stored.get("name"), stored.get("pattern")
    if not isinstance(pattern or name, str):
        raise ReadError(f"{at}: it has neither a name nor a pattern")
    written = cast("str", pattern) if pattern else re.escape(read_model_name(cast("str", name)).bare)
    try:
        re.compile(written)
    except re.error as error:
        raise ReadError(f"{at}.pattern: it is no regular expression: {error}") from None
    facts = {}
    for key, value in stored.items():
        if key not in ("name", "pattern"):
            field = _field_named(key, at)
            facts[field] = _value(field, value, f"{at}.{key}")
    return ModelRow(written, FrozenDict(facts))


@cache
def _adapters() -> dict[str, TypeAdapter[Any]]:
    from typing import get_type_hints

    left_out = {"name", "known", "capabilities"}
    hints = get_type_hints(ModelInfo)
    return {name: TypeAdapter(hint) for name, hint in hints.items() if name not in left_out}


def _field_named(key: str, at: str) -> str:
    fields = _adapters()
    snake = re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", key)
    if snake not in fields:
        raise ReadError(f"{at}: models have no field {short(key)!r}{did_you_mean(snake, list(fields))}")
    return snake


def _value(field: str, value: object, at: str) -> Any:
    if field == "thinking" and isinstance(value, list):  # YAML reads off and on as truth values
        words = {False: "off", True: "on"}
        value = [words[each] if isinstance(each, bool) else each for each in cast("list[object]", value)]
    try:
        return _adapters()[field].validate_python(value, strict=False)
    except ValidationError as refusal:
        reason = reason_of(refusal.errors(include_url=False)[0])
        raise ReadError(f"{at}: {reason}, got {short(repr(value))}") from None
