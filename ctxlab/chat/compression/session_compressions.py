"""The compressions that a session has been through, from the nodes that they left in its tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

from ctxlab.chat.compression.summary_node import generation_of, lineage_of, originals_of
from ctxlab.chat.compression.visible_path import is_stand_in
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode, Session
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "node", "kind", "enabled", "replaced_by", "trigger", "reason", "messages", "stand_ins", "before_tokens",
    "after_tokens", "original_tokens", "summary_tokens", "seconds", "generation", "lineage", "role", "summariser",
    "timestamp", "settings",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PastCompression:
    """A compression as its nodes in a session tell of it; what they don't say is None or empty.

    `kind` is `summary`, or `stand-ins` for one that put shorter copies in the place of single messages and needed no
    summary. `messages` are the ids of the messages that it stands for, those behind earlier summaries included, and
    `stand_ins` the ids of the copies. `before_tokens` and `after_tokens` are those of the whole prompt before any
    budget cut it, `original_tokens` and `summary_tokens` those of the messages and of the summary. `lineage` are the
    ids of the earlier summaries that went into it, `replaced_by` the id of the newest summary that it went into.
    """

    node: str
    kind: Literal["summary", "stand-ins"]
    role: str
    enabled: bool
    text: str
    messages: tuple[str, ...]
    stand_ins: tuple[str, ...]
    trigger: str | None
    reason: str | None
    before_tokens: int | None
    after_tokens: int | None
    original_tokens: int | None
    summary_tokens: int | None
    seconds: float | None
    generation: int
    lineage: tuple[str, ...]
    replaced_by: str | None
    summariser: str | None
    timestamp: str | None
    settings: Mapping[str, Any]
    notes: tuple[str, ...]

    def as_row(self) -> dict[str, Any]:
        """The row of `SessionCompressions.frame`, as plain data."""
        row: dict[str, Any] = {name: getattr(self, name) for name in COLUMNS}
        counts = {"messages": len(self.messages), "stand_ins": len(self.stand_ins)}
        return row | counts | {"lineage": " ".join(self.lineage), "settings": dict(self.settings)}


@dataclass(frozen=True, eq=False)
class SessionCompressions(Sequence[PastCompression]):
    """All compressions of a session, on any branch, in the order of its nodes: a sequence, and a table by `frame`."""

    session: Session
    all: tuple[PastCompression, ...]

    @property
    def summaries(self) -> tuple[PastCompression, ...]:
        """Those that made a summary, without those that only put shorter copies in the place of messages."""
        return tuple(each for each in self.all if each.kind == "summary")

    @cached_property
    def in_force(self) -> tuple[PastCompression, ...]:
        """Those that are switched on and that no newer summary has taken in."""
        return tuple(each for each in self.all if each.enabled and each.replaced_by is None)

    def frame(self) -> pd.DataFrame:
        """One row per compression: node, kind, trigger, tokens before and after, seconds, lineage, settings."""
        return frame_of((each.as_row() for each in self.all), COLUMNS)

    def __len__(self) -> int:
        return len(self.all)

    def __getitem__(self, at: Any) -> Any:
        return self.all[at]

    def __iter__(self) -> Iterator[PastCompression]:
        return iter(self.all)

    def __repr__(self) -> str:
        summaries = counted(len(self.summaries), "summary", "summaries")
        return f"SessionCompressions({self.session.id!r}, {counted(len(self), 'compression')}, {summaries})"

    def _repr_html_(self) -> str:
        def tokens(each: PastCompression) -> str:
            if each.before_tokens is None or each.after_tokens is None:
                return ""
            return f"{each.before_tokens:,} to {each.after_tokens:,}"

        rows = (
            (each.node, each.kind, each.trigger or "", each.reason or "", len(each.messages), tokens(each), each.text)
            for each in self.all
        )
        names = ("node", "kind", "trigger", "reason", "messages", "tokens", "text")
        return heading(self) + html_table(names, rows, of="compressions", most=60)


def session_compressions(session: Session) -> SessionCompressions:
    """The compressions whose nodes are in a session's tree, whichever program made them."""
    groups: dict[str, list[MessageNode]] = {}
    for key, node in session.nodes.items():
        if node.is_summary:
            together = node.meta("compressionId")
            own = isinstance(together, str) and together in session.nodes and session.nodes[together].is_summary
            groups.setdefault(together if own else key, []).append(node)
    newest = _newest_summaries(session)
    return SessionCompressions(session, tuple(_past(session, nodes, newest) for nodes in groups.values()))


def _past(session: Session, nodes: Sequence[MessageNode], newest: Mapping[str, str]) -> PastCompression:
    """The compression of the nodes that were made together; the last that is no copy is its summary."""
    summaries = [node for node in nodes if not is_stand_in(node)]
    copies = [node for node in nodes if is_stand_in(node)]
    node = (summaries or nodes)[-1]
    hidden = [key for each in (summaries or copies) for key in each.hides]
    config = node.meta("compressionConfig")
    settings: object = cast("Mapping[str, Any]", config).get("settings") if isinstance(config, Mapping) else None
    return PastCompression(
        node=node.id,
        kind="summary" if summaries else "stand-ins",
        role=node.role,
        enabled=node.enabled,
        text=node.content,
        messages=tuple(each.id for each in originals_of(session, hidden)),
        stand_ins=tuple(each.id for each in copies),
        trigger=_text(node, "compressionTrigger"),
        reason=_text(node, "compressionReason"),
        before_tokens=_count(node, "compressionTokensBefore"),
        after_tokens=_count(node, "compressionTokensAfter"),
        original_tokens=_count(node, "originalTokenCount"),
        summary_tokens=_count(node, "tokenCount"),
        seconds=_seconds(node),
        generation=generation_of(node) if summaries else 0,
        lineage=lineage_of(node),
        replaced_by=newest.get(node.id),
        summariser=_text(node, "compressionSummariser"),
        timestamp=_text(node, "compressionTimestamp") or node.timestamp,
        settings=cast("Mapping[str, Any]", settings) if isinstance(settings, Mapping) else {},
        notes=_texts(node, "compressionNotes"),
    )


def _newest_summaries(session: Session) -> dict[str, str]:
    """By id of a hidden node, the summary that hides the most of those that hide it and are switched on."""
    found: dict[str, str] = {}
    wide = sorted((n for n in session.nodes.values() if n.is_summary and n.enabled), key=lambda n: len(n.hides))
    for node in wide:
        found |= dict.fromkeys(node.hides, node.id)
    return found


def _text(node: MessageNode, name: str) -> str | None:
    value = node.meta(name)
    return value if isinstance(value, str) else None


def _count(node: MessageNode, name: str) -> int | None:
    value = node.meta(name)
    return value if type(value) is int else None


def _seconds(node: MessageNode) -> float | None:
    value = node.meta("compressionSeconds")
    return float(value) if type(value) in (int, float) else None


def _texts(node: MessageNode, name: str) -> tuple[str, ...]:
    value = node.meta(name)
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list | tuple) else ()
