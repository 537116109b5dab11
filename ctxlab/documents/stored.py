"""The base of stored values: frozen, camelCase JSON as in files, unknown fields kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sized
from copy import deepcopy
from dataclasses import field
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, cast

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from ctxlab.display.guessed_names import UnknownAttribute
from ctxlab.display.html_table import fields_table, heading
from ctxlab.display.short_texts import nearest, short
from ctxlab.documents.frozen_json import frozen
from ctxlab.documents.refused_values import RefusesInOneLine, first_refusal, reason_of
from ctxlab.errors import CtxlabError, WriteError, WrongArgument
from ctxlab.lazy_dataclass import dataclass

Level = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Note:
    """A note for people: what was found where, and what was done about it."""

    level: Level
    text: str
    processor: str = ""
    details: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def as_data(self) -> dict[str, Any]:
        return {"level": self.level, "text": self.text, "processor": self.processor, "details": dict(self.details)}


OF_PYDANTIC = frozenset(name for name in dir(BaseModel) if not name.startswith("_"))
"""Names that completion leaves out: `with_`, `to_data` and the constructor do what they do for stored values."""


class StoredType(RefusesInOneLine):
    """The type of the classes of stored values: completion on a class offers what it offers on a value."""

    def __dir__(cls) -> list[str]:  # noqa: N805  # a class is the instance of this one
        return [name for name in super().__dir__() if name not in OF_PYDANTIC]


class Stored(BaseModel, metaclass=StoredType):
    """A frozen value whose JSON has the form of stored files; unknown fields survive a round trip.

    It is frozen to the bottom: dicts and lists in it refuse changes.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        extra="allow",
        alias_generator=to_camel,
        populate_by_name=True,
        defer_build=True,
    )

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                if name.startswith("_") or hasattr(type(self), name):
                    raise
                raise UnknownAttribute(type(self), name) from None

    def model_post_init(self, context: Any, /) -> None:
        if self.__pydantic_extra__:
            self._set_extra(self.__pydantic_extra__)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with other values in some fields, which are not checked."""
        known = type(self).__pydantic_fields__
        values = {name: frozen(value) for name, value in (update or {}).items()}
        unknown = {} if values.keys() <= known.keys() else {n: v for n, v in values.items() if n not in known}
        copy = super().model_copy(update={n: values[n] for n in values if n in known} if unknown else values, deep=deep)
        if len(copy.__dict__) > len(known):  # what was looked up once is looked up anew
            for name in copy.__dict__.keys() - known.keys():
                object.__delattr__(copy, name)
        if unknown:
            copy._set_extra({**(copy.__pydantic_extra__ or {}), **unknown})
            copy.__pydantic_fields_set__.update(unknown)
        return copy

    def with_extra(self, fields: Mapping[str, Any]) -> Self:
        """A copy whose unknown fields are these and no others."""
        copy = self.model_copy()
        copy._set_extra(fields)
        return copy

    def _set_extra(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "__pydantic_extra__", frozen(values))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._repr_parts())})"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """The fields that were given, one row each, unless a subclass shows more."""
        given = {name: _cell(getattr(self, name)) for name in type(self).model_fields if name in self.model_fields_set}
        return heading(self) + (fields_table(given) if given else "")

    def __dir__(self) -> Iterable[str]:
        """The names of stored values, without those that pydantic gives every model."""
        return sorted(name for name in super().__dir__() if name not in OF_PYDANTIC or name in type(self).model_fields)

    def _repr_parts(self) -> Iterable[str]:
        """The parts of the one-line repr: the first fields that were given, unless a subclass chooses others."""
        given = [name for name in type(self).model_fields if name in self.model_fields_set]
        shown = [_field(name, getattr(self, name)) for name in given[:REPR_FIELDS]]
        return [*shown, "..."] if len(given) > REPR_FIELDS else shown

    def to_data(self) -> dict[str, Any]:
        """Plain JSON data, with only the fields that were given; raises WriteError for more than some 250 levels."""
        try:
            return self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        except ValueError as error:
            if "depth" not in str(error):
                raise
            raise WriteError(f"{self!r} holds data {TOO_DEEP}") from None

    def to_json(self) -> bytes:
        """UTF-8 JSON, indented by two blanks."""
        return as_json(self.to_data(), indent=2)

    def with_(self, **fields: Any) -> Self:
        """A copy with some fields changed; the values are checked as in the constructor."""
        try:
            checked = type(self).model_validate({name: fields[name] for name in fields}, by_name=True)
        except ValidationError as refusal:
            raise WrongArgument(first_refusal(refusal), function=type(self).__name__) from None
        return self.model_copy(update={name: getattr(checked, name) for name in fields})

    def changed(self, fields: Mapping[str, Any]) -> Self:
        """A copy with some fields changed, as `with_`; names may be Python's or the file's.

        Raises CtxlabError for a name that isn't known and for a value that a field doesn't take.
        """
        known = type(self).model_fields
        names = {field.alias or name: name for name, field in known.items()}
        renamed = {names.get(name, name): value for name, value in fields.items()}
        for name in renamed:
            if name not in known and name not in (self.model_extra or {}):
                raise CtxlabError(f"{type(self).__name__} has no field {name!r}{nearest(name, list(known))}")
        return self.with_(**renamed)

    def without(self, *fields: str) -> Self:
        """A copy to which these fields were never given: they have their defaults and aren't written."""
        known = type(self).model_fields
        copy = self.model_copy(
            update={name: known[name].get_default(call_default_factory=True) for name in fields if name in known}
        )
        copy.model_fields_set.difference_update(fields)
        if extra := copy.__pydantic_extra__:
            copy._set_extra({name: value for name, value in extra.items() if name not in fields})
        return copy


