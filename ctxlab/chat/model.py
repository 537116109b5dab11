"""Models as a turn asks them: a vendor's, or a function of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import field, replace
from typing import Any, Protocol, cast

from ctxlab.chat.events import FileUploaded
from ctxlab.chat.reply_shapes import wrong_message, wrong_reply
from ctxlab.chat.uploads import FileToUpload, Uploads, address_of, uploaded
from ctxlab.display.short_texts import short
from ctxlab.documents import ModelProfile
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import CtxlabError, SendFailed, WrongArgument
from ctxlab.formats.requests.replies import ReplyMessage, reply_message
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.providers.payload import Payload, payload
from ctxlab.providers.provider import Provider
from ctxlab.providers.sending.deltas import Data, Delta, ReplyInPieces, TextDelta
from ctxlab.wires import WIRES

OnAttempt = Callable[[int], object]
OnFailure = Callable[[SendFailed, float | None], object]
ModelFunction = Callable[[list[dict[str, Any]]], Any]
"""A function of the messages in OpenAI's form: it gives a text, an iterator of texts, or a reply as a dict."""


class ChatModel(Protocol):
    """A model, as far as a turn is concerned."""

    @property
    def uploads(self) -> Uploads:
        """Which files go to the vendor before the request that names them."""
        ...

    def upload(self, file: FileToUpload, request: Payload) -> FileUploaded:
        """Give the vendor of a request a file; raises SendFailed where it doesn't take it."""
        ...

    def address(self, request: Payload) -> str:
        """The base address to which a request and its files go."""
        ...

    def request(self, trace: Trace, *, after: Payload | None = None) -> Payload:
        """The request that a run becomes."""
        ...

    def open(self, request: Payload, on_attempt: OnAttempt, on_failure: OnFailure) -> ReplyInPieces:
        """The reply to a request, which is on its way."""
        ...

    def refused(self, request: Payload) -> str | None:
        """A sentence on why the request isn't sent; None where it is."""
        ...

    def read(self, reply: Data, request: Payload) -> ReplyMessage:
        """The messages that a reply becomes."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class VendorModel:
    """A model of a vendor: `provider` and `model` as `ctxlab.payload` takes them. The key is in no text of it."""

    provider: str | Provider | None = None
    model: str | ModelProfile | None = None
    base_url: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=FrozenDict, repr=False)
    key: Any = field(default=None, repr=False)
    client: Any = field(default=None, repr=False)
    limits: Any = None
    policy: Any = None
    rate_limit: Any = None
    uploads: Uploads = "when-needed"

    def upload(self, file: FileToUpload, request: Payload) -> FileUploaded:
        from ctxlab.providers.sending.file_doors import upload_file

        given = upload_file(
            request,
            file.data,
            name=file.name,
            mime_type=file.mime_type,
            key=self.key,
            client=self.client,
            limits=self.limits,
        )
        return uploaded(file, request, self.address(request), given)

    def address(self, request: Payload) -> str:
        return address_of(request, self.client)

    def request(self, trace: Trace, *, after: Payload | None = None) -> Payload:
        return payload(
            trace,
            self.provider,
            model=self.model,
            parameters=self.parameters,
            after=after,
            stream=True,
            base_url=self.base_url,
        )

    def refused(self, request: Payload) -> str | None:
        """The first of the places that the vendor would refuse."""
        wrong = [problem for problem in request.problems if problem.level == "error"]
        if not wrong:
            return None
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        return f"not sent, {request.provider.title} would refuse {wrong[0]}{more}"

    def open(self, request: Payload, on_attempt: OnAttempt, on_failure: OnFailure) -> ReplyInPieces:
        from ctxlab.providers.sending.attempts import send_payload

        return send_payload(
            request,
            key=self.key,
            client=self.client,
            limits=self.limits,
            policy=self.policy,
            rate_limit=self.rate_limit,
            on_attempt=on_attempt,
            on_failure=on_failure,
        )

    def read(self, reply: Data, request: Payload) -> ReplyMessage:
        from ctxlab.providers.sending.key_mask import KeyMask

        read = reply_message(reply, request.provider.wire)
        # Texts of several blocks are one in a message, and so may be a key that was cut between them.
        return replace(read, nodes=KeyMask.of(self.key, self.client).data(read.nodes))


@dataclass(frozen=True, slots=True, eq=False)
class FunctionModel:
    """A function of one's own as a model: it gets the messages in OpenAI's form, and needs neither key nor network."""

    function: ModelFunction

    @property
    def name(self) -> str:
        return str(getattr(self.function, "__name__", type(self.function).__name__))

    @property
    def uploads(self) -> Uploads:
        return False

    def upload(self, file: FileToUpload, request: Payload) -> FileUploaded:
        raise SendFailed(f"the model {self.name!r} is a function, which takes no uploads")

    def address(self, request: Payload) -> str:
        return address_of(request)

    def request(self, trace: Trace, *, after: Payload | None = None) -> Payload:
        """The messages as a server of one's own would get them."""
        return payload(trace, "openai-compatible", model=self.name, after=after)

    def refused(self, request: Payload) -> str | None:
        """Nothing: the function decides itself what it takes."""
        return None

    def open(self, request: Payload, on_attempt: OnAttempt, on_failure: OnFailure) -> ReplyInPieces:
        on_attempt(1)
        return FunctionReply(self.function, deepcopy(request.body["messages"]), self.name)

    def read(self, reply: Data, request: Payload) -> ReplyMessage:
        return reply_message(reply, _wire_of(reply))


