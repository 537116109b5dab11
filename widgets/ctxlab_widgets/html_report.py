"""A run as one HTML file that opens anywhere and asks nobody for anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import counted
from ctxlab.documents.atomic_file import replace_file
from ctxlab.pipeline import Trace
from ctxlab_widgets._shared.html_page import page
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.remedies import remedies_json

MOST_REMEDIES = 40
"""Messages cut for want of room of which the page says what would keep them: those nearest to what is sent."""
WIDGET = Path(__file__).parent / "step_debugger" / "static" / "widget.js"


@checked_arguments
def report(trace: Trace, path: str | Path) -> Path:
    """Write the run to `path` and give it back: every step, every message, every cause.

    The steps can be walked through in the page. Nothing in it is fetched from anywhere.
    """
    return replace_file(path, report_html(trace).encode())


def report_html(trace: Trace) -> str:
    """The page as text."""
    session = trace.start.input.session
    name = session.name or session.id
    view = trace.view()
    state: dict[str, Any] = {
        "view": as_json(view),
        "position": len(trace.steps),
        "live": False,
        "remedies": remedies_json(trace, _nearest_cuts(trace)),
    }
    about = f"{counted(len(trace.result.drafts), 'message')}, {counted(trace.tokens, 'token')}"
    about += f" by {trace.services.tokenizer.name}"
    if view["leaf"] is not None:
        about += f", for the message {view['leaf']}"
    return page(WIDGET, state, title=f"What is sent: {name}", about=about)


def _nearest_cuts(trace: Trace) -> list[str]:
    """Keys of the newest messages that were cut for want of room."""
    cut = {draft.key for group in trace.result.dropped if group.needed is not None for draft in group.drafts}
    newest_first = (draft.key for step in trace.steps for draft in reversed(step.before.drafts) if draft.key in cut)
    return list(dict.fromkeys(newest_first))[:MOST_REMEDIES]
