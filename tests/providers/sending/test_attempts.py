"""A payload is sent again where that may help, as often and as late as told, and never once a piece has come."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import MissingKey, SendFailed, WrongArgument
from ctxlab.providers import Payload, payload
from ctxlab.providers.sending.attempts import RetriedReply, RetryPolicy, send_payload
from ctxlab.providers.sending.deltas import TextDelta
from ctxlab.providers.sending.rate_limit import RateLimit
from ctxlab.testing import FakeServer
from ctxlab.testing.fake_server.script import FakeReply

AT_ONCE = RetryPolicy(first_wait_seconds=0)
NEVER_ENDING = RetryPolicy(first_wait_seconds=3600, longest_wait_seconds=3600)


@pytest.fixture(scope="module")
def request_to() -> Callable[[FakeServer], Payload]:
    trace = ctxlab.build(ctxlab.example("harbour"))
    return lambda server: payload(trace, "openai", stream=True, base_url=server.base_url("openai"))


def words(reply: RetriedReply) -> str:
    return "".join(delta.text for delta in reply if isinstance(delta, TextDelta))


class Log:
    """What is told of attempts."""

    def __init__(self) -> None:
        self.attempts: list[int] = []
        self.failures: list[tuple[int | None, float | None]] = []

    def failed(self, failure: SendFailed, seconds: float | None) -> None:
        self.failures.append((failure.status, seconds))


def sent(server: FakeServer, request: Payload, policy: RetryPolicy = AT_ONCE) -> tuple[RetriedReply, Log]:
    log = Log()
    told: dict[str, Any] = {"on_attempt": log.attempts.append, "on_failure": log.failed}
    return send_payload(request, key="a-key", policy=policy, **told), log


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_tried_again(status: int, request_to: Callable[[FakeServer], Payload]) -> None:
    with FakeServer([FakeReply(status=status), "Hello"]) as server:
        reply, log = sent(server, request_to(server))

        assert words(reply) == "Hello"
    assert (log.attempts, log.failures) == ([1, 2], [(status, 0)])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_what_would_fail_again_is_not(status: int, request_to: Callable[[FakeServer], Payload]) -> None:
    with FakeServer(FakeReply(status=status)) as server:
        reply, log = sent(server, request_to(server))

        with pytest.raises(SendFailed):
            words(reply)
        assert len(server.requests) == 1
    assert log.failures == [(status, None)]


def test_it_gives_up_after_so_many_attempts(request_to: Callable[[FakeServer], Payload]) -> None:
    with FakeServer(FakeReply(status=500)) as server:
        reply, log = sent(server, request_to(server), RetryPolicy(attempts=4, first_wait_seconds=0))

        with pytest.raises(SendFailed, match=r"failed inside \(500\)"):
            words(reply)
        assert len(server.requests) == 4
    assert log.failures == [(500, 0), (500, 0), (500, 0), (500, None)]


def test_nothing_is_tried_again_once_a_piece_has_come(request_to: Callable[[FakeServer], Payload]) -> None:
    script = [FakeReply("one two three", piece_characters=4, break_after=3), "another"]
    with FakeServer(script) as server:
        reply, log = sent(server, request_to(server))
        came: list[Any] = []

        with pytest.raises(SendFailed) as failed:
            came.extend(iter(reply))
        assert len(server.requests) == 1
    assert failed.value.may_pass
    assert log.failures == [(None, None)]
    assert reply.reply()["choices"][0]["message"]["content"] == "one two "


def test_a_reply_is_read_once(request_to: Callable[[FakeServer], Payload]) -> None:
    with FakeServer("Hello") as server:
        reply, _ = sent(server, request_to(server))

        assert (words(reply), words(reply)) == ("Hello", "")
        assert len(server.requests) == 1


def test_hanging_up_ends_the_wait_between_attempts(request_to: Callable[[FakeServer], Payload]) -> None:
    waiting = threading.Event()
    with FakeServer(FakeReply(status=503)) as server:
        reply = send_payload(
            request_to(server), key="a-key", policy=NEVER_ENDING, on_failure=lambda *told: waiting.set()
        )
        found: list[str] = []
        reader = threading.Thread(target=lambda: found.append(words(reply)))
        reader.start()
        assert waiting.wait(120)

        reply.close()
        reader.join(120)

        assert not reader.is_alive()
        assert (found, len(server.requests)) == ([""], 1)


def test_a_missing_key_is_told_before_anything_is_posted(
    request_to: Callable[[FakeServer], Payload], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with FakeServer() as server, pytest.raises(MissingKey, match="set the environment variable OPENAI_API_KEY"):
        send_payload(request_to(server))


def failure(**facts: Any) -> SendFailed:
    return SendFailed("no", **{"status": 429, "may_pass": True, **facts})


def test_waits_double_up_to_the_longest_and_chance_takes_off_at_most_its_share() -> None:
    policy = RetryPolicy(attempts=9, first_wait_seconds=1, longest_wait_seconds=5, jitter=0.5)

    waits = [policy.wait_seconds(failed, failure()) for failed in (1, 2, 3, 4)]
    least = [policy.wait_seconds(failed, failure(), chance=1) for failed in (1, 2, 3, 4)]

    assert (waits, least) == ([1, 2, 4, 5], [0.5, 1, 2, 2.5])


def test_what_the_server_asks_for_is_waited_or_it_is_left() -> None:
    policy = RetryPolicy(first_wait_seconds=1, longest_wait_seconds=30)

    assert policy.wait_seconds(1, failure(retry_after_seconds=20), chance=1) == 20
    assert policy.wait_seconds(1, failure(retry_after_seconds=31)) is None
    assert policy.wait_seconds(3, failure()) is None
    assert policy.wait_seconds(1, failure(may_pass=False)) is None


WRONG = (
    ({"attempts": 0}, "attempts takes a whole number from 1 on"),
    ({"first_wait_seconds": -1}, "first_wait_seconds takes a number from 0 on"),
    ({"longest_wait_seconds": float("inf")}, "longest_wait_seconds takes a number from 0 on"),
    ({"jitter": 1.5}, "jitter takes a number from 0 to 1"),
)


@pytest.mark.parametrize(("settings", "sentence"), WRONG)
def test_a_policy_says_what_it_takes(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(WrongArgument, match=sentence):
        RetryPolicy(**settings)


# --- limits that many share


def test_no_minute_has_more_requests_than_the_limit() -> None:
    now = [0.0]
    limit, never = RateLimit(requests_per_minute=2, clock=lambda: now[0]), threading.Event()

    waits: list[float] = []
    for _ in range(6):
        waits.append(limit.seconds_to_wait())
        now[0] += waits[-1] + 10
        assert limit.enter(never)

    assert waits == [0, 0, 50, 0, 50, 0]


def test_no_more_replies_are_read_at_once_than_the_limit(request_to: Callable[[FakeServer], Payload]) -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def script(request: Any) -> FakeReply:
        return FakeReply("Hello")

    class Counted(RateLimit):
        def enter(self, cancelled: threading.Event) -> bool:
            entered = super().enter(cancelled)
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            return entered

        def leave(self) -> None:
            with lock:
                running[0] -= 1
            super().leave()

    limit, found = Counted(concurrent=2), list[str]()
    with FakeServer(script) as server:
        replies = [send_payload(request_to(server), key="a-key", rate_limit=limit) for _ in range(6)]
        run_all([lambda reply=reply: found.append(words(reply)) for reply in replies])

    assert found == ["Hello"] * 6
    assert most[0] <= 2


def run_all(tasks: Sequence[Callable[[], object]]) -> None:
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)


def test_hanging_up_ends_the_wait_for_a_place(request_to: Callable[[FakeServer], Payload]) -> None:
    limit = RateLimit(concurrent=1)
    limit.enter(threading.Event())
    with FakeServer("Hello") as server:
        reply = send_payload(request_to(server), key="a-key", rate_limit=limit)
        reader = threading.Thread(target=lambda: words(reply))
        reader.start()

        reply.close()
        reader.join(120)

        assert not reader.is_alive()
        assert server.requests == ()


@pytest.mark.parametrize("limits", [{"concurrent": 0}, {"requests_per_minute": True}, {"concurrent": 1.5}])
def test_a_rate_limit_says_what_it_takes(limits: dict[str, Any]) -> None:
    with pytest.raises(WrongArgument, match=r"takes a whole number from 1 on, or None"):
        RateLimit(**limits)
