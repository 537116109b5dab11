"""What every widget has in common: commands from the page, checked in Python, and a sentence for what was refused."""

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

    A subclass says in `_do` what each message does and in `show` what the page gets to see of it.
    """

    error = traitlets.Unicode("").tag(sync=True)
    """Why the last command was not done, as a sentence; empty when it was."""
    live = traitlets.Bool(True).tag(sync=True)
    """Whether Python answers; a report has nobody who does."""
    selected = traitlets.Unicode("").tag(sync=True)
    """Key of the message in focus, such as `node:a3`; empty when none. Linked between the views of a page."""

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._asked)

    def show(self) -> None:
        """Take over into the traits what Python holds, also after it was changed by Python."""
        raise NotImplementedError

    def _do(self, asked: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def _asked(self, _: Any, content: Any, buffers: Any) -> None:
        """A message from the page: checked, done, and what came of it shown."""
        with self.hold_sync():
            self.error = ""
            try:
                if not isinstance(content, dict):
                    raise self._wrong(content)
                self._do(content)
            except CtxlabError as problem:
                self._refused(problem)
            self.show()

    def _refused(self, problem: CtxlabError) -> None:
        self.error = _brief(str(problem))

    def _wrong(self, asked: object) -> WrongCommand:
        return WrongCommand(f"{asked!r} is no command of the {type(self).__name__}"[:200])


def _brief(sentence: str, most: int = 600) -> str:
    """A sentence that names a value keeps its beginning and its end, however long the value is."""
    if len(sentence) <= most:
        return sentence
    return f"{sentence[: most * 2 // 3]} \u2026 {sentence[-most // 3 :]}"


def bundle_of(widget: type[Widget]) -> Path:
    """The file with a widget's browser half, beside its Python half."""
    return Path(getfile(widget)).parent / "static" / "widget.js"


def held_by(widget: Widget) -> dict[str, Any]:
    """What the page gets of a widget: its synced traits, without those of every anywidget."""
    return {name: getattr(widget, name) for name in sorted(widget.traits(sync=True)) if name not in _EVERYBODYS}


_EVERYBODYS = frozenset(anywidget.AnyWidget.class_trait_names(sync=True)) | {"_esm", "_css", "_anywidget_id"}
