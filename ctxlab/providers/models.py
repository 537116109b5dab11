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
from ctxlab.providers.model_facts import ModelFacts
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
def facts_of(
    model: str | ModelProfile | None, provider: Provider | None = None, *, table: ModelTable | None = None
) -> ModelFacts:
    """The facts of a model; of no model those of the provider's usual one.

    Rows of `table` come before those of ctxlab's own table, and what a profile says of itself before both.
    """
    profile = model if isinstance(model, ModelProfile) else None
    name = name_of(model) or (provider.default_model if provider else "")
    facts = replace(_of_name(name, table or ()), name=name, capabilities=capabilities_of(model or name))
    return _with_profile(facts, profile) if profile else facts


def window_of(model: ModelProfile) -> int | None:
    """The window of a model in tokens, by its profile, else by its name; None where neither says it."""
    return facts_of(model).context_window


def model_for(
    wanted: str | ModelProfile | None, of_run: ModelProfile | None, provider: Provider
) -> tuple[str | ModelProfile | None, tuple[Note, ...]]:
    """The model of a request: the one that is wanted, else the run's, else the provider's usual one.

    Where the run was built for a model of another vendor, the usual one takes its place, with a note.
    """
    serves = PROVIDERS.get(provider.name)
    if wanted is not None:
        named = vendor_of(name_of(wanted))
        text = f"{name_of(wanted)!r} is a model of {named}; {provider.title} may not know it"
        return wanted, () if serves is None or named in (None, serves) else (Note("warning", text),)
    if of_run is None or not name_of(of_run):
        return of_run, ()
    vendor = vendor_of(name_of(of_run))
    speaks = "wire" in of_run.model_fields_set and provider.wire.startswith(of_run.wire)
    if serves is None or vendor in (None, serves) or speaks:
        return of_run, ()
    text = (
        f"{provider.title} doesn't serve {short(name_of(of_run))!r}, for which this run was built: the request is for "
        f"{provider.default_model!r}, while files and lengths were decided on for the other"
    )
    return provider.default_model, (Note("warning", text),)


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
    read = read_model_name(name)
    if read.bare.startswith("deepseek"):
        return "deepseek"
    if read.wire != "openai":
        return read.wire
    return "openai" if read.encoding is not None or re.match(r"gpt-\d", read.bare) else None


def _of_name(name: str, own: ModelTable) -> ModelFacts:
    bare = read_model_name(name).bare if name else ""
    facts = _from_table(bare)
    for row in own:
        if re.match(row.pattern, bare) or row.pattern == name:
            return replace(facts, known=True, **row.facts)
    return facts


@cache
def _from_table(bare: str) -> ModelFacts:
    found = next((row for row in TABLE if re.match(row.pattern, bare)), None)
    return ModelFacts(**found.facts) if found else ModelFacts()


def _with_profile(facts: ModelFacts, profile: ModelProfile) -> ModelFacts:
    """A profile's own window, limit and way of thinking, which beat the table."""
    stored = profile.capabilities or {}
    kind = stored.get("thinkingConfigType")
    thinking = BY_TYPE.get(kind) if isinstance(kind, str) else None
    if thinking is None and stored.get("thinking") is False:
        thinking = BY_TYPE["none"]
    tools = stored.get("toolUse")
    return replace(
        facts,
        context_window=profile.context_window or facts.context_window,
        max_output_tokens=profile.max_output_tokens or facts.max_output_tokens,
        thinking=facts.thinking if thinking is None or _agrees(facts, thinking) else thinking,
        thinks_always=facts.thinks_always and (thinking is None or _agrees(facts, thinking)),
        tools=tools if isinstance(tools, bool) else facts.tools,
    )


def _agrees(facts: ModelFacts, thinking: tuple[ThinkingMode, ...]) -> bool:
    """Whether the table says the same and more: a profile's few words know nothing of adaptive or constant thinking."""
    return facts.known and set(thinking) - {"off"} <= set(facts.thinking) and thinking != ("off",)


# --- a user's file


@checked_arguments
def read_model_facts(path: str | PathLike[str]) -> ModelTable:
    """The rows of a file, JSON or YAML: a list of objects, each with `name` or `pattern` and facts of the model.

    Facts are named as in ModelFacts, `maxOutputTokens` or `max_output_tokens`; what a row doesn't say stays as in
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
    hints = get_type_hints(ModelFacts)
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
