"""Bundles that only some messages need: the page asks for them when it first draws a formula or a diagram."""

from __future__ import annotations

from pathlib import Path

from ctxlab.errors import CtxlabError

STATIC = Path(__file__).parent / "static"
NAMES = ("maths", "mermaid")


class UnknownLateCode(CtxlabError):
    """A page asked for a bundle that there is not."""


def late_code(name: str) -> bytes:
    """JavaScript as UTF-8 bytes; raises UnknownLateCode where the name is none of `NAMES`."""
    if name not in NAMES:
        raise UnknownLateCode(f"{name[:80]!r} is no code that a page may ask for; there is {' and '.join(NAMES)}")
    return (STATIC / f"{name}.js").read_bytes()
