"""A run, a conversation, a study, a recording or a view as one HTML file that asks nobody for anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import ctxlab
from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import counted
from ctxlab.documents import Session
from ctxlab.documents.atomic_file import replace_file
from ctxlab.engines.worldbook.explain import decisions
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.consequential_step import most_consequential_step
from ctxlab.recordings.recording import Recording
from ctxlab.studies.branches import session_branches
from ctxlab.studies.run_summary import RunSummary, run_summary
from ctxlab.studies.study import StudyResult
from ctxlab.studies.study_table.study_page import study_page
from ctxlab_widgets._shared.attachments import FilesPayload
from ctxlab_widgets._shared.html_page import ReportView, page, page_of_views
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.remedies import remedies_json
from ctxlab_widgets._shared.split_secrets import parts_of_secrets
from ctxlab_widgets._shared.widget import Widget, bundle_path, synced_state

MOST_REMEDIES = 40
"""Messages cut for want of room of which the page says what would keep them: those nearest to what is sent."""
MOST_BYTES = 16_000_000
"""A view that would bring more into the page is left out of it; the first one never is."""
WIDGETS = Path(__file__).parent
TITLES = {
    "sent": "What is sent",
    "steps": "Steps",
    "budget": "Budget",
    "injections": "Injections",
    "lore": "Lore",
    "knowledge": "Knowledge",
    "rules": "Rules",
    "tree": "Tree",
}
"""The views of a report in the order of their tabs; of a conversation the tree is the first."""
FOLDERS = {
    "sent": "sent_view",
    "steps": "step_debugger",
    "budget": "token_budget",
    "injections": "injection_map",
    "lore": "lore_view",
    "knowledge": "knowledge_view",
    "rules": "rule_view",
    "tree": "branch_tree",
}
TOPICS = {
    "messages": "sent",
    "budget": "budget",
    "cut": "sent",
    "lore": "lore",
    "rules": "rules",
    "failed": "steps",
    "edits": "steps",
}
"""The view that a part of the head's sentence leads to."""


@checked_arguments
def report(trace: Trace | Session | StudyResult | Recording | Widget, path: str | Path) -> Path:
    """Write the run to `path` and give it back: what is sent, every step, every message, every cause.

    Each view of the run is behind a tab of the page, and its tree where it has branches. Of a session it is its tree,
    whose messages are read whole, and what a build without a budget sends of it. Of the result of a study it is its
    figures, a table with notes for each score, what was left out and the errors. Of a recording it is the
    `RecordingView` with the first difference of each request. Of a view it is that view as it stands. Nothing in it is
    fetched from anywhere.
    """
    if isinstance(trace, Widget):
        written = view_html(trace)
    elif isinstance(trace, Recording):
        written = recording_html(trace)
    elif isinstance(trace, Session):
        written = session_html(trace)
    else:
        written = study_page(trace) if isinstance(trace, StudyResult) else report_html(trace)
    return replace_file(path, written.encode())


def view_html(widget: Widget) -> str:
    """The page of one view as text; the view goes on as it was."""
    widget.keep_for_page()
    runs = [getattr(widget, "trace", None), *_runs_beside(widget)]
    return page(
        bundle_path(type(widget)),
        {**synced_state(widget), "live": False},
        title=type(widget).__name__,
        parts=parts_of_secrets(run for run in runs if isinstance(run, Trace)),
    )


def _runs_beside(widget: Widget) -> Iterable[object]:
    beside = getattr(widget, "traces", None)
    return beside.values() if isinstance(beside, Mapping) else ()  # pyright: ignore[reportUnknownVariableType]


def recording_html(recording: Recording) -> str:
    """The page of a recording as text."""
    from ctxlab_widgets.recording_view import RecordingView

    widget = RecordingView(recording)
    widget.keep_for_page()
    state = {**_traits(widget), "live": False}
    about = f"tokens counted here by {recording.parts.tokenizer.name}, but for those that are called reported"
    title = f"What was sent: {recording.source or recording.program or 'a recording'}"
    return page(WIDGETS / "recording_view" / "static" / "widget.js", state, title=title, about=about)


def report_html(trace: Trace) -> str:
    """The page as text."""
    session = trace.start.input.session
    leaf = trace.start.input.leaf_id
    about = f"tokens by {trace.services.tokenizer.name}"
    if leaf is not None:
        about += f", for the message {leaf}"
    views = _views(trace)
    title = f"What is sent: {session.name or session.id}"
    parts = parts_of_secrets([trace])
    return page_of_views(views, title=title, summary=[*_sentence(run_summary(trace))], about=about, parts=parts)


def session_html(session: Session) -> str:
    """The page of a conversation as text: its tree, and behind other tabs what is sent of its active path."""
    trace = ctxlab.build(session)
    tree = {"tree": _tree_traits(session)}
    views = _pages(tree | {name: state for name, state in _states(trace).items() if name != "tree"})
    shown = session_branches([session], trace.services.tokenizer)
    (measured,) = shown.trees
    words = f"{counted(measured.messages, 'message')} in {counted(len(measured.lines), 'branch', 'branches')}, "
    words += f"{counted(shown.tokens, 'token')}, {shown.abandoned_share:.0%} abandoned"
    spent = trace.prompt.tokens_by_source
    summary = [(words, "tree"), (". Sent without a budget: ", ""), *_sentence(run_summary(trace))]
    if spent["overhead"]:
        of_the_path = shown.tokens - shown.trees[0].abandoned_tokens
        summary.append((f" Of the tokens sent {spent['overhead']:,} are the request's around the words", ""))
        summary.append((f"; the active path has {counted(of_the_path, 'token')}.", "tree"))
    title = f"Conversation: {session.name or session.id}"
    about = f"tokens by {trace.services.tokenizer.name}"
    return page_of_views(views, title=title, summary=summary, about=about, parts=parts_of_secrets([trace]))


