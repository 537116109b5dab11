"""The context of one node taken apart: messages and their parts by source, with tokens and shares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ctxlab.display.data_frame import frame_of
from ctxlab.display.source_styles import PARTS, ROOM
from ctxlab.documents import Agent, MessageNode, ModelProfile, Note
from ctxlab.engines.truncation import BudgetReport
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.processors import TokenLimiter
from ctxlab.prompt import JoinedMessage
from ctxlab.studies.message_outcomes import typed

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "key",
    "number",
    "role",
    "source",
    "kind",
    "id",
    "placed",
    "tokens",
    "share",
    "characters",
    "note",
    "text",
    "original",
)
HISTORY = ("node", "pending", "summary")


@dataclass(frozen=True, slots=True, eq=False)
class AnalysisRow:
    """One row of the structure: a message or a part of one, then joins, wire format and tools."""

    key: str
    number: int | None
    role: str
    source: str
    kind: str
    id: str
    placed: str
    tokens: int
    characters: int
    note: str = ""
    text: str = ""
    original: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """The context of one node, taken apart; every figure is of `trace`, and `structure` adds up to its tokens."""

    trace: Trace
    node: MessageNode | None

    def __repr__(self) -> str:
        agent, model = self.agent, self.model
        of = f"{self.node.id!r}" if self.node else "no node"
        by = f"agent {agent.name!r}" if agent else "no agent"
        name = f"model {model.id!r}" if model else "no model"
        return f"Analysis({of}, {by}, {name}: {len(self.trace.result.drafts)} messages, {self.trace.tokens:,} tokens)"

    def _repr_html_(self) -> str:
        from ctxlab.studies.html import analysis_html

        return analysis_html(self)

    @property
    def agent(self) -> Agent | None:
        return self.trace.start.input.agent

    @property
    def model(self) -> ModelProfile | None:
        return self.trace.start.input.model

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes of the run, for example that the agent named by the node is missing."""
        return self.trace.result.notes

    @property
    def request(self) -> list[dict[str, Any]]:
        """The messages as they go over the wire, without where they come from and what they cost."""
        return [
            {name: value for name, value in message.items() if name not in ("source", "tokens")}
            for message in self.trace.messages
        ]

    def structure(self) -> pd.DataFrame:
        """One row a message or part of one, then joins, wire format and tools; tokens add up to all.

        `number` counts what is sent from 1; parts of one message share it. `share` is of all tokens, in [0, 1].
        `note` says what replaced which words, `original` what stood there before, None where nothing did.
        """
        whole = max(1, self.trace.tokens)
        rows = [
            {name: piece.tokens / whole if name == "share" else getattr(piece, name) for name in COLUMNS}
            for piece in self.pieces()
        ]
        return frame_of(rows, COLUMNS).astype({"number": "Int64"})

    def shares(self) -> pd.DataFrame:
        """Tokens and characters by source, as `trace.budget()` has them, with their shares in [0, 1]."""
        prompt = self.trace.prompt
        there = {*prompt.tokens_by_source, *prompt.characters_by_source}.difference(ROOM)
        sources = [source for source in PARTS if source in there]
        tokens, characters = (
            [counts.get(source, 0) for source in sources]
            for counts in (prompt.tokens_by_source, prompt.characters_by_source)
        )
        rows = (
            (source, n, m, n / max(1, sum(tokens)), m / max(1, sum(characters)))
            for source, n, m in zip(sources, tokens, characters, strict=True)
        )
        columns = ("source", "tokens", "characters", "share", "characters_share")
        return frame_of((dict(zip(columns, row, strict=True)) for row in rows), columns)

    @property
    def statistics(self) -> dict[str, Any]:
        """Totals, the split between presets, lore and history, and what was cut; None where there is no budget."""
        pieces, trace = list(self.pieces()), self.trace
        report = trace.result.report(BudgetReport)
        groups = trace.result.dropped
        counter = trace.services.tokenizer
        presets = [piece for piece in pieces if piece.kind == "preset"]
        lore = [piece for piece in pieces if piece.kind == "lore"]
        history = [piece for piece in pieces if piece.kind in HISTORY]
        return {
            "messages": len(trace.result.drafts),
            "tokens": trace.tokens,
            "characters": sum(len(draft.text) for draft in trace.result.drafts),
            "preset_tokens": sum(piece.tokens for piece in presets),
            "preset_characters": sum(piece.characters for piece in presets),
            "lore_tokens": sum(piece.tokens for piece in lore),
            "lore_characters": sum(piece.characters for piece in lore),
            "history_tokens": sum(piece.tokens for piece in history),
            "history_characters": sum(piece.characters for piece in history),
            "cut_messages": sum(len(group.drafts) for group in groups if group.needed is not None),
            "left_out_messages": sum(len(group.drafts) for group in groups if group.needed is None),
            "shortened_messages": report.shortened if report else 0,
            "saved_tokens": self._saved(),
            "budget": report.budget_tokens if report else None,
            "strategy": report.strategy if report else None,
            "tokenizer": counter.name,
            "estimated": trace.estimated,
        }

    def pieces(self) -> Iterator[AnalysisRow]:
        """The rows of the structure."""
        prompt = self.trace.prompt
        for number, message in enumerate(prompt.messages, 1):
            for part in message.joined:
                yield _row(part, number)
        frames = sum(message.overhead for message in prompt.messages)
        merged = [message for message in prompt.messages if message.draft.merged]
        joined = [len(message.draft.text) - sum([len(part.text) for part in message.joined]) for message in merged]
        rest = (
            ("seams", "joins of messages", sum([message.joins for message in merged]), sum(joined)),
            ("overhead", "wire format", frames + prompt.overhead_tokens, 0),
            ("tools", "tool definitions", prompt.tools_tokens, 0),
        )
        for source, what, tokens, characters in rest:
            if tokens or characters:
                yield AnalysisRow(what, None, "", source, source, "", "", tokens, characters)

    def _saved(self) -> int:
        """Tokens that the limiter took away, by cutting and by shortening."""
        limiters = [step for step in self.trace.steps if step.id == TokenLimiter.id]
        return sum(self.trace.tokens_of(step.before) - self.trace.tokens_of(step.after) for step in limiters)


def _row(part: JoinedMessage, number: int) -> AnalysisRow:
    rewritten = any(span.was for span in part.text.spans)
    causes = dict.fromkeys(str(span.cause) for span in part.text.spans if span.cause)
    return AnalysisRow(
        key=part.key,
        number=number,
        role=part.role,
        source=part.source,
        kind=part.origin.kind,
        id=part.origin.ref,
        placed=part.placed,
        tokens=part.tokens,
        characters=len(part.text),
        note="; ".join(causes),
        text=str(part.text),
        original=typed(part.text) if rewritten else None,
    )


def analysis_of(trace: Trace, node: str | None = None) -> Analysis:
    """The analysis of a run; `node` is the one that it was built for (default: the leaf of its input)."""
    build_input = trace.start.input
    if node is None or node == build_input.leaf_id:  # of a broken tree it may be gone
        return Analysis(trace, build_input.session.nodes.get(build_input.leaf_id or ""))
    return Analysis(trace, build_input.session.node(node))
