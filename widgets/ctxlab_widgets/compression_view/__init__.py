"""A compression before it counts: the messages that go, the summary as a text to edit, and what it keeps of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import traitlets

from ctxlab.api.build import rebuild
from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.compression import Compression, Wanted
from ctxlab.display.short_texts import counted
from ctxlab.documents import History, Session
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.shared_state import SharedState
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.compression_view.payload import view_json, what_goes
from ctxlab_widgets.compression_view.report_rows import facts_shown, words_to_put_back
from ctxlab_widgets.compression_view.wishes import compression_of_run

MOST_BACK = 50


class CompressionView(Widget):
    """The path with its legal cuts, the prompt before and after, the summary, and every fact kept, weakened or lost.

    The two handles choose another range, the text is the summary, guidance and items to keep are fields; `compression`
    is what came of it. With a `history` it can be applied here. Of a run it is the compression that the run's settings
    give; on a page of views it follows the page's run, and applying it makes a run.

    >>> CompressionView(ctxlab.compress(session))  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    trace = traitlets.Instance[Trace | None](Trace, allow_none=True)
    """The run whose conversation is compressed, by the offline summariser; None where a compression was given."""
    compression = traitlets.Instance[Compression | None](Compression, allow_none=True)
    """The compression that is shown: that of the chosen range, with the summary as it was edited."""
    view = traitlets.Unicode("").tag(sync=True)
    """Messages, cuts, costs, summary and report as JSON; empty when there is no compression."""
    can_go_back = traitlets.Bool(False).tag(sync=True)
    """Whether a change was made here that can be taken back."""
    can_apply = traitlets.Bool(False).tag(sync=True)
    """Whether there is a history that it can be applied to."""
    applied = traitlets.Unicode("").tag(sync=True)
    """A sentence on the compression that was applied here; empty when nothing was."""

    @checked_arguments
    def __init__(self, compression: Compression | Trace | None = None, *, history: History | None = None) -> None:
        self._history = history
        self._before: list[Compression] = []
        self._shown: Compression | None = None
        super().__init__()
        if isinstance(compression, Trace):
            self.trace = compression
        elif compression is not None:
            self.compression = compression
        self.show()

    def __repr__(self) -> str:
        return f"CompressionView({self.compression!r})" if self.compression is not None else "CompressionView()"

    @property
    def session(self) -> Session:
        """The conversation after what is shown; raises CtxlabError when there is no compression."""
        return self._held().session

    # --- commands

    def write(self, text: str) -> None:
        """Take this text for the summary."""
        self._take(self._held().with_summary(text))

    def choose(self, first: str, last: str) -> None:
        """Compress the messages from one to another, by ids; the summary is written anew."""
        self._take(self._held().with_range(first, last))

    def choose_all(self) -> None:
        """Compress all messages but the newest, which are protected."""
        self._take(self._held().with_range(everything=True))

    def choose_above(self, node_id: str) -> None:
        """Compress all messages above this one."""
        self._take(self._held().with_range(above=node_id))

    def choose_below(self, node_id: str) -> None:
        """Compress all messages below this one but the newest, which are protected."""
        self._take(self._held().with_range(below=node_id))

    def guide(self, words: str) -> None:
        """Give the summariser these words on its way; it writes anew."""
        self._take(self._held().with_wishes(guidance=words.strip()))

    def keep(self, item: str) -> None:
        """Add a text, or a pattern that begins with `re:`, that the summary has to have; it is written anew."""
        self._take(self._held().with_wishes(must_keep=[*self._wanted().must_keep, item.strip()]))

    def no_longer_keep(self, number: int) -> None:
        """Take an item out of those that have to be kept; numbers are those of the list, from 0."""
        items = self._wanted().must_keep
        if not 0 <= number < len(items):
            raise CtxlabError(f"there is no item {number}: {len(items)} must be kept")
        self._take(self._held().with_wishes(must_keep=[*items[:number], *items[number + 1 :]]))

    def protect(self, number: int) -> None:
        """Let so many of the newest messages stay as they are; the summary is written anew."""
        self._take(self._held().with_wishes(protect=number))

    def write_again(self) -> None:
        """Have the summariser write the summary again, with the same wishes."""
        self._take(self._held().with_wishes())

    def put_back(self, number: int) -> None:
        """Add the sentence of a lost or weakened fact to the summary; numbers are those of the report's rows."""
        held = self._held()
        facts = facts_shown(held)
        if not 0 <= number < len(facts):
            raise CtxlabError(f"there is no row {number}: the report shows {len(facts)}")
        self.write(f"{held.summary}\n{words_to_put_back(held, facts[number])}")

    def back(self) -> None:
        """Take the last change back that was made here, of one that counts that it does."""
        if self._counts and self._history is not None:
            self._history.undo()
            self.applied = ""
            return
        if not self._before:
            raise CtxlabError("nothing was changed here")
        self.compression = self._before.pop()

    def apply(self) -> Session:
        """Make it count: on a page as a run of the conversation after it, else as a step of the history."""
        if self._state is not None:
            return self._apply_to_page(self._held())
        if self._history is None:
            raise CtxlabError("there is no history to apply it to: pass CompressionView(compression, history=...)")
        session = self._held().applied(self._history)
        self.applied = "It counts from now on; Undo takes it back."
        return session

    @property
    def _counts(self) -> bool:
        """Whether it was applied here, and the history has not moved since."""
        return bool(self.applied) and self._history is not None and self._history.session is self._held().session

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "summary", "text": str(text)}:
                self.write(text)
            case {"command": "range", "first": str(first), "last": str(last)}:
                self.choose(first, last)
            case {"command": "put_back", "number": int(number)} if not isinstance(number, bool):
                self.put_back(number)
            case {"command": "choose_above" | "choose_below" as command, "id": str(node_id)}:
                getattr(self, command)(node_id)
            case {"command": "guide", "text": str(text)}:
                self.guide(text)
            case {"command": "keep", "text": str(text)}:
                self.keep(text)
            case {"command": "no_longer_keep", "number": int(number)} if not isinstance(number, bool):
                self.no_longer_keep(number)
            case {"command": "protect", "number": int(number)} if not isinstance(number, bool):
                self.protect(number)
            case {"command": "back" | "apply" | "choose_all" | "write_again" as command}:
                getattr(self, command)()
            case _:
                raise self._wrong_command(message)

    # --- what is shown

    def show(self) -> None:
        shown: Compression | None = self.compression
        with self.hold_sync():
            if self.applied and self._history is not None and self._history.session == self._held().original:
                self.applied = ""
            self.can_go_back = self._counts or (not self.applied and bool(self._before))
            self.can_apply = self._state is not None or (self._history is not None and not self.applied)
            if shown is self._shown:
                return
            self._shown = shown
            self.view = "" if shown is None else as_json(view_json(shown))

    def follow(self, state: SharedState) -> None:
        """Show the compression of the page's run from now on; applying it makes a run of the page."""
        super().follow(state)
        self.show()

    def _apply_to_page(self, held: Compression) -> Session:
        run = self._shown_run()
        session = held.applied()
        if held.original.nodes != run.start.input.session.nodes:
            raise CtxlabError("the page shows another state of the conversation: compress that one anew")
        after = held.after if held.before is run else rebuild(run, session=session, leaf=held.leaf)
        self._take_run(after, label=f"{what_goes(held) or counted(len(held.stand_ins), 'message')} compressed")
        return session

    def _take(self, made: Compression) -> None:
        self._before = [*self._before, self._held()][-MOST_BACK:]
        self.compression = made

    def _wanted(self) -> Wanted:
        return self._held().wanted or Wanted()

    def _held(self) -> Compression:
        if self.compression is None:
            raise CtxlabError("there is no compression: pass what ctxlab.compress gives")
        return self.compression

    @traitlets.observe("trace")
    def _on_trace(self, change: Mapping[str, Any]) -> None:
        """The compression of another run, with the wishes of the one before."""
        run, self._before = change["new"], []
        try:
            self.compression = None if run is None else compression_of_run(run, self.compression)
        except CtxlabError as problem:
            self.compression = None
            self._on_error(problem)

    @traitlets.observe("compression")
    def _on_change(self, _: object) -> None:
        self.error = self.applied = ""
        self.show()
