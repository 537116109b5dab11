"""Text that goes on from a beginning, whether the model repeats the beginning or not."""

from __future__ import annotations


class ContinuedText:
    """The pieces of an answer that goes on from `prefix`.

    A model that is asked to go on may say the prefix again, in other case or with other blanks: where it does so whole,
    that is left out. One that `goes_on` by itself never repeats: all that it says is new. `sent` is the prefix as the
    model got it: what white space was cut off its end is not doubled.

    >>> text = ContinuedText("One, two")
    >>> [text.add("one, "), text.add("two, three")], text.end(), text.whole
    (['', ', three'], '', 'One, two, three')
    """

    def __init__(self, prefix: str, sent: str | None = None, *, goes_on: bool = False) -> None:
        self.prefix = prefix
        self._cut = prefix[len(sent) :] if sent is not None and prefix.startswith(sent) else ""
        self._repeated = "" if goes_on else _letters(prefix)
        self._held = ""
        self._settled = not (self._repeated or self._cut)
        self._added: list[str] = []

    def add(self, piece: str) -> str:
        """The part of what came so far that is new; what may still be the prefix again is held back."""
        if self._settled:
            return self._give(piece)
        self._held += piece
        letters = _letters(self._held[: 2 * len(self.prefix) + 200])
        if self._repeated.startswith(letters) and (letters != self._repeated or self.prefix[-1:].isspace()):
            return ""
        return self.end()

    def end(self) -> str:
        """The part that was held back, now that nothing follows."""
        held, self._held = self._held, ""
        if self._settled:
            return ""
        self._settled = bool(held)
        at = _end_of(self._repeated, held)
        if at is None:
            return self._give(self._without_doubled_space(held, self._cut))
        blanks = self.prefix[len(self.prefix.rstrip()) :]
        return self._give(self._without_doubled_space(held[at:], blanks))

    @property
    def whole(self) -> str:
        """The beginning and what was added to it."""
        return self.prefix + "".join(self._added)

    def _give(self, text: str) -> str:
        self._added.append(text)
        return text

    @staticmethod
    def _without_doubled_space(text: str, blanks: str) -> str:
        """The answer without the white space at its start in which the prefix ends already."""
        if blanks and text.startswith(blanks):
            return text.removeprefix(blanks)
        return text.lstrip() if blanks and text[:1].isspace() else text


def _letters(text: str) -> str:
    """A text without its white space and in one case."""
    return "".join(text.split()).casefold()


def _end_of(letters: str, text: str) -> int | None:
    """The place at which a text has said all of these letters, in any case and with any blanks; None without one."""
    if not letters:
        return None
    at = 0
    for place, char in enumerate(text):
        folded = "" if char.isspace() else char.casefold()
        if not letters.startswith(folded, at):
            return None
        at += len(folded)
        if at == len(letters):
            return place + 1
    return None
