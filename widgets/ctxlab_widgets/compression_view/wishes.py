"""The wishes of a compression as the page shows them: the range that was asked for, guidance, items to keep."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ctxlab.api.compression import compressed_run
from ctxlab.chat.compression import Compression, Wanted
from ctxlab.chat.compression.must_keep import PATTERN, MustKeep
from ctxlab.display.one_line import plain
from ctxlab.pipeline import Trace

WIDTH = 200
"""Characters of an item that are shown."""
BY_HAND = "by hand"


def range_chosen(compression: Compression) -> list[str]:
    """The kind of range that was asked for, and the message that it is above or below."""
    wanted = compression.wanted or Wanted()
    if wanted.everything:
        return ["all", ""]
    if wanted.above is not None:
        return ["above", wanted.above]
    return ["below", wanted.below] if wanted.below is not None else ["chosen", ""]


def wishes_json(compression: Compression) -> dict[str, Any]:
    """Guidance and items, those of the settings apart: they can't be changed here."""
    wanted, settings = compression.wanted or Wanted(), compression.settings
    return {
        "guidance": wanted.guidance,
        "settings_guidance": settings.guidance,
        "items": [_shown(item) for item in wanted.must_keep],
        "settings_items": [_shown(item) for item in settings.must_keep],
    }


def compression_of_run(trace: Trace, held: Compression | None) -> Compression:
    """The compression of another run with the wishes of the one before, where it is the same conversation its range.

    A summary that was written by hand stays where it stands for the same messages.
    """
    if held is None or held.wanted is None:
        return compressed_run(trace, Wanted())
    old, new = held.before.start.input, trace.start.input
    is_same = old.leaf_id == new.leaf_id and (old.session is new.session or old.session.nodes == new.session.nodes)
    wishes = held.wanted
    own = (
        replace(wishes, id=None)
        if is_same
        else Wanted(must_keep=wishes.must_keep, guidance=wishes.guidance, protect=wishes.protect)
    )
    made = compressed_run(trace, own)
    goes_alike = (made.gone, made.folded) == (held.gone, held.folded)
    if is_same and goes_alike and held.summariser == BY_HAND:
        return made.with_summary(held.summary)
    return made


def _shown(item: MustKeep) -> str:
    """An item in one line: a pattern as a text that is one, a message by its words."""
    if isinstance(item, re.Pattern):
        return plain(f"{PATTERN}{item.pattern}", WIDTH)
    return plain(item if isinstance(item, str) else item.content, WIDTH)
