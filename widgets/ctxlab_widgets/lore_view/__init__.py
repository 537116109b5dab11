"""Decisions on all entries of the lore: which fired and by which words, what stopped the rest, the nearest change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import traitlets

import ctxlab
from ctxlab import Trace, Worldbook
from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import counted
from ctxlab.engines.worldbook import Decision, LoreScan, with_change
from ctxlab.errors import CtxlabError
from ctxlab.processors import WorldbookProcessor
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.lore_view import explanations
from ctxlab_widgets.lore_view.excerpts import ScannedTexts

FEW = 64
"""Entries up to which the page gets all that an opened row shows, so that it opens without asking."""
STEP = WorldbookProcessor.id

LoreViewSource = Trace | LoreScan | Worldbook | Sequence[Worldbook]
Kind = Literal["all", "fired", "blocked", "not-hit"]


@dataclass(frozen=True, slots=True, eq=False)
class _TriedChange:
    """The scan before a change was tried, and the change."""

    trace: Trace | None
    scan: LoreScan
    title: str
    change: str


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
    trace = traitlets.Instance(Trace, allow_none=True)
    """The run that is shown; None where books are scanned against a text."""
    scan = traitlets.Instance(LoreScan, allow_none=True)
    """The decisions that are shown."""

    @checked_arguments
    def __init__(self, run_or_book: LoreViewSource | None = None, text: str | None = None) -> None:
        self._books: tuple[Worldbook, ...] | None = None
        self._tried: list[_TriedChange] = []
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

    def set_text(self, text: str) -> None:
        """Scan the books against another text; what was tried is forgotten."""
        if self._books is None:
            raise CtxlabError("there is no text to change: LoreView(book, text) scans books against one")
        scan = ctxlab.lore_scan(self._books, text)
        self._tried.clear()
        self._typed = self.text = text
        self._replace(None, scan)

    def try_change(self, key: str) -> None:
        """Show what would fire with an entry's nearest change; `back` leads back.

        A run is built again with the changed book. A change that is a message is tried in the scan alone.
        """
        scan = self._scan()
        decision = scan[key]
        change = decision.nearest
        if not change:
            raise CtxlabError(f"no change is known for {decision.lore.entry.title!r}")
        words = explanations.nearest(decision, scan)
        before = _TriedChange(self._run, scan, decision.lore.entry.title, words)
        if self._run is None or "message" in change:
            after, found = self._run, scan.with_change(key)
        else:
            after = _rebuilt(self._run, scan, decision)
            found = scan_of(after)
        self._tried.append(before)
        self._replace(after, found)

    def back(self) -> None:
        """Show what stood there before the last change that was tried."""
        if not self._tried:
            raise CtxlabError("no change is being tried")
        before = self._tried.pop()
        self._replace(before.trace, before.scan)

    def filter(self, kind: Kind) -> None:
        """Show all entries, or only those that fired, were blocked, or whose keys weren't seen."""
        if kind not in ("all", *explanations.KINDS):
            raise CtxlabError(f"entries are all, {', '.join(explanations.KINDS)}, not {kind!r}")
        self.kind = kind

    def open_row(self, key: str) -> None:
        """Open a row, or with an empty key close the one that is open."""
        if key:
            self._scan()[key]
        self.opened = key

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "set_text", "text": str(text)}:
                self.set_text(text)
            case {"command": "try_change", "key": str(key)}:
                self.try_change(key)
            case {"command": "back"}:
                self.back()
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
        self.show()

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        if self._is_updating:
            return
        self._tried.clear()
        self._books = None
        self._typed = self.text = ""
        self._replace(self._run, None if self._run is None else scan_of(self._run))

    @traitlets.observe("scan")
    def _on_scan(self, change: Any) -> None:
        if not self._is_updating:
            self._tried.clear()
            self.show()

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
        with self.hold_sync():
            self.view = as_json(self._view()) if scan is not None or self._run is not None else ""
            self._show_details()

    def _view(self) -> dict[str, Any]:
        if self._scanned_texts is None:
            return {"empty": _why_empty(self._run)}
        scan = self._scanned_texts.scan
        counts = dict.fromkeys(("all", *explanations.KINDS), 0)
        for decision in scan.decisions:
            counts["all"] += 1
            counts[explanations.kind_of(decision)] += 1
        before = {one.key for one in self._tried[-1].scan.fired} if self._tried else None
        return {
            "books": ", ".join(book.shown_name for book in scan.books),
            "several": len(scan.books) > 1,
            "typed": self._books is not None,
            "summary": _result(scan),
            "counts": counts,
            "rows": [self._row(decision, before) for decision in _in_order(scan)],
            "tried": self._tried_json(),
            "notes": [note.text for note in scan.notes if note.level != "info"],
        }

    def _row(self, decision: Decision, before: set[str] | None) -> dict[str, Any]:
        assert self._scanned_texts is not None
        scan, lore = self._scanned_texts.scan, decision.lore
        row: dict[str, Any] = {
            "key": decision.key,
            "uid": str(lore.entry.uid),
            "title": lore.entry.title,
            "book": lore.book.shown_name,
            "keys": explanations.keys_of(lore),
            "kind": explanations.kind_of(decision),
            "chips": list(explanations.chips(decision, scan)),
            "nearest": "" if decision.fired else explanations.nearest(decision, scan),
            "tokens": decision.tokens or 0 if decision.fired else 0,
            **self._where(decision),
        }
        if before is not None and decision.fired != (decision.key in before):
            row["turned"] = "new" if decision.fired else "no longer"
        return row

    def _where(self, decision: Decision) -> dict[str, Any]:
        """The place where its key was found, or the texts that were searched in vain."""
        assert self._scanned_texts is not None
        match = self._scanned_texts.first_match(decision)
        if match is None:
            return {"scanned": self._scanned_summary(decision)}
        text, spot = match
        where = text.key.replace("-", " ")
        if text.number is not None:
            where = f"message {text.number}"
        elif text.key.startswith("lore:"):
            where = self._scanned_texts.scan[text.key].lore.entry.title
        pieces = self._scanned_texts.excerpt(decision, text, spot)
        return {"number": text.number, "where": where, "in_lore": text.key.startswith("lore:"), "pieces": pieces}

    def _scanned_summary(self, decision: Decision) -> str:
        assert self._scanned_texts is not None
        if decision.lore.is_certain:
            return "it needs no key"
        if not decision.lore.primary:
            return "it has no keys"
        messages, characters = self._scanned_texts.characters(decision.lore.depth)
        return f"scanned {counted(messages, 'message')}, {counted(characters, 'character')}"

    def _tried_json(self) -> dict[str, Any] | None:
        """The change on trial, and its effects."""
        if not self._tried or self._shown_scan is None:
            return None
        tried = self._tried[-1]
        was, now = {one.key for one in tried.scan.fired}, {one.key for one in self._shown_scan.fired}
        return {
            "title": tried.title,
            "change": tried.change,
            "came": [one.lore.entry.title for one in self._shown_scan.fired if one.key not in was],
            "went": [one.lore.entry.title for one in tried.scan.fired if one.key not in now],
            "alone": self._run is not None and self._run is tried.trace,
        }

    def _show_details(self) -> None:
        scan = self._shown_scan
        if scan is None or self._scanned_texts is None:
            self.details = "{}"
            return
        keys = [one.key for one in scan.decisions] if len(scan) <= FEW else [self.opened]
        known = {one.key for one in scan.decisions} if len(scan) > FEW else set(keys)
        self.details = as_json({key: self._detail(scan[key]) for key in keys if key in known})

    def _detail(self, decision: Decision) -> dict[str, Any]:
        assert self._scanned_texts is not None
        scan = self._scanned_texts.scan
        return {
            "texts": [
                {"key": text.key, "number": text.number, "pieces": pieces}
                for text, pieces in self._scanned_texts.marked(decision)
            ],
            "content": decision.lore.entry.content,
            "goes": explanations.placement(decision.lore),
            "gates": list(explanations.gates(decision, scan)),
            "change": explanations.nearest(decision, scan),
            "fired": decision.fired,
        }


