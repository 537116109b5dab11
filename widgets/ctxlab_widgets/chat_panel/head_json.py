"""The head of a chat, the answer that is looked at, and the place in the tree, as the page gets them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.chat.compression.summary_node import originals_of
from ctxlab.context.step_report import PromptLimit
from ctxlab.display.one_line import plain, plain_words
from ctxlab.display.short_texts import counted, first_of
from ctxlab.documents import History, MessageNode, Session
from ctxlab.knowledge.policy.report import KnowledgeReport
from ctxlab.studies.answer_run import AnswerRun
from ctxlab.studies.budget_figure import segments_of
from ctxlab.studies.draft_preview import Preview
from ctxlab_widgets.chat_panel.draft_json import in_path_order, persona_words, places_of, row_key, sentence_of
from ctxlab_widgets.chat_panel.rows import RowInput, state_of, who_of
from ctxlab_widgets.chat_panel.setup import ChatSetup

NAME = 60
AROUND = 4
"""Messages of the path that the little tree shows, with their siblings."""
MOST_SIBLINGS = 8
NO_REQUEST = "This is a greeting of the agent: no request was made for it."
NOT_SENT = frozenset({"free", "reserve", "cut"})


def head_json(
    session: Session, setup: ChatSetup, history: History, preview: Preview | None, *, path: Sequence[MessageNode]
) -> dict[str, Any]:
    """The participants and what can be chosen, the sentence of result, and what undo and redo would do.

    Languages and actions on messages are added by the chat, which has them.
    """
    summed = originals_of(session, (key for node in path if node.is_summary and node.enabled for key in node.hides))
    messages = sum(not node.is_summary for node in path)
    labels, index = history.labels, history.index
    return {
        **{what: _chosen(setup, what) for what in ("agent", "model", "user")},
        "boundTo": plain(setup.agent.shown_name or setup.agent.id, NAME) if setup.agent and setup.is_user_bound else "",
        "name": plain(session.name or session.id, NAME),
        "sentence": sentence_of(preview, messages, len(summed), places_of(path)) + persona_words(preview),
        "isEcho": setup.is_echo,
        "canUndo": plain(labels[index], NAME) if history.can_undo else "",
        "canRedo": plain(labels[index + 1], NAME) if history.can_redo else "",
    }


def _chosen(setup: ChatSetup, what: str) -> dict[str, Any]:
    choices = [{"id": id, "label": plain(label, NAME)} for id, label in setup.choices(what)]
    return {"now": setup.now(what), "choices": choices}


def got_json(found: AnswerRun, who: str) -> dict[str, Any]:
    """The prompt of one answer, as `Got` of the page."""
    trace = found.trace
    segments = [each for each in segments_of(trace) if each.look not in NOT_SENT]
    cut = [row_key(draft.key) for group in trace.result.dropped if group.needed is not None for draft in group.drafts]
    went = in_path_order(cut, places_of(trace.start.input.session.path(found.node)))
    limit = trace.result.report(PromptLimit)
    verb = "was" if len(went) == 1 else "were"
    return {
        "key": found.node,
        "who": who,
        "sentence": found.sentence,
        "totals": [[each.look, each.name, each.tokens] for each in segments],
        "tokens": trace.tokens,
        "budget": limit.budget_tokens if limit is not None else None,
        "cut": f"{counted(len(went), 'message')} {verb} cut: {first_of(went, 4)}." if went else "Nothing was cut.",
        "notes": list(found.notes),
        **({"knowledge": True} if trace.result.report(KnowledgeReport) is not None else {}),
    }


def greeting_json(node: MessageNode, who: str) -> dict[str, Any]:
    """A greeting that is looked at as an answer, as `Got` of the page: nothing was asked for it."""
    figures = {"totals": [], "tokens": 0, "budget": None, "cut": "", "notes": []}
    return {"key": node.id, "who": who, "sentence": NO_REQUEST, **figures}


def around_json(given: RowInput) -> dict[str, Any]:
    """The last messages of the path with their siblings."""
    session = given.session
    path = [node for node in session.path() if not node.is_empty_root and not node.is_summary]
    nodes: list[dict[str, Any]] = []
    shown = path[-AROUND:]
    for column, node in enumerate(shown):
        there: Sequence[str] = [key for key in session.siblings(node.id) if key in session.nodes]
        beside = _near(there if column else [node.id], node.id)
        nodes += [_around_node(session.nodes[key], given, column, is_active=key == node.id) for key in beside]
    return {"nodes": nodes}


def _near(beside: Sequence[str], key: str) -> Sequence[str]:
    """The siblings next to one, where there are many."""
    if len(beside) <= MOST_SIBLINGS or key not in beside:
        return beside
    start = max(0, min(beside.index(key) - MOST_SIBLINGS // 2, len(beside) - MOST_SIBLINGS))
    return beside[start : start + MOST_SIBLINGS]


def _around_node(node: MessageNode, given: RowInput, column: int, *, is_active: bool) -> dict[str, Any]:
    state = state_of(node, given)
    calls = ", ".join(call.name for call in node.tool_calls)
    without = "" if state in ("generating", "failed") else "empty"  # the page says those
    words = plain_words(node.content, 24) or (plain(f"calls {calls}", 24) if calls else without)
    who = who_of(node, given)
    broke_off = state == "failed" and node.content.strip()
    return {
        "key": node.id,
        "label": f"{who}: {words}" if words else who,
        "role": node.role,
        "column": column,
        "parent": node.parent_id or "",
        "isActive": is_active,
        "state": state,
        **({"note": f"broke off after {counted(len(node.content), 'character')}"} if broke_off else {}),
    }
