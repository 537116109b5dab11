"""A payload sent again where that may help: never once a piece of the reply has come."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import field
from math import isfinite
from typing import TYPE_CHECKING, Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.errors import SendFailed, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.payload import Payload
from ctxlab.providers.sending.assemblers import assembler_of
from ctxlab.providers.sending.clients import check_client
from ctxlab.providers.sending.connection import PostedReply, open_reply
from ctxlab.providers.sending.deltas import Data, Delta
from ctxlab.providers.sending.keys import Key, key_for
from ctxlab.providers.sending.rate_limit import RateLimit
from ctxlab.providers.sending.time_limits import TimeLimits

if TYPE_CHECKING:
    from tenacity import RetryCallState

OnFailure = Callable[[SendFailed, float | None], object]
"""Gets each failure and the seconds after which it is tried again; None: it is not."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The number of times that a request is sent, and the wait in between: twice as long each time.

    `jitter` is the share of a wait that chance may take off, so that many that failed at once don't come back at once.
    Where the server asks for more than `longest_wait_seconds`, the request is not sent again.
    """

    attempts: int = 3
    first_wait_seconds: float = 1
    longest_wait_seconds: float = 60
    jitter: float = 0.5

    def __post_init__(self) -> None:
        if isinstance(self.attempts, bool) or not isinstance(self.attempts, int) or self.attempts < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongArgument("attempts takes a whole number from 1 on")
        for name, most in (("first_wait_seconds", None), ("longest_wait_seconds", None), ("jitter", 1)):
            value = getattr(self, name)
            is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
            if not is_number or value < 0 or (most is not None and value > most):
                raise WrongArgument(f"{name} takes a number from 0 {f'to {most}' if most else 'on'}")

    def wait_seconds(self, failed: int, failure: SendFailed, chance: float = 0) -> float | None:
        """Seconds until the next attempt after the `failed`-th, with `chance` in [0, 1]; None: there is none."""
        least = failure.retry_after_seconds or 0
        if not failure.may_pass or failed >= self.attempts or least > self.longest_wait_seconds:
            return None
        # 2**1000 is no float; no wait grows that far.
        wait = min(self.first_wait_seconds * 2 ** min(failed - 1, 60), self.longest_wait_seconds)
        return max(wait * (1 - self.jitter * chance), least)


@checked_arguments
def send_payload(
    payload: Payload,
    *,
    key: str | Key | None = None,
    client: Any = None,
    limits: TimeLimits | None = None,
    policy: RetryPolicy | None = None,
    rate_limit: RateLimit | None = None,
    on_attempt: Callable[[int], object] | None = None,
    on_failure: OnFailure | None = None,
) -> RetriedReply:
    """The reply to a payload, which is posted when the reply is first read, and again by `policy` where that may help.

    `on_attempt` gets the number of each attempt before it is made, `on_failure` each failure. A missing key or client
    raises here, before anything is posted; see `open_reply` for `key`, `client` and what fails later.
    """
    check_client(payload, client)
    payload.as_bytes()
    known = key_for(payload.provider, key) if client is None or key is not None else None
    return RetriedReply(
        lambda: open_reply(payload, key=known, limits=limits, client=client),
        assembler_of(payload.provider.wire).reply(),
        policy or RetryPolicy(),
        rate_limit,
        on_attempt,
        on_failure,
    )


@dataclass(slots=True, eq=False, repr=False)
class RetriedReply:
    """A reply on its way, of the first attempt that gets one; raises the SendFailed of the last otherwise."""

    _open: Callable[[], PostedReply]
    _nothing: Data
    _policy: RetryPolicy
    _rate_limit: RateLimit | None = None
    _on_attempt: Callable[[int], object] | None = None
    _on_failure: OnFailure | None = None
    _chance: Callable[[], float] = field(default_factory=lambda: random.SystemRandom().random)
    _closed: threading.Event = field(default_factory=threading.Event)
    _current: PostedReply | None = None
    attempts: int = 0

    def __repr__(self) -> str:
        return f"RetriedReply({self._current!r}, attempt {self.attempts})"

    def reply(self) -> Data:
        """The reply in the vendor's form, or what of it came so far."""
        return self._nothing if self._current is None else self._current.reply()

    @property
    def complete(self) -> bool:
        """Whether the vendor has said that this is all."""
        return self._current is not None and self._current.complete

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on parts of the reply that were left out."""
        return () if self._current is None else self._current.notes

    def close(self) -> None:
        """Hang up, from any thread, also while it waits; the iteration ends soon after, without an error."""
        self._closed.set()
        if self._rate_limit is not None:
            self._rate_limit.wake()
        if (current := self._current) is not None:
            current.close()

    def __iter__(self) -> Iterator[Delta]:
        try:
            if self._rate_limit is None:
                yield from self._pieces()
            elif self._rate_limit.enter(self._closed):
                try:
                    yield from self._pieces()
                finally:
                    self._rate_limit.leave()
        finally:
            self.close()

    def _pieces(self) -> Iterator[Delta]:
        import tenacity

        again = tenacity.Retrying(
            retry=tenacity.retry_if_exception(self._helps),
            stop=self._is_last,
            wait=lambda state: self._wait(state) or 0,
            before_sleep=lambda state: self._tell(_failure_of(state), state.upcoming_sleep),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            first, rest = again(self._attempt)
        except SendFailed as failure:
            self._tell(failure, None)
            raise
        if first is not None:
            yield first
        try:
            yield from rest
        except SendFailed as failure:
            self._tell(failure, None)
            raise

    def _attempt(self) -> tuple[Delta | None, Iterator[Delta]]:
        """The first piece of a new attempt, and those behind it; nothing where it was hung up before."""
        if self._closed.is_set():
            return None, iter(())
        self.attempts += 1
        if self._on_attempt is not None:
            self._on_attempt(self.attempts)
        reply = self._current = self._open()
        if self._closed.is_set():  # hung up from another thread meanwhile
            reply.close()
        pieces = iter(reply)
        return next(pieces, None), pieces

    def _sleep(self, seconds: float) -> None:
        self._closed.wait(seconds)

    def _helps(self, error: BaseException) -> bool:
        return isinstance(error, SendFailed) and error.may_pass

    def _is_last(self, state: RetryCallState) -> bool:
        return self._closed.is_set() or self._wait(state) is None

    def _wait(self, state: RetryCallState) -> float | None:
        return self._policy.wait_seconds(self.attempts, _failure_of(state), self._chance())

    def _tell(self, failure: SendFailed, seconds: float | None) -> None:
        if self._on_failure is not None and not self._closed.is_set():
            self._on_failure(failure, seconds)


def _failure_of(state: RetryCallState) -> SendFailed:
    error = state.outcome.exception() if state.outcome is not None else None
    return error if isinstance(error, SendFailed) else SendFailed(str(error))
