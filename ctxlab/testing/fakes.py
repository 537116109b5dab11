"""Stand-ins for what steps may ask: plain, scripted, and the same every time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctxlab.context import Draft
from ctxlab.errors import CtxlabError

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
        said = [str(draft.text), draft.speaker or "", draft.reasoning or "", draft.result_of or ""]
        said += [part for call in draft.calls for part in (call.name, call.arguments)]
        return sum(map(self.count, said)) + self.asset_tokens * len(draft.assets) + self.message_tokens

    def draft_is_estimated(self, draft: Draft) -> bool:
        return self.estimated

    def count_tools(self, tools: Sequence[Mapping[str, Any]]) -> int:
        return sum(self.count(json.dumps(tool, ensure_ascii=False)) for tool in tools)


class ScriptedLlm:
    """A model that says its lines in order; `asked` are the prompts it got. One prompt too many raises CtxlabError."""

    def __init__(self, *lines: str) -> None:
        self.lines = lines
        self.asked: list[Any] = []

    def complete(self, prompt: Any, **options: Any) -> str:
        if len(self.asked) == len(self.lines):
            raise CtxlabError(f"the scripted model has only {len(self.lines)} lines; it was asked {prompt!r}")
        self.asked.append(prompt)
        return self.lines[len(self.asked) - 1]


class FixedRetriever:
    """A retriever that finds the same whatever is asked, at most `limit` of it; `asked` are the queries it got."""

    def __init__(self, found: Iterable[Any] = ()) -> None:
        self.found = tuple(found)
        self.asked: list[str] = []

    def search(self, query: str, *, limit: int | None = None) -> tuple[Any, ...]:
        self.asked.append(query)
        return self.found[:limit]
