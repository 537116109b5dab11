"""Old conversations built turn by turn under two configurations: which turns change, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents import Session
from ctxlab.errors import CtxlabError, UnknownNode, WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace, diff
from ctxlab.pipeline.explain.diff import Diff
from ctxlab.pipeline.shared_beginning import prefix_tokens
from ctxlab.processors import default_pipeline
from ctxlab.studies.turns import TurnChoice, refuse_unknown_turns, turns_of
from ctxlab.studies.what_if.configuration import Configuration, StartFunction
from ctxlab.studies.what_if.context_change import ContextChange, context_change, named
from ctxlab.studies.what_if.keeps import Keep, SentContext
from ctxlab.studies.what_if.turn_builds import Activations, TurnBuilds

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.context import Draft

COLUMNS = (
    *("conversation", "node", "changed", "before_tokens", "after_tokens", "lost_messages", "lost_tokens"),
    *("gained_messages", "rewritten_messages", "fires_no_more", "fires_now", "facts_lost"),
    *("before_prefix", "after_prefix", "prefix_is_broken", "before_error", "error", "reason"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Conversation:
    """A session with its name in a frame, and the start of its runs."""

    name: str
    session: Session
    start: StartFunction


@dataclass(frozen=True, slots=True, eq=False)
class ReplayTurn:
    """A message that the model answers, built under both configurations.

    `change` is what the second build sends otherwise. `facts_lost` are the names of what the first keeps and the second
    doesn't. `before_prefix` and `after_prefix` are the shares of the prompt that the same configuration's prompt of the
    turn before began with too, in [0, 1]; None at the first turn and where one of the two failed.
    """

    conversation: str
    node: str
    change: ContextChange
    facts_lost: tuple[str, ...]
    before_prefix: float | None
    after_prefix: float | None
    _build: Callable[[], tuple[Trace, Trace]] = field(repr=False)

    def __repr__(self) -> str:
        return f"ReplayTurn({plain(self.node)} of {plain(self.conversation)}: {plain(str(self), 300)})"

    def __str__(self) -> str:
        """The change in words; `no effect` where there is none."""
        facts = [f"no longer keeps {named(self.facts_lost)}"] if self.facts_lost else []
        prefix = [f"prefix {self.before_prefix:.0%} → {self.after_prefix:.0%}"] if self.prefix_is_broken else []
        return "; ".join([*facts, *self.change.clauses(), *prefix]) or "no effect"

    @property
    def prefix_is_broken(self) -> bool:
        """Whether a smaller share of the prompt begins as the turn before did."""
        return (
            self.before_prefix is not None and self.after_prefix is not None and self.after_prefix < self.before_prefix
        )

    @property
    def has_changed(self) -> bool:
        return bool(self.change) or bool(self.facts_lost) or self.prefix_is_broken

    @property
    def badness(self) -> tuple[float, ...]:
        """Sorts turns, larger is worse: failed, facts lost, tokens lost, lore flipped, prefix broken, other changes."""
        change = self.change
        fails = change.error is not None and change.error_before is None
        flipped = len(change.fires_no_more) + len(change.fires_now)
        broken = (self.before_prefix or 0) - (self.after_prefix or 0) if self.prefix_is_broken else 0.0
        others = len(change.rewritten) + len(change.gained)
        return fails, len(self.facts_lost), change.lost_tokens, flipped, broken, others, self.has_changed

    def traces(self) -> tuple[Trace, Trace]:
        """Both runs, built again; raises what a build raises."""
        return self._build()

    def diff(self) -> Diff:
        """The difference of both runs, message by message; raises what a build raises."""
        return diff(*self._build())


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """The turns of old conversations under two configurations, in their order; falsy where no turn changes."""

    turns: tuple[ReplayTurn, ...]

    def __bool__(self) -> bool:
        return any(turn.has_changed for turn in self.turns)

    def __len__(self) -> int:
        return len(self.turns)

    def __iter__(self) -> Iterator[ReplayTurn]:
        return iter(self.turns)

    def __getitem__(self, node: str | int) -> ReplayTurn:
        """The turn at a message, by its id, or by its place; of conversations with one id the first."""
        if isinstance(node, int):
            return self.turns[node]
        found = next((turn for turn in self.turns if turn.node == node.removeprefix("node:")), None)
        if found is None:
            raise UnknownNode(f"no turn is at {node!r}{did_you_mean(node, [turn.node for turn in self.turns])}")
        return found

    def __repr__(self) -> str:
        changed = sum(turn.has_changed for turn in self.turns)
        failed = sum(turn.change.error is not None for turn in self.turns)
        of = len({turn.conversation for turn in self.turns})
        fails = f", {failed:,} fail" if failed else ""
        return f"Replay({counted(len(self.turns), 'turn')} of {counted(of, 'conversation')}: {changed:,} change{fails})"

    def worst(self, most: int | None = None) -> Replay:
        """The turns that change, the worst first: failed, facts lost, messages lost, lore flipped, prefix broken."""
        changed = [turn for turn in self.turns if turn.has_changed]
        return Replay(tuple(sorted(changed, key=lambda turn: turn.badness, reverse=True)[:most]))

    def frame(self) -> pd.DataFrame:
        """One row a turn, in the order of the turns: numbers of messages and entries, tokens, shares of prefixes."""
        return frame_of(map(_row, self.turns), COLUMNS)

    def _repr_html_(self) -> str:
        rows = [(turn.conversation, turn.node, turn.change.tokens, str(turn)) for turn in self.worst(100).turns]
        table = html_table(("conversation", "turn", "± tokens", "what changes"), rows, cells=120, of="turns")
        same = len(self.turns) - sum(turn.has_changed for turn in self.turns)
        return heading(self) + table + lines([f"{counted(same, 'turn')} without effect"] if same else [])


def _row(turn: ReplayTurn) -> dict[str, object]:
    change = turn.change
    values = (
        *(turn.conversation, turn.node, turn.has_changed, change.before_tokens, change.after_tokens),
        *(len(change.lost), change.lost_tokens, len(change.gained), len(change.rewritten)),
        *(len(change.fires_no_more), len(change.fires_now), len(turn.facts_lost)),
        *(turn.before_prefix, turn.after_prefix, turn.prefix_is_broken, change.error_before, change.error, str(turn)),
    )
    return dict(zip(COLUMNS, values, strict=True))


def replay(
    conversations: Sequence[Conversation],
    before: Configuration,
    after: Configuration,
    *,
    turns: TurnChoice = None,
    facts: Sequence[Keep] = (),
    progress: Callable[[float], None] | None = None,
) -> Replay:
    """Every turn under both configurations; a turn that can't be built is one with an error."""
    chosen = [(each, turns_of(each.session, turns)) for each in conversations]
    before, after = _with_one_pipeline(before, after)
    total = sum(len(nodes) for _, nodes in chosen)
    refuse_unknown_turns(turns, [nodes for _, nodes in chosen])
    found: list[ReplayTurn] = []
    for conversation, nodes in chosen:
        work = _Replaying(conversation, before, after, facts)
        for node in nodes:
            found.append(work.turn(node))
            if progress is not None:
                progress(len(found) / total)
    return Replay(tuple(found))


