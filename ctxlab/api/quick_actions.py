"""A quick action on the text that is being typed."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Unpack

from ctxlab.api.options import InputOptions, listed
from ctxlab.api.resolve import expanded, resolve
from ctxlab.api.sources import AgentSource, SessionSource
from ctxlab.context import BuildInput, Pending, Variables
from ctxlab.display.html_table import fields_table, heading, lines
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import Note, QuickAction, Session
from ctxlab.errors import Refused, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

SELF = "quick-action"
INPUT = lazy_pattern(r"\{\{\s*input\s*\}\}")


@dataclass(frozen=True, slots=True, repr=False)
class AppliedQuickAction:
    """The typed text after a quick action. Offsets count characters of `text`.

    The caret stands behind what was put in, from `start` to `caret`. `send` says whether the text is to be sent now;
    `variables` are those after the macros of the action.
    """

    text: str
    start: int
    caret: int
    send: bool = False
    notes: tuple[Note, ...] = ()
    variables: Variables = field(default_factory=Variables)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        sends = ", to be sent" if self.send else ""
        return f"AppliedQuickAction({short(self.text, 60)!r}{sends}, {counted(len(self.notes), 'note')})"

    def _repr_html_(self) -> str:
        shown = {"text": self.text, "put in": self.text[self.start : self.caret], "sent": "yes" if self.send else "no"}
        return heading(self) + fields_table(shown, cells=400) + lines(note.text for note in self.notes)


@listed(InputOptions)
def apply_quick_action(
    action: QuickAction,
    text: str = "",
    selection: tuple[int, int] | None = None,
    session: SessionSource | None = None,
    agent: AgentSource | None = None,
    **options: Unpack[InputOptions],
) -> AppliedQuickAction:
    """The typed text with a quick action applied to what is selected, or to all of it where nothing is.

    The content's macros are expanded as those of what is typed; `{{input}}` is the selected text, which is put in last
    and letter for letter, so that no sign in it is read as a macro or a replacement. Then lines are processed.
    `selection` is the first character and the one behind the last. An action that is switched off is refused.
    """
    if not action.is_enabled:
        raise Refused(f"quick action {action.shown_name!r} is switched off")
    start, end = _range(text, selection)
    build_input = resolve(session if session is not None else Session(), agent, options).input
    made, notes, variables = _made(action, text[start:end], build_input)
    whole = f"{text[:start]}{made}{text[end:]}"
    if given_up := _given_up(action, text[start:end]):
        notes = (*notes, Note("info", given_up, SELF))
    send = action.auto_send and bool(whole.strip())
    if action.auto_send and not send:
        notes = (*notes, Note("info", f"quick action {action.shown_name!r} made no text; nothing is sent", SELF))
    return AppliedQuickAction(whole, start, start + len(made), send, notes, variables)


def _made(action: QuickAction, given: str, build_input: BuildInput) -> tuple[str, tuple[Note, ...], Variables]:
    """The text of the action for this input, what was amiss, and the variables afterwards."""
    from ctxlab.engines.regexes.process_lines import process_lines

    expansion = expanded(action.content, replace(build_input, pending=Pending(given)))
    made = str(expansion.text)
    if action.input_place is not None and given:
        made = f"{given} {made}" if action.input_place == "before" else f"{made} {given}"
    if action.line_processing is None:
        return made, expansion.notes, expansion.variables
    processed, problem = process_lines(made, action.line_processing)
    if not problem:
        return processed, expansion.notes, expansion.variables
    pattern = short(action.line_processing.regex_pattern, 60)
    words = f"the pattern {pattern!r} of quick action {action.shown_name!r} is left out: {problem}"
    return processed, (*expansion.notes, Note("warning", words, SELF)), expansion.variables


def _given_up(action: QuickAction, given: str) -> str:
    """A sentence for an action that takes the place of typed text without using it."""
    if not given.strip() or action.input_place is not None or INPUT.search(action.content):
        return ""
    return f"quick action {action.shown_name!r} has no {{{{input}}}}: it takes the place of {short(given)!r}"


def _range(text: str, selection: tuple[int, int] | None) -> tuple[int, int]:
    """The characters that the action is applied to; all of them where none is selected."""
    if not selection:
        return 0, len(text)
    start, end = min(selection), max(selection)
    if len(selection) != 2 or start < 0 or end > len(text):
        raise WrongArgument(f"selection takes two places from 0 to {len(text)}, got {selection!r}")
    return (start, end) if end > start else (0, len(text))
