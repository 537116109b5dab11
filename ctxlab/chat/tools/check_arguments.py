"""Arguments of a call, as a model wrote them, made into those that a function takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUserError

from ctxlab.display.short_texts import short
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass

MOST_NAMED = 5
"""Wrong arguments that a sentence names."""


@dataclass(frozen=True, slots=True)
class ArgumentsModel:
    """A model of pydantic for the arguments, their schema, and the fields' names by those of the arguments."""

    model: type[BaseModel]
    schema: Mapping[str, Any]
    fields: Mapping[str, str]


def model_of(tool: str, parameters: Mapping[str, Parameter], about: Mapping[str, str]) -> ArgumentsModel:
    """The model of a function's parameters; `about` are their descriptions."""
    fields: dict[str, Any] = {}
    names: dict[str, str] = {}
    extra = "forbid"
    for number, parameter in enumerate(parameters.values()):
        if parameter.kind is Parameter.VAR_KEYWORD:
            extra = "allow"
            continue
        annotation = Any if parameter.annotation is Parameter.empty else parameter.annotation
        default = ... if parameter.default is Parameter.empty else parameter.default
        # Fields have names of their own: a parameter may be called `schema` or `_x`, which no field may.
        names[parameter.name] = f"argument_{number}"
        fields[names[parameter.name]] = (
            annotation,
            Field(default, alias=parameter.name, description=about.get(parameter.name)),
        )
    try:
        made = create_model(
            "Arguments", __config__=ConfigDict(extra=cast("Any", extra), coerce_numbers_to_str=True), **fields
        )
        schema = cast("dict[str, Any]", _without_titles(made.model_json_schema(by_alias=True)))
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema, PydanticUserError) as error:
        raise WrongArgument(
            f"tool {tool!r} has a parameter that JSON can't give: {short(str(error).splitlines()[0])}"
        ) from None
    schema.setdefault("properties", {})
    return ArgumentsModel(made, schema, names)


def checked_by(model: ArgumentsModel) -> Callable[[Mapping[str, Any]], Mapping[str, Any]]:
    """The check of a model's arguments; a default stands for an argument that isn't given."""

    def check(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        made = _validated(model, dict(arguments))
        given = {name: getattr(made, field) for name, field in model.fields.items() if field in made.model_fields_set}
        return {**given, **(made.model_extra or {})}

    return check


def _validated(model: ArgumentsModel, arguments: dict[str, Any]) -> BaseModel:
    """The arguments as the model has them; of a text that should be something else, the JSON in it is taken."""
    try:
        return model.model.model_validate(arguments)
    except ValidationError as error:
        wrong = {str(each["loc"][0]) for each in error.errors() if each["loc"]}
        read = {name: _read(value) if name in wrong else value for name, value in arguments.items()}
        if read == arguments:
            raise WrongArgument(_sentence(error)) from None
    try:
        return model.model.model_validate(read)
    except ValidationError as error:
        raise WrongArgument(_sentence(error)) from None


def _read(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except ValueError:
        return value


def _sentence(error: ValidationError) -> str:
    found = error.errors(include_url=False)
    said = [_problem(each) for each in found[:MOST_NAMED]]
    more = f"; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return "; ".join(said) + more


def _problem(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "missing":
        return f"argument {place!r} is missing"
    if error["type"] == "extra_forbidden":
        return f"there is no argument {short(place)!r}"
    message = short(str(error["msg"]), 160).removeprefix("Value error, ")
    return f"argument {place!r} is {short(repr(error['input']), 80)}: {message[:1].lower()}{message[1:]}"


def _without_titles(schema: object, *, is_table: bool = False) -> object:
    """A schema without the titles that pydantic makes of names; in a table of fields `title` is a name like others."""
    if isinstance(schema, dict):
        items = cast("dict[str, object]", schema).items()
        return {
            name: _without_titles(value, is_table=not is_table and name in ("properties", "$defs"))
            for name, value in items
            if is_table or name != "title" or not isinstance(value, str)
        }
    if isinstance(schema, list):
        return [_without_titles(each) for each in cast("list[object]", schema)]
    return schema
