"""Presets and lore on a map: the place each requests and where it landed, wires between, and a row to move one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import traitlets

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import BuildInput
from ctxlab.documents import Agent, MessageNode, UserProfile, Worldbook
from ctxlab.errors import Refused
from ctxlab.pipeline import Trace
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.injection_map.payload import map_payload
from ctxlab_widgets.injection_map.place_words import move_label
from ctxlab_widgets.injection_map.relocate import relocated

PLACE = {"depth": (int, float, str), "order": (int, float), "anchor": (str,), "position": (str,)}


class InjectionMap(Widget):
    """The definitions at the left, the messages with them at the right; what is moved makes a new run.

    `selected` is the key of a definition, such as `preset:4` or `lore:book/2`, or of a message at the right. After a
    move `trace` is the run with it; `agent`, `user`, `presets` and `books` are what it was run with, to be saved.
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    trace = traitlets.Instance(Trace, allow_none=True)
    """The whole run that is shown; what is moved sets another one."""
    view = traitlets.Unicode("").tag(sync=True)
    """The drawing as JSON; empty without a run."""
    undoable = traitlets.Int(0).tag(sync=True)
    """The number of moves that can be taken back."""

    @checked_arguments
    def __init__(self, trace: Trace | None = None) -> None:
        self._before: list[Trace] = []
        self._own: Trace | None = None
        self._drawn: Trace | None = None
        super().__init__()
        self.trace = trace

    def show(self) -> None:
        """Take over the run, also after it was changed by Python."""
        trace = cast("Trace | None", self.trace)
        with self.hold_sync():
            self.undoable = len(self._before)
            if trace is not self._drawn:
                self._drawn = trace
                self.view = as_json(map_payload(trace)) if trace is not None else ""

    @traitlets.observe("trace")
    def _trace_changed(self, change: Mapping[str, Any]) -> None:
        if change["new"] is not self._own:
            self._before.clear()
        self.show()

    # --- the documents as they are now, to be saved

    @property
    def agent(self) -> Agent | None:
        """The agent with its presets where they were moved to."""
        return self._build_input.agent if self._build_input else None

    @property
    def user(self) -> UserProfile | None:
        return self._build_input.user if self._build_input else None

    @property
    def presets(self) -> tuple[MessageNode, ...]:
        """Those in force everywhere."""
        return self._build_input.presets if self._build_input else ()

    @property
    def books(self) -> tuple[Worldbook, ...]:
        """All books in force, with their entries where they were moved to."""
        return self._build_input.books if self._build_input else ()

    @property
    def _build_input(self) -> BuildInput | None:
        run = cast("Trace | None", self.trace)
        return run.start.input if run is not None else None

    # --- what the page asks

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "place", "key": str(key), **place}:
                if not all(name in PLACE and _fits(value, PLACE[name]) for name, value in place.items()):
                    raise self._wrong_command(message)
                self.place(key, **place)
            case {"command": "undo"}:
                self.undo()
            case _:
                raise self._wrong_command(message)

    def place(
        self,
        key: str,
        *,
        depth: float | str | None = None,
        order: float | None = None,
        anchor: str | None = None,
        position: str | None = None,
    ) -> None:
        """Move a preset or an entry of lore and run again; what isn't named stays.

        A depth is a number or, of a preset, a text with several such as `"3, 10~5"`; an empty anchor is none. The
        position is before or after an anchor; of lore it is the name of its place, such as `at_depth`.
        """
        run = cast("Trace | None", self.trace)
        if run is None:
            raise Refused("there is no run to move anything in: set trace")
        again = relocated(run, key, depth=depth, order=order, anchor=anchor, position=position)
        self._before.append(run)
        self._own = again
        self._take_run(again, label=move_label(again, key, depth=depth, order=order, anchor=anchor, position=position))

    def show_key(self, key: str) -> None:
        """Choose a definition or a message: a preset, an entry of lore, a message of the conversation."""
        self.selected = key

    def undo(self) -> None:
        """Take the last move back."""
        if not self._before:
            raise Refused("nothing was moved that could be taken back")
        self._own = self._before.pop()
        self.effect = {}
        self.trace = self._own

    def _take_run(self, run: Trace, *, label: str = "", continues: bool = False) -> None:
        super()._take_run(run, label=label, continues=continues)
        self.undoable = len(self._before)


def _fits(value: object, kinds: tuple[type, ...]) -> bool:
    return value is None or (isinstance(value, kinds) and not isinstance(value, bool))
