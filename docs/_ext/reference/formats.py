"""Formats that are read and written, and logs that are read as recordings."""

from __future__ import annotations

from _ext.reference.markdown import code, page, table
from ctxlab.formats import FORMATS
from ctxlab.recordings.read import FORMATS as LOGS

INTRO = """A file is known by its content, not by its name. What it holds and ctxlab has no field for is kept and
written again; what can't be carried is named in `losses`, with its place."""


def formats() -> str:
    """The page."""
    rows = (
        [
            code(form.name),
            form.noun,
            "yes" if form.read is not None else "",
            "yes" if form.write is not None else "",
            ", ".join(code(ending) for ending in form.endings),
            ", ".join(form.holds),
        ]
        for form in FORMATS
    )
    return page(
        "Formats and losses",
        INTRO,
        table(["format", "a", "read", "written", "endings of files", "holds"], rows),
        "## Recordings",
        "`ctxlab.read_recording(path)` and `ctxlab record` know these logs; [Recordings](../recordings.md) says "
        "what each has.",
        table(["log"], ([log.name] for log in LOGS)),
    )
