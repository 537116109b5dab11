"""The messages as the model reads them: sources at the margin, what was cut in its place, the life of any words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import traitlets

from ctxlab.argument_checks import checked_arguments
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.studies import SentPrompt
from ctxlab_widgets._shared.attachments import FilesPayload
from ctxlab_widgets._shared.remedies import RemedyCache
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.sent_view.payload import SentDelta

PRICED = 40
"""Cut messages whose price is known before anybody asks: those nearest to what is sent."""
MOST_PRICED = 400
"""Cut messages whose price is looked up at once."""
MOST_BACK = 50


class SentView(Widget):
    """A run's messages as a chat: each message with its parts, where they are from and how they came there."""

    _esm = Path(__file__).parent / "static" / "widget.js"

    trace = traitlets.Instance[Trace | None](Trace, allow_none=True)
    """The run that is shown; a click on *Keep it* sets another one."""
    view = traitlets.Unicode("").tag(sync=True)
    """As JSON what is sent and what was cut, as it was first sent to the page."""
    delta = traitlets.Unicode("").tag(sync=True)
    """As JSON what has become of it since: the same keys, of the tables only the rows that came; empty when nothing."""
    files = traitlets.Unicode("").tag(sync=True)
    """As JSON the files of the run, what the model gets of each, and small pictures; empty when there are none."""
    remedies = traitlets.Unicode("").tag(sync=True)
    """As JSON, by key: what keeps a cut message, and its price; of the nearest ones and of those asked for."""
    can_go_back = traitlets.Bool(False).tag(sync=True)
    """Whether a change was made here that can be taken back."""

    @checked_arguments
    def __init__(self, trace: Trace | None = None) -> None:
        self._sent: SentDelta | None = None
        self._files = FilesPayload()
        self._remedy_cache = RemedyCache()
        self._asked: set[str] = set()
        self._before: list[Trace] = []
        self._own: Trace | None = None
        super().__init__()
        if trace is not None:
            self.trace = trace
        self.show()

    @property
    def prompt(self) -> SentPrompt:
        """The messages with their parts, and what was cut, as values; raises CtxlabError when there is no run."""
        if self._sent is None:
            raise CtxlabError("the SentView shows no run: set its trace")
        return self._sent.prompt

    def show(self) -> None:
        with self.hold_sync():
            run: Trace | None = self.trace
            if run is None:
                self._sent, self.view, self.delta, self.files, self.remedies = None, "", "", "", ""
            else:
                if self._sent is None or self._sent.trace is not run:
                    self._sent = SentDelta(run) if self._sent is None else self._sent.updated(run)
                    self.files = self._files.json(run)
                self.view, self.delta = self._sent.view, self._sent.delta
                self.remedies = self._remedy_cache.of(run, self._priced(self._sent.prompt))
            self.can_go_back = bool(self._before)

    def back(self) -> None:
        """Take the last change back that was made here."""
        if not self._before:
            raise CtxlabError("nothing was changed here")
        self._own = self._before.pop()
        self.trace = self._own
        self.effect = {}

    def look_up_prices(self, keys: Sequence[str]) -> None:
        """Fill `remedies` for more of the cut messages."""
        self._asked = set([*keys, *self._asked][:MOST_PRICED])

    def _priced(self, prompt: SentPrompt) -> set[str]:
        nearest = [each.key for each in reversed(prompt.cut) if each.fits_not][:PRICED]
        wanted = {*nearest, *self._asked, self.selected}
        return wanted & {each.key for each in prompt.cut}

    def _take_run(self, run: Trace, *, label: str = "", continues: bool = False) -> None:
        self._before, self._own = [*self._before, self._shown_run()][-MOST_BACK:], run
        super()._take_run(run, label=label, continues=continues)

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "back"}:
                self.back()
            case {"command": "prices", "keys": [*keys]} if all(isinstance(key, str) for key in keys):
                self.look_up_prices(keys)
            case _:
                raise self._wrong_command(message)

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        self._asked = set()
        if change["new"] is not self._own:
            self._before, self.effect = [], {}
        self.show()
