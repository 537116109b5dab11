"""Messages cut to their heads, and where a text can be cut off."""

from __future__ import annotations

from collections.abc import Mapping

from ctxlab.context import Cause, Draft, Edit, Origin, Text
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Shortening:
    """Shortens messages: the characters of the head that stays, the marker after it, and the step that does it."""

    characters: int
    marker: str
    processor: str

    def heads(self, drafts: Mapping[int, Draft], *, words_only: bool = False) -> dict[int, Draft] | None:
        """The messages with their heads alone, by position; itself where a head with its marker would not be shorter.

        None where no heads are kept. `words_only` gives what has as many tokens, in two thirds of the time.
        """
        if self.characters <= 0:
            return None
        head = self._words_of_head if words_only else self._head
        found: dict[int, Draft] = {}
        for i, draft in drafts.items():
            words = str(draft.text)
            at = head_length(words, self.characters)
            found[i] = draft if at + len(self.marker) >= len(words) else head(draft, at)
        return found

    def _words_of_head(self, draft: Draft, at: int) -> Draft:
        """As many tokens as `_head` has: the same words without their past."""
        text = Text.of(str(draft.text)[:at] + self.marker, draft.origin)
        body = (text, *draft.assets)
        return Draft(draft.key, draft.role, body, draft.origin, draft.calls, draft.result_of, None, draft.speaker)

    def _head(self, draft: Draft, at: int) -> Draft:
        """The draft cut to its first characters."""
        cause = Cause(self.processor, SHORTENED, f"the first {at} of {len(draft.text)} characters stay")
        left, marker = at, self.marker

        def head(text: Text) -> Text:
            nonlocal left, marker
            end, left = max(left, 0), left - len(text) - 1  # texts are counted as if on lines of their own
            if end >= len(text):
                return text
            edit = Edit(end, len(text), marker, cause, Origin("notice", self.processor))
            marker = ""
            return text.splice([edit])

        short = draft.edit_text(head)
        if "reasoningArtifacts" in draft.meta:
            meta = {name: value for name, value in draft.meta.items() if name != "reasoningArtifacts"}
            short = short.changed(cause, meta=FrozenDict(meta))
        return short.changed(cause, reasoning=None)


SHORTENED = "shortened"
"""The rule of the cause of what is cut off."""


def head_length(text: str, characters: int) -> int:
    """The longest head of at most `characters` code points that doesn't cut through a character as people see it."""
    if len(text) <= characters:
        return len(text)
    if text[: characters + 1].isascii() and text[characters - 1 : characters + 1] != "\r\n":
        return characters
    if characters and _is_plain(text[characters - 1]) and _is_plain(text[characters]):
        return characters
    import regex

    at = 0
    for match in regex.finditer(r"\X", text, pos=0, endpos=characters + 64):
        if match.end() > characters:
            break
        at = match.end()
    return at


def _is_plain(character: str) -> bool:
    """Whether it is a character of its own: between two such ones people always see an edge (UAX #29, rule GB999)."""
    return " " <= character < "\x7f" or "\u4e00" <= character <= "\u9fff"
