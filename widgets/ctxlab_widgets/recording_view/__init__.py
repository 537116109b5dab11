"""A recording: the context over time, where its cache broke and why, findings at their place, any two requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.one_line import plain
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.providers import Payload
from ctxlab.recordings.findings.finding import Findings
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.recordings.recording import Recording
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.recording_view.analysis import WHAT_IFS, Analysis
from ctxlab_widgets.recording_view.compression_rows import compression_json
from ctxlab_widgets.recording_view.findings_json import findings_json, place_json, request_of
from ctxlab_widgets.recording_view.headline import headline, price_of
from ctxlab_widgets.recording_view.marks import (
    breaks_json,
    compressions_json,
    dollars,
    is_break,
    is_missed,
    sentence_of,
    tokens_of,
    usd_of,
)
from ctxlab_widgets.recording_view.pair_json import difference_json, pair_json, row_text
from ctxlab_widgets.recording_view.recorded_payload import recorded_payload
from ctxlab_widgets.recording_view.shown_requests import ShownRequests, about, agents_json, first_agent

if TYPE_CHECKING:
    from ctxlab_widgets.recording_view.recording_page import RecordingPage

STACKS = ("source", "tool", "file")
MOST_CHARACTERS = 1_500_000
"""Characters of a recording in which findings and lost rules are looked for at once; in longer ones when asked."""
MOST_IN_PAGE = 12_000
"""Facts of all compressions together that a report of one file brings along."""
MOST_KEPT = 250
"""Requests whose differences a report of one file brings along."""


class RecordingView(Widget):
    """A recording by its requests: what each had in it and where from, what was cached, what broke that and its price.

    One request is chosen, and is set against the one before it, or against any other. Its steps, its body and what a
    compression kept open below. Tokens are counted here, by the tokenizer of the model, unless they are called
    reported.

    >>> RecordingView(ctxlab.read_recording("session.jsonl"))  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    agent = traitlets.Unicode("").tag(sync=True)
    """The agent whose requests are shown; empty for the main one."""
    request = traitlets.Unicode("").tag(sync=True)
    """Id of the chosen request."""
    base = traitlets.Unicode("").tag(sync=True)
    """Id of the request that the chosen one is set against; empty for the one before it."""
    stack = traitlets.Unicode("source").tag(sync=True)
    """By what the context is stacked: `source`, `tool` or `file`."""
    sight: traitlets.List[int] = traitlets.List(traitlets.Int()).tag(sync=True)
    """First and last number of the requests that are drawn, from 0; empty for as many as fit around the chosen one."""
    what_if = traitlets.Unicode("").tag(sync=True)
    """A what-if that the head tells of, such as `tools` or `clock`; empty for the recording as it was."""
    whole = traitlets.Bool(False).tag(sync=True)
    """Whether the whole difference is open."""
    checked = traitlets.Bool(False).tag(sync=True)
    """Whether findings and lost rules were looked for."""
    trace = traitlets.Instance(Trace, allow_none=True)
    """The run of the request whose steps were opened; None when none were."""
    payload = traitlets.Instance[Payload | None](Payload, allow_none=True)
    """The body that was opened; None when none was."""
    opened = traitlets.Unicode("").tag(sync=True)
    """The thing that was opened, and where it is shown, as a sentence; empty when nothing was."""
    view = traitlets.Unicode("").tag(sync=True)
    """Sentence, agents and choices as JSON; empty when there is no recording."""
    series = traitlets.Unicode("").tag(sync=True)
    """Arrays with one number for each request of the agent, as JSON."""
    marks = traitlets.Unicode("").tag(sync=True)
    """Breaks, compressions and common prefixes as JSON."""
    findings = traitlets.Unicode("").tag(sync=True)
    """Findings as JSON."""
    chosen = traitlets.Unicode("").tag(sync=True)
    """The chosen request: its first difference, its facts, what tools brought up to it, as JSON."""
    difference = traitlets.Unicode("").tag(sync=True)
    """The whole difference as JSON; empty when it is closed."""
    row_text = traitlets.Unicode("").tag(sync=True)
    """The whole text of a row of the difference, as JSON; empty when none is open."""
    place = traitlets.Unicode("").tag(sync=True)
    """The words at the place of a finding, as JSON; empty when none is shown."""
    compression = traitlets.Unicode("").tag(sync=True)
    """The report of a compression, as JSON; empty when none is shown."""
    kept = traitlets.Unicode("").tag(sync=True)
    """The values of `chosen` for each request, as JSON, in a page without Python; empty in a notebook."""
    reports = traitlets.Unicode("").tag(sync=True)
    """The reports of all compressions, as JSON, in a page without Python; empty in a notebook."""

    _page: RecordingPage | None = None

    @checked_arguments
    def __init__(self, recording: Recording | None = None, *, agent: str | None = None) -> None:
        self.recording = recording
        self._analysis = Analysis(recording) if recording is not None else None
        self._of_agent: dict[str, ShownRequests] = {}
        self._drawn: dict[str, object] = {}
        self._is_ready = False
        super().__init__()
        if recording is not None and len(recording):
            self.agent = first_agent(recording) if agent is None else agent
            self.request = self._first_request()
            self.checked = _characters(recording) <= MOST_CHARACTERS
        self._is_ready = True
        self.show()

    def __repr__(self) -> str:
        return f"RecordingView({self.recording!r})" if self.recording is not None else "RecordingView()"

    @property
    def page(self) -> RecordingPage:
        """The recording, and below it what is opened: what a notebook shows of it."""
        if self._page is None:
            from ctxlab_widgets.recording_view.recording_page import RecordingPage

            self._page = RecordingPage(self)
        return self._page

    @property
    def checks(self) -> Findings:
        """The findings that are listed, in the order of their numbers."""
        return self._analysed().findings

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.page._repr_mimebundle_(**options)

    def close(self) -> None:
        page, self._page = self._page, None
        super().close()
        if page is not None:
            page.close()

    # --- commands

    def select(self, request: str, base: str = "") -> None:
        """Choose a request by its id, and the one it is set against; without one that is the one before it."""
        held = self._held().request(request)
        if base and self._held().request(base).agent != held.agent:
            raise CtxlabError(f"{plain(base, 40)} is a request of another agent than {plain(request, 40)}")
        with self.hold_trait_notifications():
            self.agent = held.agent
            self.base = base if base != request else ""
            self.request = request

    def check(self) -> None:
        """Look for findings, and for rules that compressions lost; of a long recording that takes a while."""
        self.checked = True
        self.show()

    def open_steps(self) -> Trace:
        """Show the chosen request as a run, step by step."""
        self.payload = None
        self.trace = self._chosen().trace
        self.opened = self._where("The steps", "StepDebugger(widget.trace)")
        return self.trace

    def open_request(self) -> Payload:
        """Show the body of the chosen request; raises CtxlabError where the log has only parts of it."""
        made = recorded_payload(self._chosen())
        self.trace = None
        self.payload = made
        self.opened = self._where("The body", "RequestView(widget.payload)")
        return made

    def open_compression(self, id: str) -> None:
        """Show what a compression kept, by its id."""
        self.compression = as_json(compression_json(self._analysed().compression(id)))

    def open_place(self, finding: int, place: int = 0) -> None:
        """Go to a place of a finding: choose its request, and show its words. Both are numbers from 0."""
        self.checked = True
        found = self._analysed().finding(finding)
        if not 0 <= place < len(found.places):
            raise CtxlabError(f"finding {finding} has no place {place}: it has {len(found.places):,}")
        at = found.places[place]
        recording = self._held()
        id = request_of(recording, at)
        if id:
            self.select(id)
        words = place_json(recording, at)
        self.place = as_json({**words, "finding": finding, "title": plain(found.title, 80)}) if words else ""

    def open_row(self, number: int) -> None:
        """Show all of a row of the whole difference, by its number from 0."""
        base = self._base()
        text = None if base is None else row_text(self._held().parts, base, self._chosen(), number)
        if text is None:
            raise CtxlabError(f"the difference has no row {number}")
        self.row_text = as_json({"row": number, "text": text})

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "select", "request": str(request), "base": str(base)}:
                self.select(request, base)
            case {"command": "agent" | "stack" | "what_if" as name, "value": str(value)}:
                setattr(self, name, value)
            case {"command": "check"}:
                self.check()
            case {"command": "whole"}:
                self.whole = not self.whole
            case {"command": "row", "number": int(number)}:
                self.open_row(number)
            case {"command": "steps"}:
                self.open_steps()
            case {"command": "request"}:
                self.open_request()
            case {"command": "compression", "id": str(id)}:
                self.open_compression(id)
            case {"command": "place", "finding": int(finding), "place": int(place)}:
                self.open_place(finding, place)
            case {"command": "close", "what": "place" | "compression" | "row_text" as what}:
                setattr(self, what, "")
            case _:
                raise self._wrong_command(message)

    # --- what is shown

    def show(self) -> None:
        recording, analysis = self.recording, self._analysis
        if not self._is_ready or recording is None or analysis is None or not len(recording):
            return
        shown = self._shown()
        with self.hold_sync():
            if self._changed("agent", self.agent):
                self.series = as_json(shown.series())
            known = self.checked or bool(self.reports)
            if self._changed("marks", (self.agent, known)):
                self.marks = as_json(_marks(shown, analysis, checked=known))
            if self._changed("view", (self.agent, self.what_if, known)):
                self.view = as_json(_view(shown, analysis, self.what_if, checked=known))
            if self.checked and not self.findings:
                self.findings = as_json(findings_json(analysis.findings, recording))
            if self._changed("chosen", (self.request, self.base)):
                self.chosen = as_json(self._chosen_json(self._chosen(), self._base()))
                self.row_text = ""
            if self._changed("difference", (self.request, self.base, self.whole)):
                base = self._base()
                is_open = self.whole and base is not None
                self.difference = (
                    as_json(difference_json(recording.parts, base, self._chosen())) if is_open and base else ""
                )

    def keep_for_page(self) -> None:
        """Fill `kept` and `reports`, for a page that nobody answers: first differences, and what compressions kept.

        Of a long recording the differences are those at marks and some between them.
        """
        shown = self._shown()
        found = self._analysed().compressions
        most = MOST_IN_PAGE // max(1, len(found))
        rows = [compression_json(each, most=most) for each in found]
        self.reports = as_json({"rows": rows}) if rows else ""
        self.show()
        requests: Sequence[RecordedRequest] = shown.requests
        if len(requests) > MOST_KEPT:
            step = len(requests) / MOST_KEPT
            marked = {each.request.id for each in self._analysed().prefixes if is_break(each) or is_missed(each)}
            numbers = {int(number * step) for number in range(MOST_KEPT)}
            requests = [each for at, each in enumerate(requests) if at in numbers or each.id in marked]
        self.kept = as_json({each.id: self._chosen_json(each, self._before(each)) for each in requests})

    def _changed(self, what: str, now: object) -> bool:
        """Whether something is drawn from other values than the last time; from now on from these."""
        if what in self._drawn and self._drawn[what] == now:
            return False
        self._drawn[what] = now
        return True

    def _chosen_json(self, request: RecordedRequest, base: RecordedRequest | None) -> dict[str, Any]:
        shown, analysis = self._shown(), self._analysed()
        prefix = analysis.prefix_of.get(request.id)
        is_next = prefix is not None and prefix.before is base
        found = pair_json(shown.recording.parts, base, request)
        return {
            **found,
            "request": request.id,
            "base": base.id if base is not None else "",
            "cause": sentence_of(prefix) if prefix is not None and is_next else "",
            "cost": dollars(usd_of(prefix)) if prefix is not None and is_next else "",
            "lost": tokens_of(prefix) if prefix is not None and is_next else 0,
            "facts": _facts(request),
            "table": shown.table.rows(shown.at[request.id]),
            "whole": request.whole,
        }

    # --- what is held

    def _first_request(self) -> str:
        """The request whose break cost most, explained or not; without a break the last one."""
        shown = self._shown()
        found = [each for each in self._analysed().prefixes if each.request.id in shown.at]
        broken = [each for each in found if is_break(each) or is_missed(each)]
        worst = max(broken, key=lambda each: (usd_of(each) or 0.0, tokens_of(each)), default=None)
        return worst.request.id if worst is not None else shown.requests[-1].id

    def _shown(self) -> ShownRequests:
        recording, agent = self._held(), self.agent
        if agent not in self._of_agent:
            self._of_agent[agent] = ShownRequests(recording, agent)
        return self._of_agent[agent]

    def _chosen(self) -> RecordedRequest:
        shown = self._shown()
        return shown.requests[shown.at[self.request]]

    def _base(self) -> RecordedRequest | None:
        return self._held().request(self.base) if self.base else self._before(self._chosen())

    def _before(self, request: RecordedRequest) -> RecordedRequest | None:
        shown = self._shown()
        at = shown.at[request.id]
        return shown.requests[at - 1] if at else None

    def _held(self) -> Recording:
        if self.recording is None:
            raise CtxlabError("there is no recording: pass what ctxlab.read_recording gives")
        return self.recording

    def _analysed(self) -> Analysis:
        self._held()
        assert self._analysis is not None
        return self._analysis

    def _where(self, what: str, code: str) -> str:
        of = f"{what} of request {self._chosen().number:,}"
        return f"{of} {'are' if what.endswith('s') else 'is'} " + (
            "below." if self._page is not None else f"in Python: {code} shows it."
        )

    # --- values that Python or the page sets

    @traitlets.validate("request", "base", "agent", "stack", "what_if")
    def _known_value(self, proposal: Mapping[str, Any]) -> str:
        name, value = str(proposal["trait"].name), str(proposal["value"])
        if name == "stack" and value not in STACKS:
            raise CtxlabError(f"a context is not stacked by {plain(value, 40)!r}, but by {', '.join(STACKS)}")
        if name == "agent" and value not in self._held().agents:
            raise CtxlabError(f"the recording has no agent {plain(value, 40)!r}")
        if name in ("request", "base") and value:
            self._held().request(value)
        if name == "what_if":
            self._analysed().what_if(value)
        return value

    @traitlets.observe("request", "base", "agent", "what_if", "whole")
    def _on_change(self, change: Mapping[str, Any]) -> None:
        if not self._is_ready or self.recording is None:
            return
        self._is_ready = False
        if change["name"] == "request":
            self.agent = self._held().request(self.request).agent
        shown = self._shown()
        if change["name"] == "agent":
            self.sight = []
        if self.request not in shown.at:
            self.request = shown.requests[-1].id
        if self.base not in shown.at:
            self.base = ""
        self._is_ready = True
        if change["name"] == "request":
            self.place = ""
        self.error = ""
        self.show()


