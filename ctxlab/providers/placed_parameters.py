"""Parameters while a writer puts them into a body: those that it doesn't take are losses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Fix
from ctxlab.providers.request_parameters import RequestParameters

NEUTRAL: Mapping[str, tuple[Any, ...]] = {
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "n": (1,),
    "logprobs": (False,),
    "parallel_tool_calls": (True,),
    "modalities": (("text",),),
    "logit_bias": ({},),
    "stream": (False,),
    "store": (False,),
}
"""Values that ask for what a vendor does anyway: leaving them out changes nothing."""


class PlacedParameters:
    """The parameters that are still to be put somewhere; `take` gives one, what is never taken becomes a loss."""

    def __init__(self, parameters: RequestParameters, vendor: str, out: BodyWriter) -> None:
        self._rest = parameters.given()
        self._vendor = vendor
        self._out = out

    def take(self, name: str) -> Any:
        """A parameter's value, plain; None where it isn't given."""
        return plain(self._rest.pop(name, None))

    def put(self, name: str, into: dict[str, Any], field: str) -> None:
        """A parameter as a field of an object, where it is given."""
        value = self.take(name)
        if value is not None:
            into[field] = value

    def lose(self, name: str, reason: str, *, path: JsonPath | None = None, fix: Fix | None = None) -> None:
        """Record that a parameter isn't sent as it was asked for."""
        self._out.lose("parameter", name, reason, path=path, fix=fix)

    def lose_rest(self) -> None:
        """Record each parameter that has no place, unless its value asks for what is done anyway."""
        for name, value in self._rest.items():
            if value not in NEUTRAL.get(name, ()):
                self.lose(name, f"{self._vendor} has no such parameter, so it isn't sent")
        self._rest = {}


def put_custom(custom: Mapping[str, Any], out: BodyWriter, *, joined: frozenset[str] = frozenset()) -> None:
    """Put the caller's own fields into the body, over all others; the objects `joined` keep their other fields.

    Values that are no longer those of a message have no place any more.
    """
    for name, value in custom.items():
        own = plain(value)
        there = out.body.get(name)
        if name in joined and isinstance(there, dict) and isinstance(own, dict):
            out.body[name] = {**cast("dict[str, Any]", there), **cast("dict[str, Any]", own)}
        else:
            out.body[name] = own
            out.places[:] = [place for place in out.places if place.path[0] != name]


def plain(value: Any) -> Any:
    """JSON data in dicts and lists of its own."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in cast("list[Any]", value)]
    return value