def _with_one_pipeline(*configurations: Configuration) -> list[Configuration]:
    """Configurations that have their steps in common where they name no pipeline, so that runs can share them."""
    steps = default_pipeline()
    return [
        replace(each, options={**each.options, "pipeline": steps}) if each.options.get("pipeline") is None else each
        for each in configurations
    ]


@dataclass(slots=True)
class _Built:
    """State that a turn hands on to the next one under one configuration."""

    drafts: tuple[Draft, ...] | None
    activations: Activations


class _Replaying:
    """The turns of one conversation in order, each after the nearest turn above it."""

    def __init__(
        self, conversation: Conversation, before: Configuration, after: Configuration, facts: Sequence[Keep]
    ) -> None:
        self.conversation, self.facts = conversation, facts
        self.configurations = (before, after)
        self.shares_steps = before.differs_in_settings_only(after)
        self.builds = tuple(
            [TurnBuilds(conversation.session, each, conversation.start) for each in self.configurations]
        )
        self.path: list[tuple[str, tuple[_Built, _Built]]] = []

    def turn(self, node: str) -> ReplayTurn:
        above = self._turn_above(node)
        known = (
            [built.activations for built in above]
            if above
            else [each.options.get("activations") or {} for each in self.configurations]
        )
        runs = self._runs(node, known)
        change = context_change(*runs)
        tokens = (change.before_tokens, change.after_tokens)
        prefixes = [_prefix(*each) for each in zip(above or (), runs, tokens, strict=False)]
        built = [_handed_on(run, activations) for run, activations in zip(runs, known, strict=True)]
        self.path.append((node, (built[0], built[1])))
        before_prefix, after_prefix = prefixes or (None, None)
        return ReplayTurn(
            self.conversation.name,
            node,
            change,
            self._facts_lost(*runs),
            before_prefix,
            after_prefix,
            _build=_Rebuild(self.conversation, self.configurations, node, tuple(known)),
        )

    def _turn_above(self, node: str) -> tuple[_Built, _Built] | None:
        """State that the nearest turn above hands on; turns come parents first, so that others are done with."""
        above = self.conversation.session.nodes[node].parent_id
        done = {known: n for n, (known, _) in enumerate(self.path)}
        seen = set[str]()
        while above is not None and above not in done and above not in seen:
            seen.add(above)
            parent = self.conversation.session.nodes.get(above)
            above = parent.parent_id if parent is not None else None
        del self.path[done[above] + 1 if above in done else 0 :]
        return self.path[-1][1] if self.path else None

    def _runs(self, node: str, known: Sequence[Activations]) -> list[Trace | str]:
        before, after = self.builds
        first = _run(lambda: before.at(node, known[0]))
        shares = self.shares_steps and isinstance(first, Trace) and known[0] == known[1]
        if shares and isinstance(first, Trace):
            return [first, _run(lambda: after.beside(first, node, known[1]))]
        return [first, _run(lambda: after.at(node, known[1]))]

    def _facts_lost(self, before: Trace | str, after: Trace | str) -> tuple[str, ...]:
        if not self.facts or isinstance(before, str):
            return ()
        was = SentContext.of(before)
        now = SentContext.of(after) if isinstance(after, Trace) else None
        return tuple([fact.name for fact in self.facts if fact.holds(was) and (now is None or not fact.holds(now))])


