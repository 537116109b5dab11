"""The messages of a path as the rows of a chat; a row whose message is as it was is the very same value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, cast

from ctxlab.chat.compression.summary_node import originals_of
from ctxlab.display.one_line import plain
from ctxlab.documents import Agent, MessageNode, Session, UserProfile
from ctxlab.documents.agent.preset_groups import kept_out_presets
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.services import AssetStore, TokenCounter
from ctxlab_widgets._shared.stands_for import stands_for
from ctxlab_widgets.chat_panel.file_chips import chip_of
from ctxlab_widgets.chat_panel.row_facts import calls_of, facts_of, got_of, thought_of, translation_of
from ctxlab_widgets.chat_panel.summary_told import SummaryTold
from ctxlab_widgets.chat_panel.thoughts_in_text import words_and_thoughts
from ctxlab_widgets.chat_panel.translations import ToldOfMessage

Row = dict[str, Any]
NAME = 80
COUNTED = 2_000_000
"""The newest so many characters of a path are counted in tokens, row by row; older rows have no figure."""
LINKS = frozenset({"children_ids", "last_selected_child_id"})
USUAL_NAMES = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}


@dataclass(frozen=True, slots=True, eq=False)
class RowInput:
    """All that rows are made of: the path of a session, who takes part, and the message that is being generated."""

    session: Session
    agent: Agent | None = None
    user: UserProfile | None = None
    running: str = ""
    counter: TokenCounter | None = None
    store: AssetStore | None = None
    plugin_actions: Callable[[Session, str], Sequence[str]] | None = None
    told: Mapping[str, ToldOfMessage] = field(default_factory=dict[str, ToldOfMessage])
    summaries: Mapping[str, SummaryTold] = field(default_factory=dict[str, SummaryTold])


@dataclass(slots=True)
class RowMaker:
    """Makes rows, and keeps those that stay."""

    _known: dict[str, tuple[tuple[Any, ...], Row]] = field(default_factory=dict[str, tuple[tuple[Any, ...], Row]])
    _counted: dict[str, bool] = field(default_factory=dict[str, bool])
    _counter: TokenCounter | None = None
    _of: tuple[Any, ...] = ()
    _rows: list[Row] = field(default_factory=list[Row])

    def rows(self, given: RowInput) -> list[Row]:
        """The presets that the agent shows, then the messages of the active path, those behind a summary included."""
        people = given.agent, given.user
        wanted = (
            given.session,
            given.running,
            *people,
            given.counter,
            given.store is None,
            given.told,
            given.summaries,
        )
        if len(self._of) == len(wanted) and all(
            a is b or (isinstance(a, str | bool) and a == b) for a, b in zip(self._of, wanted, strict=True)
        ):
            return self._rows
        self._of, self._rows = wanted, self._made(given)
        return self._rows

    def _made(self, given: RowInput) -> list[Row]:
        session = given.session
        path = [node for node in session.path() if not node.is_empty_root]
        hidden = _hidden(session, path)
        answered = {node.result_of: node for node in path if node.role == "tool" and node.result_of is not None}
        self._decide_on_counts(path, given.counter)
        known, self._known = self._known, {}
        below = session.children_by_parent
        found = [self._row(known, *each) for each in _presets(given.agent)]
        for node in path:
            calls = node.tool_calls if node.role == "assistant" else ()
            results = tuple(answered.get(call.id) for call in calls)
            counter = given.counter if self._counted[node.id] else None
            beside = below.get(node.parent_id, ()) if node.parent_id is not None else ()
            if len(beside) > 1:
                beside = tuple(one for one in beside if one in session.nodes and not session.nodes[one].is_summary)
            key = (
                node,
                beside,
                results,
                hidden.get(node.id),
                node.id == given.running,
                given.agent,
                given.user,
                counter,
            )
            if node.id in given.told:
                key = (*key, given.told[node.id].sentence)
            if node.attachments:
                key = (*key, given.store is not None)
            if node.is_summary:
                key = (*key, tuple(originals_of(session, node.hides)), given.summaries.get(node.id))
            kept = known.get(node.id)
            if kept is None or not _alike(kept[0], key):
                kept = (key, _message_row(node, given, beside, results, hidden.get(node.id, ""), counter))
            self._known[node.id] = kept
            found.append(kept[1])
        return found

    def _decide_on_counts(self, path: Sequence[MessageNode], counter: TokenCounter | None) -> None:
        """Settle which rows are counted; that stays so for a row, or old ones would be sent again with each reply."""
        if counter is not self._counter:
            self._counter, self._counted = counter, {}
        left = COUNTED
        for node in reversed(path):
            left -= len(node.content)
            self._counted.setdefault(node.id, left >= 0)

    def _row(self, known: Mapping[str, tuple[tuple[Any, ...], Row]], key: str, preset: MessageNode) -> Row:
        kept = known.get(key)
        if kept is None or kept[0][0] is not preset:
            kept = ((preset,), _preset_row(key, preset))
        self._known[key] = kept
        return kept[1]


def _alike(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether a row is made of the same: ids and words by value, people by identity, messages but for their links."""
    return len(one) == len(other) and all(a is b or _same(a, b) for a, b in zip(one, other, strict=True))


