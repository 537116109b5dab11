"""Messages of the user that hold for whatever is asked next: rules for the answers, and what the user prefers."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

from ctxlab.engines.compression.facts.statements import statements
from ctxlab.lazy_pattern import lazy_pattern

REMEMBERED = 20_000
PREFERS = lazy_pattern(
    r"(?i)\bI(?:'d|’d| would)? (?:really |always |usually )?prefer\b|\bI(?:'d|’d| would) rather\b"
    r"|我(?:一般|平时|通常|还是|比较|更|最)*(?:喜欢用|喜欢在|偏好|偏爱|倾向于|习惯用|习惯在|宁愿)"
)


class Pin(NamedTuple):
    """The first sentence that makes a message a pin, or the words of it, and what it is."""

    kind: Literal["rule", "preference"]
    words: str


@lru_cache(maxsize=REMEMBERED)
def pin_of(text: str) -> Pin | None:
    """The rule or preference in a text of the user; None where it has none.

    >>> pin_of("Always answer in French.").kind, pin_of("Good morning!")
    ('rule', None)
    """
    for fact in statements(text, "user"):
        if fact.kind == "rule":
            return Pin("rule", fact.text)
    found = PREFERS.search(text)
    return Pin("preference", found[0]) if found is not None else None
