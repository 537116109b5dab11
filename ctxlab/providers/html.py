"""A request as a small table for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.display.html_table import heading, html_table

if TYPE_CHECKING:
    from ctxlab.providers.payload import Payload


def payload_html(payload: Payload) -> str:
    """The problems and losses of a request, one row each."""
    rows = [
        *(("problem", each.place or "the request", f"{each.reason}; {each.mend}") for each in payload.problems),
        *(("loss", loss.what, loss.reason) for loss in payload.losses),
    ]
    return heading(payload) + html_table(("kind", "place", "reason"), rows, cells=160)
