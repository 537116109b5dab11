"""A recording, and below it the steps or the body of the request that is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

if TYPE_CHECKING:
    from ctxlab_widgets._shared.widget import Widget
    from ctxlab_widgets.recording_view import RecordingView
    from ctxlab_widgets.step_debugger import StepDebugger


class RecordingPage(ipywidgets.VBox):
    """The recording with a place below it: for the steps of a request, or for its body."""

    _is_open = False

    def __init__(self, recording: RecordingView) -> None:
        self.recording = recording
        self.steps: StepDebugger | None = None
        self.body: Widget | None = None
        self._place = ipywidgets.Box()
        recording.layout.width = "100%"
        super().__init__([recording, self._place])
        self.add_class("ctxlab-page")
        recording.observe(self._on_opened, ["trace", "payload"])
        self._is_open = True
        self._on_opened()

    def __repr__(self) -> str:
        return f"RecordingPage({self.recording!r})"

    def close(self) -> None:
        """Take the page away with what was opened in it."""
        if self._is_open:
            self._is_open = False
            self.recording.unobserve(self._on_opened, ["trace", "payload"])
            for view in (self.steps, self.body):
                if view is not None:
                    view.close()
        super().close()

    def _on_opened(self, _: Any = None) -> None:
        if self.recording.payload is not None:
            self._show_body()
        elif self.recording.trace is not None:
            self._show_steps()
        else:
            self._place.children = ()

    def _show_steps(self) -> None:
        from ctxlab_widgets.step_debugger import StepDebugger

        if self.steps is None:
            self.steps = StepDebugger(self.recording.trace)
        else:
            self.steps.trace = self.recording.trace
        self._put(self.steps)

    def _show_body(self) -> None:
        from ctxlab_widgets.request_view import RequestView

        if self.body is not None:
            self.body.close()
        self.body = RequestView(self.recording.payload)
        self._put(self.body)

    def _put(self, view: Widget) -> None:
        view.layout.width = "100%"
        if self._place.children != (view,):
            self._place.children = (view,)
