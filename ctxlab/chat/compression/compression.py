"""A compression of a conversation as a preview: what goes, what it saves, what the summary says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.compression.must_keep import MustKeep, WantedItem, all_items
from ctxlab.chat.compression.prefix_loss import PrefixLoss, prefix_loss
from ctxlab.chat.compression.settings import CompressionSettings
from ctxlab.chat.compression.source_message import source_of
from ctxlab.chat.compression.summary_node import (
    Data,
    fingerprints_of,
    generation_of,
    last_on_path,
    lineage_of,
    node_fields,
    originals_of,
    with_metadata,
    with_summary_nodes,
)
from ctxlab.chat.compression.trigger import Moment
from ctxlab.chat.compression.uncut_prompt import uncut_tokens
from ctxlab.chat.compression.wanted import Wanted, refuse_contradictions
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import fields_table, heading, html_table, lines
from ctxlab.display.short_texts import counted, cut_off, short
from ctxlab.display.views import shown_as
from ctxlab.documents import History, MessageNode, Note, Session
from ctxlab.engines.compression import CheckedFact, CompressionReport, SourceText, compression_report
from ctxlab.errors import Refused, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.failures import ProcessorFailed

if TYPE_CHECKING:
    import pandas as pd

Rebuild: TypeAlias = Callable[[Session, str | None], Trace]
"""Builds the context of a session and a leaf as the one before was built."""
Again: TypeAlias = "Callable[[Wanted], Compression]"
"""A compression of the same conversation with other wishes."""

OF_SIZE = "ofSize"
LITTLE = 0.05
"""Share of the prompt's tokens below which a compression saves little."""
ROW = (
    "trigger", "reason", "messages", "folded", "stand_ins", "before_tokens", "after_tokens", "saved_tokens",
    "uncut_before_tokens", "uncut_after_tokens", "summary_tokens", "prefix_kept", "prefix_lost", "lost_items",
    "generation", "lineage", "summariser", "seconds", "error",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Compression:
    """A preview of a compression, to be looked at and edited; `session` is the conversation after it.

    `gone` are the ids of the messages that go into the summary, `folded` those of earlier summaries that do. In
    `stand_ins` are the nodes that take the place of single messages. With an `error` nothing changes. The session
    that it was made for isn't touched by anything.
    """

    before: Trace = field(repr=False)
    rebuild: Rebuild = field(repr=False)
    settings: CompressionSettings = field(repr=False)
    summary: str = ""
    summary_id: str = ""
    gone: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    stand_ins: tuple[Data, ...] = ()
    items: tuple[WantedItem, ...] = ()
    trigger: Moment = "manual"
    reason: str = ""
    summariser: str = ""
    error: str | None = None
    notes: tuple[Note, ...] = ()
    timestamp: str | None = None
    seconds: float | None = None
    wanted: Wanted | None = field(default=None, repr=False)
    again: Again | None = field(default=None, repr=False)
    more_could_go: bool = field(default=False, repr=False)
    """Whether no range was asked for and there are more messages that could go."""
    writer: str = ""
    """The name of the summariser that `again` asks, also after the summary was written by hand."""

    def __repr__(self) -> str:
        if self.error is not None:
            return f"Compression(nothing changes: {short(self.error, 120)})"
        parts = [counted(len(self.gone), "message")] if self.gone else []
        parts += [counted(len(self.folded), "earlier summary", "earlier summaries")] if self.folded else []
        parts += [counted(len(self.stand_ins), "stand-in")] if self.stand_ins else []
        return f"Compression({', '.join(parts)}, {self.before_tokens:,} to {counted(self.after_tokens, 'token')})"

    # --- the conversation before and after

    @property
    def original(self) -> Session:
        """The session as it was."""
        return self.before.start.input.session

    @property
    def changes_nothing(self) -> bool:
        return self.error is not None or not self._bare_nodes

    @cached_property
    def nodes(self) -> tuple[Data, ...]:
        """The fields of the nodes that are new, in the file's names, in the order in which they are put in."""
        marks = self._marks() if self._bare_nodes else {}
        return tuple(with_metadata(node, marks) for node in self._bare_nodes)

    @cached_property
    def session(self) -> Session:
        """The session with the summary in place of what it hides; the original one where there is an error."""
        return with_summary_nodes(self.original, self.nodes)

    @cached_property
    def leaf(self) -> str | None:
        """The leaf after it: the summary's node where that hides the leaf itself."""
        leaf = self.before.start.input.leaf_id
        below = {node["parentId"]: node["id"] for node in self._bare_nodes}
        return below.get(leaf, leaf)

    @cached_property
    def after(self) -> Trace:
        """The context built from the conversation after it; where a step refuses, as far as it came.

        Its session is `session` but for the figures that the new nodes have from this run.
        """
        if self.changes_nothing:
            return self.before
        try:
            return self.rebuild(with_summary_nodes(self.original, self._bare_nodes), self.leaf)
        except ProcessorFailed as failed:
            if failed.trace is None:
                raise
            return failed.trace

    @checked_arguments
    def applied(self, history: History | None = None) -> Session:
        """The session after it, recorded as a step of the history, so that it can be undone.

        Raises Refused where nothing would change, and where the history is at another session.
        """
        if self.changes_nothing:
            raise Refused(f"nothing is compressed: {self.error or 'there is no summary'}")
        if history is None:
            return self.session
        if history.session != self.original:
            raise Refused("the history has gone on since this was previewed: compress its session anew")
        return history.record(self.session, "compress", target=str(self.nodes[-1]["id"]))

    # --- the summary

    @checked_arguments
    def with_summary(self, text: str) -> Compression:
        """The compression with another text for its summary; an error of the summariser is gone with it.

        Raises WrongArgument for a blank text, Refused where no messages would go.
        """
        if not text.strip():
            raise WrongArgument("a summary has words: a blank text can't stand for messages", function="with_summary")
        if not self.gone and not self.folded:
            raise Refused("there is no range to summarise: compress() takes first=, last=, above=, below=, everything=")
        return replace(self, summary=text.strip(), error=None, summariser="by hand").with_note_on_size()

    @checked_arguments
    def with_range(
        self,
        first: str | None = None,
        last: str | None = None,
        *,
        above: str | None = None,
        below: str | None = None,
        everything: bool = False,
    ) -> Compression:
        """A compression of other messages with the same wishes and the same summariser, which writes anew.

        From `first` to `last`, all `above` or `below` one, by ids, or `everything`. Raises UnknownNode where one of
        them isn't on the path.
        """
        wanted = self._wanted()
        tiers = wanted.tiers if wanted.tiers is None or "summary" in wanted.tiers else (*wanted.tiers, "summary")
        return self._anew(
            replace(wanted, first=first, last=last, above=above, below=below, everything=everything, tiers=tiers)
        )

    @checked_arguments
    def with_wishes(
        self,
        *,
        must_keep: MustKeep | Sequence[MustKeep] | None = None,
        guidance: str | None = None,
        protect: int | None = None,
    ) -> Compression:
        """A compression with other items to keep, other guidance or another number of protected messages, `protect`.

        The summary is written anew; what isn't named stays as it was. Raises WrongArgument for a blank item.
        """
        wanted = self._wanted()
        items = wanted.must_keep if must_keep is None else all_items(must_keep)
        words = wanted.guidance if guidance is None else guidance
        kept = wanted.protect if protect is None else protect
        return self._anew(replace(wanted, must_keep=items, guidance=words, protect=kept))

    @checked_arguments
    def with_notes(self, notes: Sequence[Note]) -> Compression:
        """The compression with further notes, such as those on its settings."""
        if not notes:
            return self
        again = self.again

        def noted(wanted: Wanted) -> Compression:
            assert again is not None
            return again(wanted).with_notes(notes)

        made = replace(self, notes=(*notes, *self.notes), again=noted if again is not None else None)
        return self._sharing_run(made)

    @checked_arguments
    def with_seconds(self, seconds: float) -> Compression:
        """The compression with the time that it took."""
        return self._sharing_run(replace(self, seconds=seconds))

    def with_note_on_size(self) -> Compression:
        """The compression with a note where its summary saves nothing, or little of a long prompt."""
        notes = tuple(note for note in self.notes if OF_SIZE not in note.details)
        replaced = sum(self._count(source_of(self.original.nodes[key]).text) for key in (*self.folded, *self.gone))
        size = self._count(self.summary)
        text = f"the summary has {counted(size, 'token')}, the messages that it replaces have {replaced:,}"
        if size >= replaced:
            notes = (*notes, Note("warning", text, details={OF_SIZE: True}))
        elif self.more_could_go and replaced - size < LITTLE * self.before_tokens:
            text += (
                f" of the prompt's {self.before_tokens:,}, and a prompt cache of all that comes behind it is lost: "
                "everything=True or a greater compress_count puts more messages behind it"
            )
            notes = (*notes, Note("info", text, details={OF_SIZE: True}))
        return replace(self, notes=notes)

    @property
    def lost(self) -> tuple[CheckedFact, ...]:
        """The items that had to be kept and of which the summary has nothing, or a part."""
        return tuple(fact for fact in self._demanded if fact.state != "kept")

    def report(self) -> CompressionReport:
        """Every rule, decision, number, name, date and quotation of the originals, and what the summary has of it."""
        if not self.summary:
            raise Refused(f"there is no summary to look at: {self.error or 'no messages were summarised'}")
        return self._report

    @property
    def hides(self) -> tuple[str, ...]:
        """Ids of all nodes that the summary stands for: the messages, earlier summaries, and what those stood for."""
        found: dict[str, None] = {}
        nodes = self.original.nodes
        for key in sorted((*self.folded, *self.gone), key=self._place.__getitem__):
            found |= dict.fromkeys((*(nodes[key].hides if nodes[key].is_summary else ()), key))
        return tuple(found)

    @property
    def originals(self) -> list[MessageNode]:
        """The messages that the summary stands for, those behind earlier summaries included, oldest first."""
        return originals_of(self.original, self.hides)

    @property
    def generation(self) -> int:
        """Number of times that messages behind the summary were summarised; 1 for a summary of messages alone."""
        nodes = self.original.nodes
        return 1 + max((generation_of(nodes[key]) for key in self.folded), default=0)

    @property
    def lineage(self) -> tuple[str, ...]:
        """Ids of the earlier summaries that are folded in, oldest first, with those folded into them."""
        nodes = self.original.nodes
        return tuple(dict.fromkeys(old for key in self.folded for old in (*lineage_of(nodes[key]), key)))

    # --- what it costs

    @cached_property
    def before_tokens(self) -> int:
        """Tokens of the whole prompt that is sent before, tools and system included."""
        return self.before.tokens

    @cached_property
    def after_tokens(self) -> int:
        """Tokens of the whole prompt that is sent after it."""
        return self.after.tokens

    @property
    def saved_tokens(self) -> int:
        """Tokens that fewer are sent."""
        return self.before_tokens - self.after_tokens

    @cached_property
    def uncut_before_tokens(self) -> int:
        """Tokens of the whole prompt before, with what a budget cut out of it: thresholds go by these."""
        return uncut_tokens(self.before)

    @cached_property
    def uncut_after_tokens(self) -> int:
        """Tokens of the whole prompt after it, with what a budget cut out of it."""
        return uncut_tokens(self.after)

    @property
    def gained_tokens(self) -> int:
        """Tokens by which the prompt is shorter before a budget cuts it; the least gain goes by these."""
        return self.uncut_before_tokens - self.uncut_after_tokens

    @cached_property
    def prefix(self) -> PrefixLoss:
        """Tokens of the prompt that stay as they were from its start, for a vendor's cache, and those that don't."""
        return prefix_loss(self.before, self.after)

    # --- shown

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        return shown_as("compression", self)

    def frame(self) -> pd.DataFrame:
        """One row: trigger, tokens before and after, the cache's prefix, lost items, generation, lineage."""
        return frame_of([self.as_row()], ROW)

    def as_row(self) -> dict[str, Any]:
        """The row of `frame`, as plain data."""
        values = (
            self.trigger, self.reason, len(self.gone), len(self.folded), len(self.stand_ins), self.before_tokens,
            self.after_tokens, self.saved_tokens, self.uncut_before_tokens, self.uncut_after_tokens,
            self._count(self.summary), self.prefix.kept_tokens, self.prefix.lost_tokens, len(self.lost),
            self.generation if self.summary else 0, " ".join(self.lineage), self.summariser, self.seconds, self.error,
        )  # fmt: skip
        return dict(zip(ROW, values, strict=True))

    def _repr_html_(self) -> str:
        rows = [
            (key, self.original[key].role, short(self.original[key].content, 80)) for key in (*self.folded, *self.gone)
        ]
        fields = {
            "why": self.reason,
            "tokens": f"{self.before_tokens:,} to {self.after_tokens:,}, {self.saved_tokens:,} saved",
            **({} if self.changes_nothing else {"cache": str(self.prefix)}),
            "summary": cut_off(self.summary, 400),
        }
        notes = [_in_words(fact) for fact in self.lost] + [note.text for note in self.notes]
        return heading(self) + fields_table(fields) + html_table(("id", "role", "goes"), rows) + lines(notes)

    # --- inside

    def _wanted(self) -> Wanted:
        if self.wanted is None or self.again is None:
            raise Refused("this compression can't be made anew: compress() takes first= and last=")
        return self.wanted

    def _anew(self, wanted: Wanted) -> Compression:
        assert self.again is not None
        refuse_contradictions(wanted)
        return self.again(wanted)

    @cached_property
    def _bare_nodes(self) -> tuple[Data, ...]:
        """The new nodes without the figures of the run after them."""
        if self.error is not None:
            return ()
        return (*self.stand_ins, *([self._summary_node()] if self.summary else []))

    def _marks(self) -> dict[str, Any]:
        """Metadata that all new nodes share: one compression, why it was made, the prompt's tokens before and after."""
        marks: dict[str, Any] = {
            "compressionId": self._bare_nodes[-1]["id"],
            "compressionTrigger": self.trigger,
            "compressionReason": self.reason,
            "compressionTokensBefore": self.uncut_before_tokens,
            "compressionTokensAfter": self.uncut_after_tokens,
        }
        if self.seconds is not None and self.trigger != "manual":  # by hand the session is the same each time
            marks["compressionSeconds"] = self.seconds
        if self.notes:
            marks["compressionNotes"] = [note.text for note in self.notes]
        return marks

    def _sharing_run(self, other: Compression) -> Compression:
        """Another compression of the same messages, which isn't built again."""
        if "after" in self.__dict__:
            other.__dict__["after"] = self.after
        return other

    @cached_property
    def _report(self) -> CompressionReport:
        sources = [SourceText(each.id, each.role, each.text) for each in map(source_of, self.originals)]
        return compression_report(sources, self.summary, must_keep=[item.for_report for item in self.items])

    @cached_property
    def _demanded(self) -> tuple[CheckedFact, ...]:
        """The items that had to be kept and that some message has, worst first."""
        if not self.summary or not self.items:
            return ()
        return tuple(f for f in self._report.facts if f.kind == "must-keep" and f.source is not None)

    @cached_property
    def _place(self) -> Mapping[str, int]:
        return {node.id: i for i, node in enumerate(self.original.path(self.before.start.input.leaf_id))}

    def _count(self, text: str) -> int:
        return self.before.services.tokenizer.count(text) if text else 0

    def _summary_node(self) -> Data:
        whole = self.original.path(self.before.start.input.leaf_id)
        hides, originals, settings = self.hides, self.originals, self.settings
        thresholds = {"tokenThreshold": settings.token_threshold, "countThreshold": settings.count_threshold}
        config = {"triggerMode": settings.trigger_mode, "thresholds": thresholds, "summaryRole": settings.summary_role}
        metadata: dict[str, Any] = {
            "isCompressionNode": True,
            "compressedNodeIds": list(hides),
            "compressedFingerprints": fingerprints_of(self.original, (*self.folded, *self.gone)),
            "originalTokenCount": sum(map(self._tokens_of, originals)),
            "originalMessageCount": len(originals),
            "compressionConfig": {**config, "settings": settings.to_data()},
            "tokenCount": self._count(self.summary),
            "compressionKind": "summary",
            "compressionGeneration": self.generation,
            "compressionLineage": list(self.lineage),
            "compressionSummariser": self.summariser,
        }
        if self.timestamp is not None:
            metadata["compressionTimestamp"] = self.timestamp
        if any(node.meta("reasoningArtifacts") for node in originals):
            metadata["reasoningStateStatus"] = "broken"
            metadata["reasoningStateWarning"] = "messages behind this summary had reasoning of a vendor's own"
        parent = last_on_path(whole, hides)
        fields = node_fields(self.summary_id, parent, settings.summary_role, self.summary, metadata)
        return fields if self.timestamp is None else {**fields, "timestamp": self.timestamp}

    def _tokens_of(self, node: MessageNode) -> int:
        known = node.meta("tokenCount")
        return known if type(known) is int else self._count(node.content)


def _in_words(fact: CheckedFact) -> str:
    where = f"it stands in {fact.source}, characters {fact.start} to {fact.end}"
    return f"{fact.state}: {short(fact.text, 60)!r}; {where}"
