"""Errors that a text tells of, and tasks that it says are open."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxlab.engines.compression.facts.fact import Fact, folded, width_folded
from ctxlab.engines.compression.sentences import sentences
from ctxlab.lazy_pattern import lazy_pattern

_LONGEST = 300
"""Characters of an error that are looked at."""
_ERROR = lazy_pattern(
    r"(?:^[ \t>|]*(?:error|fatal|panic|ERROR|FATAL|Error|FAILED|FAIL)(?:\[[\w-]{1,20}\])?:[ \t]*\S[^\n]*)"
    r"|(?:^|(?<=[\s(\[`\"'>|]))(?:"
    r"(?:[A-Za-z_][\w.]{0,60}\.)?[A-Z]\w{1,40}(?:Error|Exception|Failure)\b:?[ \t]+\S"
    r"|npm ERR! \S|FAILED? [\w./:\[\]-]+\.\w+|\*\* \([A-Z]\w[\w. ]{0,40}\) \S"
    r"|(?:错误|报错|异常|失败|出错)[：:]\s*\S)[^\n]*"
    r"|^[^\n]{1,120}: (?:command not found|No such file or directory|Permission denied|permission denied)[^\n]*",
    re.MULTILINE,
)
_TASK = lazy_pattern(
    r"^\W*(?:\[ \]\s|to[- ]?do\b\s*[:：(]?|todos?\b|fixme\b|next(?:\ steps?)?\s*:)"
    r"|^\W*(?:(?:what(?:'s| is) )?(?:left|remaining|pending)"
    r"(?: (?:to do|tasks?|work|items?))?\s*:|open (?:tasks?|questions?|points?|issues?)\s*:)"
    r"|\b(?:TODO|FIXME)\b|\[ \]"
    r"|\bstill (?:needs?|have|has|need) to\b"
    r"|\b(?:is|are) still (?:missing|open|pending|to be|undone|failing|outstanding)\b"
    r"|\b(?:not|n't) (?:yet )?(?:been )?(?:done|finished|implemented|committed|fixed|started|merged) yet\b"
    r"|\bremains? to be \w+|\byet to be \w+ed\b"
    r"|待办|还需要?[\u4e00-\u9fff]{2}|下一步|接下来(?:要|需要|是)|尚未|还没有?(?:完成|做|写|改|实现|处理|测试|提交|修)|未完成|剩下的?(?:是|有|还)?[：:\w]",
    re.IGNORECASE,
)
_LABEL = lazy_pattern(
    r"\W*(?:\[ \]\s*|(?:to[- ]?do|todos?|fixme|next(?:\ steps?)?|left|remaining|pending|待办|下一步|剩下的?)\s*:\s*)",
    re.IGNORECASE,
)
"""The word that says a task is one; it is no part of it."""
_LEAST, _MOST = 3, 600


def errors(text: str) -> Iterator[Fact]:
    """Lines with an error: *TypeError: ...*, *error[E0382]: ...*, 错误：..."""
    for match in _ERROR.finditer(width_folded(text)):
        start, end = match.start(), min(match.end(), match.start() + _LONGEST)
        while start < end and text[start] in " \t>|":
            start += 1
        while end > start and text[end - 1] in " \t\r,":
            end -= 1
        if end > start:
            yield Fact("error", start, end, text[start:end], folded(text[start:end]))


def tasks(text: str) -> Iterator[Fact]:
    """Sentences that name something which isn't done yet: *TODO ...*, *- [ ] ...*, *still has to ...*, 待办, 下一步."""
    plain = width_folded(text)
    for start, end in sentences(text):
        if _LEAST <= end - start <= _MOST and plain[end - 1] not in "?？:：" and _TASK.search(plain[start:end]):
            label = _LABEL.match(plain, start, end)
            start = label.end() if label is not None and end - label.end() >= _LEAST else start
            yield Fact("task", start, end, text[start:end], folded(text[start:end]))
