"""The message that a cut makes of sentences of what goes, each with the origin of its message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ctxlab.context import Cause, Draft, Origin, Span, Text
from ctxlab.engines.compression import SummarySentence, extractive_summary
from ctxlab.engines.truncation.strategy import Window
from ctxlab.lazy_pattern import lazy_pattern

SUMMARY = "summary"
"""The rule of the cause of what a summary says."""
CHINESE_SHARE = 0.2
"""Share of Chinese among the characters of the sentences from which on the summary's own words are Chinese."""


_CHINESE = lazy_pattern("[\u4e00-\u9fff]")


class Words(NamedTuple):
    """The words with which a summary is framed: its heading, the mark after a name, and names of roles."""

    heading: str
    colon: str
    user: str
    assistant: str


ENGLISH = Words("From messages that are left out here:", ": ", "user", "assistant")
CHINESE = Words("以下摘自此处省略的消息：", "：", "用户", "助手")


def summary_message(window: Window, at: Sequence[int], room: int) -> tuple[Draft, frozenset[int]] | None:
    """A message of at most `room` tokens with sentences of those at these positions, and the positions it quotes.

    None where not even one sentence fits. Tool results are data and have no sentences.
    """
    if room <= 0:
        return None
    drafts = [(i, draft) for i in at if not (draft := window.draft(i)).is_result]
    texts = [str(draft.text) for _, draft in drafts]
    quotes = _Quotes([draft for _, draft in drafts], window.processor)

    def count(words: str) -> int:
        return window.cost_of(quotes.draft((Text.of(words, quotes.origin),)))

    summary = extractive_summary(texts, room, count, window.query, layout=quotes.layout)
    if not summary.sentences:
        return None
    draft = quotes.draft((Text(quotes.spans(summary.sentences)),))
    return draft, frozenset(drafts[each.message][0] for each in summary.sentences)


class _Quotes:
    """Sentences of some messages laid out with a heading and the names of those who wrote them."""

    def __init__(self, drafts: Sequence[Draft], processor: str) -> None:
        self.drafts, self.processor = drafts, processor
        self.origin = Origin("notice", processor)

    def draft(self, body: tuple[Text, ...]) -> Draft:
        return Draft(f"made:{self.processor}:0", "system", body, self.origin, pinned=True)

    def layout(self, chosen: Sequence[SummarySentence]) -> str:
        return "".join(words for words, _ in self._pieces(chosen))

    def spans(self, chosen: Sequence[SummarySentence]) -> Iterator[Span]:
        frame = Cause(self.processor, SUMMARY, "says that sentences of messages that were cut follow, and whose")
        quote = Cause(self.processor, SUMMARY, "a sentence of a message that was cut")
        for words, sentence in self._pieces(chosen):
            if sentence is None:
                yield Span(words, self.origin, frame)
                continue
            text = self.drafts[sentence.message].text.cut(sentence.start, sentence.end)
            for span in text.spans:
                if span.text:
                    yield Span(span.text, span.origin, quote)

    def _pieces(self, chosen: Sequence[SummarySentence]) -> Iterator[tuple[str, SummarySentence | None]]:
        """The words of the summary in order, each with the sentence that they are."""
        own = _own_words(chosen)
        yield own.heading, None
        for message, row in groupby(chosen, lambda each: each.message):
            draft = self.drafts[message]
            role = {"user": own.user, "assistant": own.assistant}.get(draft.role, draft.role)
            yield f"\n{draft.speaker or role}{own.colon}", None
            for n, sentence in enumerate(row):
                if n:
                    yield " ", None
                yield sentence.text, sentence


def _own_words(chosen: Sequence[SummarySentence]) -> Words:
    characters = sum(len(each.text) for each in chosen)
    chinese = sum(len(_CHINESE.findall(each.text)) for each in chosen if not each.text.isascii())
    return CHINESE if chinese >= CHINESE_SHARE * characters > 0 else ENGLISH
