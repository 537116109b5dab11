"""The texts of the history as they are sent: speakers' names, reasoning and quotes put to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from ctxlab.context import Cause, Context, Draft, Edit, Origin, Text
from ctxlab.documents import MessageNode
from ctxlab.engines.macros import MacroEnv
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.processors.injection.injection_run import ID
from ctxlab.processors.injection.settings import InjectionSettings

_NAMES = {"user": "userProfileName", "assistant": "agentName"}
"""By role, metadata of a message that name its speaker."""
_REFUSED = lazy_pattern(r"[^a-zA-Z0-9_]")
MAX_NAME = 64
RETURNS = lazy_pattern("\r")


def history_of(ctx: Context, settings: InjectionSettings) -> tuple[Draft, ...]:
    """The history with what settings put to its texts; the same object where that is nothing."""
    members = ctx.input.group.members if ctx.input.group is not None else ()
    if changes_nothing(settings, members):
        return ctx.drafts
    names = MacroEnv.of(ctx.input)
    texts = HistoryTexts(settings, ctx.input.session.nodes, names.user, names.char, members, ID)
    return tuple([texts.sent(draft) for draft in ctx.drafts])


def changes_nothing(settings: InjectionSettings, members: Collection[str]) -> bool:
    """Whether every message of the history stays as it is."""
    names = settings.names in ("field", "text") or (settings.names == "group" and members)
    return not (names or settings.quote_user or settings.drop_carriage_returns or settings.reasoning_in_text)


@dataclass(frozen=True, slots=True)
class HistoryTexts:
    """Puts names and more to messages of the history; `user` and `character` name those that don't say who speaks.

    `members` are the names of a group's, none in a talk with one character.
    """

    settings: InjectionSettings
    nodes: Mapping[str, MessageNode]
    user: str
    character: str
    members: Collection[str]
    processor: str

    def sent(self, draft: Draft) -> Draft:
        """A message of the history with its speaker's name, its reasoning and quotes around a user's words."""
        if draft.role == "tool" or draft.calls:
            return draft
        draft = self._with_reasoning(draft)
        draft = self._with_name(draft)
        if self.settings.drop_carriage_returns and "\r" in str(draft.text):
            cause = Cause(self.processor, "line-ends", "carriage returns are left out")
            draft = draft.edit_text(lambda text: text.sub(RETURNS, "", cause=cause))
        if self.settings.quote_user and draft.role == "user":
            cause = Cause(self.processor, "quotes", "the user's words are put into quotation marks")
            draft = _put(draft, '"', cause, after='"')
        return draft

    def name_of(self, draft: Draft) -> str:
        """The name of a message's speaker; empty for a narration that has none."""
        named = draft.meta.get(_NAMES.get(draft.role, "")) if draft.meta else None
        if isinstance(named, str) and named:
            return named
        if draft.role == "system":
            node = self.nodes.get(draft.origin.ref)
            return (node.name if node is not None else None) or ""
        return self.user if draft.role == "user" else self.character

    def _with_name(self, draft: Draft) -> Draft:
        names = self.settings.names
        if names == "stored" or (names == "group" and not self.members):
            return draft
        name = self.name_of(draft)
        if names == "field" and name:
            cause = Cause(self.processor, "names", "the speaker's name goes along in a field")
            return draft.changed(cause, speaker=_REFUSED.sub("_", name)[:MAX_NAME])
        in_text = names == "text" and draft.role != "system"
        in_group = names == "group" and name != self.user
        if not name or not (in_text or in_group):
            return draft
        return _put(draft, f"{name}: ", Cause(self.processor, "names", "the speaker's name goes before the words"))

    def _with_reasoning(self, draft: Draft) -> Draft:
        settings = self.settings
        if not settings.reasoning_in_text or not draft.reasoning:
            return draft
        cause = Cause(self.processor, "reasoning-in-text", "the reasoning goes before the words")
        words = f"{settings.reasoning_prefix}{draft.reasoning}{settings.reasoning_suffix}{settings.reasoning_separator}"
        return _put(draft.changed(cause, reasoning=None), words, cause, origin=draft.origin)


def _put(draft: Draft, before: str, cause: Cause, *, after: str = "", origin: Origin | None = None) -> Draft:
    """The draft with characters before and after its first text."""
    at = next((i for i, part in enumerate(draft.body) if isinstance(part, Text)), None)
    origin = origin or Origin("separator", cause.rule)
    if at is None:
        return replace(draft, body=(Text.of(before + after, origin, cause), *draft.body))
    text = draft.body[at]
    assert isinstance(text, Text)
    edits = [Edit(0, 0, before, cause, origin), Edit(len(text), len(text), after, cause, origin)]
    put = text.splice([edit for edit in edits if edit.new])
    return replace(draft, body=(*draft.body[:at], put, *draft.body[at + 1 :]))
