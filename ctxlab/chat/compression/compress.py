"""Compress a conversation: choose what goes, have it summarised, check what was to be kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ctxlab.chat.compression.compression import Compression, Rebuild
from ctxlab.chat.compression.legal_cuts import LegalCuts, MessageRange
from ctxlab.chat.compression.must_keep import items_of
from ctxlab.chat.compression.settings import TIERS, CompressionSettings
from ctxlab.chat.compression.source_message import source_of
from ctxlab.chat.compression.stand_ins import stand_ins
from ctxlab.chat.compression.summariser import EXTRACTIVE, Summariser, SummaryTask, name_of
from ctxlab.chat.compression.summary_in_parts import Piece, input_limit, summarised_in_parts
from ctxlab.chat.compression.summary_node import Data, free_ids, originals_of
from ctxlab.chat.compression.trigger import Moment, PromptSize, TriggerDecision, should_compress, wants_compression
from ctxlab.chat.compression.visible_path import VisiblePath, is_candidate, is_full_summary
from ctxlab.chat.compression.wanted import Wanted
from ctxlab.display.short_texts import counted
from ctxlab.documents import Note
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace


def compression_of(
    trace: Trace,
    rebuild: Rebuild,
    wanted: Wanted | None = None,
    *,
    settings: CompressionSettings | None = None,
    summariser: Summariser = EXTRACTIVE,
    trigger: Moment = "manual",
    decision: TriggerDecision | None = None,
    clock: Callable[[], float | None] | None = None,
) -> Compression:
    """A preview of compressing the conversation that was built here.

    By hand thresholds don't count. What can't be done is the result's `error`, in one sentence; nothing changes then.
    """
    wanted, settings = wanted or Wanted(), settings or CompressionSettings()
    started = clock() if clock is not None else None
    work = _Work(trace, rebuild, wanted, _with_protected(settings, wanted), summariser, trigger, decision)
    result = work.result()
    ended = clock() if clock is not None else None
    return result if ended is None or started is None else result.with_seconds(round(ended - started, 6))


def compression_if_needed(
    trace: Trace,
    rebuild: Rebuild,
    *,
    settings: CompressionSettings,
    moment: Moment,
    summariser: Summariser = EXTRACTIVE,
    size: PromptSize | None = None,
    timestamp: str | None = None,
    clock: Callable[[], float | None] | None = None,
) -> Compression | None:
    """The compression that the settings want before or after a request; None where they want none.

    The size is that of the build before a budget cut it, unless another is given, such as `PromptSize.remembered`.
    Old reasoning and old tool results are left out first; the summary is made only if that isn't enough.
    """
    path = VisiblePath.of(trace.start.input.session, trace.start.input.leaf_id)
    decision = wants_compression(size or PromptSize.of_run(trace, path), settings)
    if not decision.fires:
        return None
    wanted = Wanted(tiers=settings.tiers, timestamp=timestamp)
    return compression_of(
        trace, rebuild, wanted, settings=settings, summariser=summariser, trigger=moment, decision=decision, clock=clock
    )


@dataclass(frozen=True, slots=True)
class _Work:
    trace: Trace
    rebuild: Rebuild
    wanted: Wanted
    settings: CompressionSettings
    summariser: Summariser
    trigger: Moment
    decision: TriggerDecision | None

    def result(self) -> Compression:
        path = VisiblePath.of(self.trace.start.input.session, self.trace.start.input.leaf_id)
        cuts = LegalCuts(path, self.settings.protect_recent_count, self.settings.keep_exchanges_whole)
        reason = self.decision.reason if self.decision is not None else "asked for"
        plain = Compression(
            self.trace,
            self.rebuild,
            self.settings,
            trigger=self.trigger,
            reason=reason,
            timestamp=self.wanted.timestamp,
            wanted=self.wanted,
            again=self._again,
            writer=name_of(self.summariser),
        )
        tiers = self.wanted.tiers if self.wanted.tiers is not None else ("summary",)
        if not tiers:
            return replace(plain, error="tiers is empty, so nothing may be left out: it takes " + ", ".join(TIERS))
        ids = iter(free_ids(path.session, len(path) + 1))
        copies = tuple(stand_ins(path, tiers, self.settings, before=cuts.last, ids=lambda: next(ids)))
        small = replace(plain, stand_ins=copies)
        if "summary" not in tiers or (copies and self._is_enough(small)):
            return self._worth_it(small if copies else replace(plain, error="no old reasoning or tool result is left"))
        return self._with_summary(plain, path, cuts, copies, next(ids))

    def _with_summary(
        self, plain: Compression, path: VisiblePath, cuts: LegalCuts, copies: Sequence[Data], id: str
    ) -> Compression:
        chosen = self._range(cuts)
        if chosen is None:
            return replace(plain, error=self._why_no_range(cuts))
        nodes = [path.nodes[i] for i in range(chosen.start, chosen.end)]
        gone = tuple(node.id for node in nodes if is_candidate(node))
        folded = tuple(n.id for n in nodes if is_full_summary(n)) if self.settings.fold_summaries else ()
        if len(folded) < 2 and not any(source_of(path.session[key]).text.strip() for key in gone):
            return replace(plain, error="no message in this range has words that could go into a summary")
        hidden = set(gone)
        kept = tuple(copy for copy in copies if copy["parentId"] not in hidden)
        more = self.trigger == "manual" and not self.wanted.has_range and _goes_further(cuts, chosen)
        ids = {"gone": gone, "folded": folded, "summary_id": self.wanted.id or id}
        chosen_as = replace(plain, **ids, stand_ins=kept, more_could_go=more)
        return self._worth_it(self._summarised(chosen_as, _pieces(cuts, chosen)))

    def _summarised(self, plain: Compression, pieces: Sequence[Piece]) -> Compression:
        session, gone, folded = plain.original, plain.gone, plain.folded
        all_sources = tuple(map(source_of, originals_of(session, (*folded, *gone))))
        new_sources = tuple(map(source_of, originals_of(session, gone)))
        wanted = (*self.settings.must_keep, *self.wanted.must_keep)
        items, notes = items_of(wanted, all_sources)
        notes = (*notes, *_notes_on_unsent(self.trace, gone))
        guidance = "\n".join(each for each in (self.settings.guidance, self.wanted.guidance) if each.strip())
        earlier = tuple(session.nodes[key].content for key in folded)
        task = SummaryTask(new_sources, earlier, items, guidance, self.settings)
        answer = summarised_in_parts(task, pieces, self.summariser, self.trace.services.tokenizer.count)
        if answer.parts > 1:
            limit = input_limit(self.summariser, self.settings) or 0
            text = f"the summary was made in {answer.parts:,} parts, as {counted(limit, 'token')} fit into one request"
            notes = (*notes, Note("info", text))
        chosen = replace(plain, items=items, notes=notes)
        if answer.error is not None:
            return replace(chosen, error=answer.error, summariser=name_of(self.summariser))
        done = replace(chosen, summary=answer.text, summariser=name_of(self.summariser))
        return done.with_note_on_size()

    def _again(self, wanted: Wanted) -> Compression:
        """A compression by hand with other wishes; one that was above the hard threshold stays one of everything."""
        if self.decision is not None and self.decision.hard and not wanted.has_range:
            wanted = replace(wanted, everything=True)
        settings = _with_protected(self.settings, wanted)
        return replace(self, wanted=wanted, settings=settings, trigger="manual", decision=None).result()

    def _why_no_range(self, cuts: LegalCuts) -> str:
        """Why there is no range to summarise: of the one that was asked for, or of the conversation."""
        wanted, end = self.wanted, len(cuts.path)
        if wanted.above is not None:
            place, at = f"above {wanted.above!r}", range(cuts.position(wanted.above))
        elif wanted.below is not None:
            place, at = f"below {wanted.below!r}", range(cuts.position(wanted.below) + 1, end)
        elif wanted.first is not None or wanted.last is not None:
            start, last = sorted((cuts.position(wanted.first or 0), cuts.position(wanted.last or end - 1)))
            place, at = "in this range", range(start, last + 1)
        elif not (self.settings.compress_count or wanted.everything):
            return "compress_count is 0, so no message goes into a summary: raise it"
        else:
            return _nothing_to_compress(cuts)
        candidates = [i for i in at if is_candidate(cuts.path.nodes[i])]
        if not candidates:
            return f"no message {place} could go into a summary"
        if candidates[0] >= cuts.last:
            return f"the messages {place} are among the newest, which stay as they are (protect_recent_count)"
        return f"no whole exchange {place} is before the messages that stay as they are: see legal_cuts()"

    def _range(self, cuts: LegalCuts) -> MessageRange | None:
        """The range that is wanted, at legal cuts."""
        path, wanted = cuts.path, self.wanted
        if not path.nodes:
            return None
        end = len(path) - 1
        if wanted.everything or (self.decision is not None and self.decision.hard):
            return cuts.snap(0, end)
        if wanted.above is not None:
            at = cuts.position(wanted.above)
            return cuts.snap(0, at - 1, to="inside") if at > 0 else None
        if wanted.below is not None:
            at = cuts.position(wanted.below)
            return cuts.snap(at + 1, end, to="inside") if at < end else None
        if wanted.first is not None or wanted.last is not None:
            return cuts.snap(wanted.first or 0, wanted.last or end)
        return cuts.oldest(self.settings.compress_count)

    def _is_enough(self, compression: Compression) -> bool:
        """Whether what was left out without a model takes the prompt below the thresholds."""
        path = VisiblePath.of(compression.session, compression.leaf)
        after = should_compress(PromptSize.of(compression.uncut_after_tokens, path), self.settings)
        return not after.fires and self._gain_is_enough(compression)

    def _gain_is_enough(self, compression: Compression) -> bool:
        least = 1 if self.decision is not None and self.decision.hard else max(1, self.settings.least_gain)
        return compression.gained_tokens >= least

    def _worth_it(self, compression: Compression) -> Compression:
        """The compression; by itself none happens that saves nothing, or less than the least gain."""
        if compression.error is not None or self.trigger == "manual" or self._gain_is_enough(compression):
            return compression
        saved = counted(max(0, compression.gained_tokens), "token")
        return replace(compression, error=f"it would save {saved}; least_gain is {self.settings.least_gain:,}")


def _with_protected(settings: CompressionSettings, wanted: Wanted) -> CompressionSettings:
    """The settings with the number of protected messages that is wished for."""
    return settings if wanted.protect is None else settings.model_copy(update={"protect_recent_count": wanted.protect})


def _goes_further(cuts: LegalCuts, chosen: MessageRange) -> bool:
    """Whether a range of everything would be longer."""
    whole = cuts.snap(0, len(cuts.path) - 1)
    return whole is not None and len(whole) > len(chosen)


def _pieces(cuts: LegalCuts, chosen: MessageRange) -> list[Piece]:
    """The messages of a range that go into its summary, by the legal cuts inside it and by what goes together."""
    nodes, session = cuts.path.nodes, cuts.path.session
    ends = [at for at in cuts.legal if chosen.start < at <= chosen.end]
    pieces: list[Piece] = []
    for start, end in zip([chosen.start, *ends], ends, strict=False):
        groups = [
            [
                source_of(node)
                for node in originals_of(session, [nodes[i].id for i in unit.at if is_candidate(nodes[i])])
            ]
            for unit in cuts.path.units
            if start <= unit.at[0] < end
        ]
        pieces += [[group for group in groups if group]] if any(groups) else []
    return pieces


def _notes_on_unsent(trace: Trace, gone: Sequence[str]) -> Iterator[Note]:
    """A note where messages that go were left out by a step, so that the tokens before are without them."""
    keys = {f"node:{key}" for key in gone}
    counts = Counter[str]()
    for dropped in trace.result.dropped:
        counts[dropped.cause.processor] += sum(draft.key in keys for draft in dropped.drafts)
    for processor, count in counts.items():
        if count:
            messages = counted(count, "message")
            yield Note("info", f"{messages} of those that go had been left out by {processor} already")


def _nothing_to_compress(cuts: LegalCuts) -> str:
    """Why no range is left, and what can be done about it."""
    candidates = sum(map(is_candidate, cuts.path.nodes))
    if not candidates:
        return "there is no message that could go into a summary"
    if candidates <= cuts.protect:
        protected = f"the newest {counted(cuts.protect, 'message')} stay as they are"
        return f"{protected}, and there are no older ones: lower protect_recent_count"
    if any(cut.why_not == "inside an exchange" and cut.at <= cuts.last for cut in cuts.cuts):
        remedy = "lower protect_recent_count, or set keep_exchanges_whole to False"
        return f"no exchange ends before the messages that stay as they are: {remedy}"
    return "there is no place where this range could be cut: see legal_cuts()"
