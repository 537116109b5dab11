"""Readers that other packages bring, by entry point."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.formats.material import Reader

GROUP = "ctxlab.formats"


def plugin_readers(problems: list[str]) -> Iterator[Reader]:
    """Readers announced under the entry point group `ctxlab.formats`; what can't be loaded is told in `problems`."""
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        try:
            reader = point.load()
        except Exception as error:  # somebody else's module may raise anything
            problems.append(f"reader {point.name!r} can't be loaded ({type(error).__name__}: {error})")
            continue
        if isinstance(reader, Reader):
            yield reader
        else:
            problems.append(f"reader {point.name!r} is {type(reader).__name__}, not a Reader")
