"""The base of all widgets: checks commands from the page, and keeps the error of one that was refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from html import escape
from inspect import getfile
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace, remedies
from ctxlab.studies.run_effect import run_effect
from ctxlab_widgets._shared.late_code import late_code
from ctxlab_widgets._shared.shared_state import SharedState


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
    received = traitlets.Int(0).tag(sync=True)
    """Number of commands that came from the page, each counted before it is carried out: a page sees that one came."""
    selected = traitlets.Unicode("").tag(sync=True)
    """Key of the message in focus, such as `node:a3`; empty when none. Linked between the views of a page."""
    views: traitlets.List[str] = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Names of the views beside this one that can be opened from here; empty where it stands alone."""
    effect = traitlets.Dict().tag(sync=True)
    """`{"label", "text"}` of the last change made here: what it did to the run; empty when there was none."""

    def __init__(self, **traits: Any) -> None:
        self._state: SharedState | None = None
        super().__init__(**traits)
        self.on_msg(self._on_message)

    def _repr_html_(self) -> str:
        """A sentence for a saved notebook, where no Python answers the view, and a table of what it showed."""
        return saved_html(type(self).__name__, "widget", [getattr(self, name, None) for name in _SAVED])

    def follow(self, state: SharedState) -> None:
        """Show the run of a page from now on, and give it the runs that are made here."""
        self._state = state
        self.views = list(state.views)
        for trait in ("trace", "session", "selected"):
            if self.has_trait(trait):
                traitlets.link((state, trait), (self, trait))

    def keep_for_page(self) -> None:
        """Bring along what a page without Python would ask for; most views have all of it anyway."""

    def apply_remedy(self, key: str) -> None:
        """Make the smallest change of settings that keeps this dropped message, and show what else it did."""
        run = self._shown_run()
        found = remedies(run, [key]).get(key)
        if found is None or not found.settings:
            raise CtxlabError(str(found) if found is not None else f"nothing dropped {key}")
        self._take_run(run.rerun(found), label=f"{found.label}: {key.partition(':')[2] or key}")

    def _shown_run(self) -> Trace:
        run = getattr(self, "trace", None)
        if not isinstance(run, Trace):
            raise CtxlabError("there is no run to change: set `trace` first")
        return run

    def _take_run(self, run: Trace, *, label: str = "", continues: bool = False) -> None:
        """Show a run that was made here from the one before; with a label also what the change did."""
        before = self._shown_run()
        with nullcontext() if self._state is None else self._state.changing(self, continues=continues):
            self.trace: Any = run
        self.effect = {"label": label, "text": str(run_effect(before, run))} if label else {}

    def show(self) -> None:
        """Fill the synced traits from the current state, also after Python changed it."""
        raise NotImplementedError

    def _handle(self, message: Mapping[str, Any]) -> None:
        raise NotImplementedError

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        """Check a message from the page, carry it out and show the result."""
        self.received += 1
        with self.hold_sync():
            self.error = ""
            try:
                if not isinstance(content, dict):
                    raise self._wrong_command(content)
                if not self._handle_shared(content):
                    self._handle(content)
            except CtxlabError as problem:
                self._on_error(problem)
            self.show()

    def _handle_shared(self, message: Mapping[str, Any]) -> bool:
        """Carry out what every view may ask for; False where the message is none of that."""
        match message:
            case {"command": "apply_remedy", "key": str(key)}:
                self.apply_remedy(key)
            case {"command": "open_view", "view": str(view), "key": str(key)} if self._state is not None:
                self._state.open(view, key)
            case {"command": "late_code", "name": str(name)}:
                self.send({"late_code": name}, [late_code(name)])
            case {"command": "page_undo"} if self._state is not None and self._state.undo is not None:
                self._state.undo()
            case {"command": "page_redo"} if self._state is not None and self._state.redo is not None:
                self._state.redo()
            case _:
                return False
        return True

    def _on_error(self, problem: CtxlabError) -> None:
        self.error = brief(str(problem))

    def _wrong_command(self, message: object) -> WrongCommand:
        return WrongCommand(f"{message!r} is no command of the {type(self).__name__}"[:200])


def saved_html(name: str, variable: str, shown: Iterable[object]) -> str:
    """A sentence for where no Python answers a view, and the table of the first value that has one."""
    words = f"{name} works where Python runs. A page of it that opens anywhere: "
    code = f'ctxlab_widgets.report({variable}, "page.html")'
    makers = (getattr(value, "_repr_html_", None) for value in shown)
    tables = (str(make()) for make in makers if make is not None)
    return f"<p>{escape(words)}<code>{escape(code)}</code></p>{next(tables, '')}"


_SAVED = ("shown", "branches", "recording", "compression", "trace", "session")
"""Traits and properties of views that are what they show, the nearest first."""


def brief(sentence: str, most: int = 600) -> str:
    """A sentence that names a value keeps its beginning and its end, however long the value is."""
    if len(sentence) <= most:
        return sentence
    return f"{sentence[: most * 2 // 3]} \u2026 {sentence[-most // 3 :]}"


def bundle_path(widget: type[Widget]) -> Path:
    """Path of a widget's JavaScript bundle."""
    return Path(getfile(widget)).parent / "static" / "widget.js"


def synced_state(widget: Widget) -> dict[str, Any]:
    """Values of a widget's synced traits by name, without those that every anywidget has.

    A page of these values has no kernel, so what counts commands isn't among them either.
    """
    return {name: getattr(widget, name) for name in sorted(widget.traits(sync=True)) if name not in _OF_A_KERNEL}


_OF_A_KERNEL = frozenset(anywidget.AnyWidget.class_trait_names(sync=True)) | {
    "_esm",
    "_css",
    "_anywidget_id",
    "received",
}