def _facts(request: RecordedRequest) -> list[list[str]]:
    """Time, model and the vendor's own counts of a request, as far as the log tells them."""
    usage = request.usage
    counts = (("input", usage.input), ("cached", usage.cached), ("written", usage.written), ("output", usage.output))
    reported = ", ".join(f"{name} {count:,}" for name, count in counts if count is not None)
    facts = (
        ("at", (request.time or "")[:19].replace("T", " ")),
        ("model", plain(request.model, 60)),
        ("reported", reported or "no usage in the log"),
        ("price", f"{dollars(request.usd)} at list prices" if request.usd is not None else ""),
        ("took", f"{request.duration:,.1f} s" if request.duration is not None else ""),
        ("error", plain(request.error, 120)),
    )
    return [[name, words] for name, words in facts if words]


def _view(shown: ShownRequests, analysis: Analysis, what_if: str, *, checked: bool) -> dict[str, Any]:
    """The sentence of the agent's requests, and behind it that of a what-if; the choices of the head."""
    recording = shown.recording
    prefixes = [each for each in analysis.prefixes if each.request.id in shown.at]
    ours = [each for each in analysis.compressions if each.request.id in shown.at]
    still = analysis.what_if(what_if)
    return {
        "sentence": headline(shown.requests, prefixes, ours, len(recording), checked=checked),
        "still": "" if still is None else " ".join(filter(None, [still.sentence, _saved(still.saved_usd)])),
        "about": ", ".join(filter(None, [about(recording), price_of(recording)])),
        "agents": agents_json(recording),
        "what_ifs": [[name, words] for name, words in WHAT_IFS.items()] if len(recording) > 1 else [],
        "tokenizer": plain(recording.parts.tokenizer.name, 60),
        "characters": _characters(recording),
    }


def _saved(usd: float | None) -> str:
    if not usd:
        return ""
    return f"That {'saves' if usd > 0 else 'costs'} {dollars(abs(usd))} at list prices, by estimate."


def _marks(shown: ShownRequests, analysis: Analysis, *, checked: bool) -> dict[str, Any]:
    known = analysis.prefix_of
    return {
        "common": [known[each.id].common_tokens if each.id in known else -1 for each in shown.requests],
        "breaks": breaks_json(analysis.prefixes, shown.at),
        "compressions": compressions_json(analysis.compressions, shown.at, checked=checked),
    }


def _characters(recording: Recording) -> int:
    """Characters of all messages, each once."""
    return sum(len(node.content) for node in recording.session.nodes.values())
