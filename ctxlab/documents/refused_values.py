"""Refusals of pydantic in one line: the field, the value, and what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic._internal._model_construction import ModelMetaclass  # pyright: ignore[reportPrivateUsage]

from ctxlab.display.short_texts import short
from ctxlab.errors import WrongArgument
from ctxlab.secrets import masked_beginning

PREFIXES = ("Value error, ", "Assertion failed, ")


class RefusesInOneLine(ModelMetaclass):
    """The class of models whose constructor refuses wrong values with a WrongArgument of one line.

    A constructor of their own would be called for each value of a file that is read too.
    """

    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **fields: Any) -> Any:  # noqa: N805  # a class is the instance of this one
            try:
                return super().__call__(*args, **fields)
            except ValidationError as refusal:
                raise WrongArgument(first_refusal(refusal), function=cls.__name__) from None
            except TypeError as wrong:
                if not args:
                    raise
                names = ", ".join(f"{name}=" for name in list(cls.model_fields)[:3])
                raise WrongArgument(f"fields are given by name, such as {names}", function=cls.__name__) from wrong


def first_refusal(refusal: ValidationError) -> str:
    """The first of the values that are refused, with its place and the reason, and the number of the others."""
    errors = refusal.errors(include_url=False)
    place = ".".join(str(step) for step in errors[0]["loc"])
    value = (
        "this"
        if errors[0]["type"] == "missing"
        else short(" ".join(masked_beginning(repr(errors[0]["input"]), 1000).split()), 60)
    )
    more = f" (and {len(errors) - 1:,} more)" if len(errors) > 1 else ""
    return f"{place or 'the value'} can't be {value}: {reason_of(errors[0])}{more}"


def reason_of(error: Mapping[str, Any]) -> str:
    """The reason that pydantic gives, without the name of the exception that a validator raised."""
    text = " ".join(str(error["msg"]).split())
    for prefix in PREFIXES:
        text = text.removeprefix(prefix)
    return text
