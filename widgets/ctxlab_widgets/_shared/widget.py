"""The base of all widgets: checks commands from the page, and keeps the error of one that was refused."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import getfile
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ctxlab.errors import CtxlabError


class WrongCommand(CtxlabError):
    """A message from the page that is no command."""


class Widget(anywidget.AnyWidget):
    """A view whose state is traits and whose clicks are messages.

    A subclass carries out a message in `_handle` and fills the synced traits in `show`.
    """

    error = traitlets.Unicode("").tag(sync=True)
    """Why the last command was not done, as a sentence; empty when it was."""
    live = traitlets.Bool(True).tag(sync=True)
    """Whether Python answers; a report has nobody who does."""
    selected = traitlets.Unicode("").tag(sync=True)
    """Key of the message in focus, such as `node:a3`; empty when none. Linked between the views of a page."""

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._on_message)

    def show(self) -> None:
        """Fill the synced traits from the current state, also after Python changed it."""
        raise NotImplementedError

    def _handle(self, message: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        """Check a message from the page, carry it out and show the result."""
        with self.hold_sync():
            self.error = ""
            try:
                if not isinstance(content, dict):
                    raise self._wrong_command(content)
                self._handle(content)
            except CtxlabError as problem:
                self._on_error(problem)
            self.show()

    def _on_error(self, problem: CtxlabError) -> None:
        self.error = _brief(str(problem))

    def _wrong_command(self, message: object) -> WrongCommand:
        return WrongCommand(f"{message!r} is no command of the {type(self).__name__}"[:200])


def _brief(sentence: str, most: int = 600) -> str:
    """A sentence that names a value keeps its beginning and its end, however long the value is."""
    if len(sentence) <= most:
        return sentence
    return f"{sentence[: most * 2 // 3]} \u2026 {sentence[-most // 3 :]}"


def bundle_path(widget: type[Widget]) -> Path:
    """Path of a widget's JavaScript bundle."""
    return Path(getfile(widget)).parent / "static" / "widget.js"


def synced_state(widget: Widget) -> dict[str, Any]:
    """Values of a widget's synced traits by name, without those that every anywidget has."""
    return {name: getattr(widget, name) for name in sorted(widget.traits(sync=True)) if name not in _ANYWIDGET_TRAITS}


_ANYWIDGET_TRAITS = frozenset(anywidget.AnyWidget.class_trait_names(sync=True)) | {"_esm", "_css", "_anywidget_id"}
