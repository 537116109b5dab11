"""A compression as the page reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.chat.compression import Compression, LegalCuts, VisiblePath
from ctxlab.chat.compression.summariser import EXTRACTIVE
from ctxlab.chat.compression.visible_path import is_full_summary
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode, Session
from ctxlab.pipeline import Trace
from ctxlab.studies.budget_figure import segments_of
from ctxlab_widgets.compression_view.report_rows import report_json
from ctxlab_widgets.compression_view.view_words import in_view_words
from ctxlab_widgets.compression_view.wishes import BY_HAND, range_chosen, wishes_json

OF_COPIES = ("reasoning", "tool-result")
MOST_ROWS = 5000
"""Messages that are listed; of a longer path those around the range."""
NOT_SENT = ("free", "reserve", "cut")
WIDTH = 80
NAME = 60
MOST_COMPRESSIONS = 200


def view_json(compression: Compression) -> dict[str, Any]:
    """Messages with cuts between them, costs, the summary, the report, and the compressions of the session."""
    start = compression.before.start.input
    path = VisiblePath.of(start.session, start.leaf_id)
    cuts = LegalCuts(path, compression.settings.protect_recent_count, compression.settings.keep_exchanges_whole)
    return {
        "sentence": sentence(compression),
        "error": in_view_words(compression.error or ""),
        "editable": bool(compression.gone or compression.folded),
        "instant": compression.writer in ("", EXTRACTIVE),
        "can_choose": compression.again is not None,
        "by_hand": compression.summariser == BY_HAND,
        "chosen": range_chosen(compression),
        "goes": [what_goes(compression) or "nothing", _tokens(compression)],
        **_rows(compression, path, cuts),
        "costs": _costs(compression),
        "summary": compression.summary,
        "by": _by(compression),
        "wishes": wishes_json(compression),
        "protected": _protected(cuts),
        "protect": cuts.protect,
        "notes": [note.text for note in compression.notes],
        "report": report_json(compression) if compression.summary else None,
        "compressions": [*_compressions(start.session), *([_own_row(compression)] if compression.summary else [])],
    }


def sentence(compression: Compression) -> str:
    """A sentence: messages that go, tokens that it saves, and items that had to be kept and are lost."""
    if compression.error is not None:
        return f"Nothing changes: {in_view_words(compression.error)}."
    saved = compression.saved_tokens
    change = counted(abs(saved), "token") + (" less" if saved >= 0 else " more")
    goes = what_goes(compression)
    said = f"{goes} become one summary: {change} in every request." if goes else f"{_copies(compression)}: {change}."
    lost = len(compression.lost)
    return f"{said} {counted(lost, 'must-keep item is', 'must-keep items are')} not kept whole." if lost else said


def what_goes(compression: Compression) -> str:
    """The messages and earlier summaries that become one, counted; empty where none do."""
    parts = [counted(len(compression.gone), "message")] if compression.gone else []
    parts += [counted(len(compression.folded), "earlier summary", "earlier summaries")] if compression.folded else []
    return " and ".join(parts)


def _tokens(compression: Compression) -> int:
    nodes = compression.original.nodes
    return sum(_count_of(compression, nodes[key]) for key in (*compression.folded, *compression.gone))


def _copies(compression: Compression) -> str:
    return counted(
        len(compression.stand_ins), "message is sent in a shorter copy", "messages are sent in shorter copies"
    )


def _by(compression: Compression) -> str:
    if not compression.summary:
        return ""
    took = f" in {compression.seconds:.1f} s" if compression.seconds is not None else ""
    made = BY_HAND if compression.summariser == BY_HAND else f"by {plain(compression.summariser, NAME)}{took}"
    return f"{made}, {counted(_count(compression, compression.summary), 'token')}"


def _rows(compression: Compression, path: VisiblePath, cuts: LegalCuts) -> dict[str, Any]:
    goes = {*compression.gone, *compression.folded}
    at = [i for i, node in enumerate(path.nodes) if node.id in goes]
    nowhere = cuts.legal[0] if cuts.legal else 0
    start, end = (at[0], at[-1] + 1) if at else (nowhere, nowhere)
    skipped = max(0, min(start - MOST_ROWS // 2, len(path) - MOST_ROWS))
    listed = path.nodes[skipped : skipped + MOST_ROWS]
    return {
        "rows": [_row(compression, node, goes=node.id in goes) for node in listed],
        "cuts": [cut.why_not for cut in cuts.cuts[skipped : skipped + len(listed) + 1]],
        "range": [start - skipped, min(end - skipped, len(listed))],
        "unlisted": [skipped, len(path) - skipped - len(listed)],
    }


def _row(compression: Compression, node: MessageNode, *, goes: bool) -> list[Any]:
    """Id, sort, first words, tokens of the text, and whether it goes."""
    sort = "summary" if is_summary_in_words(node) else node.role
    calls = ", ".join(call.name for call in node.tool_calls)
    return [node.id, sort, plain(node.content, WIDTH) or plain(calls, WIDTH), _count_of(compression, node), goes]


def _protected(cuts: LegalCuts) -> str:
    """The messages that stay as they are, whatever is chosen."""
    if cuts.last >= len(cuts.path):
        return "no message is too new to go" if not cuts.protect else "no message"
    first = plain(cuts.path.nodes[cuts.last].id, NAME)
    return f"the newest {counted(cuts.protect, 'message')}, from {first} on"


def _costs(compression: Compression) -> dict[str, Any]:
    """Tokens of the prompts before and after, each by source, and of their common beginning."""
    prefix = compression.prefix
    return {
        "before": compression.before_tokens,
        "after": compression.after_tokens,
        "same": prefix.kept_tokens,
        "lost": prefix.lost_tokens,
        "new": prefix.new_tokens,
        "summary": _count(compression, compression.summary),
        "parts": [_parts(compression.before), _parts(compression.after)],
    }


def _parts(trace: Trace) -> list[tuple[str, str, int]]:
    """Name, colour and tokens of each source of a prompt, in the order of every bar."""
    return [(each.name, each.look, each.tokens) for each in segments_of(trace) if each.look not in NOT_SENT]


def _compressions(session: Session) -> Iterator[dict[str, Any]]:
    """The summaries that the session has, in the order of its nodes; no shorter copies of single messages."""
    found = [node for node in session.nodes.values() if is_summary_in_words(node)]
    for node in found[-MOST_COMPRESSIONS:]:
        lineage = node.meta("compressionLineage")
        yield {
            "id": node.id,
            "trigger": _words(node.meta("compressionTrigger")),
            "messages": _number(node.meta("originalMessageCount"), len(node.hides)),
            "before": _number(node.meta("originalTokenCount")),
            "after": _number(node.meta("tokenCount")),
            "by": _words(node.meta("compressionSummariser")) or _words(node.meta("compressionKind")),
            "lineage": [plain(str(each), NAME) for each in lineage] if isinstance(lineage, list | tuple) else [],
            "is_shown": False,
        }


def is_summary_in_words(node: MessageNode) -> bool:
    """Whether a node is a summary, and not a copy of one message without its reasoning or its result."""
    return is_full_summary(node) and node.meta("compressionKind") not in OF_COPIES


def _own_row(compression: Compression) -> dict[str, Any]:
    originals = compression.originals
    return {
        "id": compression.summary_id,
        "trigger": compression.trigger,
        "messages": len(originals),
        "before": sum(_count_of(compression, node) for node in originals),
        "after": _count(compression, compression.summary),
        "by": plain(compression.summariser, NAME),
        "lineage": [plain(each, NAME) for each in compression.lineage],
        "is_shown": True,
    }


def _count_of(compression: Compression, node: MessageNode) -> int:
    known = node.meta("tokenCount")
    return known if type(known) is int else _count(compression, node.content)


def _count(compression: Compression, text: str) -> int:
    return compression.before.services.tokenizer.count(text) if text else 0


def _number(value: object, default: int | None = None) -> int | None:
    return value if type(value) is int and value >= 0 else default


def _words(value: object) -> str:
    return plain(value, NAME) if isinstance(value, str) else ""
