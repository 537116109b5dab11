"""A cursor over a run: forwards, backwards, with edits and forks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Context
from ctxlab.display.short_texts import nearest
from ctxlab.errors import CtxlabError
from ctxlab.pipeline.edits_by_hand import EditByHand, edits_due, edits_in, made_again
from ctxlab.pipeline.manual_edit import HAND, reworded, with_causes
from ctxlab.pipeline.pipeline import Pipeline, error_of
from ctxlab.pipeline.service_calls import Call
from ctxlab.pipeline.trace import Step, Trace, calls_to_replay


class Debugger:
    """Walks through a run. What was computed once is kept: going back and forth again costs nothing."""

    @checked_arguments
    def __init__(self, trace: Trace) -> None:
        """A debugger at the start of a trace; steps that the trace has already are not run again."""
        self._trace = trace
        self._steps = list(trace.steps)
        self._at = 0
        self._known_calls: list[Call] = []  # service calls of steps that were forgotten since
        self._edits: tuple[EditByHand, ...] = ()  # that are to be made again on the way
        self.breakpoints: set[str] = set()

    def __repr__(self) -> str:
        return f"Debugger({self._trace.start.input.session.id!r}, {self._at} steps done, next {self.next_id!r})"

    def _repr_html_(self) -> str:
        return self.trace._repr_html_()  # pyright: ignore[reportPrivateUsage]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        from ctxlab.display.views import shown_as

        return shown_as("debugger", self)

    # --- position

    @property
    def pipeline(self) -> Pipeline:
        return self._trace.pipeline

    @property
    def position(self) -> int:
        """Number of steps done, manual edits included."""
        return self._at

    @property
    def context(self) -> Context:
        return self._steps[self._at - 1].after if self._at else self._trace.start

    @property
    def trace(self) -> Trace:
        """The run up to here."""
        return Trace(self._trace.start, tuple(self._steps[: self._at]), self.pipeline, self._trace.services)

    @property
    def known(self) -> Trace:
        """The run as far as it is known: with the steps behind this place that were done before."""
        return Trace(self._trace.start, tuple(self._steps), self.pipeline, self._trace.services)

    @property
    def next_id(self) -> str | None:
        """Id of the step that comes next, `edit` for a person's edit; None at the end."""
        if self._at < len(self._steps):
            return self._steps[self._at].id
        running = self.pipeline.running()
        done = self._stages_done()
        return running[done].id if done < len(running) else None

    @property
    def done(self) -> bool:
        return self.next_id is None

    # --- moving

    def step(self) -> Step:
        """Do the next step. One that fails raises what a run would raise, and the debugger stays before it.

        So does the last one, when a step refuses the result in `check_run`.
        """
        if self._at < len(self._steps):
            self._at += 1
            return self._steps[self._at - 1]
        if self.done:
            raise CtxlabError("the run is at its end; back() goes back")
        stage = self.pipeline.running()[self._stages_done()]
        step = self.pipeline.step(stage, self.context, self._trace.services, known=self._known_calls)
        if step.failure is not None:
            raise error_of(step, self._with(step))
        if stage is self.pipeline.running()[-1]:
            self.pipeline.checked(self._with(step))
        self._steps.append(step)
        self._at += 1
        self._edit_again()
        return step

    def back(self) -> Context:
        """Undo the last step; its result is kept for going forward again."""
        if self._at == 0:
            raise CtxlabError("the run is at its start; step() goes on")
        self._at -= 1
        return self.context

    def skip(self) -> Context:
        """Pass over the next step without doing it; going back and on again passes over it again.

        An edit by hand that comes next is taken back.
        """
        if self.next_id is None:
            raise CtxlabError("the run is at its end; there is nothing to skip")
        if self._at < len(self._steps) and self._steps[self._at].edited:
            del self._steps[self._at]
            self._forget(self._at)
        else:
            self._continue_with(Step(self.next_id, self.context, self.context, skipped=True))
        self._edit_again()
        return self.context

    @checked_arguments
    def run_until(self, target: str | Callable[[Context], bool] | None = None) -> Context:
        """Step until the next step is `target` (or a breakpoint), or `target(context)` holds, or the end is reached."""
        if isinstance(target, str):
            target = self.pipeline.stage(target).id
        moved = False
        while not self.done:
            if callable(target) and target(self.context):
                break
            if self.next_id == target or (moved and self.next_id in self.breakpoints):
                break
            self.step()
            moved = True
        return self.context

    def run(self) -> Trace:
        """Step to the next breakpoint, or to the end; raises what a run to there would raise."""
        self.run_until()
        return self.pipeline.checked(self.trace) if self.done else self.trace

    def finished(self) -> Trace:
        """The run to its end. Steps still to come are done and kept for later; the position stays."""
        at = self._at
        try:
            self._at = len(self._steps)
            while not self.done:
                self.step()
        finally:
            self._at = at
        return self.pipeline.checked(self.known)

    # --- changing

    @checked_arguments
    def edit(self, change: Context | Callable[[Context], Context]) -> Context:
        """Go on from another context; the steps after are done again. The edit is a step of its own in the trace.

        What it takes out, rewrites or moves without a cause gets the cause of a manual edit. Later edits are made again
        where the message still says what was edited; what is lost is a note.
        """
        after = change(self.context) if callable(change) else change
        if after is self.context:
            return after
        after = with_causes(self.context, after)
        self._continue_with(Step(HAND, self.context, after, edited=True))
        self._edit_again()
        return after

    @checked_arguments
    def reword(self, key: str, words: str) -> Context:
        """Give the message of this key other words, and go on from there; its files stay where they are.

        Raises CtxlabError where no message of this key is there.
        """
        draft = self.context.draft(key)
        if draft is None:
            raise CtxlabError(f"no message {key} is here{nearest(key, [each.key for each in self.context.drafts])}")
        new = reworded(draft, words)
        return self.edit(lambda ctx: ctx.edit(lambda each: new if each is draft else each))

    @checked_arguments
    def set(self, settings: Mapping[str, Any]) -> None:
        """Change settings; steps already done that read them are undone, and edits by hand made again on the way."""
        self._trace = self.known.with_settings(settings)
        self._forget(len(self._trace.steps))
        self._at = min(self._at, len(self._steps))
        self._edit_again()

    def fork(self) -> Debugger:
        """Another debugger at the same position; the two are independent from here."""
        twin = Debugger(Trace(self._trace.start, tuple(self._steps), self.pipeline, self._trace.services))
        twin._at = self._at
        twin._known_calls = list(self._known_calls)
        twin._edits = self._edits
        twin.breakpoints = set(self.breakpoints)
        return twin

    __copy__ = fork

    def _with(self, step: Step) -> Trace:
        return Trace(self._trace.start, (*self._steps, step), self.pipeline, self._trace.services)

    def _continue_with(self, step: Step) -> None:
        """Replace everything after this position by one step."""
        self._forget(self._at)
        self._steps.append(step)
        self._at += 1

    def _forget(self, position: int) -> None:
        """Forget the steps from a position on, but not their service calls and the edits among them."""
        self._known_calls += calls_to_replay(self._steps[position:], kept=0)
        self._edits = (*edits_in(self._steps, kept=position), *self._edits)
        del self._steps[position:]

    def _edit_again(self) -> None:
        """Make the edits again that follow the newest step; they come next, as steps of their own."""
        ids = [stage.id for stage in self.pipeline.running()]
        due = edits_due(self._edits, ids, done=sum(not step.edited for step in self._steps)) if self._edits else []
        if due:
            self._steps += made_again(due, self.known.result)
            self._edits = tuple([edit for edit in self._edits if edit not in due])

    def _stages_done(self) -> int:
        return sum(not step.edited for step in self._steps[: self._at])
