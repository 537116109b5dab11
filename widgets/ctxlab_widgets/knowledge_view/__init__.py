"""Knowledge that a run looked up: the query, each piece with its scores, what cut it, and the nearest change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import traitlets

from ctxlab import Trace
from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import short
from ctxlab.errors import CtxlabError
from ctxlab.knowledge.policy.cuts import Decision
from ctxlab.knowledge.policy.report import KnowledgeReport, PlaceholderResult
from ctxlab.pipeline.changes_in_budget import ChangeInBudget, change_in_budget
from ctxlab.studies.run_effect import run_effect
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.knowledge_view.asked_otherwise import STEP, asked, asked_text
from ctxlab_widgets.knowledge_view.opened_piece import opened_piece
from ctxlab_widgets.knowledge_view.payload import report_of, view_of, why_empty
from ctxlab_widgets.knowledge_view.rows import FEW, key_of, remedy_of
from ctxlab_widgets.knowledge_view.trials import price_of, turned

AT_ONCE = 8
"""Nearest changes that are worked out in one go; the page asks again for further ones."""
MOST_AROUND = 50
"""Neighbours of a piece on each side."""

Kind = Literal["all", "sent", "not sent"]
Engine = Literal["auto", "hybrid", "vector", "keyword", "tags"]


class KnowledgeView(Widget):
    """Shows why each piece of knowledge is sent or isn't; what is changed builds the run again.

    >>> KnowledgeView(trace)  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    view = traitlets.Unicode("").tag(sync=True)
    """The query, its words and the rows of the placeholder that is shown, as JSON."""
    details = traitlets.Unicode("{}").tag(sync=True)
    """Opened rows as JSON, by key: all where they are few, else the one that is open."""
    place = traitlets.Int(0, min=0).tag(sync=True)
    """Number of the placeholder that is shown, from 0."""
    base = traitlets.Unicode("").tag(sync=True)
    """Id of the base whose pieces are shown; empty for all."""
    kind = traitlets.Enum(["all", "sent", "not sent"], default_value="all").tag(sync=True)
    """Which rows are shown."""
    word = traitlets.Unicode("").tag(sync=True)
    """A word of the query: only pieces that it brought something to are shown; empty for all."""
    opened = traitlets.Unicode("").tag(sync=True)
    """Key of the piece that is open; empty when none is."""
    around = traitlets.Int(1, min=1, max=MOST_AROUND).tag(sync=True)
    """Neighbours of the open piece that are shown on each side."""
    offers = traitlets.Dict().tag(sync=True)
    """By a row's key its nearest change in words, and the tokens that the prompt grows by, None where not known."""
    preview = traitlets.Dict().tag(sync=True)
    """`{"minimum", "label", "text"}`: what another minimum would do; empty while none is considered."""
    trace = traitlets.Instance(Trace, allow_none=True)
    """The run that is shown."""

    @checked_arguments
    def __init__(self, trace: Trace | None = None) -> None:
        self._tried: list[tuple[Trace, dict[str, str]]] = []
        self._trials: dict[str, Trace] = {}
        self._shown_of: tuple[Trace | None, int] | None = None
        self._is_updating = False
        super().__init__()
        if trace is not None:
            self.trace = trace
        self.show()

    # --- commands

    @checked_arguments
    def ask(self, text: str) -> None:
        """Search by this text instead of the conversation's query; an empty one goes back to that."""
        run = self._shown_run()
        if text.strip() == (asked_text(run) or "").strip():
            return
        label = f"asked: {short(text.strip())}" if text.strip() else "the conversation's own query"
        self._change(asked(run, text), label)

    @checked_arguments
    def try_change(self, key: str) -> None:
        """Make the nearest change that brings this piece in; `back` leads back."""
        result, decision = self._result(), self._decision(key)
        if not result.nearest(decision):
            raise CtxlabError(f"no change is known that brings in {decision.candidate.hit.title!r}")
        change = self._in_budget(decision)
        self._change(self._trial(change.settings), change.words)

    @checked_arguments
    def wake(self, number: int = 0) -> None:
        """Make the nearest change by which the placeholder is active, or by which a base of it is searched."""
        result = self._result()
        if not result.activation.active:
            change, label = result.activation.change, result.activation.remedy
        elif 0 <= number < len(result.switched_off):
            change, label = {"search_disabled": True}, f"switched on: {result.switched_off[number].name}"
        else:
            raise CtxlabError("there is nothing here that isn't searched")
        settings = self._report().settings_for(result, change)
        if not settings:
            raise CtxlabError(f"no change is known for {short(result.placeholder)}")
        self._change(self._trial(settings), label)

    @checked_arguments
    def set_minimum(self, minimum: float) -> None:
        """Send only pieces that measure at least this, from 0 to 1."""
        self._change(self._trial(self._minimum(minimum)), f"minimum {self._result().rules.minimum:g} → {minimum:g}")

    @checked_arguments
    def preview_minimum(self, minimum: float | None) -> None:
        """Say what another minimum would do, without doing it; None takes that back."""
        rules = self._result().rules
        if minimum is None or minimum == round(rules.minimum, 4):
            self.preview = {}
            return
        run, trial = self._shown_run(), self._trial(self._minimum(minimum))
        text = f"{turned(run, trial)} {run_effect(run, trial)}."
        self.preview = {"minimum": minimum, "label": f"If the minimum were {minimum:g}:", "text": text}

    @checked_arguments
    def set_limit(self, limit: int) -> None:
        """Send at most so many pieces for this placeholder."""
        if limit < 0:
            raise CtxlabError(f"a limit is 0 or more, not {limit}")
        result = self._result()
        settings = self._report().settings_for(result, {"limit": limit})
        self._change(self._trial(settings), f"limit {result.rules.limit:,} → {limit:,}")

    @checked_arguments
    def set_engine(self, engine: Engine) -> None:
        """Search by another engine; `auto` is the bases' own."""
        self._change(self._trial({f"{STEP}.engine": engine}), f"engine {engine}")

    def back(self) -> None:
        """Show the run that was there before the last change."""
        if not self._tried:
            raise CtxlabError("nothing was changed here")
        self._replace(*self._tried.pop())

    @checked_arguments
    def show_place(self, number: int) -> None:
        """Show another placeholder, by its number from 0."""
        if not 0 <= number < len(self._report().results):
            raise CtxlabError(f"there is no placeholder {number}; there are {len(self._report().results)}")
        self.place = number

    @checked_arguments
    def open_row(self, key: str) -> None:
        """Open a piece in its document, or with an empty key close the one that is open."""
        if key:
            self._decision(key)
        self.opened = key

    @checked_arguments
    def show_key(self, key: str) -> None:
        """Open the view at a piece, such as `kb:harbour/rules#7`, or at the placeholder in the message of this key."""
        for number, result in enumerate(self._report().results):
            if result.where == key or any(key_of(each) == key for each in result.decisions):
                self.place, self.base, self.kind, self.word = number, "", "all", ""
                self.opened = key if key != result.where else ""
                return

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "ask", "text": str(text)}:
                self.ask(text)
            case {"command": "try_change", "key": str(key)}:
                self.try_change(key)
            case {"command": "wake", "number": int(number)}:
                self.wake(number)
            case {"command": "set_minimum", "minimum": (int() | float()) as minimum}:
                self.set_minimum(float(minimum))
            case {"command": "preview_minimum", "minimum": (int() | float()) as minimum}:
                self.preview_minimum(float(minimum))
            case {"command": "preview_minimum", "minimum": None}:
                self.preview_minimum(None)
            case {"command": "set_limit", "limit": int(limit)}:
                self.set_limit(limit)
            case {"command": "set_engine", "engine": "auto" | "hybrid" | "vector" | "keyword" | "tags" as engine}:
                self.set_engine(engine)
            case {"command": "back"}:
                self.back()
            case {"command": "place", "number": int(number)}:
                self.show_place(number)
            case {"command": "open", "key": str(key)}:
                self.open_row(key)
            case {"command": "offers", "keys": [*keys]} if all(isinstance(key, str) for key in keys):
                self._find_offers(keys[:AT_ONCE])
            case _:
                raise self._wrong_command(message)

    # --- what is held and what is tried

    @property
    def _run(self) -> Trace | None:
        return cast("Trace | None", self.trace)

    def _report(self) -> KnowledgeReport:
        report = report_of(self._run)
        if report is None or not report.results:
            raise CtxlabError("no knowledge is shown")
        return report

    def _result(self) -> PlaceholderResult:
        results = self._report().results
        return results[min(self.place, len(results) - 1)]

    def _decision(self, key: str) -> Decision:
        found = next((each for each in self._result().decisions if key_of(each) == key), None)
        if found is None:
            raise CtxlabError(f"there is no piece {key!r} here")
        return found

    def _minimum(self, minimum: float) -> dict[str, Any]:
        if not 0 <= minimum <= 1:
            raise CtxlabError(f"a minimum is from 0 to 1, not {minimum:g}")
        return self._report().settings_for(self._result(), {"min_score": minimum})

    def _in_budget(self, decision: Decision) -> ChangeInBudget:
        """The nearest change, with the budget that it needs where this run's is too small."""
        result = self._result()
        settings = self._report().settings_for(result, result.nearest(decision))
        return change_in_budget(self._shown_run(), settings, remedy_of(result, decision), rerun=self._trial)

    def _trial(self, settings: Mapping[str, Any]) -> Trace:
        """The run with these settings; built once for each."""
        name = as_json(settings)
        if name not in self._trials:
            self._trials[name] = self._shown_run().rerun(settings)
        return self._trials[name]

    def _change(self, after: Trace, label: str) -> None:
        before = self._shown_run()
        effect = dict(self.effect)
        self._is_updating = True
        try:
            self._take_run(after, label=f"{label[:1].upper()}{label[1:]}. {turned(before, after)}")
        finally:
            self._is_updating = False
        self._tried.append((before, effect))
        self._renew()

    def _replace(self, run: Trace, effect: dict[str, str]) -> None:
        self._is_updating = True
        try:
            self.trace = run
        finally:
            self._is_updating = False
        self.effect = effect
        self._renew()

    def _renew(self) -> None:
        """Show another run, or another placeholder; choices that aren't there any more are forgotten."""
        self._trials.clear()
        self.offers, self.preview = {}, {}
        report = report_of(self._run)
        if report is None or not report.results:
            self.opened = self.base = self.word = ""
        elif self.place >= len(report.results):
            self.place = 0
            return
        else:
            hits = [each.candidate.hit for each in self._result().decisions]
            self.opened = self.opened if self.opened in map(key_of, self._result().decisions) else ""
            self.base = self.base if self.base in [hit.base for hit in hits] else ""
            self.word = self.word if any(self.word == share.word for hit in hits for share in hit.words) else ""
        self.show()

    def _find_offers(self, keys: Sequence[str]) -> None:
        found = dict(self.offers)
        run = self._shown_run()
        for key in keys:
            change = self._in_budget(self._decision(key))
            try:
                price = price_of(run, self._trial(change.settings)) if change.words else None
            except CtxlabError:  # with the change the run can't be built: trying it says why
                price = None
            found[key] = [change.words, price]
        self.offers = found

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        if self._is_updating:
            return
        if self._tried and self._run is self._tried[-1][0]:  # taken back elsewhere
            self.back()
            return
        self._tried.clear()
        self.effect = {}
        self._renew()

    @traitlets.observe("place")
    def _on_place(self, change: Any) -> None:
        self._renew()

    @traitlets.observe("opened", "around")
    def _on_opened(self, change: Any) -> None:
        if change["name"] == "opened" and self.around != 1:
            self.around = 1
        self._show_details()

    # --- what is shown

    def show(self) -> None:
        """Take over into the traits what Python holds."""
        shown = self._run, self.place
        if shown == self._shown_of:
            return
        self._shown_of = shown
        report = report_of(self._run)
        with self.hold_sync():
            if self._run is None or report is None or not report.results:
                self.view = as_json({"empty": why_empty(self._run)})
            else:
                self.view = as_json(view_of(self._run, report, min(self.place, len(report.results) - 1)))
            self._show_details()

    def _show_details(self) -> None:
        report = report_of(self._run)
        if self._run is None or report is None or not report.results:
            self.details = "{}"
            return
        result, retriever = self._result(), self._run.services.retriever
        few = len(result.decisions) <= FEW
        self.details = as_json(
            {
                key: opened_piece(result, decision, retriever, self.around)
                for decision in result.decisions
                if (key := key_of(decision)) == self.opened or (few and self.around == 1)
            }
        )
