"""Actions on a message: functions of a session and a message under the entry point group `ctxlab.message_actions`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import cast

from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.plugin_settings import PluginSettings, plugin_settings
from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.short_texts import counted
from ctxlab.documents import Note, Session
from ctxlab.errors import CtxlabError, WrongArgument, WrongSetting, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.plugins import Plugin, announced, raised

GROUP = "ctxlab.message_actions"


@dataclass(frozen=True, slots=True)
class MessageAction:
    """A named action on a message. `run` is a function of a session and a message's id.

    It gives a new session, which a history can undo, or a text to show. The action is offered for messages of `roles`
    (empty: of any) of which `applies`, a function of the same two, says yes. `question` is asked before it runs. With
    the id of a `section` of settings, `run` gets the values of that section as a third argument, a mapping by name.
    """

    id: str
    label: str
    run: Callable[..., Session | str]
    roles: tuple[str, ...] = ()
    applies: Callable[[Session, str], bool] | None = None
    description: str = ""
    icon: str = ""
    question: str = ""
    package: str = ""
    section: str = ""

    def __repr__(self) -> str:
        return f"MessageAction({self.id!r}, {self.label!r}{f', from {self.package!r}' if self.package else ''})"

    def problem(self) -> str:
        """The reason why it can't be used, as a sentence; empty where it can."""
        if not (isinstance(self.id, str) and self.id and isinstance(self.label, str) and self.label):  # pyright: ignore[reportUnnecessaryIsInstance]
            return "an action has an id and a label, which are texts"
        if not callable(self.run) or not (self.applies is None or callable(self.applies)):
            return f"run and applies of action {self.id!r} are functions of a session and a message's id"
        return ""


@dataclass(frozen=True, slots=True, repr=False)
class MessageActions(Sequence[MessageAction]):
    """The actions on one message; `notes` name those that can't be used."""

    actions: tuple[MessageAction, ...] = ()
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.actions)

    def __getitem__(self, index: int) -> MessageAction:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.actions[index]

    def __repr__(self) -> str:
        return f"MessageActions({counted(len(self.actions), 'action')}, {counted(len(self.notes), 'note')})"

    def _repr_html_(self) -> str:
        rows = ((each.id, each.label, each.description, each.package) for each in self.actions)
        head = ("action", "label", "description", "package")
        return heading(self) + html_table(head, rows, of="actions") + lines(note.text for note in self.notes)

    @checked_arguments
    def action(self, id: str) -> MessageAction:
        """The action of this id; raises CtxlabError with the nearest one."""
        for each in self.actions:
            if each.id == id:
                return each
        raise CtxlabError(f"there is no action {id!r} on this message{did_you_mean(id, [e.id for e in self.actions])}")


@dataclass(frozen=True, slots=True)
class MessageActionResult:
    """The outcome of an action: another session, or a text to show; the session is the old one then."""

    session: Session
    text: str = ""


@checked_arguments
def message_actions(session: Session, node_id: str, *, actions: Sequence[MessageAction] = ()) -> MessageActions:
    """The actions on a message: of the packages that are installed, then of `actions`, as far as they apply.

    A plugin that can't be used, and one whose `applies` raises, is left out with a note. Of one id the first counts.
    """
    role = session.node(node_id).role
    known = known_message_actions(actions)
    notes = list(known.notes)
    found: list[MessageAction] = []
    for each in known:
        if each.roles and role not in each.roles:
            continue
        try:
            applies = each.applies is None or bool(each.applies(session, node_id))
        except Exception as error:  # somebody else's function may raise anything
            words = f"{_named(each)} is left out: {raised(error)}"
            notes.append(Note("warning", words, details={"group": GROUP, "action": each.id}))
            continue
        if applies:
            found.append(each)
    return MessageActions(tuple(found), tuple(notes))


def known_message_actions(actions: Sequence[MessageAction] = ()) -> MessageActions:
    """The actions on messages of any kind: of the packages that are installed, then of `actions`.

    Raises WrongArgument for one of `actions` that can't be used, or whose id another has.
    """
    known, problems = _of_packages()
    ids = {each.id for each in known}
    for each in actions:
        if problem := each.problem() or (f"there is an action {each.id!r} already" if each.id in ids else ""):
            raise WrongArgument(f"actions: {problem}")
        ids.add(each.id)
    notes = tuple(Note("warning", problem, details={"group": GROUP}) for problem in problems)
    return MessageActions((*known, *actions), notes)


@checked_arguments
def run_message_action(
    action: MessageAction, session: Session, node_id: str, *, settings: PluginSettings | None = None
) -> MessageActionResult:
    """The new session of an action, or its text; `settings` are those that an action with a section reads.

    Raises CtxlabError, naming the action, where it raises, gives neither, or breaks the tree. To undo it, record it:
    `history.record(result.session, action.label, target=node_id)`.
    """
    session.node(node_id)
    values = (_values_for(action, settings),) if action.section else ()
    try:
        made = cast("object", action.run(session, node_id, *values))
    except CtxlabError:
        raise
    except Exception as error:  # somebody else's function may raise anything
        raise CtxlabError(f"{_named(action)} failed: {raised(error)}") from error
    if isinstance(made, str):
        return MessageActionResult(session, made)
    if not isinstance(made, Session):
        raise CtxlabError(f"{_named(action)} gave {type(made).__name__}, not a session or a text")
    if made is not session and (broken := _broken(session, made)):
        raise CtxlabError(f"{_named(action)} would break the tree: {broken}")
    return MessageActionResult(made)


def _values_for(action: MessageAction, settings: PluginSettings | None) -> Mapping[str, object]:
    """The values of an action's section; raises CtxlabError, naming the action, where there is no such section."""
    try:
        return (settings if settings is not None else plugin_settings()).values(action.section)
    except WrongSetting as problem:
        raise CtxlabError(f"{_named(action)} can't be run: {problem}") from None


def _broken(before: Session, after: Session) -> str:
    """The first thing that is wrong with a tree and wasn't before; empty where there is none."""
    known = {note.text for note in before.check()}
    return next((note.text for note in after.check() if note.text not in known), "")


def _named(action: MessageAction) -> str:
    return f"action {action.label!r}" + (f" of package {action.package!r}" if action.package else "")


@cache
def _of_packages() -> tuple[tuple[MessageAction, ...], tuple[str, ...]]:
    """The actions of packages, and a sentence for each that can't be used; looked up once per process."""
    problems: list[str] = []
    found: dict[str, MessageAction] = {}
    for plugin in announced(GROUP, problems):
        action = _action_of(plugin)
        problem = action if isinstance(action, str) else action.problem()
        if problem or isinstance(action, str):
            problems.append(plugin.left_out(problem))
        elif action.id in found:
            problems.append(plugin.left_out(f"there is an action {action.id!r} already"))
        else:
            found[action.id] = action
    return tuple(found.values()), tuple(problems)


def _action_of(plugin: Plugin) -> MessageAction | str:
    """The action that a package brings, also as a function that has its name; else why it is none."""
    value = plugin.value
    if isinstance(value, MessageAction):
        return replace(value, package=plugin.package)
    if callable(value) and not isinstance(value, type):
        label = plugin.name.replace("-", " ").replace("_", " ").capitalize()
        run = cast("Callable[[Session, str], Session | str]", value)
        return MessageAction(plugin.name, label, run, package=plugin.package)
    return f"it is {type(value).__name__}, not a MessageAction or a function of a session and a message's id"


def forget_actions() -> None:
    """Look for actions anew: a package was installed."""
    _of_packages.cache_clear()
