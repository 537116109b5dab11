"""The budget as a window with a handle: who takes how much of it, what is cut for want of room, what would keep it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import traitlets

import ctxlab
from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import counted, short
from ctxlab.engines.tokens import Tokenizer
from ctxlab.engines.truncation import BudgetReport, strategies
from ctxlab.errors import CtxlabError, WrongSetting, did_you_mean
from ctxlab.pipeline import BudgetTooSmall, OverBudget, Trace
from ctxlab.pipeline.services import TokenCounter
from ctxlab.processors import TokenLimiter
from ctxlab.providers import tokenizer_for
from ctxlab_widgets._shared.attachments import FilesPayload
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.remedies import RemedyCache
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.token_budget.payload import BudgetPayload, choices, counted_by, reserve_of

ESTIMATE = "estimate"
TOKENIZERS: Mapping[str, str] = {"o200k_base": "o200k_base", "cl100k_base": "cl100k_base", ESTIMATE: "by-kind"}
"""Tokenizers to choose from, with the names that the engine has for them."""
MOST_UNDOABLE = 100


class TokenBudget(Widget):
    """Shows what a run spends its window on, and runs it again with another budget, strategy or tokenizer.

    What is changed here makes another run, which `trace` then holds; the run that was given stays as it is.
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    trace = traitlets.Instance(Trace, allow_none=True)
    """The run that is shown. Set it, and another one is."""
    view = traitlets.Unicode("").tag(sync=True)
    """The window, the states of the messages and what changed, as JSON; empty when there is no run."""
    messages = traitlets.Unicode("").tag(sync=True)
    """The rows as JSON: what a message is called, its tokens by source, and the budget that each unit needs."""
    choices = traitlets.Unicode("").tag(sync=True)
    """Strategies and tokenizers to choose from, as JSON."""
    files = traitlets.Unicode("").tag(sync=True)
    """As JSON the files of the run, what the model gets of each, and small pictures; empty when there are none."""
    pinned = traitlets.Unicode("").tag(sync=True)
    """The content of the card: the key of a message, or `source:` and a source of the bar, such as `source:lore`."""
    remedies = traitlets.Unicode("").tag(sync=True)
    """As JSON, by key: what would have kept the selected and the pinned message where they were dropped."""
    acknowledged = traitlets.Int(0).tag(sync=True)
    """Commands that were answered: the page sends the next one when it sees that the last one was."""

    @checked_arguments
    def __init__(self, trace: Trace | None = None) -> None:
        self._own_tokenizer: TokenCounter | None = None
        self._reserve: tuple[int | None, int] = (None, 0)  # as the limiter is told, and as it comes out
        self._before: Trace | None = None
        self._wanted: int | None = None
        self._refused: BudgetTooSmall | OverBudget | None = None
        self._undoable: tuple[Trace, ...] = ()
        self._payload = BudgetPayload()
        self._files = FilesPayload()
        self._sent: tuple[Any, ...] | None = None
        self._own_run: Trace | None = None
        self._remedy_cache = RemedyCache()
        super().__init__()
        self.trace = trace

    # --- commands

    def set_budget(self, tokens: int | None, *, continues: bool = False) -> None:
        """Run again with so many tokens for the prompt; what was kept for the reply stays beside them.

        None sets no limit but the model's window. What falls in and out is told against the run before; `continues`
        goes on telling it against the run before the last change. Raises BudgetTooSmall or OverBudget, and then shows
        the last run with the handle where it was put.
        """
        self._set_budget(tokens, label=_budget_label(tokens), continues=continues)

    def _set_budget(self, tokens: int | None, *, label: str, continues: bool) -> None:
        if tokens is not None and tokens < 1:
            raise WrongSetting(f"a budget has at least one token, not {tokens!r}")
        trace = self._shown_run()
        stage = trace.pipeline.stage(TokenLimiter.id)
        wanted = self._room(tokens) | ({} if stage.enabled else {f"{TokenLimiter.id}.enabled": True})
        try:
            found = trace.rerun(wanted)
        except (BudgetTooSmall, OverBudget) as problem:
            self._wanted, self._refused = tokens, problem
            self.show()
            raise
        self._take_run(found, label=label, continues=continues)

    def keep_units(self, count: int, *, continues: bool = False) -> None:
        """Run again with the least budget that keeps just so many units: messages, or calls with their results."""
        trace = self._shown_run()
        units = self._payload.units(trace)
        report = trace.result.report(BudgetReport)
        known = strategies().by_name
        if units is None or report is None or not known[report.strategy].traits.keeps_one_more:
            able = " and ".join([name for name, strategy in known.items() if strategy.traits.keeps_one_more])
            raise CtxlabError(f"only {able} keeps units from the newest backwards; choose it first")
        if not 0 <= count <= len(units):
            raise CtxlabError(f"there are {len(units):,} units that may be cut, so {count!r} can't be kept")
        self._set_budget(max(1, units.ladder[count]), label="", continues=continues)

    def set_strategy(self, name: str, /, **settings: Any) -> None:
        """Run again with another strategy; settings are those of the limiter, such as `head_share`."""
        known = strategies().by_name
        if name not in known:
            raise WrongSetting(f"there is no strategy {name!r}{did_you_mean(name, list(known))}")
        wanted = {f"{TokenLimiter.id}.{setting}": value for setting, value in {"strategy": name, **settings}.items()}
        label = ", ".join([name, *(f"{setting.replace('_', ' ')} {value}" for setting, value in settings.items())])
        self._take_run(self._shown_run().rerun(wanted), label=label)

    def set_tokenizer(self, name: str) -> None:
        """Run again counted by another tokenizer: the run's own, o200k_base, cl100k_base, or an estimate."""
        found = ctxlab.rebuild(self._shown_run(), tokenizer=cast("Tokenizer", self._tokenizer(name)))
        self._take_run(found, label=f"Counted by {name}")

    def undo(self) -> None:
        """Show the run before the last change that was made here; a movement of the handle is one change."""
        if not self._undoable:
            raise CtxlabError("nothing was changed here")
        *earlier, before = self._undoable
        self._undoable = tuple(earlier)
        self._show_own(before, before=None)
        super()._take_run(before)
        self.show()

    def pin(self, key: str) -> None:
        """Show the card of a message, or of a source such as `source:lore`; "" takes it away."""
        known = [row.key for row in self._payload.rows.all]
        looks = [f"source:{look}" for look in self._payload.looks]
        if key and key not in known and key not in looks:
            raise CtxlabError(
                f"there is nothing {short(key)!r} here{did_you_mean(short(key), [*looks, *known[:2000]])}"
            )
        self.pinned = key

    def _handle(self, message: Mapping[str, Any]) -> None:
        continues = message.get("continues") is True
        match message:
            case {"command": "budget", "tokens": int(tokens)} if not isinstance(tokens, bool):
                label = "" if message.get("drag") is True else _budget_label(tokens)
                self._set_budget(tokens, label=label, continues=continues)
            case {"command": "budget", "tokens": None}:
                self.set_budget(None)
            case {"command": "keep", "units": int(count)} if not isinstance(count, bool):
                self.keep_units(count, continues=continues)
            case {"command": "strategy", "name": str(name)} if _are_settings(message.get("settings", {})):
                self.set_strategy(name, **message.get("settings", {}))
            case {"command": "tokenizer", "name": str(name)}:
                self.set_tokenizer(name)
            case {"command": "undo"}:
                self.undo()
            case {"command": "pin", "key": str(key)}:
                self.pin(key)
            case _:
                raise self._wrong_command(message)

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        with self.hold_sync():
            try:
                super()._on_message(_, content, buffers)
            finally:
                self.acknowledged += 1  # else the page would wait for ever

    # --- what is held

    def _take_run(self, run: Trace, *, label: str = "", continues: bool = False) -> None:
        """Another run, made from the one that was shown; a change that `continues` is undone with the one before."""
        shown = self._shown_run()
        if not continues or self._before is None:
            self._undoable = (*self._undoable[-MOST_UNDOABLE:], shown)
            self._before = shown
        self._show_own(run, before=self._before)
        super()._take_run(run, label=label, continues=continues)
        self.show()

    def _show_own(self, run: Trace, *, before: Trace | None) -> None:
        self._before, self._wanted, self._refused, self.error = before, None, None, ""
        self._own_run = run

    def _on_error(self, problem: CtxlabError) -> None:
        if problem is self._refused:
            self.error = self._refusal()
        else:
            super()._on_error(problem)

    def _refusal(self) -> str:
        """Why the last budget made no run, in the words of a view; empty where it did."""
        problem = self._refused
        if not isinstance(problem, BudgetTooSmall):
            return str(problem) if problem is not None else ""
        largest = ", ".join([f"{self._payload.name(key)} ({tokens:,})" for key, tokens in problem.largest])
        few = counted(self._wanted or 0, "token is", "tokens are")
        return f"{few} too few: what must stay needs {problem.least_budget:,}. The largest: {largest}"

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        trace: Trace | None = change["new"]
        if trace is not None and trace is not self._own_run:
            old: Any = change["old"]
            self._before, self._wanted, self._refused, self._undoable = None, None, None, ()
            self.effect = {}
            if not isinstance(old, Trace) or trace.services.tokenizer is not old.services.tokenizer:
                self._own_tokenizer = trace.services.tokenizer
            self._reserve = reserve_of(trace)
        self.show()

    def show(self) -> None:
        """Take over the run into what the page draws; nothing is done while it is the same."""
        trace = cast("Trace | None", self.trace)
        now = (trace, self._before, self._wanted, self._refused, self._undoable)
        if self._sent is not None and all(a is b for a, b in zip(self._sent, now, strict=True)):
            return
        self._sent = now
        with self.hold_sync():
            self._update_remedies(None)
            if trace is None:
                self._payload = BudgetPayload()
                self.messages = self.choices = self.view = self.files = ""
                return
            self.messages = self._payload.messages(trace)
            self.choices = choices(trace, self._tokenizers())
            self.files = self._files.json(trace)
            view = self._payload.view(trace, self._before, self._wanted)
            least = self._refused.least_budget if isinstance(self._refused, BudgetTooSmall) else None
            refused = {"refused": self._refusal(), "least": least, "undo": bool(self._undoable)}
            self.view = as_json({**view, **refused, **self._counting(trace)})

    @traitlets.observe("selected", "pinned")
    def _update_remedies(self, _: Any) -> None:
        self.remedies = self._remedy_cache.of(cast("Trace | None", self.trace), [self.selected, self.pinned])

    def _room(self, tokens: int | None) -> dict[str, Any]:
        """The limiter's settings for a prompt of so many tokens; the reply's stay beside them in a model's window."""
        setting, kept = self._reserve
        reserve = setting if tokens is None else kept
        return {f"{TokenLimiter.id}.budget_tokens": tokens, f"{TokenLimiter.id}.reserve_tokens": reserve}

    # --- tokenizers

    def _tokenizers(self) -> list[str]:
        """The tokenizers to choose from, the run's own first."""
        return list(dict.fromkeys([*(_name_of(own) for own in (self._own_tokenizer,) if own is not None), *TOKENIZERS]))

    def _tokenizer(self, name: str) -> TokenCounter:
        """The tokenizer of this name; what the wire format costs stays that of the run's own."""
        own = self._own_tokenizer
        if own is not None and name == _name_of(own):
            return own
        if name not in TOKENIZERS:
            raise WrongSetting(f"there is no tokenizer {name!r} here{did_you_mean(name, self._tokenizers())}")
        found = tokenizer_for(TOKENIZERS[name])
        if not isinstance(own, Tokenizer):
            return found
        return replace(
            found,
            message_tokens=own.message_tokens,
            name_tokens=own.name_tokens,
            call_tokens=own.call_tokens,
            request_tokens=own.request_tokens,
            media=own.media,
        )

    def _counting(self, trace: Trace) -> dict[str, Any]:
        """The chosen tokenizer, and the counts of the run's own where that is another."""
        own, counter = self._own_tokenizer, trace.services.tokenizer
        held = {"tokenizer": _name_of(counter), "own": None}
        if own is None or own is counter:
            return held
        return {**held, "own": {"name": _name_of(own), "sent": counted_by(trace, own)}}


def _budget_label(tokens: int | None) -> str:
    return "No budget" if tokens is None else f"Budget {tokens:,}"


def _name_of(counter: TokenCounter) -> str:
    return ESTIMATE if counter.name == TOKENIZERS[ESTIMATE] else counter.name


def _are_settings(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    found = cast("dict[object, object]", value)
    return all(
        isinstance(name, str) and isinstance(each, int | float | str) and not isinstance(each, bool)
        for name, each in found.items()
    )
