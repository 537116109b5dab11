"""The traits of a chat as the page gets them: each is written where it is another one, rows as a delta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxlab.documents import Session
from ctxlab.errors import CtxlabError
from ctxlab.studies.draft_preview import Preview
from ctxlab_widgets._shared.json_values import as_json, list_as_json
from ctxlab_widgets.chat_panel.draft_json import draft_json, failed_json, unsent_json
from ctxlab_widgets.chat_panel.head_json import around_json, head_json
from ctxlab_widgets.chat_panel.rows import Row, RowInput, RowMaker, row_delta

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel

SHARE = 2
"""A delta with more than one in so many of the rows is sent as a view."""
OF_PAGE = "a change of the page"
FEW = 50
"""Rows that a delta may have in any case."""


def asides_json(under_way: Sequence[tuple[str, str]]) -> str:
    """Jobs by name and label as JSON; empty where there are none."""
    return list_as_json([{"id": name, "label": label} for name, label in under_way]) if under_way else ""


class ShownChat:
    """Remembers what was sent, so that only what changed goes out."""

    def __init__(self) -> None:
        self._rows = RowMaker()
        self._sent: list[Row] | None = None
        self._now: list[Row] = []

    def fill(self, panel: ChatPanel) -> None:
        """Write all that follows from the state of a chat."""
        session = panel.turns.shown_session(panel.history)
        given = self._input(panel, session)
        self._show_rows(panel, self._rows.rows(given))
        path = [node for node in session.path() if not node.is_empty_root]
        head = head_json(session, panel.setup, panel.history, panel.preview, path=path)
        head["languages"] = [{"id": each, "label": each} for each in panel.translations.languages]
        head["messageActions"] = panel.plugin_actions.choices
        if panel.state is not None and panel.state.undo is not None:
            head |= {"canUndo": OF_PAGE, "canRedo": OF_PAGE}
        panel.head = as_json(head)
        panel.around = as_json(around_json(given))
        panel.quick = panel.quick_actions.json(panel.setup)
        panel.running = self.running(panel)
        chips = panel.waiting.chips(panel.preview.trace if panel.preview is not None else None)
        panel.files = list_as_json(chips) if chips else ""

    def running(self, panel: ChatPanel) -> str:
        """The running turn as JSON; empty when none runs."""
        data = panel.turns.as_data(panel.history)
        return as_json(data) if data is not None else ""

    def draft(self, text: str, found: Preview | str) -> tuple[str, str]:
        """The preview of a draft, or the sentence on why there is none, and what else isn't sent, each as JSON."""
        if isinstance(found, str):
            return as_json(failed_json(text, found)), ""
        try:
            return as_json(draft_json(found)), unsent_json(found)
        except CtxlabError as problem:
            return as_json(failed_json(text, str(problem))), ""

    def _input(self, panel: ChatPanel, session: Session) -> RowInput:
        setup, preview = panel.setup, panel.preview
        return RowInput(
            session,
            setup.agent,
            setup.user,
            panel.turns.running_key,
            panel.counter,
            preview.trace.services.assets if preview is not None else None,
            panel.plugin_actions.of,
            panel.translations.told,
            panel.summaries,
        )

    def _show_rows(self, panel: ChatPanel, rows: list[Row]) -> None:
        if rows is self._now:
            if not panel.live and panel.delta:  # nobody adds a delta in a report
                self._send_all(panel, rows)
            return
        self._now = rows
        if self._sent is None or not panel.live:
            self._send_all(panel, rows)
            return
        start, end, new = row_delta(self._sent, rows)
        if len(new) > FEW and len(new) * SHARE > len(rows):
            self._send_all(panel, rows)
        else:
            panel.delta = as_json({"start": start, "end": end, "rows": new})

    def _send_all(self, panel: ChatPanel, rows: list[Row]) -> None:
        self._sent = rows
        panel.view, panel.delta = as_json({"rows": rows}), ""
