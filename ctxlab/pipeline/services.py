"""Services: what steps call that waits or is heavy, handed in from outside; each is a Protocol.

A method answers in one piece. Nothing here streams: an answer is recorded in the trace and replayed by reruns, and a
stream can be read only once. Streaming is for what shows a reply while it is written, outside the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, Protocol, TypeVar, cast

from ctxlab.context import (
    AssetRef,
    FileFacts,
    KnowledgeAnswer,
    KnowledgeBaseFacts,
    KnowledgeHit,
    QueryPart,
    Transcript,
)
from ctxlab.context.portable_pickles import by_fields
from ctxlab.documents import AssetSource, ModelProfile
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.service_calls import CallLog
from ctxlab.prompt.token_counter import TokenCounter

Service = TypeVar("Service")
Prompt = str | Sequence[Mapping[str, Any]]
"""A text, or messages as `trace.messages` gives them."""


class AssetStore(Protocol):
    """Reads the bytes of files. It is not recorded: what it reads is on this machine and doesn't change."""

    def open(self, source: AssetSource) -> BinaryIO | None:
        """The bytes of a file as a stream that the caller closes; None when the store has no file at this place.

        A link to another machine is never followed: None.
        """
        ...

    def facts(self, asset: AssetRef) -> FileFacts | None:
        """The type and the measures of a file, from its first bytes; None when the store has no file at this place."""
        ...


class Transcriber(Protocol):
    """Turns pictures, sounds, films and documents into text. It may wait for minutes."""

    def transcribe(
        self, source: AssetSource, *, kind: str, mime_type: str = "", name: str = "", recognise: bool = True
    ) -> Transcript:
        """The text of a file of this kind (image, audio, video, document or text).

        With `recognise` False only text that the file itself has is read; nothing is recognised in its pictures.

        Raises CtxlabError, whose message is a sentence for people, when there is none: no engine for this kind is
        installed, the time is up, the file is broken.
        """
        ...


class Retriever(Protocol):
    """Finds chunks of knowledge. It may wait for an embedder."""

    def bases(self) -> Sequence[KnowledgeBaseFacts]:
        """The bases that can be searched."""
        ...

    def search(
        self,
        query: Sequence[QueryPart],
        *,
        bases: Sequence[str] | None = None,
        engine: str = "",
        limit: int = 50,
        tags: Sequence[str] = (),
    ) -> KnowledgeAnswer:
        """The best hits, best first, at most `limit`, in the bases of these ids; None means all of them.

        An empty `engine` means the best that is there. `tags` are asked for only by the engine `tags`.
        """
        ...

    def entries(self, base: str, ids: Sequence[str] | None = None) -> Sequence[KnowledgeHit]:
        """All chunks of these entries of a base, in order of the ids; None means of all. Unknown ids are left."""
        ...


class MessageRanker(Protocol):
    """Scores messages by what they have to do with a question. It is not recorded: equal inputs get equal scores."""

    @property
    def name(self) -> str: ...
    def rank(self, query: str, candidates: Sequence[Any]) -> Any:
        """The scores of messages, each with its reason; see `ctxlab.engines.ranking`."""
        ...


class LanguageModel(Protocol):
    """Writes replies, such as summaries. It may wait for minutes."""

    def complete(self, prompt: Prompt, **options: Any) -> str:
        """The whole reply, when it is finished. `options` are the vendor's, such as `temperature`."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """Services that steps may call; None is a missing one. Answers of transcriber, retriever and llm are recorded.

    A step that calls one of these three says so: `waits = True`. `rankers` are those beside what ctxlab has; one with
    the name of one of those takes its place. `window_of` gives a model's window in tokens where its profile doesn't say
    it, None where nobody knows. `count_later_tokens` is set by the pipeline for steps that read `later_tokens`.
    """

    tokenizer: TokenCounter
    assets: AssetStore | None = None
    transcriber: Transcriber | None = None
    retriever: Retriever | None = None
    llm: LanguageModel | None = None
    rankers: tuple[MessageRanker, ...] = ()
    count_later_tokens: Callable[[], int] | None = None
    window_of: Callable[[ModelProfile], int | None] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self)

    @property
    def later_tokens(self) -> int:
        """Tokens that the steps after may add to each message; they are counted when they are asked for."""
        return self.count_later_tokens() if self.count_later_tokens is not None else 0

    def recorded_by(self, log: CallLog) -> Services:
        """These services; calls of those that may wait are written into `log`."""
        if self.transcriber is None and self.retriever is None and self.llm is None:
            return self
        return replace(
            self,
            transcriber=_recorded("transcriber", self.transcriber, log),
            retriever=_recorded("retriever", self.retriever, log),
            llm=_recorded("llm", self.llm, log),
        )


def _recorded(name: str, service: Service, log: CallLog) -> Service:
    return cast("Service", log.wrap(name, service)) if service is not None else service
