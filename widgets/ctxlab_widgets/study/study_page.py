"""A study, and below it the run of the case that is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets

if TYPE_CHECKING:
    from ctxlab_widgets._shared.widget import Widget
    from ctxlab_widgets.compare import Compare
    from ctxlab_widgets.step_debugger import StepDebugger
    from ctxlab_widgets.study import Study


class StudyPage(ipywidgets.VBox):
    """The study with a place below it: for the steps of one run, or for two runs of a case side by side."""

    _is_open = False

    def __init__(self, study: Study) -> None:
        self.study = study
        self.steps: StepDebugger | None = None
        self.comparison: Compare | None = None
        self._place = ipywidgets.Box()
        study.layout.width = "100%"
        super().__init__([study, self._place])
        self.add_class("ctxlab-page")
        study.observe(self._on_run, ["trace", "compared"])
        self._is_open = True
        self._on_run()

    def __repr__(self) -> str:
        return f"StudyPage({self.study!r})"

    def close(self) -> None:
        """Take the page away with what was opened in it."""
        if self._is_open:
            self._is_open = False
            self.study.unobserve(self._on_run, ["trace", "compared"])
            for view in (self.steps, self.comparison):
                if view is not None:
                    view.close()
        super().close()

    def _on_run(self, _: Any = None) -> None:
        if self.study.compared:
            self._show_comparison()
        elif self.study.trace is not None:
            self._show_steps()
        else:
            self._place.children = ()

    def _show_steps(self) -> None:
        from ctxlab_widgets.step_debugger import StepDebugger

        if self.steps is None:
            self.steps = StepDebugger(self.study.trace)
        else:
            self.steps.trace = self.study.trace
        self._put(self.steps)

    def _show_comparison(self) -> None:
        from ctxlab_widgets.compare import Compare

        if self.comparison is not None:
            self.comparison.close()
        self.comparison = Compare(self.study.compared)
        self._put(self.comparison)

    def _put(self, view: Widget) -> None:
        view.layout.width = "100%"
        if self._place.children != (view,):
            self._place.children = (view,)
