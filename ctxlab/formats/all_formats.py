"""All formats that come with ctxlab, loaded."""

from __future__ import annotations

from typing import Final

from ctxlab.formats.format import Format
from ctxlab.formats.known_formats import known_formats

FORMATS: Final[tuple[Format, ...]] = tuple(known_formats())
"""All formats. Data is read by the first that recognises it, so the one with the most telling keys comes first."""
