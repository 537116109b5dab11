"""Short names of messages for sentences: an id that a person can say, a title, else the first words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ctxlab.context import Draft
from ctxlab.display.one_line import plain

LONGEST_ID = 12
"""Longer ids say nothing to a person."""
WORDS = 24
MOST_NAMED = 3


def message_name(draft: Draft) -> str:
    """The name of one message: `a8`, or its first words in quotes where its id is long or says nothing.

    >>> from ctxlab.context import Origin, Text
    >>> message_name(Draft("node:a8", "user", (Text.of("hello", Origin("node", "a8")),), Origin("node", "a8")))
    'a8'
    """
    kind, _, name = draft.key.partition(":")
    if kind == "node" and name and len(name) <= LONGEST_ID:
        return plain(name, LONGEST_ID)
    text = draft.text
    words = plain(str(text.cut(0, 4 * WORDS)) if len(text) > 4 * WORDS else str(text), WORDS)
    if words:
        return f"“{words}”"
    calls = ", ".join(call.name for call in draft.calls[:MOST_NAMED])
    return plain(f"the call of {calls}", 2 * WORDS) if calls else plain(draft.key, 2 * WORDS)


def key_with_id(draft: Draft) -> str:
    """The key of a message; of a preset its id first, by which its file has it: `main (preset:0)`.

    >>> from ctxlab.context import Origin
    >>> key_with_id(Draft("preset:0", "system", (), Origin("preset", "main")))
    'main (preset:0)'
    """
    name = draft.origin.ref if draft.origin.kind == "preset" else ""
    return f"{plain(name, 2 * WORDS)} ({draft.key})" if name and f"preset:{name}" != draft.key else draft.key


def names_by_key(drafts: Iterable[Draft]) -> dict[str, str]:
    """By key, the id of a preset by which its file has it, where no other goes by it; else as `key_with_id` has it.

    >>> from ctxlab.context import Origin
    >>> names_by_key([Draft(f"preset:{i}", "system", (), Origin("preset", name)) for i, name in enumerate("abb")])
    {'preset:0': 'a', 'preset:1': 'b (preset:1)', 'preset:2': 'b (preset:2)'}
    """
    every = tuple(drafts)
    times = Counter([draft.origin.ref for draft in every if draft.origin.kind == "preset"])
    return {
        draft.key: plain(draft.origin.ref, 2 * WORDS) if times[draft.origin.ref] == 1 else key_with_id(draft)
        for draft in every
        if draft.origin.kind == "preset"
    }


def named(drafts: Iterable[Draft]) -> str:
    """The names of several messages as one phrase; of many the first, and how many more.

    >>> named([])
    'nothing'
    """
    every: Sequence[Draft] = tuple(drafts)
    shown = every if len(every) <= MOST_NAMED + 1 else every[:MOST_NAMED]
    names = [message_name(draft) for draft in shown]
    if len(shown) < len(every):
        return f"{', '.join(names)} and {len(every) - len(shown):,} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "nothing"
