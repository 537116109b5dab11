"""Secrets that the spans of a text hold between them, each a part, as a preset and a macro in it do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ctxlab.context import Text
from ctxlab.pipeline import Trace
from ctxlab.secrets import masked_in_place, secrets_in

_PART: Final = re.compile(r"[A-Za-z0-9+/=_.~-]{6,}")
_NAME: Final = re.compile(r"[a-z_.-]+")
"""Fields of a view have such names; what is written like one is masked nowhere else."""


def parts_of_secrets(runs: Iterable[Trace]) -> frozenset[str]:
    """The parts of all secrets of some runs that no single span holds, at any step."""
    drafts = {id(draft): draft for run in runs for step in run.steps for draft in step.after.drafts}
    texts = {id(draft.text): draft.text for draft in drafts.values() if len(draft.text.spans) > 1}
    return frozenset(part for text in texts.values() for part in _parts(text))


def _parts(text: Text) -> Iterator[str]:
    found = secrets_in(str(text))
    for start, span in zip(text.starts(), text.spans, strict=True) if found else ():
        end = start + len(span.text)
        for secret in found:
            if (secret.start < start or end < secret.end) and secret.start < end and start < secret.end:
                part = span.text[max(secret.start - start, 0) : secret.end - start]
                yield from (each for each in _PART.findall(part) if not _NAME.fullmatch(each))


def masked_state(state: str, parts: Iterable[str] = ()) -> str:
    """The JSON of a view's traits with each character of a secret, and of these parts of some, as a `*`."""
    for part in sorted(parts, key=len, reverse=True):
        state = state.replace(part, "*" * len(part))
    return masked_in_place(state)
