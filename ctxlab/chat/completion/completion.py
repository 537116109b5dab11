"""A continuation of what is being typed, as it comes and as a value."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import field
from types import TracebackType
from typing import Any, Final, Self

from ctxlab.chat.aside.question import Message, asked_with, question_of, read_answer
from ctxlab.chat.completion.settings import CompletionSettings
from ctxlab.chat.compression.language import is_chinese
from ctxlab.chat.model import ChatModel
from ctxlab.chat.reading_thread import ReadingThread
from ctxlab.chat.topic.context import named_messages, topic_context
from ctxlab.display.html_table import fields_table, heading
from ctxlab.display.short_texts import short
from ctxlab.documents import Note, Session
from ctxlab.engines.split_thoughts import split_thoughts
from ctxlab.errors import CtxlabError, SendFailed, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.payload import Payload
from ctxlab.providers.sending.deltas import TextDelta

ENGLISH: Final = (
    "Someone is typing the text in the user's message. Go on writing it in their place, from its last character on, in "
    "its language and its tone, a sentence or two. Don't answer it, don't follow what it asks, don't repeat it: give "
    "what comes after it and nothing else."
)
CHINESE: Final = (
    "用户消息是某人正在输入的文字。请接着它的最后一个字替他写下去，语言和口吻不变，写一两句即可。"
    "不要回答它，不要执行其中的要求，不要重复它：只给出后面的内容。"
)
ABOUT_CONTEXT: Final = "The conversation so far, as material:\n\n{}"
ABOUT_CONTEXT_CHINESE: Final = "到目前为止的对话，仅供参考：\n\n{}"


@dataclass(frozen=True, eq=False)
class InputCompletion:
    """A continuation of a text that is being typed; `completed` is the text with it.

    `error` is a sentence where none came or half of one; what came until then is there, and so it is when `cancelled`.
    """

    text: str
    continuation: str = ""
    request: Payload | None = field(default=None, repr=False)
    notes: tuple[Note, ...] = field(default=(), repr=False)
    error: str | None = None
    cancelled: bool = False

    def __repr__(self) -> str:
        ended = ", cancelled" if self.cancelled else f", error: {short(self.error, 80)}" if self.error else ""
        return f"InputCompletion({short(self.text)!r} + {short(self.continuation)!r}{ended})"

    def _repr_html_(self) -> str:
        rows = {"typed": self.text, "continuation": self.continuation}
        return heading(self) + fields_table({**rows, **({"error": self.error} if self.error else {})})

    @property
    def completed(self) -> str:
        """The text with its continuation."""
        return self.text + self.continuation


class CompletionStream:
    """A continuation as it comes: `for piece in stream` gives its pieces, `stream.completion` is the outcome.

    `cancel()` ends it at any moment, from any thread. Nothing is sent before the first piece is taken.
    """

    def __init__(self, model: ChatModel, request: Payload, text: str, notes: tuple[Note, ...] = ()) -> None:
        self._model, self._request, self._notes = model, request, notes
        self._text, self._answer, self._given = text, "", ""
        self._error: str | None = None
        self._cancelled = threading.Event()
        self._reading: ReadingThread | None = None
        self._done = False
        self._source = self._pieces()

    def __repr__(self) -> str:
        return f"CompletionStream({short(self._text)!r}, {'ended' if self._done else 'running'})"

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return next(self._source)

    def cancel(self) -> None:
        """End it soon; what came so far is kept."""
        if not self._done:
            self._cancelled.set()
        if (reading := self._reading) is not None:
            reading.close()

    @property
    def continuation(self) -> str:
        """The continuation so far."""
        return self._given

    @property
    def completion(self) -> InputCompletion:
        """The outcome, once it has ended; takes the pieces that are left."""
        for _ in self._source:
            pass
        return InputCompletion(
            self._text, self._given, self._request, self._notes, self._error, self._cancelled.is_set()
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()
        _ = self.completion

    def __reduce__(self) -> Any:
        raise WrongArgument("a running completion is not pickled; its outcome is")

    def _pieces(self) -> Iterator[str]:
        try:
            yield from self._read()
        except CtxlabError as failed:
            self._error = str(failed)
        except KeyboardInterrupt:
            self.cancel()
        finally:
            self._done = True
            if self._reading is not None:
                self._reading.close()

    def _read(self) -> Iterator[str]:
        if self._cancelled.is_set():
            return
        refused = self._model.refused(self._request)
        if refused is not None:
            raise SendFailed(refused)
        reading = self._reading = ReadingThread(
            lambda attempt, failure: self._model.open(self._request, attempt, failure)
        )
        for item in reading:
            if isinstance(item, TextDelta):
                self._answer += item.text
                yield from self._more(continuation_of(self._answer, self._text, streaming=True))
        if self._cancelled.is_set():
            return
        answer = read_answer(self._model, self._request, reading)  # pyright: ignore[reportArgumentType]
        if answer.error is not None:
            raise SendFailed(answer.error)
        yield from self._more(continuation_of(answer.text, self._text))
        if not self._given.strip():
            raise SendFailed("the model gave no continuation")

    def _more(self, continuation: str) -> Iterator[str]:
        more = continuation[len(self._given) :] if continuation.startswith(self._given) else ""
        if more:
            self._given += more
            yield more


def completion_of(
    session: Session | None, text: str, model: ChatModel, settings: CompletionSettings, *, notes: tuple[Note, ...] = ()
) -> CompletionStream:
    """The completion of a text that is being typed, of which nothing has been asked yet."""
    asked = asked_with(model, {"temperature": settings.temperature, "maxTokens": settings.max_tokens})
    request = question_of(asked, _messages(session, text, settings))
    return CompletionStream(asked, request, text, notes)


def _messages(session: Session | None, text: str, settings: CompletionSettings) -> Sequence[Message]:
    chinese = is_chinese(text)
    system = settings.prompt if settings.prompt.strip() else CHINESE if chinese else ENGLISH
    if session is not None and settings.context_message_count:
        context = topic_context(named_messages(session, settings.context_message_count))
        about = ABOUT_CONTEXT_CHINESE if chinese else ABOUT_CONTEXT
        system = f"{system}\n\n{about.replace('{}', context)}" if context else system
    return [{"role": "system", "content": system}, {"role": "user", "content": text}]


def continuation_of(answer: str, text: str, *, streaming: bool = False) -> str:
    """The words of an answer that come after the typed text, without thoughts and without the text if it repeats it.

    With `streaming` nothing is given yet while the answer may turn out to repeat the text.
    """
    words = "".join(part.text for part in split_thoughts(answer, streaming=streaming) if part.kind == "words")
    if words != answer:  # a thought stood in front
        words = words.lstrip("\n")
    if text and words.startswith(text):
        return words[len(text) :]
    if streaming and text.startswith(words):
        return ""
    return words
