"""Quick actions as they are stored: templates for the text that is being typed, in sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import called, counted, nearest, short
from ctxlab.documents.frozen_json import JsonObject
from ctxlab.documents.stored import Stored
from ctxlab.errors import CtxlabError

InputPlace = Literal["before", "after"]


class LineProcessing(Stored):
    """Work on each line of the text that an action makes: find and replace first, then prefix and suffix."""

    enabled: bool = True
    prefix: str = ""
    suffix: str = ""
    regex_pattern: str = Field("", description="JavaScript's; empty: nothing is replaced.")
    regex_replace: str = ""
    regex_flags: str = "g"

    @property
    def does_something(self) -> bool:
        return self.enabled and bool(self.prefix or self.suffix or self.regex_pattern)


class QuickAction(Stored):
    """A button beside the input: `content` with `{{input}}` for what is selected, or for all that is typed."""

    id: str = ""
    label: str = ""
    content: str = ""
    auto_send: bool = False
    is_enabled: bool = True
    description: str | None = None
    hotkey: str | None = Field(None, description="Keys such as Ctrl+Shift+K.")
    line_processing: LineProcessing | None = None
    input_place: InputPlace | None = Field(
        None, description="Typed text also goes before or after the content, a blank between; None: it doesn't."
    )
    carried: JsonObject | None = Field(None, description="What another program's file said, to write it back.")

    def _repr_parts(self) -> Iterator[str]:
        yield from called(self.id, self.label)
        yield repr(short(self.content))
        if self.auto_send:
            yield "sends"
        if not self.is_enabled:
            yield "switched off"

    @property
    def shown_name(self) -> str:
        return self.label or self.id


class QuickActionSet(Stored):
    """Quick actions that belong together, in the order in which they are shown."""

    id: str = ""
    name: str = ""
    description: str | None = None
    actions: tuple[QuickAction, ...] = ()
    is_enabled: bool = True
    updated_at: str | None = None
    carried: JsonObject | None = Field(None, description="What another program's file said, to write it back.")

    def _repr_parts(self) -> Iterator[str]:
        yield from called(self.id, self.name)
        yield counted(len(self.actions), "action")
        if not self.is_enabled:
            yield "switched off"

    def _repr_html_(self) -> str:
        rows = (
            (number, each.shown_name, each.content, each.hotkey, "yes" if each.auto_send else "", _off(each))
            for number, each in enumerate(self.actions, 1)
        )
        return heading(self) + html_table(("", "action", "content", "keys", "sends", ""), rows, of="actions")

    @property
    def shown_name(self) -> str:
        return self.name or self.id

    @checked_arguments
    def action(self, which: str) -> QuickAction:
        """The action of this id, else of this label; raises CtxlabError, naming those that are near."""
        return self.actions[self._place_of(which)]

    @checked_arguments
    def with_action(self, which: str, **fields: Any) -> QuickActionSet:
        """The set with other fields in the action of this id or label."""
        place = self._place_of(which)
        actions = list(self.actions)
        actions[place] = actions[place].changed(fields)
        return self.model_copy(update={"actions": tuple(actions)})

    def _place_of(self, which: str) -> int:
        for found in (
            [place for place, each in enumerate(self.actions) if each.id == which],
            [place for place, each in enumerate(self.actions) if each.label == which],
        ):
            if found:
                return found[0]
        known = list(dict.fromkeys(name for each in self.actions for name in (each.id, each.label) if name))
        raise CtxlabError(f"set {self.shown_name!r} has no action {which!r}{nearest(which, known)}")


def _off(action: QuickAction) -> str:
    return "" if action.is_enabled else "off"
