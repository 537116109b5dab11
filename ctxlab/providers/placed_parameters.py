"""Parameters while a writer puts them into a body: those that it doesn't take are losses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.place import JsonPath
from ctxlab.providers.plain_json import plain_json
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
        return plain_json(self._rest.pop(name, None))

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
