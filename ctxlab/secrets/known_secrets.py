"""Secrets that are known by their characters, masked in texts however these were cut."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from ctxlab.secrets.find_secrets import HIDDEN
from ctxlab.secrets.masked_texts import masked_data

SHORTEST_MASKED: Final = 4
"""Characters of a secret from which on it is looked for in texts: a shorter one would blot out words."""
LONGEST_SHOWN: Final = 12
"""Characters of a secret at the end of a text from which on they are masked too, though the rest of it never came."""
_WORD: Final = re.compile(r"[A-Za-z]{1,15}")
NO_SECRETS: Final = frozenset({"lm-studio", "not-needed", "no-key", "no-key-required", "sk-no-key-required"})
"""Words that servers of one's own are given in the place of a key."""


class KnownSecrets:
    """Puts `***` in the place of secrets that are known. `found` is whether there was one.

    A secret that is a word, letters alone and fewer than 16, is looked for in no text: it would blot out that word.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        kept = {secret for secret in secrets if len(secret) >= SHORTEST_MASKED and not _is_word(secret)}
        written = {json.dumps(secret)[1:-1] for secret in kept}
        self._forms = tuple(sorted(kept | written, key=len, reverse=True))
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
                text = text.replace(form, HIDDEN)
        return text

    def whole(self, text: str) -> str:
        """A text that has ended: a good part of a secret at its end is masked as well."""
        text = self.text(text)
        tail = self._tail(text)
        if tail < LONGEST_SHOWN:
            return text
        self.found = True
        return text[:-tail] + HIDDEN

    def _tail(self, text: str) -> int:
        """Characters at the end of a text with which a secret may begin."""
        return max((_overlap(text, form) for form in self._forms), default=0)


def _is_word(secret: str) -> bool:
    return _WORD.fullmatch(secret) is not None or secret in NO_SECRETS


def _overlap(text: str, form: str) -> int:
    """Characters of the longest end of a text that is a beginning of a form, and not all of it."""
    most = min(len(text), len(form) - 1)
    return next((size for size in range(most, 0, -1) if form.startswith(text[-size:])), 0)
