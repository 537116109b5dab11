"""Suggestions at the caret: macros at once, a model's words when they are there; the newest request counts."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import ctxlab
from ctxlab.chat.aside.settings import read_settings
from ctxlab.chat.completion.completion import CompletionStream, InputCompletion
from ctxlab.chat.completion.settings import CompletionSettings
from ctxlab.display.one_line import plain
from ctxlab.engines.macros.completions import MacroCompletion
from ctxlab.errors import CtxlabError
from ctxlab_widgets.chat_panel.model_beside import options_beside
from ctxlab_widgets.chat_panel.utf16 import characters_before, units_before

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel

JOB = "completion"
LABEL, HINT = 120, 120
MOST_ITEMS = 50
Item = dict[str, Any]


class Completions:
    """Completes the draft of one chat."""

    def __init__(self, panel: ChatPanel, settings: Any) -> None:
        self._panel = panel
        self.settings, self.notes = read_settings(CompletionSettings, settings, "inputCompletion")
        self._stream: CompletionStream | None = None

    def complete(self, caret: int, *, asks_model: bool) -> None:
        """Send what could come at a caret, in UTF-16 units: macros, or with `asks_model` how a model would go on."""
        text = self._panel.input
        at = characters_before(text, caret)
        self.stop()
        if asks_model:
            self._ask(text, at, caret)
        else:
            self._send(text, caret, macro_items(text, at))

    def stop(self) -> None:
        """Wait no longer for a model's words."""
        self._panel.jobs.give_up(JOB)
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.cancel()

    def _ask(self, text: str, at: int, caret: int) -> None:
        panel, settings = self._panel, self.settings
        if not text[:at].strip():
            raise CtxlabError("there is nothing to go on from: type some words first")
        session = panel.history.session
        options = options_beside(panel.setup, settings.model_identifier)

        def work(stop: threading.Event) -> InputCompletion:
            stream = ctxlab.stream_completion(session, text[:at], settings=settings, **options)
            self._stream = stream
            if stop.is_set():
                stream.cancel()
            return stream.completion

        def came(made: InputCompletion | CtxlabError) -> None:
            problem = str(made) if isinstance(made, CtxlabError) else made.error
            if problem:
                with panel.lock:
                    panel.error = f"there is no completion: {problem}"[:600]
            words = "" if isinstance(made, CtxlabError) else made.continuation
            item = {"insert": words, "replace": 0, "label": plain(words, LABEL), "hint": "by the model"}
            self._send(text, caret, [item] if words else [])

        panel.jobs.begin(JOB, work, came)

    def _send(self, text: str, caret: int, items: list[Item]) -> None:
        completion = {"text": text, "caret": caret, "items": items}
        self._panel.send_pieces({"kind": "completion", "completion": completion})


def macro_items(text: str, at: int) -> list[Item]:
    """The macros that what stands in front of a character may become."""
    found = (_item(each, text, at) for each in ctxlab.macro_completions(text, at))
    return [each for each in found if each is not None][:MOST_ITEMS]


def _item(macro: MacroCompletion, text: str, at: int) -> Item | None:
    """A macro without what of it stands behind the caret; None where something else stands there."""
    behind = text[at : macro.end]
    if not macro.text.endswith(behind):
        return None
    insert = macro.text.removesuffix(behind) if behind else macro.text
    replaced = units_before(text, at) - units_before(text, macro.start)
    return {"insert": insert, "replace": replaced, "label": macro.name, "hint": plain(macro.description, HINT)}
