"""A line above a chat that goes on with a conversation which was kept, with a button that begins anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ipywidgets

from ctxlab.errors import CtxlabError
from ctxlab_widgets._shared.widget import brief

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel


class KeptLine(ipywidgets.HBox):
    """Shown while there is something to say."""

    def __init__(self, panel: ChatPanel) -> None:
        self._panel = panel
        self.button = ipywidgets.Button(description="Begin anew", tooltip="What was kept gets another name")
        self.button.layout.width = "auto"
        self._words = ipywidgets.Label(panel.keeping.told)
        super().__init__([self._words, self.button])
        self.add_class("ctxlab-kept")
        self.button.on_click(self._pressed)
        self._show()

    @property
    def text(self) -> str:
        return str(self._words.value)

    def _pressed(self, _: object) -> None:
        try:
            self._panel.begin_anew()
        except CtxlabError as problem:
            self._panel.error = brief(str(problem))
        self._show()

    def _show(self) -> None:
        self._words.value = self._panel.keeping.told
        self.layout.display = "" if self._words.value else "none"
