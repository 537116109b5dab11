"""State that all views of a page share: the run that is shown, the message in focus, and the way to the other views."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import traitlets

from ctxlab.documents import Library, Session
from ctxlab.pipeline import Trace


class SharedState(traitlets.HasTraits):
    """A view follows it with `view.follow(state)`; what one of them changes, all the others show."""

    trace = traitlets.Instance(Trace)
    """The run that all views show. Set it, and all show another one."""
    session = traitlets.Instance(Session)
    """The conversation as the tree has it."""
    selected = traitlets.Unicode("")
    """Key of the message in focus, such as `node:a3`; empty when none."""
    views: traitlets.List[str] = traitlets.List(traitlets.Unicode())
    """Names of the views that can be opened from any other, such as `lore`."""
    wanted = traitlets.Tuple(traitlets.Unicode(), traitlets.Unicode(), default_value=("", ""))
    """The view that was asked for last, and the key of what it is to show."""
    model = traitlets.Any(None)
    """The model that answers in the chat: a name, a profile or a function; None for an echo. Each run has its own."""

    def __init__(
        self, trace: Trace, session: Session, views: tuple[str, ...] = (), *, library: Library | None = None
    ) -> None:
        self._models: dict[Trace, Any] = {}
        self.library = library or Library()
        """The library that the page was opened with: its agents, users and books can be chosen."""
        super().__init__(trace=trace, session=session, views=list(views))
        self.continues = False
        """Whether the change that is being made belongs to the one before."""
        self.changing_view: object = None
        self.changed_last: object = None
        self.undo: Callable[[], object] | None = None
        self.redo: Callable[[], object] | None = None

    @property
    def run(self) -> Trace:
        return self.trace

    def answer_with(self, model: Any, trace: Trace) -> None:
        """Let a model answer from now on, and show the run that is built for it."""
        self._models[trace] = model
        self.trace, self.model = trace, model

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        """A run that was shown before has the model back that it was shown with."""
        self.model = self._models.setdefault(change["new"], self.model)

    def open(self, view: str, key: str = "") -> None:
        """Bring a view to the front, at a message, an entry or a rule of this key."""
        self.wanted = ("", "")
        self.wanted = (view, key)

    @contextmanager
    def changing(self, view: object, *, continues: bool) -> Generator[None]:
        """A change of the run by a view; with `continues` it belongs to the one that this view has just made.

        Such are the changes while a handle is dragged. After a change by anything else it is one of its own.
        """
        self.continues, self.changing_view = continues and self.changed_last is view, view
        try:
            yield
        finally:
            self.continues, self.changing_view = False, None