def _views(trace: Trace) -> list[ReportView]:
    return _pages(_states(trace))


def _states(trace: Trace) -> dict[str, dict[str, Any]]:
    """The traits of each view that has something to show."""
    return {name: state for name, make in STATES.items() if (state := make(trace)) is not None}


def _pages(states: Mapping[str, dict[str, Any]]) -> list[ReportView]:
    first = next(iter(states))
    return [
        _view(name, {**state, "live": False, "views": list(states)}, is_first=name == first)
        for name, state in states.items()
    ]


def _view(name: str, state: dict[str, Any], *, is_first: bool) -> ReportView:
    held = as_json(state)
    if not is_first and len(held) > MOST_BYTES:
        size = f"{len(held) / 1_000_000:,.0f} MB"
        why = f"{TITLES[name]} is not in this page: it would add {size}. A notebook shows it: ctxlab.lab(trace)."
        return ReportView(name, TITLES[name], left_out=why)
    return ReportView(name, TITLES[name], WIDGETS / FOLDERS[name] / "static" / "widget.js", held)


def _sentence(summary: RunSummary) -> Iterator[tuple[str, str]]:
    """The sentence of a run, each of its parts a link to the view that shows it."""
    for n, part in enumerate(summary.parts):
        if n:
            yield ("; " if n == summary.decided else ", ", "")
        yield (part.words, TOPICS[part.topic])
    yield (".", "")


# --- the traits of each view; None where it would have nothing to show


def _sent(trace: Trace) -> dict[str, Any]:
    from ctxlab_widgets.sent_view import SentView

    widget = SentView(trace)
    widget.keep_for_page()
    return _traits(widget)


def _steps(trace: Trace) -> dict[str, Any]:
    """Those of the debugger at the step with most consequence, without what it would need to change the run."""
    remedies = remedies_json(trace, _nearest_cuts(trace))
    first = most_consequential_step(trace)
    position = len(trace.steps) if first is None else first + 1
    held = {"view": as_json(trace.view()), "files": FilesPayload().json(trace), "remedies": remedies}
    return {**held, "position": position, "result": first is None}


def _budget(trace: Trace) -> dict[str, Any] | None:
    from ctxlab_widgets.token_budget import TokenBudget

    if not trace.result.drafts:
        return None
    return {**_traits(TokenBudget(trace)), "remedies": remedies_json(trace, _nearest_cuts(trace))}


def _injections(trace: Trace) -> dict[str, Any] | None:
    from ctxlab_widgets.injection_map import InjectionMap

    traits = _traits(InjectionMap(trace))
    return traits if json.loads(traits["view"])["groups"] else None


def _lore(trace: Trace) -> dict[str, Any] | None:
    from ctxlab_widgets.lore_view import LoreView

    if not decisions(trace.result):
        return None
    view = LoreView(trace)
    view.find_prices_for_report()
    return _traits(view)


def _knowledge(trace: Trace) -> dict[str, Any] | None:
    from ctxlab_widgets.knowledge_view import KnowledgeView, report_of

    report = report_of(trace)
    return _traits(KnowledgeView(trace)) if report is not None and report.results else None


def _rules(trace: Trace) -> dict[str, Any] | None:
    from ctxlab_widgets.rule_view import RuleView

    traits = _traits(RuleView(trace))
    return traits if json.loads(traits["view"]).get("rules") else None


def _tree(trace: Trace) -> dict[str, Any] | None:
    """Those of the tree, where it has branches."""
    session = trace.start.input.session
    forks = any(len(children) > 1 for children in session.children_by_parent.values())
    return _tree_traits(trace) if forks else None


def _tree_traits(shown: Session | Trace) -> dict[str, Any]:
    from ctxlab_widgets.branch_tree import BranchTree

    widget = BranchTree(shown)
    widget.keep_for_page()
    return _traits(widget)


STATES: dict[str, Callable[[Trace], dict[str, Any] | None]] = {
    "sent": _sent,
    "steps": _steps,
    "budget": _budget,
    "injections": _injections,
    "lore": _lore,
    "knowledge": _knowledge,
    "rules": _rules,
    "tree": _tree,
}


def _traits(widget: Any) -> dict[str, Any]:
    found = synced_state(widget)
    widget.close()
    return found


def _nearest_cuts(trace: Trace) -> list[str]:
    """Keys of the newest messages that were cut for want of room."""
    cut = {draft.key for group in trace.result.dropped if group.needed is not None for draft in group.drafts}
    newest_first = (draft.key for step in trace.steps for draft in reversed(step.before.drafts) if draft.key in cut)
    return list(dict.fromkeys(newest_first))[:MOST_REMEDIES]