S = TypeVar("S", bound=Stored)

REPR_FIELDS = 6
TOO_DEEP = "nested too deeply to be written"
ROUNDS = 10
"""Times a value is tried again: a wrong value can hide another that shows only when it is gone."""


def as_json(data: object, *, indent: Literal[2] | None = None) -> bytes:
    """UTF-8 JSON, without blanks unless indented; also of integers beyond 64 bits and of lone surrogates.

    Raises WriteError for data that is nested too deeply.
    """
    try:
        return orjson.dumps(data, option=orjson.OPT_INDENT_2 if indent else None)
    except TypeError:
        pass
    try:
        return json.dumps(data, indent=indent, separators=None if indent else (",", ":")).encode()
    except RecursionError:
        raise WriteError(f"data {TOO_DEEP}") from None


def from_json(raw: bytes) -> Any:
    """The data of JSON as `as_json` writes it, also with lone surrogates. Raises ValueError for what is no JSON."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        if b"\\ud" not in raw.lower():
            raise
    try:
        return json.loads(raw)
    except RecursionError:
        raise ValueError(f"data {TOO_DEEP}") from None


def read_stored(kind: type[S], data: object, *, place: str) -> tuple[S, tuple[Note, ...]]:
    """A value from stored data. What doesn't fit is left out with a Note, never refused.

    `place` names the value in the notes, such as `node 'n3'`.
    """
    if not isinstance(data, Mapping):
        return kind(), (Note("warning", f"{place} is {type(data).__name__}, not an object; defaults are used"),)
    try:
        return kind.model_validate(data), ()
    except ValidationError as refusal:
        return _read_what_fits(kind, deepcopy(dict(cast("Mapping[str, Any]", data))), refusal, place)


def _read_what_fits(
    kind: type[S], data: dict[str, Any], refusal: ValidationError, place: str
) -> tuple[S, tuple[Note, ...]]:
    notes: list[Note] = []
    for tries in range(ROUNDS):
        for error in _newest_index_first(refusal):
            where = ".".join(str(step) for step in error["loc"])
            notes.append(
                Note(
                    "warning",
                    f"{place}: {where} is {_short(error['input'])}: {reason_of(error)}; the default is used",
                    details={"place": place, "field": where},
                )
            )
            # What is still refused half-way goes as a whole.
            _remove(data, error["loc"] if 2 * tries < ROUNDS else error["loc"][:1])
        try:
            return kind.model_validate(data), tuple(notes)
        except ValidationError as again:
            refusal = again
    return kind(), (*notes, Note("warning", f"{place} can't be read; defaults are used", details={"place": place}))


def _newest_index_first(refusal: ValidationError) -> list[Any]:
    """List items are removed from the back, so that the places of the others stay right."""
    seen: dict[tuple[Any, ...], Any] = {error["loc"]: error for error in refusal.errors(include_url=False)}
    return sorted(
        seen.values(),
        key=lambda error: [(isinstance(s, int), s if isinstance(s, int) else 0) for s in error["loc"]],
        reverse=True,
    )


def _remove(data: Any, loc: tuple[Any, ...]) -> None:
    holder: Any = data
    for step in loc[:-1]:
        try:
            holder = holder[step]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(holder, dict):
        cast("dict[Any, Any]", holder).pop(loc[-1], None)
    elif isinstance(holder, list) and isinstance(loc[-1], int) and loc[-1] < len(cast("list[Any]", holder)):
        del holder[loc[-1]]
    else:  # the error points into a value that is no container: the whole field goes
        _remove(data, loc[:-1])


def _short(value: object) -> str:
    return short(repr(value), 60)


def _cell(value: object) -> object:
    """A field in a cell of a table: of a collection its length and its beginning."""
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, tuple | list | dict):
        first = [short(str(each)) for each in islice(cast("Iterable[object]", value), 4)]
        more = ", …" if len(cast("Sized", value)) > len(first) else ""
        return f"{len(cast('Sized', value)):,}: {', '.join(first)}{more}" if first else "none"
    return short(repr(value), 200)


def _field(name: str, value: object) -> str:
    """A field in a few words; of a collection, its length."""
    if isinstance(value, str):
        return f"{name}={short(value)!r}"
    if isinstance(value, tuple | list | dict):
        return f"{name}: {len(cast('Sized', value)):,}"
    return f"{name}={short(repr(value))}"
