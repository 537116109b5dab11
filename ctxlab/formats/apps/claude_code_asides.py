"""Lines of the program that end beside the conversation: they hold no message and are no branch of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Data = dict[str, Any]
Links = Sequence[tuple[str, str | None]]


def asides_of(links: Links, lines: Mapping[str, Data], is_message: Callable[[Data], bool]) -> dict[str, str | None]:
    """The lines that hang beside others and have no message at or below them, each with what they hang on.

    `links` are keys with those above them, parents first. Where nothing at all goes on with a message, the last one
    stays. What lines hang on is never such a line itself: those below one are on the same as it.
    """
    holds = {key for key in lines if is_message(lines[key])}
    below: dict[str | None, list[str]] = {}
    for key, parent in reversed(links):
        below.setdefault(parent, []).append(key)
        if key in holds and parent is not None:
            holds.add(parent)
    places = {key: place for place, key in enumerate(lines)}
    found: dict[str, str | None] = {}
    for key, parent in links:
        siblings = below[parent]
        goes_on = any(other in holds for other in siblings)
        if parent in found:
            found[key] = found[parent]
        elif key not in holds and len(siblings) > 1 and (goes_on or key != max(siblings, key=places.__getitem__)):
            found[key] = parent
    return found
