"""The name in a model's answer, however it is wrapped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast

from ctxlab.engines.split_thoughts import split_thoughts
from ctxlab.lazy_pattern import lazy_pattern

LONGEST: Final = 50
"""Characters of a name; a longer one is cut."""

PAIRS: Final = {
    "(": ")",
    "[": "]",
    "{": "}",
    "<": ">",
    "（": "）",
    "【": "】",
    "《": "》",
    "〈": "〉",
    "「": "」",
    "『": "』",
}
OPENERS = {closer: opener for opener, closer in PAIRS.items()}
QUOTES: Final = {"“": "”", "‘": "’", '"': '"', "'": "'", "`": "`"}
POINTS: Final = " \t\u3000.。,，、;；:：!！?？~～*_#-—…·|"

_FENCE = lazy_pattern(r"\A```\w*\s*(.*?)\s*```\Z", re.DOTALL)
_MARK = lazy_pattern(r"\A(?:#{1,6}\s+|>\s*|[-*+]\s+|\d{1,2}[.)]\s+|\*\*|__)+")
_LABEL = lazy_pattern(
    r"\A(?:(?:session|chat|conversation|final)\s+)?(?:title|topic|name)\s*(?:\*\*)?\s*[:：]\s*"
    r"|\A(?:最终|会话|对话|聊天)?(?:标题|题目|主题|话题|名称)\s*(?:是|为)?\s*(?:\*\*)?\s*[:：]\s*",
    re.IGNORECASE,
)
_PREAMBLE = lazy_pattern(
    r"\A(?:(?:好的|好吧|当然|没问题|抱歉|首先)(?=[,，。.:：!！、;；\s]|可以|\Z)|(?:以下|下面)(?:是|为|给出|就是)|这(?:是|里是)"
    r"|根据(?=[您你我以上前该此对会聊]|(?:用户|内容|上下文))|我(?:认为|建议|觉得|会)"
    r"|用户(?=[想问在说要]|正在|询问|提[出问到供]|希望|要求|请求|咨询|表示|让|和助手|与助手|的(?:问题|提问|要求|请求|意图)(?:是|为))"
    r"|(?:sure|okay|ok|certainly|of course)(?=\s*[,.!:;–—]|\s+-|\s*\Z|,?\s+(?:here|i|let)\b)"
    r"|here(?:'s| is| are) (?:the|a|an|your|my|one|some)\b"
    r"|i (?:think|would|suggest|can (?:help|suggest|name|give|call)|will)\b|let me\b"
    r"|based on (?:the|this|our|your|what)\b)",
    re.IGNORECASE,
)
"""Beginnings of sentences about a name; each needs what makes it a sentence, since names begin with these words too."""
_ECHO = lazy_pattern(r"直接输出|不要解释|会话标题|简短标题|output only|only the title|title only", re.IGNORECASE)
_TAG = lazy_pattern(
    r"</?(?:think\w*|thought\w*|reason\w*|reflection|scratchpad|analysis|answer|response|output|guguthink)\b[^<>]*>",
    re.IGNORECASE,
)
"""Tags around parts of an answer; others, such as `<div>` and `Vec<T>`, are what a name may speak of."""
_TITLE_TAG = lazy_pattern(r"\A<(title|name|topic)>(.*)</\1>\Z", re.IGNORECASE | re.DOTALL)
_SENTENCE_END = lazy_pattern(
    r"(?<!\bvs)(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bSt)(?<!\bNo)(?<!\betc)(?<!\bv)(?<!\b[A-Za-z])[.!?](?=\s|\Z)|[。！？]"
)
"""Ends of sentences, but for points behind what is shortened."""
_CODE_BEFORE = lazy_pattern(
    r"\A(?:\.(?=[A-Za-z])|#(?=[a-z])|--?(?=[a-z])|__(?=[A-Za-z]\w*__)|\*{1,2}(?=[a-z]\w*\b(?!\*)))"
)
"""Signs that belong to the word behind them: `.NET`, `#include`, `--help`, `__init__`, `**kwargs`."""
_CODE_BEHIND = lazy_pattern(r"(?:(?<![A-Za-z])[A-Za-z]#|__[A-Za-z]\w*__)\Z")
"""Words whose last signs belong to them: `C#`, `__init__`."""
MOST_SENTENCES: Final = 2


def title_of(answer: str) -> str | None:
    """The name that an answer gives, at most 50 characters and an ellipsis; None where it gives none.

    It is the `title` of JSON, else the last line that has words. Thoughts, labels such as `Title:`, quotation marks
    and points around it go; brackets stay where they belong together. Explanations and echoes of the question are none.
    """
    text = answer.strip()
    data = _json(text)
    if data is not None:
        found = data.get("title")
        lines = _words(found).split("\n") if isinstance(found, str) else []
        return _checked(" ".join(line.strip() for line in lines if line.strip()))
    lines = [line.strip() for line in _words(text).split("\n") if line.strip().strip("`")]
    return _checked(lines[-1]) if lines else None


def _json(text: str) -> Mapping[str, Any] | None:
    """The JSON object that an answer is, also in a fence."""
    fenced = _FENCE.match(text)
    inside = fenced[1] if fenced else text
    if not inside.startswith("{"):
        return None
    try:
        data = json.loads(inside)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, Any]", data) if isinstance(data, dict) else None


def _words(text: str) -> str:
    return "".join(
        part.text for part in split_thoughts(text, ("think", "thinking", "guguthink")) if part.kind == "words"
    ).strip()


def _checked(line: str) -> str | None:
    bare = _LABEL.sub("", line if _CODE_BEFORE.match(line) else _MARK.sub("", line))
    tagged = _TITLE_TAG.match(bare.strip())
    bare = tagged[2].strip() if tagged else bare
    name = trimmed(bare)
    wrong = (
        not name
        or _TAG.search(bare)
        or _PREAMBLE.search(name)
        or _ECHO.search(name)
        or len(_SENTENCE_END.findall(bare)) > MOST_SENTENCES
    )
    if wrong:
        return None
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}..."


def trimmed(text: str) -> str:
    """A line without points and quotation marks at its ends, and without brackets that have no partner or hold it all.

    >>> trimmed('"《红楼梦》讨论。"'), trimmed("（旅行）")
    ('《红楼梦》讨论', '旅行')
    """
    while True:
        bare = _without_points(text)
        bare = _without_marks(bare)
        if bare == text:
            return text
        text = bare


def _without_points(text: str) -> str:
    """The text without points at its ends, but for signs that are part of code, as in `.NET` and `C#`."""
    text = text.strip(" \t\u3000")
    while text[:1] and text[0] in POINTS and not _CODE_BEFORE.match(text):
        text = text[1:]
    while text[-1:] and text[-1] in POINTS and not _CODE_BEHIND.search(text):
        text = text[:-1]
    return text


def _without_marks(text: str) -> str:
    if len(text) > 1 and _partner(text) == len(text) - 1:
        return text[1:-1]
    first, last = text[:1], text[-1:]
    quotes = {*QUOTES, *QUOTES.values()}
    if (first in quotes and _is_alone(text, first)) or (first in PAIRS and _partner(text) is None) or first in OPENERS:
        return text[1:]
    if (last in quotes and _is_alone(text, last)) or last in PAIRS:
        return text[:-1]
    if last in OPENERS and text.count(last) > text.count(OPENERS[last]):
        return text[:-1]
    return text


def _is_alone(text: str, quote: str) -> bool:
    """Whether a quotation mark has no partner in the text."""
    opening = {closer: opener for opener, closer in QUOTES.items()}
    other = QUOTES.get(quote) or opening[quote]
    return text.count(quote) % 2 == 1 if other == quote else text.count(other) != text.count(quote)


def _partner(text: str) -> int | None:
    """The place of the mark that closes the text's first one; None where none does."""
    opener = text[0]
    if opener in QUOTES:
        found = text.find(QUOTES[opener], 1)
        return found if found > 0 else None
    closer, depth = PAIRS.get(opener), 0
    if closer is None:
        return None
    for at, letter in enumerate(text):
        depth += (letter == opener) - (letter == closer)
        if depth == 0:
            return at
    return None
