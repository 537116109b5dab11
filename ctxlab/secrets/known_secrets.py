"""Secrets that are known by their characters, masked in texts however these were cut."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.secrets.find_secrets import HIDDEN
from ctxlab.secrets.masked_texts import masked_data

SHORTEST_MASKED: Final = 4
"""Characters of a secret from which on it is looked for in texts: a shorter one would blot out words."""
SHORTEST_ENCODED: Final = 8
"""Characters of a secret from which on it is looked for in Base64."""
LONGEST_SHOWN: Final = 12
"""Characters of a secret at the end of a text from which on they are masked too, though the rest of it never came."""
_WORD: Final = lazy_pattern(r"[A-Za-z]{1,15}")
NO_SECRETS: Final = frozenset({"lm-studio", "not-needed", "no-key", "no-key-required", "sk-no-key-required"})
"""Words that servers of one's own are given in the place of a key."""


_BASE64: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="
_REACH: Final = 2_000
"""Characters of Base64 around a secret in it that are masked with it."""


class KnownSecrets:
    """Puts `***` in the place of secrets that are known. `found` is whether there was one.

    Base64 that has a secret in it, such as that of `user:password`, is masked whole. A secret that is a word, letters
    alone and fewer than 16, is looked for in no text: it would blot out that word.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        kept = {secret for secret in secrets if len(secret) >= SHORTEST_MASKED and not _is_word(secret)}
        written = {json.dumps(secret)[1:-1] for secret in kept}
        self._encoded = frozenset(each for secret in kept for each in _encoded(secret)) - kept
        self._forms = tuple(sorted(kept | written | self._encoded, key=len, reverse=True))
        self.found = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({HIDDEN if self._forms else ''})"

    def data(self, value: Any, *, whole: bool = True) -> Any:
        """JSON data with all its texts and names masked; `whole`: nothing is added to its texts."""
        return masked_data(value, self.whole if whole else self.text) if self._forms else value

    def text(self, text: str) -> str:
        """A text to which more may be added."""
        for form in self._forms:
            if form in text:
                self.found = True
                text = _without_runs(text, form) if form in self._encoded else text.replace(form, HIDDEN)
        return text

    def whole(self, text: str) -> str:
        """A text that has ended: a good part of a secret at its end is masked as well."""
        text = self.text(text)
        tail = max((_overlap(text, form, LONGEST_SHOWN) for form in self._forms), default=0)
        if not tail:
            return text
        self.found = True
        return text[:-tail] + HIDDEN

    def _tail(self, text: str) -> int:
        """Characters at the end of a text with which a secret may begin."""
        return max((_overlap(text, form) for form in self._forms), default=0)


def _is_word(secret: str) -> bool:
    return _WORD.fullmatch(secret) is not None or secret in NO_SECRETS


def _encoded(secret: str) -> Iterator[str]:
    """The characters of Base64, of both alphabets, that are the secret's own wherever it stands among other bytes."""
    data = secret.encode("utf-8", "surrogatepass")
    if len(data) < SHORTEST_ENCODED:
        return
    for shift in range(3):
        first, last = -(-8 * shift // 6), 8 * (shift + len(data)) // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(b"\0" * shift + data)[first:last].decode()


def _without_runs(text: str, encoded: str) -> str:
    pieces: list[str] = []
    at = 0
    while (found := text.find(encoded, at)) >= 0:
        before, end = text[max(at, found - _REACH) : found], found + len(encoded)
        behind = text[end : end + _REACH]
        pieces += (text[at : found - len(before) + len(before.rstrip(_BASE64))], HIDDEN)
        at = end + len(behind) - len(behind.lstrip(_BASE64))
    return "".join((*pieces, text[at:]))


def _overlap(text: str, form: str, least: int = 1) -> int:
    """Characters, `least` or more, of the longest end of a text that is a beginning of a form, and not all of it."""
    end, first = text[-(len(form) - 1) :], form[:least]
    at = end.find(first)
    while at >= 0:
        if len(end) - at >= least and form.startswith(end[at:]):
            return len(end) - at
        at = end.find(first, at + 1)
    return 0
