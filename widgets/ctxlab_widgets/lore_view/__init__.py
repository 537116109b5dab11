"""Decisions on all entries of the lore: which fired and by which words, what stopped the rest, the nearest change."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import traitlets

import ctxlab
from ctxlab import Trace, Worldbook
from ctxlab.argument_checks import checked_arguments
from ctxlab.engines.worldbook import LoreScan
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.processors.lore_trial import LoreTrial, price_of, trial_of
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.lore_view import explanations
from ctxlab_widgets.lore_view.excerpts import ScannedTexts
from ctxlab_widgets.lore_view.payload import answer_of, counts_of, detail_of, rows_of, why_empty
from ctxlab_widgets.lore_view.trials import scan_effect, scan_of, turned

FEW = 64
"""Entries up to which the page gets all that an opened row shows, so that it opens without asking."""
AT_ONCE = 8
"""Prices found in one go; the page asks again for further ones."""
MOST_MESSAGES_PRICED = 500
"""Messages of a session up to which a report tells prices: each is a run of its own."""

LoreViewSource = Trace | LoreScan | Worldbook | Sequence[Worldbook]
Kind = Literal["all", "fired", "blocked", "not-hit"]


@dataclass(frozen=True, slots=True, eq=False)
class _Before:
    """The state before a change was tried."""

    trace: Trace | None
    scan: LoreScan
    effect: dict[str, str]


class LoreView(Widget):
    """Shows the decisions on every entry: of a run, of a scan, or of books against a text that can be edited.

    >>> LoreView(trace)  # doctest: +SKIP
    >>> LoreView(book, "Who keeps the lamp?")  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    view = traitlets.Unicode("").tag(sync=True)
    """The rows, counts and sentences as JSON; empty while there is nothing to show."""
    details = traitlets.Unicode("{}").tag(sync=True)
    """Details of opened rows as JSON, by key: of all where they are few, else of the one that is open."""
    text = traitlets.Unicode("").tag(sync=True)
    """The text that books are scanned against; empty where a run is shown."""
    kind = traitlets.Enum(["all", *explanations.KINDS], default_value="all").tag(sync=True)
    """Which rows are shown."""
    find = traitlets.Unicode("").tag(sync=True)
    """Words that title or keys must have; capitals don't matter."""
    opened = traitlets.Unicode("").tag(sync=True)
    """Key of the row that is open; empty when none is."""
    prices: traitlets.Dict[str, int | None] = traitlets.Dict().tag(sync=True)
    """Tokens that the prompt grows by with an entry's nearest change, by its key; only those that were asked for."""
    trace = traitlets.Instance(Trace, allow_none=True)
    """The run that is shown; None where books are scanned against a text."""
    scan = traitlets.Instance(LoreScan, allow_none=True)
    """The decisions that are shown."""

    @checked_arguments
    def __init__(self, run_or_book: LoreViewSource | None = None, text: str | None = None) -> None:
        self._books: tuple[Worldbook, ...] | None = None
        self._tried: list[_Before] = []
        self._trials: dict[str, LoreTrial] = {}
        self._order: Sequence[str] = ()
        self._scanned_texts: ScannedTexts | None = None
        self._is_updating = False
        self._typed = ""
        super().__init__()
        if isinstance(run_or_book, Trace | LoreScan) and text is not None:
            raise CtxlabError("a run and a scan have their own words; only books go with a text")
        match run_or_book:
            case None:
                pass
            case Trace():
                self.trace = run_or_book
            case LoreScan():
                self.scan = run_or_book
            case Worldbook():
                self._books = (run_or_book,)
            case books:
                self._books = tuple(books)
        if self._books is not None:
            self.set_text(text or "")
        self.show()

    # --- commands

    @checked_arguments
    def set_text(self, text: str) -> None:
        """Scan the books against another text; what was tried is forgotten."""
        if self._books is None:
            raise CtxlabError("there is no text to change: LoreView(book, text) scans books against one")
        scan = ctxlab.lore_scan(self._books, text)
        self._forget()
        self._typed = self.text = text
        self._replace(None, scan)

    @checked_arguments
    def try_change(self, key: str) -> None:
        """Show what would fire with an entry's nearest change, and what that does to the run; `back` leads back.

        A run is built again with the changed book. A change that is a message is tried in the scan alone.
        """
        before = _Before(self._run, self._scan(), dict(self.effect))
        trial = self._trial(key)
        label = turned(before.scan, trial.scan)
        self._tried.append(before)
        if trial.trace is None:
            self._replace(before.trace, trial.scan)
            text = scan_effect(before.scan, trial.scan, in_run=before.trace is not None)
            self.effect = {"label": label, "text": text}
            return
        self._is_updating = True
        try:
            self._take_run(trial.trace, label=label)
        finally:
            self._is_updating = False
        self._replace(trial.trace, trial.scan)

    def back(self) -> None:
        """Show what stood there before the last change that was tried."""
        if not self._tried:
            raise CtxlabError("no change is being tried")
        before = self._tried.pop()
        self._replace(before.trace, before.scan)
        self.effect = before.effect

    @checked_arguments
    def price(self, key: str) -> int | None:
        """Tokens that the prompt grows by with an entry's nearest change, without a run those of the lore.

        None where that isn't known: a message is tried in the scan alone, and a run may end early with the change.
        """
        if key not in self.prices:
            self._find_prices([key])
        return self.prices[key]

    def find_prices_for_report(self) -> None:
        """Find the prices of the first changes that are shown, for a page in which nobody can be asked."""
        if self._run is None or len(self._run.start.input.session.nodes) > MOST_MESSAGES_PRICED:
            return
        keys = [row["key"] for row in json.loads(self.view).get("rows", ()) if row.get("change")]
        self._find_prices(keys[:AT_ONCE])

    @checked_arguments
    def filter(self, kind: Kind) -> None:
        """Show all entries, or only those that fired, were blocked, or whose keys weren't seen."""
        self.kind = kind

    @checked_arguments
    def open_row(self, key: str) -> None:
        """Open a row, or with an empty key close the one that is open."""
        if key:
            self._scan()[key]
        self.opened = key

    @checked_arguments
    def show_key(self, key: str) -> None:
        """Open the view anew, at the entry of this key, such as `lore:harbour/3`; an empty one opens none."""
        self.open_row(key)
        self.kind, self.find = "all", ""
        self._order = ()
        self.selected = key or self.selected
        self._show_scan()

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "set_text", "text": str(text)}:
                self.set_text(text)
            case {"command": "try_change", "key": str(key)}:
                self.try_change(key)
            case {"command": "back"}:
                self.back()
            case {"command": "prices", "keys": [*keys]} if all(isinstance(key, str) for key in keys):
                self._find_prices(keys[:AT_ONCE])
            case {"command": "filter", "kind": str(kind)}:
                self.filter(kind)  # pyright: ignore[reportArgumentType]
            case {"command": "open", "key": str(key)}:
                self.open_row(key)
            case _:
                raise self._wrong_command(message)

    # --- what is held and what is shown

    @property
    def _run(self) -> Trace | None:
        return cast("Trace | None", self.trace)

    @property
    def _shown_scan(self) -> LoreScan | None:
        return cast("LoreScan | None", self.scan)

    def _scan(self) -> LoreScan:
        if self._shown_scan is None:
            raise CtxlabError("no entries are shown")
        return self._shown_scan

    def _replace(self, trace: Trace | None, scan: LoreScan | None) -> None:
        """Show these two, which belong together."""
        self._is_updating = True
        try:
            self.trace, self.scan = trace, scan
        finally:
            self._is_updating = False
        self._trials.clear()
        self.prices = {}
        self.show()

    def _forget(self) -> None:
        """Begin anew: nothing is on trial, and the rows come in the order of interest."""
        self._tried.clear()
        self._order = ()
        self.effect = {}

    def _trial(self, key: str) -> LoreTrial:
        if key not in self._trials:
            scan = self._scan()
            self._trials[key] = trial_of(self._run, scan, scan[key])
        return self._trials[key]

    def _find_prices(self, keys: Sequence[str]) -> None:
        scan, found = self._scan(), dict(self.prices)
        for key in keys:
            scan[key]
            try:
                found[key] = price_of(self._trial(key), self._run, scan)
            except CtxlabError:  # with the change the run can't be built: trying it says why
                found[key] = None
        self.prices = found

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        if self._is_updating:
            return
        if self._tried and self._run is self._tried[-1].trace:  # taken back elsewhere
            self.back()
            return
        self._forget()
        self._books = None
        self._typed = self.text = ""
        self._replace(self._run, None if self._run is None else scan_of(self._run))

    @traitlets.observe("scan")
    def _on_scan(self, change: Any) -> None:
        if not self._is_updating:
            self._forget()
            self._replace(self._run, self._shown_scan)

    @traitlets.observe("text")
    def _on_text(self, change: Any) -> None:
        if self.text != self._typed:
            self.set_text(self.text)

    @traitlets.observe("opened")
    def _on_opened(self, change: Any) -> None:
        if self._shown_scan is not None and len(self._shown_scan) > FEW:
            self._show_details()

    def show(self) -> None:
        """Take over into the traits what Python holds."""
        scan = self._shown_scan
        if self._scanned_texts is None or self._scanned_texts.scan is not scan:
            self._scanned_texts = ScannedTexts(scan) if scan is not None else None
        elif self.view:
            return
        self._show_scan()

    def _show_scan(self) -> None:
        with self.hold_sync():
            self.view = as_json(self._view()) if self._shown_scan is not None or self._run is not None else ""
            self._show_details()

    def _view(self) -> dict[str, Any]:
        if self._scanned_texts is None:
            return {"empty": why_empty(self._run)}
        scan = self._scanned_texts.scan
        before = self._tried[-1] if self._tried else None
        rows = rows_of(self._scanned_texts, None if before is None else before.scan, self._order)
        self._order = [row["key"] for row in rows]
        return {
            "books": ", ".join(book.shown_name for book in scan.books),
            "several": len(scan.books) > 1,
            "typed": self._books is not None,
            "in_run": self._run is not None,
            "depth": scan.scan_input.rules.scan_depth,
            "answer": answer_of(scan, rows),
            "counts": counts_of(scan),
            "rows": rows,
            "own_back": before is not None and before.trace is self._run,
            "notes": [note.text for note in scan.notes if note.level != "info"],
        }

    def _show_details(self) -> None:
        scan, texts = self._shown_scan, self._scanned_texts
        if scan is None or texts is None:
            self.details = "{}"
            return
        keys = [one.key for one in scan.decisions] if len(scan) <= FEW else [self.opened]
        known = {one.key for one in scan.decisions} if len(scan) > FEW else set(keys)
        self.details = as_json({key: detail_of(scan[key], texts) for key in keys if key in known})
