"""Contexts: drafts, dropped drafts with causes, and step reports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, TypeVar

from ctxlab.context.draft_message import Draft, merged_draft
from ctxlab.context.portable_pickles import by_fields
from ctxlab.context.step_report import MacroVariables, StepReport
from ctxlab.context.text_with_origins import Cause, Origin, Text
from ctxlab.display.short_texts import counted
from ctxlab.documents import (
    Agent,
    Level,
    MessageNode,
    ModelProfile,
    Note,
    RegexConfig,
    Session,
    UserProfile,
    Worldbook,
)
from ctxlab.documents.frozen_json import FrozenDict, JsonObject, frozen
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass

R = TypeVar("R", bound=StepReport)


@dataclass(frozen=True, slots=True, eq=False)
class Variables:
    """Variables set by macros: in this conversation, and everywhere. Names are kept as they are written."""

    session: Mapping[str, Any] = field(default_factory=FrozenDict)
    everywhere: Mapping[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "session", frozen(self.session))
        object.__setattr__(self, "everywhere", frozen(self.everywhere))

    def as_data(self) -> dict[str, Any]:
        return {"session": dict(self.session), "everywhere": dict(self.everywhere)}


@dataclass(frozen=True, slots=True, eq=False)
class Pending:
    """The user's typed and unsent text; `original` is the text before its macros were expanded.

    A Text keeps what it knows of each character, as `expand_input(...).pending` does.
    """

    text: str | Text
    attachments: tuple[Any, ...] = ()
    original: str | None = None


TurnKind = Literal["normal", "swipe", "regenerate", "continue", "impersonate", "quiet"]
"""Kinds of turns: a reply, another one in its place, its rest, the user's words, or words that nobody sees."""


@dataclass(frozen=True, slots=True)
class GroupChat:
    """The names of a group's members, in order; those that are muted don't reply by themselves."""

    members: tuple[str, ...] = ()
    muted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class BuildInput:
    """Everything a build depends on, as read-only data.

    `presets`, `books` and `rules` are those in force everywhere; the agent and the user bring their own, and their
    `worldbook_ids` name those of `books` that are theirs, `chat_books` those of this conversation. `activations` are
    the lore entries that fired before: their keys, with the id of the message that was the newest then. `tasks` are
    tasks that tools have begun, by id, with their status, result, progress, progressMessage and error. `timestamp` is
    ISO 8601; None means the leaf's own, never now; `zone` is an IANA name. `turn` is what the request is for,
    `group` that of a chat of several characters, `facts` are texts of a program's settings by the macro that shows
    them. `dice` maps ids to scripted values for tests.
    """

    session: Session
    leaf: str | None = None
    pending: Pending | None = None
    agent: Agent | None = None
    user: UserProfile | None = None
    model: ModelProfile | None = None
    presets: tuple[MessageNode, ...] = ()
    books: tuple[Worldbook, ...] = ()
    rules: RegexConfig = field(default_factory=RegexConfig)
    agents: tuple[Agent, ...] = ()
    users: tuple[UserProfile, ...] = ()
    variables: Variables = field(default_factory=Variables)
    activations: Mapping[str, str] = field(default_factory=FrozenDict)
    tasks: Mapping[str, JsonObject] = field(default_factory=FrozenDict)
    timestamp: str | None = None
    zone: str | None = None
    seed: int = 0
    dice: Mapping[str, float] | None = None
    turn: TurnKind = "normal"
    group: GroupChat | None = None
    facts: Mapping[str, str] = field(default_factory=FrozenDict)
    chat_books: tuple[str, ...] = ()

    @property
    def leaf_id(self) -> str | None:
        """The leaf of the input, else the session's active one."""
        return self.leaf if self.leaf is not None else self.session.active_leaf_id

    def holds(self, origin: Origin) -> bool:
        """Whether a message or a preset of this origin is part of the input."""
        if origin.kind == "pending":
            return self.pending is not None
        if origin.kind in ("node", "summary"):
            return origin.ref in self.session.nodes
        own = self.agent.preset_messages if self.agent else ()
        users = self.user.preset_messages if self.user else ()
        for level, presets in (("", own), ("user/", users), ("global/", self.presets)):
            number = origin.ref.removeprefix(level) if origin.ref.startswith(level) else ""
            if number.isdecimal() and int(number) < len(presets):
                return True
            if any(preset.id == origin.ref for preset in presets):
                return True
        return False

    def __repr__(self) -> str:
        agent = self.agent.name if self.agent else None
        return f"BuildInput({self.session.id!r}, leaf {self.leaf_id!r}, agent {agent!r})"


def lacking(needed: int, left: int) -> str:
    """Why something didn't fit.

    >>> lacking(36, 27)
    'needed 36 tokens, 27 were left'
    """
    return f"needed {counted(needed, 'token')}, {left:,} {'was' if left == 1 else 'were'} left"


