"""Thoughts that stand inside of an answer's text, told from its words; the text itself stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxlab.documents import ThinkRule
from ctxlab.engines.split_thoughts import split_thoughts


def words_and_thoughts(text: str, rules: Sequence[ThinkRule]) -> tuple[str, str]:
    """The words of a text, and the thoughts in it with a blank line between them.

    >>> words_and_thoughts("<think>hm</think>\\n\\nYes.", ())
    ('Yes.', 'hm')
    """
    if "<" not in text:
        return text, ""
    parts = split_thoughts(text, rules)
    thoughts = [part.text.strip() for part in parts if part.kind == "thought"]
    if not thoughts:
        return text, ""
    return _joined(part.text for part in parts if part.kind == "words"), "\n\n".join(filter(None, thoughts))


def with_words(text: str, words: str, rules: Sequence[ThinkRule]) -> str:
    """A text with other words; its thoughts stay, letter for letter, and stand in front of them.

    >>> with_words("<think>hm</think>\\n\\nYes.", "No.", ())
    '<think>hm</think>\\n\\nNo.'
    """
    shown, _ = words_and_thoughts(text, rules)
    if shown == words:
        return text
    parts = split_thoughts(text, rules) if "<" in text else ()
    thoughts = [part for part in parts if part.kind == "thought"]
    if not thoughts:
        return words
    kept = "".join(text[part.start : part.end] for part in thoughts)
    if not thoughts[-1].closed:
        kept += f"</{thoughts[-1].tag}>"
    first = next((part.text for part in parts if part.kind == "words"), "")
    return f"{kept}{first[: len(first) - len(first.lstrip(NEWLINES))]}{words}"


class ComingText:
    """A text that is still being written, as words and thoughts; what was given stays what it was."""

    def __init__(self, rules: Sequence[ThinkRule] = ()) -> None:
        self._rules = rules
        self._text, self._words, self._thoughts = "", 0, 0
        self._has_tags = self._has_begun = False

    def more(self, text: str) -> tuple[str, str]:
        """The words and the thoughts that are new with a piece; the end waits while it may become a tag."""
        self._text += text
        self._has_tags = self._has_tags or "<" in text
        if not self._has_tags:
            self._words += len(text)
            return self._begun(text), ""
        parts = split_thoughts(self._text, self._rules, streaming=True)
        thoughts = "\n\n".join(part.text.lstrip() for part in parts if part.kind == "thought")
        words = "".join(part.text for part in parts if part.kind == "words")
        new_words, new_thoughts = words[self._words :], thoughts[self._thoughts :]
        self._words, self._thoughts = max(self._words, len(words)), max(self._thoughts, len(thoughts))
        return self._begun(new_words), new_thoughts

    def _begun(self, words: str) -> str:
        """Words without the line breaks that stand between a thought and the first of them."""
        found = words if self._has_begun or not self._thoughts else words.lstrip(NEWLINES)
        self._has_begun = self._has_begun or bool(found.strip())
        return found


NEWLINES = "\r\n"


def _joined(words: Iterable[str]) -> str:
    return "".join(words).lstrip(NEWLINES)