def _same(one: object, other: object) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return _alike(cast("tuple[Any, ...]", one), cast("tuple[Any, ...]", other))
    if isinstance(one, MessageNode) and isinstance(other, MessageNode):
        return _alone(one) == _alone(other)
    return isinstance(one, str | bool) and one == other


def _alone(node: MessageNode) -> tuple[Any, ...]:
    """A message without its links to those below, which change as the conversation goes on."""
    own = {
        name: value for name, value in node.__dict__.items() if name in MessageNode.model_fields and name not in LINKS
    }
    return own, node.model_extra


def row_delta(before: Sequence[Row], after: Sequence[Row]) -> tuple[int, int, list[Row]]:
    """The rows of `before` that are others in `after`: from, up to, and what stands there now."""
    most = min(len(before), len(after))
    start = next((n for n in range(most) if before[n] is not after[n]), most)
    end = next((n for n in range(most - start) if before[-1 - n] is not after[-1 - n]), most - start)
    return start, len(before) - end, list(after[start : len(after) - end])


def _hidden(session: Session, path: Sequence[MessageNode]) -> dict[str, str]:
    """By id of each message behind a summary that is on, that summary's id."""
    found: dict[str, str] = {}
    for node in path:
        if node.is_summary and node.enabled:
            found |= {key: node.id for key in node.hides if key in session.nodes}
    return found


# --- presets


def _presets(agent: Agent | None) -> list[tuple[str, MessageNode]]:
    """The first presets with words that are in force, as many as the agent's `displayPresetCount` says."""
    count = agent.display_preset_count if agent is not None else None
    if agent is None or not count or count < 0:
        return []
    out = kept_out_presets(agent)
    shown = [
        (f"preset:{n}", preset)
        for n, preset in enumerate(agent.preset_messages)
        if preset.enabled and n not in out and preset.content.strip()
    ]
    return shown[:count]


def _preset_row(key: str, preset: MessageNode) -> Row:
    who = plain(preset.name or "", NAME) or USUAL_NAMES.get(preset.role, "System")
    return {
        "key": key,
        "kind": "preset",
        "role": preset.role,
        "who": who,
        "facts": ["preset"],
        "text": preset.content,
        "state": "complete",
        "actions": ["copy"],
    }


# --- messages


def _message_row(
    node: MessageNode,
    given: RowInput,
    beside: Sequence[str],
    results: Sequence[MessageNode | None],
    hidden_by: str,
    counter: TokenCounter | None,
) -> Row:
    state = state_of(node, given)
    words, thoughts = _words_of(node, given)
    told = given.told[node.id].of(node) if node.id in given.told else ""
    row: Row = {
        "key": node.id,
        "kind": "summary" if node.is_summary else "tool" if node.role == "tool" else "message",
        "role": node.role,
        "who": who_of(node, given),
        "facts": [
            *facts_of(node),
            *([f"in the summary {plain(hidden_by, 40)}, not sent"] if hidden_by else []),
            *([told] if told else []),
        ],
        "text": words,
        "state": state,
        "actions": _actions(node, state, given),
    }
    parts = {
        "tokens": counter.count(node.content) if counter is not None and node.content else None,
        "thought": thought_of(node, thoughts, counter),
        "siblings": {"at": beside.index(node.id) + 1, "ids": list(beside)} if _has_siblings(node, beside) else None,
        "files": [chip_of(each, given.store) for each in node.attachments or ()] or None,
        "calls": calls_of(node, results) or None,
        "translation": translation_of(node),
        "got": got_of(node) if node.role == "assistant" and not node.is_summary and node.parent_id else None,
        "error": _error(node, state),
        "standsFor": _stands_for(given, node),
    }
    return {**row, **{name: value for name, value in parts.items() if value is not None}}


