"""Short texts: counts with nouns, cut texts, names in a repr, the nearest of known names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ctxlab.errors import did_you_mean
from ctxlab.secrets import masked_beginning

LOOKED_THROUGH = 2000
SHOWN = 8
FEW = 12


def counted(n: int, one: str, many: str | None = None) -> str:
    """A number and its noun.

    >>> counted(1, "entry", "entries"), counted(1200, "message")
    ('1 entry', '1,200 messages')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def short(text: str, characters: int = 40) -> str:
    """The first characters of a text, its secrets masked."""
    text = masked_beginning(text, characters + 1)
    return text if len(text) <= characters else text[: characters - 3] + "..."


def cut_off(text: str, characters: int) -> str:
    """The first characters of a text, its secrets masked, and an ellipsis after them where it goes on."""
    text = masked_beginning(text, characters + 1)
    return text if len(text) <= characters else f"{text[:characters]}…"


def first_of(names: Sequence[str], most: int = 5) -> str:
    """The first of several names, and how many more there are.

    >>> first_of(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def called(*names: str) -> list[str]:
    """Id and name as a repr shows them, once where they are the same."""
    return [repr(short(name)) for name in dict.fromkeys(names) if name]


def nearest(name: str, known: Sequence[str]) -> str:
    """A clause that names what is nearest to `name` or has it inside, or the first of what there is."""
    around = next((each for each in known if name.casefold() in each.casefold()), None) if name else None
    if around is not None:
        return f"; did you mean {around!r}?"
    hint = did_you_mean(name, known[:LOOKED_THROUGH])
    if "did you mean" in hint or len(known) <= SHOWN:
        return hint
    return f"; there are: {', '.join(known[:SHOWN])} and {len(known) - SHOWN:,} more"


def nearest_name(wanted: str, names: Mapping[str, Sequence[str]]) -> str:
    """A clause that names what is near, by the names themselves, by words in them or by what else they go by."""
    from difflib import get_close_matches

    goes_by: dict[str, str] = {}
    for name, others in names.items():
        for each in (name, *name.split(), *others):
            goes_by.setdefault(each.casefold(), name)
    near = get_close_matches(wanted.strip().casefold(), goes_by, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {goes_by[near[0]]!r}?"
    first = ", ".join(list(names)[:FEW])
    return f"; there are {len(names):,}, the first are {first}" if len(names) > FEW else f"; there are: {first}"


def kind_in_words(value: object) -> str:
    """The kind of a value in JSON's words.

    >>> kind_in_words(5), kind_in_words([]), kind_in_words(None)
    ('a number', 'a list', 'null')
    """
    if value is None:
        return "null"
    return next((words for kind, words in _KINDS if isinstance(value, kind)), f"a {type(value).__name__}")


_KINDS: Final = (
    (Mapping, "an object"),
    ((list, tuple), "a list"),
    (str, "a text"),
    (bool, "true or false"),
    ((int, float), "a number"),
    ((bytes, bytearray), "bytes"),
)