@dataclass(frozen=True, slots=True)
class _Rebuild:
    """Both runs of a turn, built again when they are wanted."""

    conversation: Conversation
    configurations: tuple[Configuration, Configuration]
    node: str
    known: tuple[Activations, ...]

    def __call__(self) -> tuple[Trace, Trace]:
        session, start = self.conversation.session, self.conversation.start
        first, second = [
            start(session, **{**each.all_options(), "leaf": self.node, "activations": known}).finished()
            for each, known in zip(self.configurations, self.known, strict=True)
        ]
        return first, second


def _run(build: Callable[[], Trace]) -> Trace | str:
    """A run, or the sentence of its error; a wrong option or setting is raised, it is wrong at every turn."""
    from ctxlab.errors import PipelineError

    try:
        return build()
    except (WrongArgument, PipelineError):
        raise
    except CtxlabError as problem:
        return f"{type(problem).__name__}: {problem}"


def _handed_on(run: Trace | str, known: Mapping[str, str]) -> _Built:
    return _Built(None, known) if isinstance(run, str) else _Built(run.result.drafts, run.activations)


def _prefix(above: _Built, run: Trace | str, tokens: int | None) -> float | None:
    if above.drafts is None or isinstance(run, str) or tokens is None:
        return None
    messages = tokens - run.request_tokens
    return prefix_tokens(above.drafts, run.result.drafts, run.services.tokenizer) / messages if messages else None