class FunctionReply:
    """The reply of a function, piece by piece where it gives an iterator of texts."""

    def __init__(self, function: ModelFunction, messages: list[dict[str, Any]], name: str) -> None:
        self._function, self._messages, self._name = function, messages, name
        self._texts: list[str] = []
        self._whole: Data | None = None
        self._closed = False

    def __iter__(self) -> Iterator[Delta]:
        try:
            yield from self._pieces()
        except CtxlabError:
            raise
        except Exception as error:  # whatever the function raises is a model that failed
            said = short(" ".join(str(error).split()), 200)
            raise SendFailed(
                f"the model {self._name!r} raised {type(error).__name__}{f': {said}' if said else ''}"
            ) from error

    def _pieces(self) -> Iterator[Delta]:
        given = self._function(self._messages)
        if isinstance(given, bytes | bytearray | memoryview):
            raise SendFailed(f"the model {self._name!r} gave {_kind(given)}; {WANTED}")
        if isinstance(given, str):
            given = (given,)
        if isinstance(given, Mapping):
            self._whole = _checked_reply(dict(cast("Mapping[str, Any]", given)), self._name)
            yield from (TextDelta(text) for text in _texts_of(self._whole))
            return
        if not isinstance(given, Iterable):
            raise SendFailed(f"the model {self._name!r} gave {_kind(given)}; {WANTED}")
        for text in cast("Iterable[Any]", given):
            if self._closed:
                return
            if not isinstance(text, str):
                raise SendFailed(f"the model {self._name!r} gave {_kind(text)} as a piece of its reply; {WANTED}")
            if text:
                self._texts.append(text)
                yield TextDelta(text)

    def reply(self) -> Data:
        if self._whole is not None:
            return self._whole
        message = {"role": "assistant", "content": "".join(self._texts)}
        return {"model": self._name, "choices": [{"message": message, "finish_reason": "stop"}]}

    def close(self) -> None:
        self._closed = True


WANTED = "a function as a model gives a text, an iterator of texts, or a reply as a dict"


def _checked_reply(reply: Data, name: str) -> Data:
    """A reply in the form of a vendor; a message of OpenAI's form becomes a reply that holds it."""
    if any(key in reply for key in ("choices", "candidates", "output", "error")) or reply.get("type") == "message":
        wrong = wrong_reply(reply, _wire_of(reply))
        if wrong:
            raise SendFailed(f"the reply of the model {name!r} can't be read: {wrong}")
        return reply
    if "content" in reply or "tool_calls" in reply:
        wrong = wrong_message(reply)
        if wrong:
            raise SendFailed(f"the reply of the model {name!r} can't be read: {wrong}")
        reason = "tool_calls" if reply.get("tool_calls") else "stop"
        return {"model": name, "choices": [{"message": reply, "finish_reason": reason}]}
    raise SendFailed(f"the model {name!r} gave a dict without content; {WANTED}")


def _wire_of(reply: Data) -> str:
    return next((wire.name for wire in WIRES.values() if wire.reply in reply), "anthropic")


def _texts_of(reply: Data) -> list[str]:
    try:
        content = reply_message(reply, _wire_of(reply)).content
    except CtxlabError:  # it is read, and refused, when it is whole
        return []
    return [content] if content else []


def _kind(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def check_function(function: object) -> None:
    """Raise WrongArgument for a function that can't be a model, since it has to be awaited."""
    import inspect

    is_plain = inspect.isfunction(function) or inspect.ismethod(function)
    call = function if is_plain else getattr(type(function), "__call__", None)  # noqa: B004  (the method is looked at)
    if inspect.iscoroutinefunction(call) or inspect.isasyncgenfunction(call):
        raise WrongArgument(f"model is an asynchronous function; {WANTED}")
