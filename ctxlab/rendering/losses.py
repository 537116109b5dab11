"""The losses of a run's text, so that those of two runs can be compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ctxlab.context import Draft
from ctxlab.engines.chat_templates import RenderedText
from ctxlab.prompt.merged_parts import pieces
from ctxlab.rendering.carried import carried_in
from ctxlab.rendering.template_effect import LOSSES, Loss
from ctxlab.rendering.template_report import Beside, effects_of, things_beside

REFUSED = Loss("refused")
Losses = frozenset[Loss]


def losses_of(
    rendered: RenderedText | None,
    drafts: Sequence[Draft],
    special_tokens: Mapping[str, str],
    *,
    cut: Collection[int] = (),
    before: Sequence[Draft] = (),
) -> Losses:
    """The losses of a text, None of one that was refused.

    `before` are the messages that it should have, where the run has others than these: one that none of them has any
    more was cut, and what a message has beside its words and has no more is dropped.
    """
    if rendered is None:
        return frozenset((REFUSED,))
    found = {each.loss for each in effects_of(rendered, drafts, special_tokens, cut) if each.kind in LOSSES}
    return frozenset((*found, *_gone(rendered, drafts, before)))


def _gone(rendered: RenderedText, drafts: Sequence[Draft], before: Sequence[Draft]) -> Iterator[Loss]:
    if not before or not rendered.traced:
        return
    carried = carried_in(rendered, drafts)
    there, beside = {each.key for each in carried}, Beside(rendered, drafts, carried)
    for draft in before:
        for each in pieces(draft):
            if each.part.key not in there and str(each.text).strip():
                yield Loss("cut", each.part.key)
        for thing in things_beside(draft):
            if not beside.has(draft.key, thing, draft.speaker):
                yield Loss("dropped", draft.key, thing)
