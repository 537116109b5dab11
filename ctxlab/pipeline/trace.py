"""A run as a value: every step's context before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import (
    Context,
    LoreActivations,
    StepReport,
    Variables,
)
from ctxlab.context.portable_pickles import portable_error
from ctxlab.display.guessed_names import WithHints
from ctxlab.display.short_texts import counted
from ctxlab.errors import CtxlabError, UnknownProcessor, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.remedies import Remedy, columns_of_steps, rows_in_run, rows_worked_out
from ctxlab.pipeline.sent_messages import SentMessages, as_message
from ctxlab.pipeline.service_calls import Call
from ctxlab.pipeline.services import Services
from ctxlab.prompt.token_range import TokenRange, range_of

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.pipeline.explain.message_life import Life
    from ctxlab.pipeline.explain.step_changes import Changes
    from ctxlab.pipeline.explain.where import Occurrences
    from ctxlab.pipeline.parameters.layers import Effective
    from ctxlab.pipeline.pipeline import Pipeline
    from ctxlab.prompt import BuiltMessage, Prompt


MOST_COUNTED_IN_REPR = 1000
"""Messages up to which a repr counts tokens: it has to be quick."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The context before and after one processor; `edited`: by hand in the debugger, `skipped`: passed over there.

    `first_made` is an edit as a person made it, where an earlier step has changed since and a note says what of it
    couldn't be made again; `behind` are the steps that it followed then, for an edit that was made again.
    """

    id: str
    before: Context
    after: Context
    seconds: float = 0.0
    calls: tuple[Call, ...] = ()
    failure: Exception | None = None
    edited: bool = False
    skipped: bool = False
    first_made: Step | None = None
    behind: tuple[str, ...] = ()

    def __repr__(self) -> str:
        end = f", failed: {self.error}" if self.failure else ""
        return f"Step({self.id!r}, {len(self.before.drafts)} -> {len(self.after.drafts)} drafts{end})"

    @property
    def error(self) -> str | None:
        """The error of the step as a sentence; None without one."""
        if self.failure is None:
            return None
        text = str(self.failure)
        return text if isinstance(self.failure, CtxlabError) else f"{type(self.failure).__name__}: {text}"

    @property
    def reports(self) -> tuple[StepReport, ...]:
        """The reports that this step left."""
        return self.after.reports[len(self.before.reports) :]

    @property
    def did_nothing(self) -> bool:
        return self.after is self.before

    @property
    def is_lost(self) -> bool:
        """Whether this is an edit of which nothing could be made again."""
        before, after = self.before, self.after
        return self.first_made is not None and before.drafts is after.drafts and before.reports is after.reports

    def __reduce_ex__(self, protocol: Any) -> Any:
        failure = self.failure and portable_error(self.failure)
        return object.__reduce_ex__(self if failure is self.failure else replace(self, failure=failure), protocol)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Trace(WithHints):
    """The whole run. Immutable: `upto` and `rerun` give new traces that share what they have in common."""

    start: Context
    steps: tuple[Step, ...]
    pipeline: Pipeline
    services: Services

    def __repr__(self) -> str:
        at = f"{len(self.steps)} of {len(self.pipeline.running())} steps"
        warnings = sum(note.level != "info" for note in self.start.notes)
        amiss = f", {counted(warnings, 'warning')} at the start" if warnings else ""
        drafts = self.result.drafts
        size = f", {counted(self.tokens, 'token')}" if len(drafts) <= MOST_COUNTED_IN_REPR else ""
        return f"Trace({self.start.input.session.id!r}, {at}, {counted(len(drafts), 'message')}{size}{amiss})"

    def _repr_html_(self) -> str:
        from ctxlab.pipeline.explain.html import trace_html

        return trace_html(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        from ctxlab.display.views import shown_as

        return shown_as("trace", self)

    # --- the outcome

    @property
    def result(self) -> Context:
        """The context after the last step."""
        return self.steps[-1].after if self.steps else self.start

    @property
    def messages(self) -> SentMessages:
        """The final messages: dicts with role, content, source and tokens, and calls in OpenAI's form.

        The content of a message with files is a list of parts: `text`, `image_url`, `input_audio`, `file`, each with
        the bytes, the URL or the vendor's id of its file. A file whose bytes are elsewhere is a part of type `asset`,
        a reference with id, kind, name and source, which has to be resolved before it is sent.
        """
        count = self.services.tokenizer.count_draft
        return SentMessages(as_message(draft, count(draft)) for draft in self.result.drafts)

    @property
    def prompt(self) -> Prompt[BuiltMessage]:
        """The messages that are sent as values: each with its parts, their sources and tokens; made anew each time."""
        from ctxlab.pipeline.explain.prompt_of_trace import prompt_of

        return prompt_of(self)

    @property
    def tokens(self) -> int:
        """Tokens of the result: messages, their overhead, tool definitions and what a request costs."""
        return self.tokens_of(self.result)

    @checked_arguments
    def tokens_of(self, ctx: Context) -> int:
        """Tokens of a context, counted as the tokenizer of this run counts."""
        counter = self.services.tokenizer
        return sum(counter.count_draft(draft) for draft in ctx.drafts) + self.request_tokens

    @property
    def stopped_at(self) -> str | None:
        """Id of the step that failed, or that comes next; None of a run that came to its end."""
        running = self.pipeline.running()
        done = sum(not step.edited for step in self.steps)
        if done >= len(running):
            return None
        last = self.steps[-1] if self.steps else None
        return last.id if last is not None and last.failure is not None else running[done].id

    @property
    def estimated(self) -> bool:
        """Whether `tokens` is a guess in part: the tokenizer's, or that of a file whose size isn't known."""
        counter = self.services.tokenizer
        return counter.estimated or any(map(counter.draft_is_estimated, self.result.drafts))

    @property
    def token_range(self) -> TokenRange | None:
        """The tokens of the result at least and at most, as open vocabularies would count them.

        None where its texts are counted exactly, or by a function of the caller's own. A vocabulary that isn't open,
        such as Claude's, may be further out.
        """
        agent = self.start.input.agent
        return range_of(self.services.tokenizer, self.result.drafts, agent.sent_tools if agent else ())

    @property
    def request_tokens(self) -> int:
        """Tokens that a request costs besides its messages: tool definitions and what the wire format adds once."""
        counter = self.services.tokenizer
        agent = self.start.input.agent
        return counter.request_tokens + (counter.count_tools(agent.sent_tools) if agent and agent.sent_tools else 0)

    # --- looking into it

    @checked_arguments
    def index(self, step: int | str) -> int:
        """Position of a step given by position or id; raises UnknownProcessor."""
        if isinstance(step, int):
            if not -len(self.steps) <= step < len(self.steps):
                raise UnknownProcessor(f"the trace has {len(self.steps)} steps, none at {step}")
            return step % len(self.steps)
        for i, known in enumerate(self.steps):
            if known.id == step:
                return i
        raise UnknownProcessor(f"the trace has no step {step!r}{did_you_mean(step, [s.id for s in self.steps])}")

    @checked_arguments
    def step(self, step: int | str) -> Step:
        return self.steps[self.index(step)]

    @checked_arguments
    def changes(self, step: int | str) -> Changes:
        """The messages that a step added, rewrote, merged, moved and dropped."""
        from ctxlab.pipeline.explain.step_changes import changes

        found = self.step(step)
        return changes(found, self.services.tokenizer)

    @checked_arguments
    def why(self, key: str) -> Life:
        """The life of one message through all steps; raises CtxlabError when no step ever had it.

        `key` is its key, such as `node:u5`, or the id of a message or of a preset where no other has it.
        """
        from ctxlab.pipeline.explain.message_life import life

        return life(self, key)

    @checked_arguments
    def where(self, text: str) -> Occurrences:
        """Every place where these words are sent, were dropped or were replaced, with who wrote them and why.

        Only words in messages are searched, so those of a file that goes as text; not the bytes of one that goes as a
        file. `build` for a model that reads text only has the words of all files that can be read.
        Texts between two edits of one step count too. Words that were taken apart by an insertion were replaced.
        """
        from ctxlab.pipeline.explain.where import occurrences

        return occurrences(self, text)

    @checked_arguments
    def table(self, name: str) -> pd.DataFrame:
        """The rows of a report as a frame, by the name of the report or by the id of the step that left it.

        Whole numbers stay whole where some are missing (Int64), missing words are None, lists and dicts are cells.
        A step that found nothing to decide on, such as no placeholder of knowledge, leaves a table without rows.
        Of several reports with that name the newest counts; of several that a step left the first. With a strategy that
        goes by ranks "ranking" has a row for each message that it ranked, worked out when it is asked for. The nearest
        changes of "knowledge" are tried: where one doesn't fit the budget it says which budget it needs.
        """
        from ctxlab.display.data_frame import frame_of

        of_steps = {step.id: step.reports[0] for step in self.steps if step.reports}
        report = self.result.report_named(name) or of_steps.get(name)
        rows = rows_in_run(self, report) if report is not None else rows_worked_out(self, name)
        columns = columns_of_steps(self, name)
        if rows is None and columns is None:
            names = dict.fromkeys((*(report.name for report in self.result.reports), *of_steps))
            raise CtxlabError(f"no step left {name!r}{did_you_mean(name, list(names))}")
        return frame_of(rows or (), columns or ())

    @property
    def parameters(self) -> Effective:
        """The parameters of its request, each with the layer that it is from; before a vendor's rules settle them."""
        from ctxlab.pipeline.parameters.layers import effective

        return effective(self.start.input, self.pipeline.request)

    @property
    def variables(self) -> Variables:
        """The macros' variables at the end of the run, for the next build."""
        return self.result.variables

    @property
    def activations(self) -> Mapping[str, str]:
        """Lore that fired, with the message that was the newest then, for the next build: sticky and cooldown count."""
        report = self.result.report(LoreActivations)
        return report.newest if report is not None else self.start.input.activations

    def ledger(self) -> pd.DataFrame:
        """Tokens by step and rule: in + added = kept + cut + rewritten + merged + seams, and out = kept + merged.

        `rewritten` and `seams` are tokens that rewriting and joining saved (negative where they cost); the overhead of
        the wire format has a row of its own in every step. Sums over a step's rows lead to the next step's.
        """
        from ctxlab.display.data_frame import frame_of
        from ctxlab.pipeline.explain.ledger import LEDGER_COLUMNS, ledger_rows

        return frame_of((row.as_data() for row in ledger_rows(self)), LEDGER_COLUMNS)

    def cuts(self) -> pd.DataFrame:
        """The dropped messages, one row each, in the order in which they went.

        `needed` and `left` are tokens, given only for the messages at the border, because of which the cut began.
        Their difference is not always what would keep them: `why(key).least_budget` is that, for any of them.
        """
        from ctxlab.display.data_frame import frame_of
        from ctxlab.pipeline.explain.ledger import CUT_COLUMNS, cut_rows

        frame = frame_of((row.as_data() for row in cut_rows(self)), CUT_COLUMNS)
        return frame.astype({"needed": "Int64", "left": "Int64"})

    def budget(self) -> pd.Series[int]:
        """Tokens of the result by source; without `reserve` and `free` they add up to `tokens`."""
        import pandas as pd

        return pd.Series(self.prompt.tokens_by_source, name="tokens", dtype="int64")

    # --- other runs from this one

    @checked_arguments
    def upto(self, step: int | str) -> Trace:
        """The run up to and including a step."""
        return Trace(self.start, self.steps[: self.index(step) + 1], self.pipeline, self.services)

    @checked_arguments
    def rerun(
        self, settings: Mapping[str, Any] | Remedy | None = None, *, on_error: Literal["raise", "skip"] = "raise"
    ) -> Trace:
        """The run with other settings, or those of a remedy, from the first step that they change.

        The steps before are taken over, and answers of services from this run. Edits by hand are made again where the
        message still says what was edited; what is lost is a note. It raises what `build` raises.
        """
        from ctxlab.pipeline.edits_by_hand import edits_in

        kept = self.with_settings((settings.settings if isinstance(settings, Remedy) else settings) or {})
        done = len(kept.steps)
        calls, edits = calls_to_replay(self.steps, kept=done), edits_in(self.steps, kept=done)
        return kept.pipeline.resume(kept, on_error=on_error, known=calls, edits=edits)

    @checked_arguments
    def with_settings(self, settings: Mapping[str, Any]) -> Trace:
        """The run as far as other settings leave it as it is: up to the first step that they change.

        When they change what is noted at the start, no step is left.
        """
        from ctxlab.pipeline.edits_by_hand import steps_kept

        pipeline = self.pipeline.with_settings(settings)
        shared = self.pipeline.first_difference(pipeline, self.services)
        steps = self.steps[: steps_kept(self.steps, [stage.id for stage in pipeline.running()], shared=shared)]
        start = self._start_for(pipeline)
        return Trace(start, steps if start is self.start else (), pipeline, self.services)

    def _start_for(self, pipeline: Pipeline) -> Context:
        """The start with what another pipeline notes there instead of this one."""
        old, new = self.pipeline.warnings(), pipeline.warnings()
        before = len(self.start.notes) - len(old)
        if old == new or self.start.notes[before:] != old:
            return self.start
        return replace(self.start, notes=(*self.start.notes[:before], *new))

    @checked_arguments
    def finished(self, *, on_error: Literal["raise", "skip"] = "raise") -> Trace:
        """The run with the steps that are still to come."""
        return self.pipeline.resume(self, on_error=on_error)

    def view(self) -> dict[str, Any]:
        """The run as one JSON value: every text and span once, per step a list of indexes."""
        from ctxlab.pipeline.explain.trace_json import view

        return view(self)


def run_of(context: Context, pipeline: Pipeline, services: Services, *, after: Trace) -> Trace:
    """A run of another context, with the answers of services and the edits by hand of an earlier run."""
    from ctxlab.pipeline.edits_by_hand import edits_in

    start = pipeline.start(context, services)
    return start.pipeline.resume(start, known=calls_to_replay(after.steps, kept=0), edits=edits_in(after.steps))


def calls_to_replay(steps: Sequence[Step], *, kept: int) -> list[Call]:
    """The recorded service calls, those of steps that will run again first; calls of failed steps are made anew."""
    return [call for step in (*steps[kept:], *steps[:kept]) if step.failure is None for call in step.calls]
