"""Text that goes on from a beginning, whether the model repeats the beginning or not."""

from __future__ import annotations


class ContinuedText:
    """The pieces of an answer that goes on from `prefix`, without the prefix where the answer repeats it whole.

    `sent` is the prefix as the model got it: what white space was cut off its end is not doubled.

    >>> text = ContinuedText("One, two")
    >>> [text.add("One, "), text.add("two, three")], text.end(), text.whole
    (['', ', three'], '', 'One, two, three')
    """

    def __init__(self, prefix: str, sent: str | None = None) -> None:
        self.prefix = prefix
        self._cut = prefix[len(sent) :] if sent is not None and prefix.startswith(sent) else ""
        self._held = ""
        self._settled = not prefix
        self._added: list[str] = []

    def add(self, piece: str) -> str:
        """The part of what came so far that is new; what may still be the prefix again is held back."""
        if self._settled:
            return self._give(piece)
        self._held += piece
        if self.prefix.startswith(self._held) and self._held != self.prefix:
            return ""
        return self.end()

    def end(self) -> str:
        """The part that was held back, now that nothing follows."""
        held, self._held = self._held, ""
        if self._settled:
            return ""
        if self.prefix and held.startswith(self.prefix):
            self._settled = True
            return self._give(held.removeprefix(self.prefix))
        self._settled = bool(held)
        return self._give(self._without_doubled_space(held))

    @property
    def whole(self) -> str:
        """The beginning and what was added to it."""
        return self.prefix + "".join(self._added)

    def _give(self, text: str) -> str:
        self._added.append(text)
        return text

    def _without_doubled_space(self, text: str) -> str:
        """The answer without the white space at its start that the prefix ends in already, where that wasn't sent."""
        if self._cut and text.startswith(self._cut):
            return text.removeprefix(self._cut)
        return text.lstrip() if self._cut and text[:1].isspace() else text
