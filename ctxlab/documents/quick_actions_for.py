"""Quick actions that a chat shows, in order, each with its origin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.short_texts import counted
from ctxlab.documents.agent.agent import Agent, UserProfile
from ctxlab.documents.hotkeys import keys_of
from ctxlab.documents.library import Library
from ctxlab.documents.quick_actions import QuickAction, QuickActionSet
from ctxlab.documents.stored import Note
from ctxlab.lazy_dataclass import dataclass

QuickActionOrigin = Literal["global", "agent", "user"]
ORIGINS: tuple[QuickActionOrigin, ...] = get_args(QuickActionOrigin)


@dataclass(frozen=True, slots=True)
class ShownQuickAction:
    """An action, the set that it is in, and who brings that set; `keys` is empty where another has its hotkey."""

    action: QuickAction
    set: QuickActionSet
    origin: QuickActionOrigin
    keys: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"ShownQuickAction({self.action.shown_name!r}, {self.origin}, in {self.set.shown_name!r})"


@dataclass(frozen=True, slots=True, repr=False)
class ShownQuickActions(Sequence[ShownQuickAction]):
    """The actions that a chat shows; `notes` say which sets are missing and which hotkeys several have."""

    shown: tuple[ShownQuickAction, ...] = ()
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.shown)

    def __getitem__(self, index: int) -> ShownQuickAction:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.shown[index]

    def __repr__(self) -> str:
        return f"ShownQuickActions({counted(len(self.shown), 'action')}, {counted(len(self.notes), 'note')})"

    def _repr_html_(self) -> str:
        rows = (
            (each.action.shown_name, each.action.content, "+".join(each.keys), each.set.shown_name, each.origin)
            for each in self.shown
        )
        head = ("action", "content", "keys", "set", "origin")
        return heading(self) + html_table(head, rows, of="actions") + lines(note.text for note in self.notes)

    @checked_arguments
    def pressed(self, hotkey: str) -> QuickAction | None:
        """The action of these keys, however they are spelled; None where there is none."""
        keys = keys_of(hotkey)
        return next((each.action for each in self.shown if keys and each.keys == keys), None)


@checked_arguments
def quick_actions_for(
    agent: Agent | None = None,
    user: UserProfile | None = None,
    library: Library | None = None,
    *,
    everywhere: Sequence[str] | None = None,
) -> ShownQuickActions:
    """The quick actions of a chat: of the sets for everyone, then of the agent's, then of the user's.

    Sets are named by id in `quick_action_set_ids`; `everywhere` are the ids of those for everyone, by default all that
    no agent and no user of the library names. A set that is named twice is there once, at its first place. What is
    switched off isn't shown; of two actions with one hotkey the first has it.
    """
    held = library or Library()
    notes: list[Note] = []
    first: dict[str, tuple[QuickActionOrigin, QuickActionSet]] = {}
    for origin, found in _named(held, agent, user, everywhere, notes):
        first.setdefault(found.id, (origin, found))
    shown = [
        ShownQuickAction(action, found, origin, keys_of(action.hotkey or ""))
        for origin, found in first.values()
        if found.is_enabled
        for action in found.actions
        if action.is_enabled and (action.label or action.content)
    ]
    return ShownQuickActions(tuple(_with_own_keys(shown, notes)), tuple(notes))


def _named(
    library: Library,
    agent: Agent | None,
    user: UserProfile | None,
    everywhere: Sequence[str] | None,
    notes: list[Note],
) -> Iterator[tuple[QuickActionOrigin, QuickActionSet]]:
    """The sets by origin in their order, also those that come again."""
    last = {each.id: each for each in library.quick_actions}
    if everywhere is None:
        speakers = (*library.agents, *library.users, *(each for each in (agent, user) if each is not None))
        taken = {id for each in speakers for id in each.quick_action_set_ids}
        everywhere = [id for id in last if id not in taken]
    ids = (everywhere, agent.quick_action_set_ids if agent else (), user.quick_action_set_ids if user else ())
    names = ("the list for everyone", agent and f"agent {agent.shown_name!r}", user and f"user {user.shown_name!r}")
    for origin, wanted, name in zip(ORIGINS, ids, names, strict=True):
        for id in dict.fromkeys(wanted):
            if id in last:
                yield origin, last[id]
            else:
                text = f"{name} names the set of quick actions {id!r}, which was not found"
                notes.append(Note("warning", text, details={"set": id, "origin": origin}))


def _with_own_keys(shown: Sequence[ShownQuickAction], notes: list[Note]) -> Iterator[ShownQuickAction]:
    """The actions, each hotkey at the first that has it, with a note for each other one."""
    holder: dict[tuple[str, ...], ShownQuickAction] = {}
    for each in shown:
        owner = holder.setdefault(each.keys, each)
        if not each.keys or owner is each:
            yield each
            continue
        text = (
            f"{each.action.hotkey!r} calls {owner.action.shown_name!r} of set {owner.set.shown_name!r}; "
            f"{each.action.shown_name!r} of set {each.set.shown_name!r} has it too and is only a button"
        )
        notes.append(Note("warning", text, details={"hotkey": each.action.hotkey}))
        yield ShownQuickAction(each.action, each.set, each.origin)