def _words_of(node: MessageNode, given: RowInput) -> tuple[str, str]:
    """The words that are shown of a message, and the thoughts that an answer has in its text."""
    if node.role != "assistant" or node.is_summary:
        return node.content, ""
    return words_and_thoughts(node.content, given.agent.llm_think_rules if given.agent is not None else ())


def _has_siblings(node: MessageNode, beside: Sequence[str]) -> bool:
    return len(beside) > 1 and node.id in beside


def state_of(node: MessageNode, given: RowInput) -> str:
    """The state of a message in its turn."""
    if node.id == given.running:
        return "generating"
    if node.status == "error":
        return "failed"
    if node.status == "generating" or node.meta("isCancelled") is True:
        return "stopped"
    return "complete" if node.enabled else "disabled"


def _error(node: MessageNode, state: str) -> str | None:
    said = node.meta("error")
    if isinstance(said, str) and said.strip():
        return said
    return "There was no answer, and nothing says why." if state == "failed" else None


def who_of(node: MessageNode, given: RowInput) -> str:
    """The name of who speaks, as the message keeps it, else of who takes part now."""
    role = node.role
    if role == "tool":
        names = [_tool_name(node), node.name]
    elif role == "assistant":
        own = given.agent.shown_name if given.agent is not None else ""
        names = [node.speaker, node.meta("agentDisplayName"), node.meta("agentName"), node.name, own]
    elif role == "user":
        own = given.user.shown_name if given.user is not None else ""
        names = [node.speaker, node.meta("userProfileDisplayName"), node.meta("userProfileName"), node.name, own]
    else:
        names = [node.name]
    found = next((plain(name, NAME) for name in names if isinstance(name, str) and name.strip()), "")
    return found or USUAL_NAMES[role]


def _tool_name(node: MessageNode) -> object:
    call = node.meta("toolCall")
    return call.get("toolName") if isinstance(call, Mapping) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def _stands_for(given: RowInput, node: MessageNode) -> dict[str, Any] | None:
    found = stands_for(given.session, node)
    if found is None:
        return None
    told = given.summaries.get(node.id)
    is_told = told is not None and told.is_of(node)
    kept, lost = (told.kept, list(told.lost)) if told is not None and is_told else ("", [])
    count = len(found["first"]) + found["more"]
    return {"sentence": found["words"], "count": count, "ids": list(node.hides), "kept": kept, "lost": lost}


def _actions(node: MessageNode, state: str, given: RowInput) -> list[str]:
    """The buttons of a row, in order."""
    if state == "generating":
        return []
    return [*_own_actions(node, state), *_plugin_actions(node, given)]


def _plugin_actions(node: MessageNode, given: RowInput) -> list[str]:
    if given.plugin_actions is None:
        return []
    return [f"plugin:{id}" for id in given.plugin_actions(given.session, node.id)]


def _own_actions(node: MessageNode, state: str) -> list[str]:
    switch = "disable" if node.enabled else "enable"
    if node.is_summary:
        return ["copy", switch, "undo-summary"]
    if node.role not in ("user", "assistant"):
        return ["copy", switch, "delete"]
    found = ["retry"] if state == "failed" else []
    found += ["edit", "branch", "regenerate"]
    found += ["continue"] if node.role == "assistant" else []
    found += ["copy", "translate", switch]
    return [*found, *(["delete"] if node.parent_id is not None else [])]
