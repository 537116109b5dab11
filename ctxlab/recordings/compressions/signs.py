"""Signs by which a text is told to be a summary of what went, or a request for one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ctxlab.engines.ranking.words import words_as_written
from ctxlab.lazy_pattern import lazy_pattern

_LOOKED_AT = 1_200
"""Characters at the beginning of a text in which a sign is looked for."""
_KNOWN = lazy_pattern(
    r"this session is being continued from a previous conversation|^\W*context summary:|earlier context was compacted"
    r"|another language model started to solve this problem and produced a summary|<state_snapshot>"
    r"|picking up work from a previous ai agent|^\W*<(?:conversation_)?summary>",
    re.IGNORECASE,
)
_OF = r"(?:conversation|session|context|history|messages|so far|previous|earlier|prior)"
_SUMMARY = r"(?:summary|summari[sz]ed|summari[sz]ation|recap|condensed|compacted|compressed)"
_WORDS = lazy_pattern(
    rf"\b{_SUMMARY}\b.{{0,60}}\b{_OF}\b|\b{_OF}\b.{{0,60}}\b{_SUMMARY}\b"
    r"|(?:摘要|总结|概要|纪要|小结).{0,20}(?:对话|会话|上文|之前|此前|前文|历史)"
    r"|(?:对话|会话|上文|之前|此前|前文|历史|前情).{0,20}(?:摘要|总结|概要|纪要|小结|提要)",
    re.IGNORECASE,
)
_IN_THE_BEGINNING = 300
_ASKED = lazy_pattern(
    r"(?:create|write|provide|give|make|generate|produce)\b.{0,60}\b(?:summary|prompt for continuing|state_snapshot"
    r"|handoff|checkpoint)|\bsummari[sz]e\b.{0,80}\b(?:conversation|session|messages|history|dialogue|work|so far)"
    r"|about to leave a conversation|context checkpoint compaction"
    r"|(?:总结|概括|压缩|摘要).{0,30}(?:对话|会话|消息|内容|上文)|(?:对话|会话|消息|上文).{0,30}(?:总结|概括|摘要)|即将离开一段",
    re.IGNORECASE | re.DOTALL,
)
_LEAST_LINE = 12
"""Characters from which a line is one's own."""
_LEAST_WORDS = 15
SHARED_LINES = 0.6
"""Share of an answer's lines in a summary from which it is the one that the summary was made of."""
SHARED_WORDS = 0.6
"""Share of a message's words in the messages that went from which it stands for them."""
OF_ONE = 0.8
"""Share of its words in one of them from which it is another version of that one."""


def says_it_is_a_summary(text: str) -> str:
    """The words by which a text says that it stands for an earlier conversation; empty where it doesn't."""
    known = _KNOWN.search(text[:_LOOKED_AT])
    found = known or _WORDS.search(text[:_IN_THE_BEGINNING])
    return " ".join(found[0].split()) if found else ""


def is_known_form(text: str) -> bool:
    """Whether a text begins as summaries of known programs do."""
    return _KNOWN.search(text[:_LOOKED_AT]) is not None


def asks_for_a_summary(text: str) -> bool:
    """Whether a message asks for a summary of the conversation, at its beginning or end."""
    return _ASKED.search(text[:_LOOKED_AT]) is not None or _ASKED.search(text[-_LOOKED_AT:]) is not None


def is_answer_in(answer: str, summary: str) -> bool:
    """Whether most lines of an answer stand in a summary, which may have left out its tags."""
    lines = [line.strip() for line in answer.splitlines()]
    wanted = [line for line in lines if len(line) >= _LEAST_LINE and not line.startswith("<")]
    there = {line.strip() for line in summary.splitlines()}
    return bool(wanted) and sum(line in there or line in summary for line in wanted) >= SHARED_LINES * len(wanted)


def share_of_words(text: str, gone: Sequence[str]) -> float:
    """Share of a text's words that the messages that went have; 0 where it is short, or a version of one of them."""
    words = _words(text)
    if len(words) < _LEAST_WORDS:
        return 0.0
    theirs = [_words(each) & words for each in gone]
    if any(len(each) >= OF_ONE * len(words) for each in theirs):
        return 0.0
    return len(_all(theirs)) / len(words)


def _words(text: str) -> frozenset[str]:
    return frozenset(word for _, word in words_as_written(text))


def _all(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)
