"""The language of a conversation: Chinese or another one."""

from __future__ import annotations

from ctxlab.lazy_pattern import lazy_pattern

_CHINESE = lazy_pattern(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_LETTER = lazy_pattern(r"[^\W\d_]")
LOOKED_AT = 20_000
"""Characters of a text that are looked at."""


def is_chinese(text: str) -> bool:
    """Whether a text is Chinese: a fifth of its letters is, since a Chinese character says as much as several letters.

    >>> is_chinese("请用 pandas 读取文件"), is_chinese("Read 文件 with pandas, please, and show the head of it")
    (True, False)
    """
    sample = text[:LOOKED_AT]
    return 5 * len(_CHINESE.findall(sample)) > len(_LETTER.findall(sample))
