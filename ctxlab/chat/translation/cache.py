"""Answers that were right, kept so that nothing is asked twice."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from hashlib import sha256
from typing import Any

from ctxlab.chat.model import ChatModel, FunctionModel
from ctxlab.documents.stored import as_json
from ctxlab.errors import WrongArgument
from ctxlab.providers.payload import Payload

MOST = 10_000


class TranslationCache:
    """Translations by their text, their model and their settings, for as long as one keeps it.

    Above `most` segments the oldest ones go. A translation whose answer fell back is never kept.
    """

    def __init__(self, most: int = MOST) -> None:
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongArgument("most takes a whole number from 1 on", function="TranslationCache")
        self._most = most
        self._answers: dict[Hashable, str] = {}

    def __len__(self) -> int:
        return len(self._answers)

    def __repr__(self) -> str:
        return f"TranslationCache({len(self._answers):,} of at most {self._most:,} segments)"

    def get(self, key: Hashable) -> str | None:
        return self._answers.get(key)

    def keep(self, key: Hashable, answer: str) -> None:
        """Keep an answer; safe from several threads."""
        self._answers[key] = answer
        while len(self._answers) > self._most:
            oldest = next(iter(tuple(self._answers)[:1]), None)
            if oldest is None or self._answers.pop(oldest, None) is None:
                return


def cache_key(model: ChatModel, request: Payload) -> Hashable:
    """A key of everything that an answer depends on: the model, where it is, and the body of its request."""
    body: Mapping[str, Any] = {name: value for name, value in request.body.items() if name != "stream"}
    content = sha256(as_json([request.provider.name, request.url, body])).hexdigest()
    if not isinstance(model, FunctionModel):
        return content
    try:
        hash(model.function)
    except TypeError:
        return content, id(model)
    return content, model.function
