"""Readers that other packages bring, by entry point."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.formats.source import Reader
from ctxlab.plugins import announced

GROUP = "ctxlab.formats"


def plugin_readers(problems: list[str]) -> Iterator[Reader]:
    """Readers announced under the entry point group `ctxlab.formats`; what can't be loaded is told in `problems`."""
    for plugin in announced(GROUP, problems):
        if isinstance(plugin.value, Reader):
            yield plugin.value
        else:
            problems.append(plugin.left_out(f"it is {type(plugin.value).__name__}, not a Reader"))
