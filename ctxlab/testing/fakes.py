"""Fakes of the services that steps call: plain, scripted, and the same every time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any, BinaryIO, cast, get_args

from ctxlab.context import (
    AssetRef,
    Draft,
    FileFacts,
    FileKind,
    KnowledgeAnswer,
    KnowledgeBaseFacts,
    KnowledgeHit,
    QueryPart,
    Transcript,
)
from ctxlab.context.tool_pairs import NO_ID, NO_NAME
from ctxlab.documents import AssetSource
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.pipeline.services import Prompt, Services

# Chinese characters, kana and hangul count one by one; between them, what stands between blanks is a word.
WORD = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


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


class FixedRetriever:
    """A retriever that finds the same whatever the query, at most `limit` of it; `queries` are the queries it got.

    A bare text becomes an entry of the base `fixed`, as good as those before it less a tenth.
    """

    def __init__(self, found: Iterable[KnowledgeHit | str] = ()) -> None:
        self.found = tuple([_hit(hit, i) if isinstance(hit, str) else hit for i, hit in enumerate(found)])
        self.queries: list[tuple[QueryPart, ...]] = []

    def bases(self) -> tuple[KnowledgeBaseFacts, ...]:
        names = {hit.base: hit.base_name for hit in self.found}
        return tuple([self._facts(base, name) for base, name in names.items()])

    def search(
        self,
        query: Sequence[QueryPart],
        *,
        bases: Sequence[str] | None = None,
        engine: str = "",
        limit: int = 50,
        tags: Sequence[str] = (),
    ) -> KnowledgeAnswer:
        self.queries.append(tuple(query))
        inside = [hit for hit in self.found if bases is None or hit.base in bases]
        return KnowledgeAnswer(tuple(inside[:limit]), engine or "keyword", len(inside))

    def entries(self, base: str, ids: Sequence[str] | None = None) -> tuple[KnowledgeHit, ...]:
        inside = [hit for hit in self.found if hit.base == base]
        if ids is None:
            return tuple(inside)
        return tuple([hit for id in ids for hit in inside if hit.entry == id])

    def _facts(self, base: str, name: str) -> KnowledgeBaseFacts:
        inside = self.entries(base)
        tags = dict.fromkeys(tag for hit in inside for tag in hit.tags)
        return KnowledgeBaseFacts(base, name, len({hit.entry for hit in inside}), len(inside), tuple(tags), "keyword")


def _hit(text: str, i: int) -> KnowledgeHit:
    scores = FrozenDict({"keyword": max(1 - i / 10, 0.0)})
    return KnowledgeHit("fixed", "fixed", str(i), str(i), f"entry {i}", text, scores=scores, ranks={"keyword": i + 1})


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