@dataclass(frozen=True, slots=True, eq=False)
class Dropped:
    """Drafts that one rule took out.

    Where a budget was the reason, `border` are the keys of the messages that didn't fit, `needed` the tokens that they
    needed and `left` those that were left; others in the group went because these did. The cause's reason has this too.
    """

    drafts: tuple[Draft, ...]
    cause: Cause
    needed: int | None = None
    left: int | None = None
    border: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Dropped({len(self.drafts)} drafts, {self.cause})"

    def as_data(self) -> dict[str, Any]:
        return {
            "keys": [draft.key for draft in self.drafts],
            "cause": self.cause.as_data(),
            "needed": self.needed,
            "left": self.left,
            "border": list(self.border),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """The state between two steps. Immutable; a change that changes nothing returns the same object."""

    input: BuildInput
    drafts: tuple[Draft, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    reports: tuple[StepReport, ...] = ()
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        gone = sum(len(group.drafts) for group in self.dropped)
        return f"Context({self.input.session.id!r}, {len(self.drafts)} drafts, {gone} dropped)"

    def _repr_html_(self) -> str:
        from ctxlab.context.html import context_html

        return context_html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self, "reports")

    def edit(self, change: Callable[[Draft], Draft]) -> Context:
        """`change` of every draft; what it returns unchanged stays the same object."""
        drafts = tuple([change(draft) for draft in self.drafts])
        if all(new is old for new, old in zip(drafts, self.drafts, strict=True)):
            return self
        return replace(self, drafts=drafts)

    def insert(self, at: int, *drafts: Draft) -> Context:
        """Drafts put before position `at`; len(ctx.drafts) is the end."""
        if not drafts:
            return self
        return replace(self, drafts=(*self.drafts[:at], *drafts, *self.drafts[at:]))

    def drop(
        self, keys: Collection[str], cause: Cause, *, needed: int | None = None, left: int | None = None
    ) -> Context:
        """Without the drafts of these keys, which are kept as one group under `dropped`.

        A cause without a reason gets one from the tokens that they needed and those that were left.
        """
        if not keys:
            return self
        if not cause.reason and needed is not None and left is not None:
            cause = replace(cause, reason=lacking(needed, left))
        wanted = set(keys)
        gone = tuple([draft for draft in self.drafts if draft.key in wanted])
        _all_there(wanted, gone, f"{cause.processor} drops")
        kept = tuple([draft for draft in self.drafts if draft.key not in wanted])
        return replace(self, drafts=kept, dropped=(*self.dropped, Dropped(gone, cause, needed, left)))

    def merge(self, keys: Sequence[str], separator: str, cause: Cause) -> Context:
        """The drafts of these keys as one, in the order of the context, at the place of the first one."""
        wanted = set(keys)
        parts = [draft for draft in self.drafts if draft.key in wanted]
        _all_there(wanted, parts, f"{cause.processor} merges")
        if len(parts) < 2:
            return self
        whole = merged_draft(parts, separator=separator, cause=cause)
        gone = {part.key for part in parts[1:]}
        drafts = tuple([whole if d is parts[0] else d for d in self.drafts if d.key not in gone])
        return replace(self, drafts=drafts)

    def arrange(self, drafts: Sequence[Draft], *, dropped: Sequence[Dropped] = ()) -> Context:
        """Other drafts in another order; `dropped` are the groups that are no longer among them."""
        unchanged = len(drafts) == len(self.drafts) and all(n is o for n, o in zip(drafts, self.drafts, strict=True))
        if unchanged and not dropped:
            return self
        return replace(self, drafts=self.drafts if unchanged else tuple(drafts), dropped=(*self.dropped, *dropped))

    def put(self, report: StepReport) -> Context:
        """With a step's report, for later steps, the step's summary and `trace.table(report.name)`."""
        if not isinstance(report, StepReport):  # pyright: ignore[reportUnnecessaryIsInstance]  (plugins are not checked)
            raise CtxlabError(f"put() takes a report with name, rows() and summary(), such as Table; got {report!r}")
        return replace(self, reports=(*self.reports, report))

    def report(self, kind: type[R]) -> R | None:
        """The newest report of a type; None when no step left one."""
        return next((report for report in reversed(self.reports) if isinstance(report, kind)), None)

    @property
    def variables(self) -> Variables:
        """Variables as the macros of earlier steps left them."""
        report = self.report(MacroVariables)
        return report.variables if report is not None else self.input.variables

    def report_named(self, name: str) -> StepReport | None:
        """The newest report of a name; None when no step left one."""
        return next((report for report in reversed(self.reports) if report.name == name), None)

    def note(self, level: Level, text: str, *, processor: str = "", **details: Any) -> Context:
        """With a note for the reader."""
        return replace(self, notes=(*self.notes, Note(level, text, processor, details)))

    def noted(self, notes: Sequence[Note]) -> Context:
        return replace(self, notes=(*self.notes, *notes)) if notes else self

    def draft(self, key: str) -> Draft | None:
        """The draft of this key, or the one it was merged into; None when it isn't there."""
        for draft in self.drafts:
            if draft.key == key:
                return draft
        for draft in self.drafts:
            if any(part.key == key for part in draft.merged):
                return draft
        return None

    def dice(self, id: str) -> float:
        """A number in [0, 1) that depends on nothing but seed, leaf and `id`."""
        if self.input.dice is not None and id in self.input.dice:
            return self.input.dice[id]
        import hashlib

        text = f"{self.input.seed}\x1f{self.input.leaf_id}\x1f{id}"
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return (int.from_bytes(digest, "big") >> 11) / 2**53

    def as_data(self) -> dict[str, Any]:
        return {
            "drafts": [draft.as_data() for draft in self.drafts],
            "dropped": [group.as_data() for group in self.dropped],
            "reports": [{"name": report.name, "rows": list(report.rows())} for report in self.reports],
            "notes": [note.as_data() for note in self.notes],
        }


def _all_there(wanted: set[str], found: Sequence[Draft], doing: str) -> None:
    if len(found) != len(wanted):
        absent = sorted(wanted - {draft.key for draft in found})
        raise CtxlabError(f"{doing} {absent[0]!r}, which is not there")
