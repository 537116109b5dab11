"""A payload is posted as it is, and its reply read, hung up and given up as told."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import CtxlabError, MissingKey, SendFailed, WrongArgument
from ctxlab.formats.requests.replies import reply_message
from ctxlab.providers import Payload, built_in, payload
from ctxlab.providers.sending.connection import PostedReply, open_reply
from ctxlab.providers.sending.keys import Key, key_for
from ctxlab.providers.sending.time_limits import TimeLimits
from ctxlab.testing import FakeServer
from ctxlab.testing.fake_server.script import FakeReply
from tests.providers.sending.raw_server import RawServer, answer, head
from tests.providers.sending.recorded_streams import FULL

KEY = "sk-very-secret-1234"
EACH_VENDOR = pytest.mark.parametrize("vendor", tuple(built_in()))
PATIENT = TimeLimits(first_seconds=30, silence_seconds=30)
HASTY = TimeLimits(connect_seconds=5, first_seconds=0.2, silence_seconds=0.2)
FALLS_SILENT = TimeLimits(first_seconds=30, silence_seconds=1)


@pytest.fixture(scope="module")
def trace_of() -> Callable[[str], Any]:
    session = ctxlab.example("harbour")
    return lambda vendor: ctxlab.build(session, model=built_in()[vendor].default_model)


@pytest.fixture
def request_to(trace_of: Callable[[str], Any]) -> Callable[..., Payload]:
    """A payload for a vendor at an address."""

    def made(vendor: str, base_url: str, *, stream: bool = True) -> Payload:
        return payload(trace_of(vendor), vendor, stream=stream, base_url=base_url)

    return made


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(FULL) as server:
        yield server


@EACH_VENDOR
@pytest.mark.parametrize("stream", [False, True])
def test_the_bytes_that_are_posted_are_those_of_the_payload(
    vendor: str, stream: bool, server: FakeServer, request_to: Callable[..., Payload]
) -> None:
    request = request_to(vendor, server.base_url(vendor), stream=stream)

    reply = open_reply(request, key=KEY)
    list(reply)

    assert server.requests[-1].content == request.as_bytes()
    assert server.requests[-1].streamed == stream
    assert server.refusals == ()
    assert reply_message(reply.reply(), vendor).content == FULL.text


def test_a_client_of_ones_own_posts_the_same_bytes(server: FakeServer, request_to: Callable[..., Payload]) -> None:
    import anthropic
    import httpx2
    import openai

    own = {
        "openai": openai.OpenAI(api_key="own", base_url=server.base_url("openai"), max_retries=5),
        "openai-responses": openai.OpenAI(api_key="own", base_url=server.base_url("openai-responses")),
        "anthropic": anthropic.Anthropic(api_key="own", base_url=server.base_url("anthropic")),
    }
    for vendor, client in own.items():
        request = payload(ctxlab.build(ctxlab.example("harbour")), vendor, stream=True)
        with client:
            list(open_reply(request, client=client))
        assert server.requests[-1].content == request.as_bytes()
    with httpx2.Client() as client:
        request = request_to("gemini", server.base_url("gemini"))
        list(open_reply(request, client=client, key=KEY))
        assert server.requests[-1].content == request.as_bytes()


@pytest.mark.parametrize("client", ["openai", 1, object()])
def test_what_is_no_client_is_refused(client: Any, request_to: Callable[..., Payload]) -> None:
    with pytest.raises(WrongArgument, match=r"it takes openai\.OpenAI"):
        open_reply(request_to("openai", "http://127.0.0.1:9"), client=client, key=KEY)


def test_clients_that_do_not_fit_are_refused(request_to: Callable[..., Payload]) -> None:
    import anthropic
    import openai

    request = request_to("openai", "http://127.0.0.1:9")
    with pytest.raises(WrongArgument, match=r"AsyncOpenAI, which is asynchronous"):
        open_reply(request, client=openai.AsyncOpenAI(api_key=KEY))
    with (
        anthropic.Anthropic(api_key=KEY) as client,
        pytest.raises(WrongArgument, match=r"Anthropic, not one for OpenAI"),
    ):
        open_reply(request, client=client)


# --- failures, each in one sentence


def failure_of(request: Payload, limits: TimeLimits = PATIENT, key: str = KEY) -> tuple[PostedReply, SendFailed]:
    reply = open_reply(request, key=key, limits=limits)
    with pytest.raises(SendFailed) as failed:
        list(reply)
    assert "\n" not in str(failed.value)
    assert failed.value.__suppress_context__
    return reply, failed.value


STATUSES = (
    (401, "doesn't take the key (401): check key=", False),
    (403, "doesn't allow this (403): see what the key and its account may do", False),
    (404, "or nothing at this address (404): check model and base_url", False),
    (413, "(413): send fewer or smaller files", False),
    (422, "refused the request (422)", False),
    (429, "takes no more requests for now (429): try again later; it asks to wait 7 s", True),
    (500, "failed inside (500): try again", True),
    (503, "is overloaded or down (503): try again later", True),
    (529, "is overloaded or down (529): try again later", True),
)


@EACH_VENDOR
@pytest.mark.parametrize(("status", "sentence", "may_pass"), STATUSES)
def test_an_error_of_a_vendor_is_one_sentence(
    vendor: str, status: int, sentence: str, may_pass: bool, request_to: Callable[..., Payload]
) -> None:
    wait = 7 if status == 429 else None
    script = FakeReply(status=status, message=f"no\n\x1b[31m {KEY} {'x' * 5000}", retry_after_seconds=wait)
    with FakeServer(script) as server:
        _, failure = failure_of(request_to(vendor, server.base_url(vendor)))

    assert built_in()[vendor].title in str(failure)
    assert sentence in str(failure)
    assert (failure.status, failure.may_pass, failure.retry_after_seconds) == (status, may_pass, wait)
    assert KEY not in str(failure) and "\x1b" not in str(failure) and "it says: no [31m ***" in str(failure)
    assert len(str(failure)) < 600


def test_an_account_without_credit_is_not_asked_to_wait(request_to: Callable[..., Payload]) -> None:
    body = json.dumps({"error": {"message": "You exceeded", "code": "insufficient_quota"}}).encode()
    with RawServer(answer(body, status="429 Too Many Requests")) as server:
        _, failure = failure_of(request_to("openai", server.url))

    assert "has no credit left for this key (429): see the account's billing" in str(failure)
    assert not failure.may_pass


def test_a_date_in_retry_after_is_counted_from_the_servers_own(request_to: Callable[..., Payload]) -> None:
    dates = {"Date": "Wed, 21 Oct 2015 07:27:30 GMT", "Retry_After": "Wed, 21 Oct 2015 07:28:00 GMT"}
    with RawServer(answer(b"busy", status="503 Busy", kind="text/plain", **dates)) as server:
        _, failure = failure_of(request_to("openai", server.url))

    assert failure.retry_after_seconds == 30
    assert str(failure).endswith("it asks to wait 30 s; it says: busy")


def test_a_redirect_is_not_followed_with_the_key(request_to: Callable[..., Payload]) -> None:
    with RawServer(answer(b"{}", status="307 Temporary Redirect", Location="http://127.0.0.1:9/")) as server:
        _, failure = failure_of(request_to("anthropic", server.url))

    assert "sends the request on to another address (307), which is not followed: check base_url" in str(failure)


@pytest.mark.parametrize("vendor", ["openai", "anthropic", "gemini"])
def test_a_refused_connection_names_the_address(vendor: str, request_to: Callable[..., Payload]) -> None:
    with RawServer() as server:
        address = server.url
    _, failure = failure_of(request_to(vendor, address))

    assert str(failure) == f"the connection to {address} was refused: check base_url, and whether the server runs"
    assert failure.may_pass and failure.status is None


@pytest.mark.parametrize("vendor", ["openai", "anthropic", "gemini"])
def test_a_server_that_speaks_no_tls_is_named(vendor: str, request_to: Callable[..., Payload]) -> None:
    with RawServer(b"HTTP/1.1 400 no\r\n\r\n", deaf=True) as server:
        _, failure = failure_of(request_to(vendor, server.url.replace("http://", "https://")))

    assert str(failure).startswith("no secure connection to 127.0.0.1 can be made")
    assert not failure.may_pass


@pytest.mark.parametrize("vendor", ["openai", "anthropic", "gemini"])
def test_a_server_that_hangs_up_or_breaks_off_is_told_apart(vendor: str, request_to: Callable[..., Payload]) -> None:
    with RawServer(b"") as server:
        _, without = failure_of(request_to(vendor, server.url))
    cut = answer(b'{"a": "' + b"x" * 100)[:-50]
    with RawServer(cut) as server:
        _, half = failure_of(request_to(vendor, server.url))

    assert str(without) == f"{server_free(without)} hung up before its answer began: try again"
    assert "broke off before the reply ended" in str(half)
    assert without.may_pass and half.may_pass


def server_free(failure: SendFailed) -> str:
    return str(failure).split(" ")[0]


def test_a_page_of_the_web_is_no_reply(request_to: Callable[..., Payload]) -> None:
    with RawServer(answer(b"<html>Welcome</html>", kind="text/html; charset=utf-8")) as server:
        _, failure = failure_of(request_to("openai", server.url))

    assert str(failure).endswith("answered with text/html, which is no reply of a model: check base_url")


@EACH_VENDOR
def test_a_stream_that_ends_too_early_keeps_what_came(vendor: str, request_to: Callable[..., Payload]) -> None:
    script = FakeReply("one two three four five six", piece_characters=4, break_after=5)
    with FakeServer(script) as server:
        reply, failure = failure_of(request_to(vendor, server.base_url(vendor)))

    assert failure.may_pass
    assert script.text.startswith(reply_message(reply.reply(), vendor).content)


@EACH_VENDOR
def test_a_server_that_stops_talking_is_left(vendor: str, request_to: Callable[..., Payload]) -> None:
    with FakeServer(FakeReply("never", delay_seconds=60)) as server:
        _, failure = failure_of(request_to(vendor, server.base_url(vendor)), HASTY)

    assert "sent nothing for 0.2 s: try again" in str(failure)
    assert failure.may_pass


def test_silence_within_a_stream_keeps_what_came(request_to: Callable[..., Payload]) -> None:
    begun = b'data: {"choices": [{"index": 0, "delta": {"content": "Well"}}]}\n\n'
    with RawServer(head() + begun, silent=True) as server:
        reply, failure = failure_of(request_to("openai", server.url), FALLS_SILENT)

    assert "sent nothing for 1 s" in str(failure)
    assert reply_message(reply.reply(), "openai").content == "Well"


ERRORS_INSIDE = (
    ("openai", b'data: {"error": {"message": "The server is overloaded", "code": 503}}\n\n', 503),
    ("openai-responses", b'data: {"type": "error", "code": "server_error", "message": "Broken"}\n\n', 500),
    (
        "openai-responses",
        b'data: {"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded"}}}\n\n',
        429,
    ),
    (
        "anthropic",
        b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}\n\n',
        529,
    ),
    ("gemini", b'data: {"error": {"code": 503, "message": "x", "status": "UNAVAILABLE"}}\n\n', 503),
)


@pytest.mark.parametrize(("vendor", "event", "status"), ERRORS_INSIDE)
def test_an_error_within_a_stream_has_its_status(
    vendor: str, event: bytes, status: int, request_to: Callable[..., Payload]
) -> None:
    with RawServer(head() + event) as server:
        _, failure = failure_of(request_to(vendor, server.url))

    assert str(failure).startswith("the server ended the reply with an error (")
    assert (failure.status, failure.may_pass) == (status, True)


def test_an_event_that_is_no_json_is_left_out_with_a_note(request_to: Callable[..., Payload]) -> None:
    with FakeServer(FakeReply("one two three", piece_characters=4, malformed_after=2)) as server:
        reply = open_reply(request_to("openai", server.base_url("openai")), key=KEY)
        list(reply)

    assert reply_message(reply.reply(), "openai").content == "one two three"
    assert reply.notes == ("1 event of the stream without a JSON object left out",)


def test_a_line_of_a_megabyte_is_read_and_one_without_end_is_not() -> None:
    from ctxlab.providers.sending.server_events import EventReader

    words = "x" * 1_000_000
    reader = EventReader()
    content = f'data: {{"text": "{words}"}}\n\n'.encode()
    (event,) = [each for at in range(0, len(content), 4096) for each in reader.feed(content[at : at + 4096])]
    assert event.data == {"text": words}
    with pytest.raises(SendFailed, match=r"an event of over 100,000 bytes; it is not read on"):
        EventReader(100_000).feed(content)


# --- hanging up


@pytest.mark.parametrize("vendor", ["openai", "anthropic", "gemini"])
@pytest.mark.parametrize("script", [FakeReply("x", delay_seconds=60), FakeReply("one two", pause_seconds=60)])
def test_hanging_up_ends_the_reading_without_an_error(
    vendor: str, script: FakeReply, request_to: Callable[..., Payload]
) -> None:
    with FakeServer(script) as server:
        reply = open_reply(request_to(vendor, server.base_url(vendor)), key=KEY, limits=PATIENT)
        found: list[Any] = []
        reader = threading.Thread(target=lambda: found.extend(reply))
        reader.start()

        reply.close()
        reader.join(120)

    assert not reader.is_alive()
    assert found == []
    reply_message(reply.reply(), vendor)


def test_hanging_up_after_the_first_piece_keeps_it(request_to: Callable[..., Payload]) -> None:
    begun = b'data: {"choices": [{"index": 0, "delta": {"content": "Well"}}]}\n\n'
    with RawServer(head() + begun, silent=True) as server:
        reply = open_reply(request_to("openai", server.url), key=KEY, limits=PATIENT)
        pieces = iter(reply)
        next(pieces)
        threading.Thread(target=reply.close).start()

        assert list(pieces) == []

    assert reply_message(reply.reply(), "openai").content == "Well"


# --- keys


def test_a_key_is_shown_nowhere() -> None:
    @dataclass
    class Holder:
        key: Key

    key = Key(KEY)

    for shown in (repr(key), str(key), f"{key}", f"{key!s:>30}", str(asdict(Holder(key))), repr(vars(Holder(key)))):
        assert KEY not in shown
    assert copy.deepcopy(key) is key
    with pytest.raises(CtxlabError, match="a key is not pickled"):
        pickle.dumps(key)


def test_no_log_has_the_key(
    server: FakeServer, request_to: Callable[..., Payload], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        for vendor in ("openai", "anthropic", "gemini"):
            reply = open_reply(request_to(vendor, server.base_url(vendor)), key=KEY)
            list(reply)
            assert KEY not in repr(reply)

    assert caplog.records and KEY not in caplog.text


def test_a_key_comes_from_the_argument_the_environment_or_the_keyring() -> None:
    def ring(service: str, name: str) -> str | None:
        return {"anthropic": "of-ring"}.get(name)

    gemini = built_in()["gemini"]
    environment = {"GOOGLE_API_KEY": " of-google\n", "ANTHROPIC_API_KEY": "  "}

    given = key_for(gemini, KEY, environment=environment, from_keyring=ring)
    found = key_for(gemini, environment=environment, from_keyring=ring)
    kept = key_for(built_in()["anthropic"], environment=environment, from_keyring=ring)

    assert [(key.reveal(), key.source) for key in (given, found, kept) if key] == [
        (KEY, "key="),
        ("of-google", "GOOGLE_API_KEY"),
        ("of-ring", "the keyring"),
    ]


@EACH_VENDOR
def test_a_missing_key_names_a_variable_that_is_read(vendor: str) -> None:
    provider = built_in()[vendor]

    def found(environment: dict[str, str]) -> Key | None:
        return key_for(provider, environment=environment, from_keyring=lambda service, name: None)

    if vendor == "openai-compatible":
        assert found({}) is None
        return
    with pytest.raises(MissingKey) as missing:
        found({})
    variable = str(missing.value).split()[-1]
    key = found({variable: "value"})
    assert key is not None and key.reveal() == "value"


@pytest.mark.parametrize("key", ["", "  ", "sk-with\nline", "sk-with space", "sk-ключ"])
def test_what_is_no_key_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(WrongArgument) as refused:
        Key(key)

    assert not key.strip() or key not in str(refused.value)


def test_a_server_that_wants_no_key_gets_none(server: FakeServer, request_to: Callable[..., Payload]) -> None:
    with RawServer(answer(b'{"choices": [{"message": {"role": "assistant", "content": "Hi"}}]}')) as raw:
        request = request_to("openai-compatible", raw.url, stream=False)
        reply = open_reply(request, key=None)
        list(reply)
        sent = raw.requests[0].partition(b"\r\n\r\n")[0].lower()

    assert b"authorization" not in sent and b"openai-organization" not in sent
    assert reply_message(reply.reply(), "openai").content == "Hi"


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), "1", True])
def test_time_limits_take_seconds(seconds: Any) -> None:
    with pytest.raises(WrongArgument, match="silence_seconds takes a number of seconds above 0"):
        TimeLimits(silence_seconds=seconds)


# --- failures that no server on this machine can be made to have


def failing(*errors: Callable[[Any], Exception]) -> Any:
    """A client whose requests fail with an error that came from others."""
    import httpx2

    def handler(request: Any) -> Any:
        cause: Exception | None = None
        for make in reversed(errors):
            error = make(request)
            error.__cause__ = cause
            cause = error
        assert cause is not None
        raise cause

    return httpx2.Client(transport=httpx2.MockTransport(handler))


def broken_body(request: Any) -> Any:
    """An answer whose reading takes too long."""
    import httpx2

    class Stream(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield b"data: "
            raise httpx2.ReadTimeout("slow", request=request)

    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=Stream())


def test_other_failures_of_a_connection_say_what_to_check(request_to: Callable[..., Payload]) -> None:
    import socket

    import httpx2

    address = "http://somewhere.invalid"
    kinds: tuple[tuple[Any, str, bool], ...] = (
        ([httpx2.ConnectTimeout], f"no connection to {address} was made in time: check base_url and the network", True),
        ([httpx2.ReadTimeout], f"{address} sent no answer in time: try again", True),
        ([httpx2.ConnectError], f"no connection to {address} can be made: check base_url and the network", True),
        (
            [httpx2.ConnectError, lambda *_, **__: socket.gaierror(-2, KEY)],
            f"no address was found on the way to {address}: check base_url and the network",
            True,
        ),
        ([lambda *_, **__: ValueError(KEY)], f"the request to {address} failed (ValueError)", False),
    )
    for errors, sentence, may_pass in kinds:
        made = [lambda request, kind=kind: kind("x", request=request) for kind in errors]
        with failing(*made) as client, pytest.raises(SendFailed) as failed:
            list(open_reply(request_to("openai", address), client=client, key=KEY))
        assert (str(failed.value), failed.value.may_pass) == (sentence, may_pass)
    with (
        httpx2.Client(transport=httpx2.MockTransport(broken_body)) as client,
        pytest.raises(SendFailed, match=r"stopped in the middle of the reply: try again"),
    ):
        list(open_reply(request_to("openai", address), client=client, key=KEY))


def test_a_stream_that_ends_before_the_vendor_says_so_is_not_whole(request_to: Callable[..., Payload]) -> None:
    begun = b'data: {"choices": [{"index": 0, "delta": {"content": "Well"}}]}'
    with RawServer(head() + begun) as server:
        reply, failure = failure_of(request_to("openai", server.url))

    assert str(failure) == f"{server.url} ended the stream before the reply was whole"
    assert reply_message(reply.reply(), "openai").content == "Well"


ENDS = (
    (b'{"choices": [{"delta": {"content": "Hi"}}]}\n\ndata: [DONE]', PATIENT),
    (b'{"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}', FALLS_SILENT),
)


@pytest.mark.parametrize(("events", "limits"), ENDS, ids=["[DONE]", "a reason of the end"])
def test_a_server_that_keeps_the_connection_after_the_end_is_not_waited_for(
    events: bytes, limits: TimeLimits, request_to: Callable[..., Payload]
) -> None:
    with RawServer(head() + b"data: " + events + b"\n\n", silent=True) as server:
        reply = open_reply(request_to("openai", server.url), key=KEY, limits=limits)

        assert len(list(reply)) == 1
    assert reply.complete


def test_an_answer_that_is_half_json_or_an_error_is_no_reply(request_to: Callable[..., Payload]) -> None:
    with RawServer(answer(b'{"choices": ['), answer(b'{"error": {"message": "No", "code": 502}}')) as server:
        _, broken = failure_of(request_to("openai", server.url, stream=False))
        _, error = failure_of(request_to("openai", server.url, stream=False))

    assert "answered with broken application/json, which is no reply of a model" in str(broken)
    assert (str(error), error.status) == ("the server ended the reply with an error (502): No", 502)


def test_a_server_that_wants_a_key_and_got_none_says_so(request_to: Callable[..., Payload]) -> None:
    with RawServer(answer(b"{}", status="401 Unauthorized")) as server, pytest.raises(SendFailed) as failed:
        list(open_reply(request_to("openai-compatible", server.url)))

    assert str(failed.value) == "OpenAI-compatible wants a key (401): give one as key="


@pytest.mark.parametrize(("status", "sentence"), [(402, "see the account's billing"), (504, "or ask for a stream")])
def test_rarer_statuses(status: int, sentence: str, request_to: Callable[..., Payload]) -> None:
    with RawServer(answer(b"{}", status=f"{status} No")) as server:
        _, failure = failure_of(request_to("openai", server.url))

    assert str(failure).endswith(sentence)


def test_a_client_of_ones_own_uses_its_connection_again(request_to: Callable[..., Payload]) -> None:
    import httpx2

    opened: list[str] = []

    def trace(name: str, info: Any) -> None:
        opened.extend([name] if name == "connection.connect_tcp.complete" else [])

    def hook(request: Any) -> None:
        request.extensions = {**request.extensions, "trace": trace}

    with FakeServer("Hello") as server, httpx2.Client(event_hooks={"request": [hook]}) as client:
        for _ in range(3):
            list(open_reply(request_to("openai", server.base_url("openai")), key=KEY, client=client))

    assert len(opened) == 1


def test_sending_to_gemini_is_what_its_extra_brings() -> None:
    from importlib.metadata import requires

    assert any(each.startswith("httpx2") for each in requires("google-genai") or ())