def scan_of(trace: Trace) -> LoreScan | None:
    """The scan that a run left, with what it was made from; None where it made none."""
    return trace.result.report(LoreScan)


def _rebuilt(trace: Trace, scan: LoreScan, decision: Decision) -> Trace:
    """The run with the changed books."""
    change = decision.nearest
    books = [held.book for held in with_change(scan.scan_input, change, of=decision.lore).books]
    settings = {f"{STEP}.{name}": value for name, value in change.get("settings", {}).items()}
    return ctxlab.rebuild(trace, books=books, settings=settings)


def _why_empty(trace: Trace | None) -> str:
    if trace is not None and not trace.start.input.books:
        return "No book is in force in this run: ctxlab.build(session, books=[book]) has one."
    return "This run hasn't decided on its lore: the step worldbook-processor is off, failed or still to come."


def _in_order(scan: LoreScan) -> list[Decision]:
    """Those that fire in the order in which they came, then what was blocked, then what wasn't hit."""
    rest = [one for one in scan.decisions if not one.fired]
    rest.sort(key=lambda one: explanations.kind_of(one) == "not-hit")
    return [*scan.fired, *rest]


def _result(scan: LoreScan) -> str:
    rules = scan.scan_input.rules
    of = f" of {rules.budget_tokens:,}" if rules.budget_tokens is not None else ""
    spent = f"{scan.spent_tokens:,}{of} tokens" if of else counted(scan.spent_tokens, "token")
    return f"{spent}, scan depth {rules.scan_depth}"
