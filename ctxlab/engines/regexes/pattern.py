"""The Pattern type, read from `/body/flags` or a bare body."""

from __future__ import annotations

import re

from ctxlab.documents.rules import Flavor
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

_SLASHED: dict[Flavor, re.Pattern[str]] = {
    "javascript": lazy_pattern(r"/(.*)/([gimsuy]*)", re.DOTALL),
    "python": lazy_pattern(r"/(.*)/([gimsuxa]*)", re.DOTALL),
}
_SLASHED_OTHERWISE = lazy_pattern(r"/.+/([A-Za-z]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression of one of two flavours.

    JavaScript's flags mean what they mean there. Python's are g (every match, not only the first) and i, m, s, x, a as
    in its inline flags; u says nothing there.
    """

    body: str
    flags: str = ""
    flavor: Flavor = "javascript"

    def __str__(self) -> str:
        return f"/{self.body}/{self.flags}"


def parse_pattern(text: str, *, default_flags: str, flavor: Flavor = "javascript") -> Pattern:
    r"""Read `/body/flags`; anything else is a body as it stands, with the default flags, slashes included.

    The body goes to the last slash, and `\/` stays in it. No flags after the last slash mean the default ones.

    >>> parse_pattern("/a+/i", default_flags="gm")
    Pattern(body='a+', flags='i', flavor='javascript')
    >>> parse_pattern("/a+/q", default_flags="gm")
    Pattern(body='/a+/q', flags='gm', flavor='javascript')
    """
    slashed = _SLASHED[flavor].fullmatch(text)
    if slashed is None:
        return Pattern(text, default_flags, flavor)
    return Pattern(slashed[1], slashed[2] or default_flags, flavor)


def written_flags(text: str, *, flavor: Flavor = "javascript") -> str:
    """The flags in `/body/flags`; empty when there are none, or it isn't of that form."""
    slashed = _SLASHED[flavor].fullmatch(text)
    return slashed[2] if slashed is not None else ""


def unknown_flags(text: str, *, flavor: Flavor = "javascript") -> str | None:
    """The flags that keep what looks like `/body/flags` from being read so; None when nothing does."""
    if _SLASHED[flavor].fullmatch(text) is not None:
        return None
    looks_so = _SLASHED_OTHERWISE.fullmatch(text)
    return looks_so[1] if looks_so is not None else None
