"""The conversation as knowledge sees it, and the messages and characters whose placeholders count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxlab.context import Context, Draft, Text
from ctxlab.knowledge.policy.placeholder import Placeholder, placeholders_in, without_placeholders
from ctxlab.knowledge.policy.query import SpokenText
from ctxlab.lazy_dataclass import dataclass
from ctxlab.processors.variable_processor import SUMMARISED

HISTORY = frozenset({"node", "summary", "pending"})
WRITTEN = frozenset({"preset", "lore", "profile", "persona", "user"})
"""Kinds of origin of what authors write: presets, lore and profiles."""
KB_MACROS = frozenset({"kb"})
"""Macros whose text may be a placeholder; others may show words of the conversation."""


@dataclass(frozen=True, slots=True)
class FoundPlaceholder:
    """A placeholder that counts: in which draft, by position, and in which part of its body."""

    draft: int
    part: int
    key: str
    placeholder: Placeholder


def placeholders_that_count(drafts: Sequence[Draft]) -> Iterator[FoundPlaceholder]:
    """Placeholders that authors wrote, or the user in the newest message of theirs; those anywhere else are only text.

    Its first and last characters must be theirs: what a macro, a tool, a file or a model put there is data.
    """
    newest = newest_of_user(drafts)
    for number, draft in enumerate(drafts):
        is_written = draft.origin.kind in WRITTEN
        if not (is_written or number == newest):
            continue
        kinds = WRITTEN if is_written else frozenset({draft.origin.kind})
        for index, part in enumerate(draft.body):
            if isinstance(part, Text):
                for found in placeholders_in(str(part)):
                    if _is_by(part, found.start, kinds) and _is_by(part, found.end - 1, kinds):
                        yield FoundPlaceholder(number, index, draft.key, found)


def spoken_texts(drafts: Sequence[Draft]) -> tuple[SpokenText, ...]:
    """The conversation, oldest first, without presets and without the placeholders in it; results are the tools'."""
    spoken: list[SpokenText] = []
    for draft in drafts:
        if draft.origin.kind in HISTORY:
            role = "tool" if draft.is_result else draft.role if draft.role in ("user", "tool") else "assistant"
            text = without_placeholders(str(draft.text))
            spoken.append(SpokenText("assistant" if draft.origin.kind == "summary" else role, text))
    return tuple(spoken)


def messages_of_user(ctx: Context) -> int:
    """The number of messages that the user has sent, those that a summary stands for included."""
    gone = [draft for group in ctx.dropped if group.cause.rule == SUMMARISED for draft in group.drafts]
    return sum(_is_of_user(draft) for draft in (*gone, *ctx.drafts))


def newest_of_user(drafts: Sequence[Draft]) -> int | None:
    """The position of the user's newest message; None where there is none."""
    return next((n for n in range(len(drafts) - 1, -1, -1) if _is_of_user(drafts[n])), None)


def _is_of_user(draft: Draft) -> bool:
    return draft.role == "user" and draft.origin.kind in ("node", "pending") and not draft.is_result


def _is_by(text: Text, at: int, kinds: frozenset[str]) -> bool:
    origin = text.at(at).origin
    return origin.kind in kinds or (origin.kind == "macro" and origin.ref in KB_MACROS)
