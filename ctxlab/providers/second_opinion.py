"""A second opinion on a body: that of the types of the vendor's own client, where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from ctxlab.display.short_texts import short
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Problem
from ctxlab.providers.provider import Provider
from ctxlab.wires import RESPONSES, WIRES

if TYPE_CHECKING:
    from pydantic import ValidationError

OF_THE_BODY = "sdk-types"
MEND = "leave it out, or go by the vendor's reference where that is newer than the client"


def sdk_problems(body: Mapping[str, Any], provider: Provider) -> tuple[Problem, ...] | None:
    """Fields and values of a body that the types of the vendor's client don't know; None where it isn't installed.

    Fields that the provider takes beyond its wire format are left aside. The types know nothing of the order of
    messages, nor of calls and their results: `provider.check` does.
    """
    row = WIRES[provider.wire]
    if not _is_installed(row.module):
        return None
    opinion = _Opinion(f"{row.package} {version(row.package)}", _own_fields(provider))
    if provider.wire == "gemini":
        for name, kind in _gemini_kinds().items():
            if name in body:
                opinion.look(body[name], kind, (name,))
        known = _gemini_kinds()
        for name in body.keys() - known.keys() - provider.extra_fields:
            opinion.unknown((name,))
    else:
        given = {name: value for name, value in body.items() if name not in opinion.extra}
        opinion.look(given, _kind(provider.wire, streams=body.get("stream") is True), ())
    return tuple(opinion.found)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it isn't there
        return False


def _own_fields(provider: Provider) -> frozenset[str]:
    """Fields beyond the client's types, of the body and of its messages."""
    from ctxlab.providers.openai_chat.profiles import profile_of

    if provider.wire != "openai-chat":
        return provider.extra_fields
    profile = profile_of(provider)
    more = {"top_k", "thinking", "prefix", "reasoning_content"} if profile.lenient else set[str]()
    return frozenset(provider.extra_fields | (profile.message_fields or set[str]()) | more)


class _Opinion:
    """Findings so far, by a client of this name; `extra` are fields that are left aside."""

    def __init__(self, client: str, extra: frozenset[str]) -> None:
        self.found: list[Problem] = []
        self.extra = extra
        self._client = client

    def look(self, given: Any, kind: Callable[[Any], Any], at: JsonPath) -> None:
        """Record what a type doesn't take of a value, and what it drops of it."""
        from pydantic import ValidationError

        try:
            taken = kind(given)
        except ValidationError as refusal:
            self._refused(refusal, given, at)
            return
        self._compare(given, taken, at)

    def _compare(self, given: Any, taken: Any, at: JsonPath) -> None:
        """Go through what a type made of a value; iterators are only validated while one goes through them."""
        if isinstance(given, Mapping) and isinstance(taken, Mapping):
            mine, theirs = cast("Mapping[str, Any]", given), cast("Mapping[str, Any]", taken)
            for name, value in mine.items():
                if name in theirs:
                    self._compare(value, theirs[name], (*at, name))
                elif name not in self.extra:
                    self.unknown((*at, name))
        elif isinstance(given, list) and isinstance(taken, Iterable) and not isinstance(taken, str | bytes):
            self._compare_items(cast("list[Any]", given), cast("Iterable[Any]", taken), at)

    def _compare_items(self, given: list[Any], taken: Iterable[Any], at: JsonPath) -> None:
        from pydantic import ValidationError

        items = iter(taken)
        for i, value in enumerate(given):
            try:
                item = next(items)
            except ValidationError as refusal:
                self._refused(refusal, value, (*at, i))
                continue
            except StopIteration:
                return
            self._compare(value, item, (*at, i))

    def unknown(self, at: JsonPath) -> None:
        """Record a field that the client's types don't have."""
        self.found.append(Problem(at, OF_THE_BODY, f"the types of {self._client} have no such field", MEND, "warning"))

    def _refused(self, refusal: ValidationError, given: Any, at: JsonPath) -> None:
        """Record the first refusals that lie in different places; of a union one, for it fails in each of its kinds."""
        errors = refusal.errors(include_url=False, include_input=False, include_context=False)
        nearest = {_as_far_as_it_goes(given, error["loc"]): error["msg"] for error in reversed(errors)}
        deepest = max(nearest, key=len)
        reason = f"the types of {self._client} refuse it: {short(nearest[deepest], 80)}"
        self.found.append(Problem((*at, *deepest), OF_THE_BODY, reason, MEND, "warning"))


def _as_far_as_it_goes(given: Any, place: tuple[int | str, ...]) -> JsonPath:
    """The part of an error's place that is in the value: names of the kinds of a union aren't."""
    path: list[str | int] = []
    for step in place:
        is_name = isinstance(given, Mapping) and step in given
        is_index = isinstance(given, list) and isinstance(step, int) and step < len(cast("list[Any]", given))
        if is_name or is_index:
            path.append(step)
            given = cast("Any", given)[step]
    return tuple(path)


@cache
def _kind(wire: str, *, streams: bool) -> Callable[[Any], Any]:
    from pydantic import TypeAdapter

    if wire == "openai-chat":
        from openai.types.chat import completion_create_params as chat

        kind: Any = chat.CompletionCreateParamsStreaming if streams else chat.CompletionCreateParamsNonStreaming
    elif wire == RESPONSES.name:
        from openai.types.responses import response_create_params as responses

        kind = responses.ResponseCreateParamsStreaming if streams else responses.ResponseCreateParamsNonStreaming
    else:
        from anthropic.types import message_create_params as messages

        kind = messages.MessageCreateParamsStreaming if streams else messages.MessageCreateParamsNonStreaming
    return TypeAdapter(kind).validate_python


@cache
def _gemini_kinds() -> Mapping[str, Callable[[Any], Any]]:
    """The types of the fields of a Gemini body; they refuse unknown fields themselves."""
    from google.genai import types
    from pydantic import TypeAdapter

    kinds: Mapping[str, Any] = {
        "contents": list[types.Content],
        "systemInstruction": types.Content,
        "tools": list[types.Tool],
        "toolConfig": types.ToolConfig,
        "safetySettings": list[types.SafetySetting],
        "generationConfig": types.GenerationConfig,
        "cachedContent": str,
    }
    return {name: TypeAdapter(kind).validate_python for name, kind in kinds.items()}
