"""Roles and names as SillyTavern's prompt processing sends them to servers that take few roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from ctxlab.context import Cause, Change, Context, Draft, Edit, Origin, Text
from ctxlab.context.draft_message import SHARED_FIELDS, Field, combined_fields
from ctxlab.engines.macros import MacroEnv
from ctxlab.lazy_dataclass import dataclass

Roles = Literal["kept", "merge", "semi", "strict", "single"]

ID = "merge-consecutive"
EXAMPLE_NAMES = {"example_user": "user", "example_assistant": "assistant"}
"""The role of whoever says an example, by the name that it is sent with."""
NAMED = Cause(ID, "name-in-text", "the server takes no names; the speaker's goes before the words")
NO_NAME = Cause(ID, "no-name", "the server takes no names")
AS_USER = Cause(ID, "as-user", "the server takes no such role here; it is sent as the user's")
NO_CALLS = Cause(ID, "no-calls", "the server takes no tool calls")
FIRST_WORDS = Cause(ID, "first-words", "the server wants the user to speak first")


@dataclass(frozen=True, slots=True)
class RolesForServer:
    """The messages of a context with names in their texts, and with the roles that `roles` asks for."""

    ctx: Context
    roles: Roles
    tools: bool
    first_words: str
    names: MacroEnv

    @classmethod
    def of(cls, ctx: Context, roles: Roles, first_words: str, *, tools: bool) -> RolesForServer:
        return cls(ctx, roles, tools, first_words, MacroEnv.of(ctx.input))

    def sent(self) -> Context:
        """The context before neighbours of one role are joined."""
        drafts = [self._named(draft) for draft in self.ctx.drafts]
        if self.roles in ("semi", "strict", "single"):
            head = next((i for i, draft in enumerate(drafts) if draft.role != "system"), len(drafts))
            drafts = [draft if i < head else _as_user(draft, "system") for i, draft in enumerate(drafts)]
        if self.roles == "strict":
            drafts = self._user_first(drafts)
        return self.ctx.arrange(drafts)

    def _named(self, draft: Draft) -> Draft:
        if not self.tools:
            draft = _as_user(draft.changed(NO_CALLS, calls=()), "tool")
        name = draft.speaker
        whose = EXAMPLE_NAMES.get(name or "") if draft.role == "system" else None
        if whose is not None:
            name = self.names.user if whose == "user" else self.names.char
        elif draft.role == "system":
            name = None
        elif self.roles == "single" and name is None and draft.role in ("user", "assistant"):
            name = self.names.user if draft.role == "user" else self.names.char
        is_member = draft.role != "user" and any(str(draft.text).startswith(f"{each}: ") for each in self.names.group)
        if name and not is_member:
            draft = _with_name(draft, name)
        draft = draft.changed(NO_NAME, speaker=None)
        return draft if self.roles != "single" else _as_user(draft, "assistant", "system")

    def _user_first(self, drafts: Sequence[Draft]) -> list[Draft]:
        """With words of the user behind the system messages at the head, where another message follows them."""
        head = next((i for i, draft in enumerate(drafts) if draft.role != "system"), len(drafts))
        if head < len(drafts) and drafts[head].role == "user":
            return list(drafts)
        origin = Origin("notice", ID)
        made = Draft(f"made:{ID}:0", "user", (Text.of(self.first_words, origin, FIRST_WORDS),), origin, pinned=True)
        return [*drafts[:head], made, *drafts[head:]]


def with_changes_since(whole: Draft, were: Sequence[Draft]) -> Draft:
    """A merged message that names, for each field, what the messages that it is made of had before this step."""
    earlier = tuple(change for draft in were for change in draft.changes)
    causes: dict[Field, Cause] = {
        change.field: change.cause for change in reversed(whole.changes) if change.cause.processor == ID
    }
    before = combined_fields(were)
    for name in SHARED_FIELDS:
        values = tuple(getattr(draft, name) for draft in were)
        before[name] = values[0] if all(value == values[0] for value in values) else values
    changes = [
        Change(name, before[name], cause)
        for name, cause in causes.items()
        if name in before and before[name] != getattr(whole, name)
    ]
    return replace(whole, changes=(*earlier, *changes))


def _as_user(draft: Draft, *roles: str) -> Draft:
    if draft.role not in roles:
        return draft
    return draft.changed(AS_USER, role="user", result_of=None)


def _with_name(draft: Draft, name: str) -> Draft:
    prefix = f"{name}: "
    if str(draft.text).startswith(prefix):
        return draft
    origin = Origin("separator", "names")
    at = next((i for i, part in enumerate(draft.body) if isinstance(part, Text)), None)
    if at is None:
        return replace(draft, body=(Text.of(prefix, origin, NAMED), *draft.body))
    text = draft.body[at]
    assert isinstance(text, Text)
    return replace(
        draft, body=(*draft.body[:at], text.splice([Edit(0, 0, prefix, NAMED, origin)]), *draft.body[at + 1 :])
    )
