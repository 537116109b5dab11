"""The world that steps may ask: what waits or is heavy, handed in from outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from ctxlab.context import Draft
from ctxlab.context.pickling import by_fields


class TokenCounter(Protocol):
    """Counts tokens. Equal texts always get equal counts."""

    @property
    def name(self) -> str: ...
    @property
    def estimated(self) -> bool: ...
    @property
    def message_tokens(self) -> int:
        """Tokens that the wire format spends on every message."""
        ...

    @property
    def request_tokens(self) -> int:
        """Tokens that the wire format spends once per request."""
        ...

    def count(self, text: str) -> int: ...
    def count_draft(self, draft: Draft) -> int:
        """Everything that the message costs, its overhead included."""
        ...

    def draft_is_estimated(self, draft: Draft) -> bool:
        """Whether the message's count is a guess in part, such as that of a picture of unknown size."""
        ...

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> int: ...


@dataclass(frozen=True, slots=True)
class Call:
    """One question that a step asked a service, and the answer."""

    service: str
    method: str
    arguments: tuple[Any, ...]
    named: tuple[tuple[str, Any], ...]
    answer: Any

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)


@dataclass(slots=True)
class CallLog:
    """Writes down what is asked of a service. What an earlier run was told is played back, each answer once.

    `known` is the tape of that run; it is used up from the front.
    """

    known: list[Call] = field(default_factory=list[Call])
    calls: list[Call] = field(default_factory=list[Call])

    def wrap(self, name: str, service: Any) -> Any:
        return None if service is None else _Recorded(name, service, self)

    def ask(
        self, service: str, method: str, ask: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        pairs = tuple(sorted(named.items()))
        for i, call in enumerate(self.known):
            if (call.service, call.method, call.arguments, call.named) == (service, method, args, pairs):
                self.calls.append(self.known.pop(i))
                return call.answer
        answer = ask(*args, **named)
        self.calls.append(Call(service, method, args, pairs, answer))
        return answer


class _Recorded:
    """A service whose every method call is written down."""

    def __init__(self, name: str, service: Any, recorder: CallLog) -> None:
        self._name = name
        self._service = service
        self._recorder = recorder

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._recorder.ask(self._name, "__call__", self._service, args, named)

    def __getattr__(self, method: str) -> Any:
        found = getattr(self._service, method)
        if not callable(found):
            return found
        ask = cast("Callable[..., Any]", found)

        def asked(*args: Any, **named: Any) -> Any:
            return self._recorder.ask(self._name, method, ask, args, named)

        return asked


@dataclass(frozen=True, slots=True)
class Services:
    """What steps may ask. Answers of transcriber, retriever and llm are recorded in the trace and replayed by reruns.

    `later_tokens` is set by the pipeline for steps that read it: what the steps after may add to each message.
    """

    tokenizer: TokenCounter
    assets: Any = None
    transcriber: Any = None
    retriever: Any = None
    llm: Any = None
    later_tokens: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)

    def recorded_by(self, recorder: CallLog) -> Services:
        if self.transcriber is None and self.retriever is None and self.llm is None:
            return self
        return replace(
            self,
            transcriber=recorder.wrap("transcriber", self.transcriber),
            retriever=recorder.wrap("retriever", self.retriever),
            llm=recorder.wrap("llm", self.llm),
        )
