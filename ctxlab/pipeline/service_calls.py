"""Calls of services, written down while a step runs and replayed by reruns."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import field
from typing import Any, cast

from ctxlab.context.portable_pickles import by_fields
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass

READ_ONCE = (Iterator, AsyncIterator, Awaitable)
LEVELS = 4
"""Levels of lists and mappings in an answer that are looked through."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a service by a step, with the answer. Arguments are compared by content."""

    service: str
    method: str
    arguments: tuple[Any, ...]
    named: tuple[tuple[str, Any], ...]
    answer: Any

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)


@dataclass(slots=True)
class CallLog:
    """Records the calls of a step. A call that an earlier run made too gets that run's answer, each answer once.

    `known` are the calls of the earlier run; those that are used are taken out of it, the first ones first.
    """

    known: list[Call] = field(default_factory=list[Call])
    calls: list[Call] = field(default_factory=list[Call])

    def wrap(self, name: str, service: object) -> object:
        """The service with every call of a method recorded under `name`."""
        return _Recorded(name, service, self)

    def call(
        self, service: str, method: str, do: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        """The answer of `do(*args, **named)`, recorded or replayed; raises CtxlabError for one that streams."""
        pairs = tuple(sorted(named.items()))
        for i, call in enumerate(self.known):
            if (call.service, call.method, call.arguments, call.named) == (service, method, args, pairs):
                self.calls.append(self.known.pop(i))
                return call.answer
        answer = do(*args, **named)
        if (stream := _read_once(answer)) is not None:
            raise CtxlabError(
                f"{service}.{method} gave a {type(stream).__name__}, which can be read only once, so that no rerun"
                " could replay it; steps call methods that answer in one piece"
            )
        self.calls.append(Call(service, method, args, pairs, answer))
        return answer


class _Recorded:
    """A service whose every method call goes through a CallLog."""

    def __init__(self, name: str, service: object, log: CallLog) -> None:
        self._name = name
        self._service = service
        self._log = log

    def __getattr__(self, method: str) -> Any:
        found = getattr(self._service, method)
        if not callable(found):
            return found
        do = cast("Callable[..., Any]", found)

        def recorded(*args: Any, **named: Any) -> Any:
            return self._log.call(self._name, method, do, args, named)

        return recorded


def _read_once(answer: object, levels: int = LEVELS) -> object:
    """The iterator, stream or coroutine that an answer is or has in its lists and mappings; None when there is none."""
    if isinstance(answer, READ_ONCE):
        return answer
    if not isinstance(answer, list | tuple | Mapping) or not levels:
        return None
    inside = cast("Mapping[object, object]", answer).values() if isinstance(answer, Mapping) else answer
    streams = (_read_once(each, levels - 1) for each in cast("list[object]", inside))
    return next((stream for stream in streams if stream is not None), None)
