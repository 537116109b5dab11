"""Steps that other packages bring, by entry point."""

from __future__ import annotations

from functools import cache

from ctxlab.pipeline.processor import Processor, as_processor

GROUP = "ctxlab.processors"


@cache
def plugin_processors() -> tuple[Processor, ...]:
    """Steps announced under the entry point group `ctxlab.processors`; scanned once per process."""
    from importlib.metadata import entry_points

    return tuple(as_processor(point.load()) for point in entry_points(group=GROUP))
