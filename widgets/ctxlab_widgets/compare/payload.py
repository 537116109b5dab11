"""A comparison as the page gets it: its sentence, columns with totals, rows with a cell a column, every text once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ctxlab.context import Draft
from ctxlab.context.file_words import file_words
from ctxlab.display.one_line import plain
from ctxlab.display.source_styles import OF_PART, OVERHEAD
from ctxlab.documents import Agent
from ctxlab.engines.truncation import BudgetReport, strategies
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.ledger import ledger_rows
from ctxlab.studies import Comparison, comparison_summary
from ctxlab.studies.budget_figure import segments_of
from ctxlab.studies.comparison import PART_OF, STATES, Cell, ComparisonLine
from ctxlab.studies.titled_names import TitledNames
from ctxlab_widgets.compare.columns import Column

WORDS = 80
MOST_LEAVES = 200


def view_of(
    columns: Sequence[Column], comparison: Comparison, agents: Sequence[Agent]
) -> tuple[dict[str, Any], list[str]]:
    """The view, and the texts that its cells number."""
    sentences, texts = _StringTable(), _StringTable()
    places = {name: i for i, name in enumerate(comparison.traces)}
    titles = TitledNames(*comparison.traces.values())
    rows = [_row(line, titles, columns, places, sentences, texts) for line in comparison.lines]
    totals = comparison.total_rows()
    equal, names = comparison.equal_runs(), list(comparison.traces)
    drawn = [
        {
            **_column(column, comparison, places[column.name], totals[places[column.name]]),
            "same": names[equal[places[column.name]]] if equal[places[column.name]] != places[column.name] else "",
        }
        if column.name in places
        else {"name": column.name, "error": column.error or "no run yet"}
        for column in columns
    ]
    base = columns[0].trace
    forms = {
        "strategies": list(strategies().by_name),
        "agents": [[agent.id, agent.name or agent.id] for agent in agents],
        "leaves": _leaves(base) if base is not None else [],
    }
    answer = [[part.words, part.key] for part in comparison_summary(comparison).parts]
    return {"answer": answer, "columns": drawn, "rows": rows, "sentences": sentences.entries, **forms}, texts.entries


class _StringTable:
    """Words that are said once and then named by number; nothing has -1."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def add(self, text: str | None) -> int:
        return -1 if text is None else self._places.setdefault(text, len(self._places))

    @property
    def entries(self) -> list[str]:
        return list(self._places)


# --- rows


def _row(
    line: ComparisonLine,
    titles: TitledNames,
    columns: Sequence[Column],
    places: Mapping[str, int],
    sentences: _StringTable,
    texts: _StringTable,
) -> list[Any]:
    """[key, words, role, look, 1 if it differs, a cell for each column]"""
    at = [places.get(column.name) for column in columns]
    drawn = [
        None if i is None else [*_cell(line.cells[i], sentences, texts), int(line.groups[i] == line.groups[at[0] or 0])]
        for i in at
    ]
    draft = next((cell.draft for cell in line.cells if cell.draft is not None), None)
    title = titles.title_of(draft) if draft is not None else ""
    words = plain(title or line.words, WORDS)
    return [line.key, words, line.role, OF_PART.get(line.source, OVERHEAD), int(line.differs), drawn]


def _cell(cell: Cell, sentences: _StringTable, texts: _StringTable) -> list[int]:
    """[state, tokens, its cause, the same in few words, its text]; the row adds 1 where it is as in the base"""
    text = _full_text(cell.draft) if cell.draft is not None else None
    return [
        STATES.index(cell.state),
        cell.tokens,
        sentences.add(cell.cause or None),
        sentences.add(_short_cause(cell)),
        texts.add(text),
    ]


def _short_cause(cell: Cell) -> str | None:
    match cell.state:
        case "shortened":
            reasons = (span.cause.reason for span in _spans(cell) if span.cause and span.cause.rule == "shortened")
            reason = next(reasons, "").removeprefix("the ").removesuffix(" stay")
            return reason.replace("characters", "chars") or None
        case "rewritten":
            rules = dict.fromkeys(span.cause.rule for span in _spans(cell) if span.cause)
            return f"rewritten by {', '.join(rules)}" if rules else "other words"
        case "moved" | "kept":
            return "joined with others" if PART_OF in cell.cause else cell.cause or None
        case _:
            return None


def _spans(cell: Cell) -> Iterable[Any]:
    return cell.draft.text.spans if cell.draft is not None else ()


def _full_text(draft: Draft) -> str:
    """A message's content, reasoning, tool calls and attachments: a difference may be in any of them."""
    calls = [f"{call.name}({call.arguments})" for call in draft.calls]
    files = [f"[{file_words(asset)}]" for asset in draft.assets]
    thoughts = f"[reasoning] {draft.reasoning}" if draft.reasoning else ""
    return "\n".join(part for part in (thoughts, str(draft.text), *calls, *files) if part)


# --- columns


def _column(column: Column, comparison: Comparison, at: int, total: Mapping[str, Any]) -> dict[str, Any]:
    trace = column.trace
    assert trace is not None
    kept, turns = _user_turns(comparison, at)
    report = trace.result.report(BudgetReport)
    budget = report.budget_tokens if report is not None else None
    return {
        "name": column.name,
        "about": _about(trace, total),
        "tokens": trace.tokens,
        "budget": budget,
        "free": budget - trace.tokens if budget is not None else None,
        "messages": total["messages"],
        "kept": kept,
        "turns": turns,
        "summaries": sum(line.source == "summaries" and line.cells[at].is_sent for line in comparison.lines),
        "cut": [total["cut_messages"], total["cut_tokens"]],
        "shortened": total["shortened_messages"],
        "bar": [[part.look, part.tokens, part.name] for part in segments_of(trace) if part.look != "cut"],
        "ledger": [_entry(row.as_data()) for row in ledger_rows(trace)],
    }


def _entry(row: Mapping[str, Any]) -> list[Any]:
    """[step, rule, in, added, cut, saved by rewriting and joining, out]"""
    saved = row["rewritten"] + row["seams"]
    return [row["step"], row["rule"], row["in"], row["added"], row["cut"], saved, row["out"]]


def _user_turns(comparison: Comparison, at: int) -> tuple[int, int]:
    """The number of this run's user messages that are sent."""
    cells = [line.cells[at] for line in comparison.lines if line.role == "user" and line.source == "history"]
    there = [cell for cell in cells if cell.state != "not there"]
    return sum(cell.is_sent for cell in there), len(there)


def _about(trace: Trace, total: Mapping[str, Any]) -> str:
    build_input = trace.start.input
    agent = build_input.agent
    parts = [
        f"strategy {total['strategy']}" if total["strategy"] else "nothing limits it",
        f"budget {total['budget']:,}" if total["budget"] is not None else "",
        f"agent {agent.name or agent.id}" if agent is not None else "no agent",
        f"message {build_input.leaf_id}",
    ]
    return ", ".join(part for part in parts if part)


def _leaves(base: Trace) -> list[list[str]]:
    """Leaves of other branches, with their first words; the base's own is not among them."""
    session = base.start.input.session
    own = base.start.input.leaf_id
    others = [leaf for leaf in session.leaves() if leaf != own]
    return [[leaf, plain(session.node(leaf).content, 40)] for leaf in others[-MOST_LEAVES:]]
