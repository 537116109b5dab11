"""A compression before it counts: the messages that go, the summary as a text to edit, and what it keeps of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import traitlets

from ctxlab.api.compression import compressed_run
from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.compression import Compression, Wanted
from ctxlab.documents import History, Session
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.compression_view.payload import view_json
from ctxlab_widgets.compression_view.report_rows import facts_shown, words_to_put_back

MOST_BACK = 50


class CompressionView(Widget):
    """The path with its legal cuts, the prompt before and after, the summary, and every fact kept, weakened or lost.

    The two handles choose another range, the text is the summary; `compression` is what came of it. With a `history`
    it can be applied here. Of a run it is the compression that the run's settings give.

    >>> CompressionView(ctxlab.compress(session))  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    compression = traitlets.Instance[Compression | None](Compression, allow_none=True)
    """The compression that is shown: that of the chosen range, with the summary as it was edited."""
    view = traitlets.Unicode("").tag(sync=True)
    """Messages, cuts, costs, summary and report as JSON; empty when there is no compression."""
    can_go_back = traitlets.Bool(False).tag(sync=True)
    """Whether a change was made here that can be taken back."""
    can_apply = traitlets.Bool(False).tag(sync=True)
    """Whether there is a history that it can be applied to."""
    applied = traitlets.Unicode("").tag(sync=True)
    """What was applied here, as a sentence; empty when nothing was."""

    @checked_arguments
    def __init__(self, compression: Compression | Trace | None = None, *, history: History | None = None) -> None:
        self._history = history
        self._before: list[Compression] = []
        self._shown: Compression | None = None
        super().__init__()
        if isinstance(compression, Trace):
            compression = compressed_run(compression, Wanted())
        if compression is not None:
            self.compression = compression
        self.show()

    def __repr__(self) -> str:
        return f"CompressionView({self.compression!r})" if self.compression is not None else "CompressionView()"

    @property
    def session(self) -> Session:
        """The conversation after what is shown; raises CtxlabError when there is no compression."""
        return self._held().session

    # --- commands

    def write(self, text: str) -> None:
        """Take this text for the summary."""
        self._take(self._held().with_summary(text))

    def choose(self, first: str, last: str) -> None:
        """Compress the messages from one to another, by ids; the summary is written anew."""
        self._take(self._held().with_range(first, last))

    def put_back(self, number: int) -> None:
        """Add the sentence of a lost or weakened fact to the summary; numbers are those of the report's rows."""
        held = self._held()
        facts = facts_shown(held)
        if not 0 <= number < len(facts):
            raise CtxlabError(f"there is no row {number}: the report shows {len(facts)}")
        self.write(f"{held.summary}\n{words_to_put_back(held, facts[number])}")

    def back(self) -> None:
        """Take the last change back that was made here."""
        if not self._before:
            raise CtxlabError("nothing was changed here")
        self.compression = self._before.pop()

    def apply(self) -> Session:
        """Record the conversation after it as a step of the history."""
        if self._history is None:
            raise CtxlabError("there is no history to apply it to: pass CompressionView(compression, history=...)")
        session = self._held().applied(self._history)
        self.applied = "It counts from now on; undo of the history takes it back."
        return session

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "summary", "text": str(text)}:
                self.write(text)
            case {"command": "range", "first": str(first), "last": str(last)}:
                self.choose(first, last)
            case {"command": "put_back", "number": int(number)} if not isinstance(number, bool):
                self.put_back(number)
            case {"command": "back"}:
                self.back()
            case {"command": "apply"}:
                self.apply()
            case _:
                raise self._wrong_command(message)

    # --- what is shown

    def show(self) -> None:
        shown: Compression | None = self.compression
        with self.hold_sync():
            self.can_go_back = bool(self._before)
            self.can_apply = self._history is not None and not self.applied
            if shown is self._shown:
                return
            self._shown = shown
            self.view = "" if shown is None else as_json(view_json(shown))

    def _take(self, made: Compression) -> None:
        self._before = [*self._before, self._held()][-MOST_BACK:]
        self.compression = made

    def _held(self) -> Compression:
        if self.compression is None:
            raise CtxlabError("there is no compression: pass what ctxlab.compress gives")
        return self.compression

    @traitlets.observe("compression")
    def _on_change(self, _: object) -> None:
        self.error = self.applied = ""
        self.show()
