"""The text of an instruct preset within a budget, cut as SillyTavern's text completion cuts it.

Messages stay from the newest back while there is room, then examples from the first on. What was put into the chat at a
depth, the story and the preset's own words always stay. The rule is what SillyTavern 1.19.0 was seen to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ctxlab.context import Draft
from ctxlab.engines.chat_templates.instruct.preset import InstructPreset
from ctxlab.engines.chat_templates.instruct.render_instruct import InstructWriter, TurnKind, Written, instruct_text
from ctxlab.engines.chat_templates.rendered_text import RenderedText
from ctxlab.lazy_dataclass import dataclass

PADDING = 64
"""Tokens that the program leaves free besides, unless told otherwise."""


@dataclass(frozen=True, slots=True)
class FittedText:
    """A text within a budget, the positions of the messages and examples that were cut, and its tokens with padding."""

    rendered: RenderedText
    cut: tuple[int, ...]
    tokens: int
    budget: int


def fit_instruct_text(
    drafts: Sequence[Draft],
    preset: InstructPreset,
    *,
    budget: int,
    count: Callable[[str], int],
    padding: int = PADDING,
    pin_examples: bool = False,
    user: str = "User",
    char: str = "Assistant",
    kind: TurnKind = "normal",
    is_group: bool = False,
) -> FittedText:
    """The text of messages by an instruct preset in less than `budget` tokens, the window without the reply.

    `count` gives the tokens of a text. `padding` is left free. With `pin_examples` examples stay before messages. What
    has to stay may be more than the budget: `tokens` says so.
    """
    writer = InstructWriter.of(drafts, preset, user, char, kind, is_group=is_group)
    writer.pieces()
    always = {"fixed", "example"} if pin_examples else {"fixed"}
    kept = {number for number, each in enumerate(writer.log) if each.thing in always}
    total = count(_text(writer.log, kept)) + padding
    for number in reversed(range(len(writer.log))):
        each = writer.log[number]
        if number in kept or each.thing != "chat":
            continue
        total += count(each.text)
        if total >= budget:
            break
        kept.add(number)
    total = count(_text(writer.log, kept)) + padding
    for number, each in enumerate(writer.log):
        if number in kept or each.thing != "example":
            continue
        total += count(each.text)
        if total >= budget:
            break
        kept.add(number)
    cut = [each.message for number, each in enumerate(writer.log) if number not in kept and each.message is not None]
    rendered = instruct_text(drafts, preset, user=user, char=char, kind=kind, is_group=is_group, without=frozenset(cut))
    return FittedText(rendered, tuple(cut), count(str(rendered.text)) + padding, budget)


def _text(log: Sequence[Written], kept: set[int]) -> str:
    return "".join([each.text for number, each in enumerate(log) if number in kept])
