"""Fields of a request as an agent's parameters, by the names that agents use; all others as custom parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, cast

from ctxlab.lazy_dataclass import dataclass

Data = dict[str, Any]
Test = Callable[[Any], bool]
Row = tuple[str, str, Test]
"""A vendor's field, an agent's parameter, and which values the parameter takes."""


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def is_text(value: Any) -> bool:
    return isinstance(value, str)


def is_object(value: Any) -> bool:
    return isinstance(value, dict)


def is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in cast("list[Any]", value))


def is_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in cast("list[Any]", value))


def one_of(*names: str) -> Test:
    return lambda value: isinstance(value, str) and value in names


@dataclass(slots=True)
class AgentParameters:
    """Parameters on their way to an agent: those with a name of their own, and those that go out as they are.

    `wire` is the format of the body; the ones without a name mean nothing in another.
    """

    wire: str
    known: Data = field(default_factory=dict[str, Any])
    custom: Data = field(default_factory=dict[str, Any])
    names: list[str] = field(default_factory=list[str])
    """The fields of the body that are in them."""

    def read(self, body: Mapping[str, Any], rows: Iterable[Row], used: Iterable[str]) -> None:
        """Take the fields of a body; `used` are those that are read elsewhere. null says nothing."""
        names = {name: (ours, test) for name, ours, test in rows}
        elsewhere = set(used)
        for key, value in body.items():
            if key in elsewhere or value is None:
                continue
            self.names.append(key)
            ours, test = names.get(key, (None, None))
            if ours is not None and test is not None and test(value) and ours not in self.known:
                self.known[ours] = value
            else:
                self.custom[key] = value

    def whole(self, key: str, value: Any, found: Data | None) -> None:
        """Take a field with fields of its own: as the parameters that it comes to, or whole where it has others."""
        self.names.append(key)
        if (not found and value != {}) or found is None or not self.known.keys().isdisjoint(found):
            self.custom[key] = value
        else:
            self.known.update(found)

    def data(self) -> Data:
        """The parameters as an agent's file has them."""
        custom = {"custom": {"enabled": True, "wire": self.wire, "params": self.custom}} if self.custom else {}
        return {**self.known, **custom}


def picked(value: Mapping[str, Any], rows: Iterable[Row]) -> Data | None:
    """The parameters that all fields of an object come to; None where there is one that has none."""
    names = {name: (ours, test) for name, ours, test in rows}
    found: Data = {}
    for key, inner in value.items():
        ours, test = names.get(key, (None, None))
        if ours is None or test is None or not test(inner):
            return None
        found[ours] = inner
    return found


def json_schema(schema: Any, name: str = "reply", **more: Any) -> Data:
    """A schema of replies in the form of OpenAI's chat, which demands a name."""
    return {"responseFormat": {"type": "json_schema", "json_schema": {"name": name, "schema": schema, **more}}}


def named_tool(name: str) -> Data:
    return {"toolChoice": {"type": "function", "function": {"name": name}}}
