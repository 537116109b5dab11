"""Fakes of the services that steps call: plain, scripted, and the same every time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, BinaryIO, cast, get_args

from ctxlab.context import AssetRef, Draft, FileFacts, FileKind, Transcript
from ctxlab.context.tool_pairs import NO_ID, NO_NAME
from ctxlab.documents import AssetSource
from ctxlab.errors import CtxlabError
from ctxlab.pipeline.services import Hit, Prompt, Services

# Chinese characters, kana and hangul count one by one; between them, what stands between blanks is a word.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


@dataclass(frozen=True, slots=True)
class WordTokenizer:
    """One token a word or Chinese, Japanese or Korean character, so that counts can be checked by eye.

    A message costs its words, the words of its name, reasoning, calls and the id it answers, `asset_tokens` per file,
    and `message_tokens`; a request costs `request_tokens` once.

    >>> WordTokenizer().count("three little words, 三个字")
    6
    """

    message_tokens: int = 0
    request_tokens: int = 0
    asset_tokens: int = 10
    name: str = "words"
    estimated: bool = False

    def count(self, text: str) -> int:
        return sum(1 for _ in WORD.finditer(text))

    def count_draft(self, draft: Draft) -> int:
        parts = [str(draft.text), draft.speaker or "", draft.reasoning or "", _answered(draft)]
        parts += [part for call in draft.calls for part in (call.name.strip() or NO_NAME, call.arguments)]
        parts += [artifact.text for artifact in draft.replayed if artifact.text not in (draft.reasoning or "")]
        return sum(map(self.count, parts)) + self.asset_tokens * len(draft.assets) + self.message_tokens

    def draft_is_estimated(self, draft: Draft) -> bool:
        return self.estimated

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> int:
        return sum(self.count(json.dumps(tool, ensure_ascii=False)) for tool in tools)


def _answered(draft: Draft) -> str:
    """The id that a message answers; a result without one is sent with one."""
    return draft.result_of or (NO_ID if draft.role == "tool" else "")


class ScriptedLlm:
    """A model that gives its lines in order; `prompts` are those it got. One prompt too many raises CtxlabError."""

    def __init__(self, *lines: str) -> None:
        self.lines = lines
        self.prompts: list[Prompt] = []

    def complete(self, prompt: Prompt, **options: Any) -> str:
        if len(self.prompts) == len(self.lines):
            raise CtxlabError(f"the scripted model has only {len(self.lines)} lines; it was asked {prompt!r}")
        self.prompts.append(prompt)
        return self.lines[len(self.prompts) - 1]


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk as a search finds it."""

    text: str
    collection: str = "fixed"
    chunk: str = "0"
    score: float = 1.0


class FixedRetriever:
    """A retriever that finds the same whatever the query, at most `limit` of it; `queries` are the queries it got.

    A bare text becomes a chunk of the collection `fixed`.
    """

    def __init__(self, found: Iterable[Hit | str] = ()) -> None:
        self.found: tuple[Hit, ...] = tuple(
            FoundChunk(hit, chunk=str(i)) if isinstance(hit, str) else hit for i, hit in enumerate(found)
        )
        self.queries: list[str] = []

    def search(
        self, query: str, *, collections: Sequence[str] | None = None, limit: int | None = None
    ) -> tuple[Hit, ...]:
        self.queries.append(query)
        inside = [hit for hit in self.found if collections is None or hit.collection in collections]
        return tuple(inside[:limit])


class FixedTranscriber:
    """A transcriber that knows the texts of some files; any other raises CtxlabError. `sources` are those it got."""

    def __init__(self, texts: Mapping[AssetSource, str | Transcript]) -> None:
        self.texts = dict(texts)
        self.sources: list[AssetSource] = []

    def transcribe(
        self, source: AssetSource, *, kind: str, mime_type: str = "", name: str = "", recognise: bool = True
    ) -> Transcript:
        self.sources.append(source)
        if source not in self.texts:
            raise CtxlabError(f"the fixed transcriber has no text for {kind} {source!r}")
        text = self.texts[source]
        return text if isinstance(text, Transcript) else Transcript.of(text, engine="fixed")


class AssetsInMemory:
    """A store of files that are in memory; a file's type is what its reference says."""

    def __init__(self, files: Mapping[AssetSource, bytes]) -> None:
        self.files = dict(files)

    def open(self, source: AssetSource) -> BinaryIO | None:
        found = self.files.get(source)
        return None if found is None else BytesIO(found)

    def facts(self, asset: AssetRef) -> FileFacts | None:
        found = self.files.get(asset.source)
        if found is None:
            return None
        kind = asset.kind if asset.kind in get_args(FileKind) else "other"
        return FileFacts(cast("FileKind", kind), asset.mime_type, 1.0, "mime", size_bytes=len(found))


def all_fakes() -> Services:
    """Services that are all fakes, without lines, hits and files."""
    return Services(
        tokenizer=WordTokenizer(),
        assets=AssetsInMemory({}),
        transcriber=FixedTranscriber({}),
        retriever=FixedRetriever(),
        llm=ScriptedLlm(),
    )
