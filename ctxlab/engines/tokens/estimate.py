"""Tokens without a tokenizer: a count from the kinds of characters."""

from __future__ import annotations

from ctxlab.lazy_pattern import lazy_pattern

# JavaScript's classes, as the formula was made with them: \w is ASCII, \s knows these blanks, lengths are UTF-16 units.
_CHINESE = lazy_pattern("[\u4e00-\u9fa5]+")
_WIDE_BLANK = lazy_pattern("[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]")
_PLAIN_ASCII = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz \t\n\v\f\r"
_LINE_END = lazy_pattern("([\n\r\u2028\u2029])")
_DATA_HEAD = lazy_pattern(r"\]\(data:image/[a-zA-Z0-9+.-]+;base64,")


def estimate_tokens(text: str) -> int:
    """Chinese / 1.5 + words and blanks / 4 + everything else, rounded up, in UTF-16 units.

    Everything else is punctuation, emoji (2 each), accents, kana, hangul, Cyrillic: 1 per unit. A Markdown image whose
    data stands in the text counts as `[IMAGE]`.

    >>> estimate_tokens("hello"), estimate_tokens("你好，世界！")
    (2, 5)
    """
    text = without_inline_images(text)
    ascii_part = text.encode("ascii", "ignore")
    plain = len(ascii_part) - len(ascii_part.translate(None, _PLAIN_ASCII))
    if len(ascii_part) == len(text):
        chinese, units = 0, len(text)
    else:
        chinese = len(text) - len(_CHINESE.sub("", text))
        plain += len(_WIDE_BLANK.findall(text))
        units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    twelfths = 8 * chinese + 3 * plain + 12 * (units - chinese - plain)
    return -(-twelfths // 12)


def without_inline_images(text: str) -> str:
    """Every `![alt](data:image/...;base64,...)` on one line replaced by `[IMAGE]`; the same string if there is none."""
    if ";base64," not in text:
        return text
    return "".join([_without_images_of_line(line) for line in _LINE_END.split(text)])


def _without_images_of_line(line: str) -> str:
    # By hand: `!\[.*?\]\(data:...\)` as one pattern is quadratic in the number of unclosed `![`.
    out: list[str] = []
    at = 0
    while (start := line.find("![", at)) >= 0:
        head = _DATA_HEAD.search(line, start + 2)
        end = line.find(")", head.end()) if head else -1
        if end < 0:
            break
        out += line[at:start], "[IMAGE]"
        at = end + 1
    out.append(line[at:])
    return "".join(out)
