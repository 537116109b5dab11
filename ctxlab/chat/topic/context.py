"""The messages that a model is shown when it names a conversation: short, without thoughts, data and long code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ctxlab.chat.compression.language import is_chinese
from ctxlab.chat.compression.visible_path import VisiblePath
from ctxlab.documents import MessageNode, Session
from ctxlab.engines.split_thoughts import split_thoughts
from ctxlab.lazy_pattern import lazy_pattern

LONGEST: Final = 1200
"""Characters of one message."""
HEAD, TAIL = 0.6, 0.3
"""Shares of `LONGEST` that are kept of a longer message, from its beginning and its end."""
FULL_LINES, FULL_CHARACTERS = 8, 200
"""Lines and characters of a code block up to which it is shown whole."""
HEAD_LINES, TAIL_LINES = 3, 2
DATA: Final = "[data]"
FEWEST_TO_FOLD: Final = HEAD_LINES + TAIL_LINES + 1

_DATA_URL = lazy_pattern(r"data:[\w.+-]{1,60}/[\w.+-]{1,60}(?:;[\w=.+-]{1,60}){0,5};base64,[A-Za-z0-9+/=_-]*")
_CODE = lazy_pattern(r"^(```[^\n]*)\n(.*?)^(```)[ \t]*$", re.DOTALL | re.MULTILINE)
_BLANKS = lazy_pattern(r"[ \t\u3000]{2,}")
_BLANK_LINES = lazy_pattern(r"\n[ \t]*(?:\n[ \t]*)+\n")
_BORDER = lazy_pattern(r"[。！？!?\n]|\.(?=\s)")


def named_messages(session: Session, count: int, leaf: str | None = None) -> tuple[MessageNode, ...]:
    """The newest messages of the user and the assistant on the path to a leaf that are on and have words."""
    nodes = VisiblePath.of(session, leaf).nodes
    spoken = [node for node in nodes if node.role in ("user", "assistant") and node.content.strip()]
    return tuple(spoken[-count:])


def topic_context(nodes: Sequence[MessageNode]) -> str:
    """The messages as lines, `User: ...` and `Assistant: ...`, in the language of the conversation."""
    texts = [shortened(node.content) for node in nodes]
    chinese = is_chinese("\n".join(texts))
    user, assistant, colon = ("用户", "助手", "：") if chinese else ("User", "Assistant", ": ")
    names = {"user": user, "assistant": assistant}
    return "\n".join(f"{names[node.role]}{colon}{text}" for node, text in zip(nodes, texts, strict=True) if text)


def shortened(text: str) -> str:
    """A message without thoughts and data, with long code folded, and with its middle left out where it is long."""
    words = "".join(part.text for part in split_thoughts(text) if part.kind == "words")
    words = _CODE.sub(_folded, _DATA_URL.sub(DATA, words))
    words = _BLANK_LINES.sub("\n\n", _BLANKS.sub(" ", words)).strip()
    if len(words) <= LONGEST:
        return words
    head, tail = int(LONGEST * HEAD), int(LONGEST * TAIL)
    left_out = len(words) - head - tail
    return f"{_to_border(words[:head])}\n\n{characters_left_out(left_out)}\n\n{_from_border(words[-tail:])}"


def lines_left_out(n: int) -> str:
    """The line that stands for lines of code."""
    return f"… {n} lines …"


def characters_left_out(n: int) -> str:
    """The line that stands for the middle of a message; `n` counts characters before its edges are trimmed."""
    return f"… {n} characters …"


def _folded(block: re.Match[str]) -> str:
    inside = block[2].removesuffix("\n").split("\n")
    is_long = len(inside) > FULL_LINES or len(block[2]) > FULL_CHARACTERS
    if not is_long or len(inside) < FEWEST_TO_FOLD:
        return block[0]
    head, tail = inside[:HEAD_LINES], inside[-TAIL_LINES:]
    note = lines_left_out(len(inside) - len(head) - len(tail))
    return "\n".join([block[1], *head, note, *tail, block[3]])


def _to_border(text: str) -> str:
    """The text up to the last end of a sentence in its second half, where there is one."""
    ends = [found.end() for found in _BORDER.finditer(text, len(text) // 2)]
    return text[: ends[-1] if ends else len(text)].strip()


def _from_border(text: str) -> str:
    """The text from the first end of a sentence in its first half on, where there is one."""
    found = _BORDER.search(text, 0, len(text) // 2)
    return text[found.end() if found else 0 :].strip()
