"""Things that a context is to keep: messages by key, texts, patterns, or a function that says whether it does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.engines.regexes import WordsOrPattern
from ctxlab.engines.regexes.words_or_pattern import PATTERN
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.studies.what_if.sent_pieces import SentPiece, pieces_of

KeepSource = str | re.Pattern[str] | Callable[[Trace], bool]
KEYS = ("node:", "preset:", "lore:", "kb:", "made:", "pending")
"""Beginnings of keys; another text is looked for in what is sent."""
FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}


@dataclass(frozen=True, slots=True)
class SentContext:
    """A finished run and the pieces that it sends; `texts` are those of whole messages."""

    trace: Trace
    pieces: Mapping[str, SentPiece]
    texts: Sequence[str]

    @classmethod
    def of(cls, trace: Trace) -> SentContext:
        drafts = trace.result.drafts
        return cls(trace, pieces_of(drafts), [str(draft.text) for draft in drafts])


@dataclass(frozen=True, slots=True, eq=False)
class Keep:
    """One thing that a context is to keep: its name, and whether a context has it."""

    name: str
    holds: Callable[[SentContext], bool]

    def __repr__(self) -> str:
        return f"Keep({plain(self.name, 60)!r})"


def keeps_of(sources: KeepSource | Iterable[KeepSource], like: Trace | None = None) -> tuple[Keep, ...]:
    """Things to be kept, from keys, texts, patterns (`re:...`) and functions of a trace.

    A message is kept where it is sent, alone or as a part of another; with `like` only with the words that it has
    there. A key with the id of no message that is sent `like` there is looked for as a text.
    """
    sent = SentContext.of(like) if like is not None else None
    single = isinstance(sources, str | re.Pattern) or callable(sources) or hasattr(sources, "search")
    items: list[Any] = [sources] if single else list(sources)  # type: ignore[arg-type]
    return tuple([_keep(source, sent) for source in items])


def _keep(source: KeepSource, sent: SentContext | None) -> Keep:
    if isinstance(source, str):
        return _of_text(source, sent)
    body = getattr(source, "pattern", None)
    if isinstance(body, str):
        return _of_words(WordsOrPattern(PATTERN + body, _flags(source)))
    if callable(source):
        name = getattr(source, "__name__", type(source).__name__)
        return Keep(name, lambda context: bool(source(context.trace)))
    raise WrongArgument(
        f"keeps holds a {type(source).__name__}; it takes keys, texts, patterns and functions of a trace"
    )


def _of_text(source: str, sent: SentContext | None) -> Keep:
    if not source:
        raise WrongArgument("keeps holds an empty text, which every context has")
    if not source.startswith(KEYS) or (sent is not None and source not in sent.pieces):
        return _of_words(WordsOrPattern(source))
    if sent is None:
        return Keep(source, lambda context: source in context.pieces)
    words = sent.pieces[source].text

    def has_words(context: SentContext) -> bool:
        piece = context.pieces.get(source)
        return piece is not None and piece.text == words

    return Keep(source, has_words)


def _of_words(words: WordsOrPattern) -> Keep:
    return Keep(words.source, lambda context: words.is_in_any(context.texts))


def _flags(pattern: Any) -> str:
    """The letters of the flags of a compiled pattern, of the module `re` or of `regex`."""
    ascii_only = {"a": re.ASCII} if isinstance(pattern, re.Pattern) else {}
    return "".join([letter for letter, flag in (FLAGS | ascii_only).items() if int(pattern.flags) & flag])
