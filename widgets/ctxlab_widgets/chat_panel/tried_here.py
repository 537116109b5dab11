"""A line above a view that was opened in a chat: a change made there is tried, or counts in the chat from now on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

from ctxlab.display.one_line import plain
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.studies.run_changes.settings_changes import changed_settings, settings_change
from ctxlab_widgets._shared.widget import brief
from ctxlab_widgets.chat_panel.page_run import take_part

if TYPE_CHECKING:
    from ctxlab_widgets._shared.widget import Widget
    from ctxlab_widgets.chat_panel import ChatPanel

TRIED = "Tried in this view only: the chat sends as before."
COUNTS = "The chat sends so from now on."
NAME = 120


class TriedHere(ipywidgets.HBox):
    """Compares the run of a view with the one that it was opened with, and can let the chat go by its settings."""

    _is_open = False

    def __init__(self, panel: ChatPanel, view: Widget, run: Trace) -> None:
        self._panel, self._view, self._base = panel, view, run
        self._words = ipywidgets.Label()
        self._button = ipywidgets.Button(description="Use it from now on")
        self._button.layout.width = "auto"
        super().__init__([self._words, self._button])
        self.add_class("ctxlab-tried")
        self.layout.display = "none"
        self._button.on_click(self._pressed)
        self._is_open = True
        view.observe(self._on_run, "trace")
        view.observe(self._on_effect, "effect")

    @property
    def text(self) -> str:
        """The sentence that is shown; empty while the view shows the run that it was opened with."""
        return str(self._words.value)

    def use(self) -> None:
        """Let the chat send with the settings of the view; raises CtxlabError where none was changed."""
        changed = self._settings()
        if not changed:
            raise CtxlabError("nothing was changed here that a chat's settings could say")
        take_part(self._panel, self._panel.setup.with_settings(changed))
        self._panel.sending.tell(changed)
        self._base = self._run()
        self._say(COUNTS)
        if self._view.effect:
            self._view.effect = {**self._view.effect, "text": f"{self._before_words()} {COUNTS}".strip()}

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._view.unobserve(self._on_run, "trace")
            self._view.unobserve(self._on_effect, "effect")
        super().close()

    def _pressed(self, _: object) -> None:
        try:
            self.use()
        except CtxlabError as problem:
            self._panel.error = brief(str(problem))

    def _run(self) -> Trace:
        found: Any = getattr(self._view, "trace", None)
        return found if isinstance(found, Trace) else self._base

    def _settings(self) -> dict[str, Any]:
        return changed_settings(self._base, self._run())

    def _on_run(self, _: object) -> None:
        run = self._run()
        if run is self._base:
            self._say("")
            return
        change = settings_change(self._base, run)
        label = f"Changed to {plain(change.label, NAME)}: " if change is not None and change.label else ""
        self._say(f"{label}{TRIED[0].lower() if label else TRIED[0]}{TRIED[1:]}")

    def _on_effect(self, _: object) -> None:
        """Say with the effect of a change that it is tried here only."""
        text = str(self._view.effect.get("text", ""))
        if self._view.effect and not text.endswith((TRIED, COUNTS)):
            self._view.effect = {**self._view.effect, "text": f"{text}. {TRIED}" if text else TRIED}

    def _before_words(self) -> str:
        return str(self._view.effect.get("text", "")).removesuffix(TRIED).removesuffix(COUNTS).strip()

    def _say(self, words: str) -> None:
        self._words.value = words
        self._button.layout.display = "" if self._settings() else "none"
        self.layout.display = "" if words else "none"
