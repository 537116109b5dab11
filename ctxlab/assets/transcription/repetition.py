"""Words that a model repeats without end, found and cut."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from ctxlab.context import Transcript
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

IN_A_ROW = 3
IN_ALL = 5
LONG_ENOUGH = 8
"""Characters of a phrase that is cut in any line; a shorter one, as in `no, no, no`, is how people speak."""
ENDLESS = 10
"""Copies on end from which a shorter phrase is cut too."""
LONGEST = 120
SHOWN = 40

PHRASE = lazy_pattern(rf"(\S(?:.{{0,{LONGEST - 2}}}?\S)?)(?:\s*\1){{{IN_A_ROW - 1},}}", re.DOTALL)
CHINESE = lazy_pattern(r"[\u3400-\u9fff]{4}")


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    passage: int

    @property
    def words(self) -> str:
        return " ".join(self.text.split())


def without_repetitions(transcript: Transcript, *, in_a_row: int = IN_A_ROW, in_all: int = IN_ALL) -> Transcript:
    """The transcript without what a model repeated; a problem says what was cut. The same object where nothing was.

    Of a line or phrase that comes `in_a_row` times on end the first is kept, of a line that comes `in_all` times in all
    those before the last of them. It is for what a model writes: a form that is read may say one thing many times.
    """
    lines = [
        _Line(line, n)
        for n, passage in enumerate(transcript.passages)
        for line in passage.text.splitlines(keepends=True)
    ]
    kept, cut = _without_lines(lines, in_a_row, in_all)
    kept = [_Line(_without_phrases(line.text, in_a_row, cut), line.passage) for line in kept]
    if not cut:
        return transcript
    texts = [""] * len(transcript.passages)
    for line in kept:
        texts[line.passage] += line.text
    passages = [replace(passage, text=text) for passage, text in zip(transcript.passages, texts, strict=True) if text]
    return replace(transcript, passages=tuple(passages), problems=(*transcript.problems, *_problems(cut)))


def _without_lines(lines: list[_Line], in_a_row: int, in_all: int) -> tuple[list[_Line], Counter[str]]:
    kept: list[_Line] = []
    cut: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    start = 0
    while start < len(lines):
        words = lines[start].words
        end = start + 1
        while end < len(lines) and lines[end].words == words:
            end += 1
        copies = 1 if words and end - start >= in_a_row else end - start
        if any(map(str.isalnum, words)):
            copies = max(0, min(copies, in_all - 1 - seen[words]))
            seen[words] += end - start
        kept += lines[start : start + copies]
        if copies < end - start:
            cut[words] += end - start - copies
        start = end
    return kept, cut


def _without_phrases(line: str, in_a_row: int, cut: Counter[str]) -> str:
    def first(found: re.Match[str]) -> str:
        phrase = found[1]
        copies = found[0].count(phrase)
        long = len(phrase) >= LONG_ENOUGH or CHINESE.search(phrase) is not None or copies >= ENDLESS
        if copies < in_a_row or not long or not any(map(str.isalpha, phrase)):
            return found[0]
        cut[" ".join(phrase.split())] += copies - 1
        return phrase

    return PHRASE.sub(first, line)


def _problems(cut: Counter[str]) -> tuple[str, ...]:
    return tuple(
        f"{words if len(words) <= SHOWN else words[: SHOWN - 3] + '...'!r} was repeated; {count:,} of it"
        f" {'is' if count == 1 else 'are'} left out"
        for words, count in cut.most_common(3)
    )
