"""Session variables: tags in messages write them, places in messages show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Literal, cast

from pydantic import Field

from ctxlab.context import Cause, Context, Draft, Edit, Origin, Text
from ctxlab.documents import Agent, ModelProfile, Note, ProcessorEntry
from ctxlab.documents.session.metadata_not_copied import SNAPSHOT
from ctxlab.engines.variables import Definitions, Replay, Tags, definitions_of, readings, tags_in
from ctxlab.engines.variables.report import SessionVariables, VariableWrite, VariableWrites
from ctxlab.engines.variables.variable_references import BEGIN
from ctxlab.errors import did_you_mean
from ctxlab.pipeline import Processor, ProcessorSettings, Services

ID = "variable-processor"

HISTORY = ("node", "summary", "pending")
SUMMARISED = "summarised"
MOST_UNKNOWN = 5
"""Paths of no variable that get a note each."""


class VariableProcessor(Processor):
    """Replay the tags of the messages into values, and put the values where messages name them."""

    id = ID
    name = "Session variables"
    description = "Follows what <svar …/> tags write, message by message, and puts values in the place of $[path]."
    priority = 350
    aliases = ("primary:variable-processor",)
    needs = ("history",)

    class Settings(ProcessorSettings):
        keep_tags: bool = Field(True, title="Keep tags", description="Send <svar …/> tags as they were written.")
        compat: Literal["ctxlab", "reference"] = Field(
            "ctxlab",
            title="Rules",
            description="reference reads attributes, divides by 0 and shows panels as the reference program does.",
        )

    settings: Settings

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        if not isinstance(stored, Agent) or stored.variable_config is None:
            return None
        return ProcessorEntry(id=cls.id, enabled=stored.variable_config.get("enabled") is True)

    def __call__(self, ctx: Context, services: Services) -> Context:
        agent = ctx.input.agent
        if agent is None or not agent.variable_config or agent.variable_config.get("enabled") is not True:
            return ctx
        return _Run(ctx, definitions_of(agent.variable_config), self.settings).result()


class _Run:
    """One walk over the messages: each writes, then shows what it has come to."""

    def __init__(self, ctx: Context, definitions: Definitions, settings: VariableProcessor.Settings) -> None:
        self.ctx = ctx
        self.settings = settings
        self.definitions = definitions
        self.fold = Replay(definitions, compat=settings.compat)
        self.written: list[VariableWrite] = []
        self.notes = [Note("warning", problem, ID) for problem in definitions.problems]
        self.unknown: dict[str, str] = {}
        self.hidden = _Hidden(ctx)

    def result(self) -> Context:
        drafts = list(self.ctx.drafts)
        # Messages before the history only write at first: reads in them show the final values, so they are rendered
        # after the history was replayed, which renders each message with the values up to it.
        head = self._head(drafts)
        tags = [self._write(draft) for draft in drafts[:head]]
        after = [self._shown(draft, self._write(draft)) for draft in drafts[head:]]
        self._fold_hidden(self.hidden.rest())
        before = [self._shown(draft, found) for draft, found in zip(drafts, tags, strict=False)]
        ctx = self.ctx.arrange([*before, *after])
        if ctx is self.ctx and not (self.written or self.notes or self.definitions.by_path):
            return ctx
        ctx = ctx.put(VariableWrites(tuple(self.written))).put(SessionVariables(self.fold.values))
        return ctx.noted([*self.notes, *self._unknown_noted()])

    def _head(self, drafts: Sequence[Draft]) -> int:
        """Number of messages before the history: panels among them show the final values."""
        if self.settings.compat == "reference":
            return 0
        return next((n for n, draft in enumerate(drafts) if draft.origin.kind in HISTORY), len(drafts))

    # --- writing

    def _write(self, draft: Draft) -> Tags:
        self._fold_hidden(self.hidden.before(draft))
        tags = tags_in(str(draft.text), compat=self.settings.compat)
        if draft.origin.kind == "summary":
            if self.hidden.all_there(draft):
                return tags  # it can only repeat what the messages themselves have written
            self._resume(draft)
        if tags.found or tags.problems:
            self._fold(draft.key, tags)
        elif draft.origin.kind == "node" and (node := self.ctx.input.session.nodes.get(draft.origin.ref)):
            # A rule that keeps tags from the model doesn't undo what they wrote.
            self._fold(draft.key, tags_in(node.content, compat=self.settings.compat))
        return tags

    def _resume(self, summary: Draft) -> None:
        kept = self.hidden.snapshot(summary)
        if kept is not None:
            self.fold.resume(kept)
            text = f"{summary.key}: messages that it stands for are not there; the values kept with it are taken"
            self.notes.append(Note("info", text, ID, {"message": summary.key}))

    def _fold_hidden(self, hidden: Iterator[tuple[str, str]]) -> None:
        for node, text in hidden:
            self._fold(f"node:{node}", tags_in(text, compat=self.settings.compat))

    def _fold(self, key: str, tags: Tags) -> None:
        changes = self.fold.write(tags.found)
        self.written += [VariableWrite(key, change) for change in changes]
        problems = [f"{problem}; it is passed over" for problem in tags.problems]
        problems += [f"{of.path!r} keeps its value: {of.problem}" for of in changes if of.problem]
        if problems:
            more = f" (and {len(problems) - 1} more like it)" if len(problems) > 1 else ""
            self.notes.append(Note("warning", f"{key}: {problems[0]}{more}", ID, {"message": key}))

    # --- showing

    def _shown(self, draft: Draft, tags: Tags) -> Draft:
        if self.settings.keep_tags and BEGIN not in str(draft.text):
            return draft
        body = tuple([self._with_values(part, draft, tags) if isinstance(part, Text) else part for part in draft.body])
        if all(new is old for new, old in zip(body, draft.body, strict=True)):
            return draft
        return replace(draft, body=body)

    def _with_values(self, text: Text, draft: Draft, tags: Tags) -> Text:
        whole = str(text)
        edits: list[Edit] = []
        gone: list[tuple[int, int]] = []
        if not self.settings.keep_tags:
            own = tags if len(draft.body) == 1 else tags_in(whole, compat=self.settings.compat)
            gone = [(tag.start, tag.end) for tag in own.found]
            edits = [Edit(start, end, "", Cause(ID, "tags", "tags are not sent")) for start, end in gone]
        found = readings(whole, self.definitions, self.fold.values, compat=self.settings.compat)
        for reading in found:
            if reading.text is None:
                self.unknown.setdefault(reading.path, draft.key)
            elif not any(start <= reading.start < end for start, end in gone):
                cause = Cause(ID, "value", f"the value of {reading.path} after {self._when(draft)}")
                origin = Origin("variable", reading.path)
                edits.append(Edit(reading.start, reading.end, reading.text, cause, origin))
        return text.splice(sorted(edits, key=lambda edit: edit.start))

    def _when(self, draft: Draft) -> str:
        return "the newest message" if draft.origin.kind not in HISTORY else "this message"

    def _unknown_noted(self) -> Iterator[Note]:
        known = list(self.definitions.by_path)
        for path, key in islice(self.unknown.items(), MOST_UNKNOWN):
            text = f"{key}: $[{path}] names no variable and stays as it is{did_you_mean(path, known)}"
            yield Note("info", text, ID, {"message": key, "path": path})
        if len(self.unknown) > MOST_UNKNOWN:
            yield Note("info", f"{len(self.unknown) - MOST_UNKNOWN} more places name no variable", ID)


class _Hidden:
    """Messages that summaries stand for: what they wrote stays written, as long as they are there to be read."""

    def __init__(self, ctx: Context) -> None:
        groups = [group for group in ctx.dropped if group.cause.rule == SUMMARISED]
        texts = {draft.origin.ref: str(draft.text) for group in groups for draft in group.drafts}
        summaries = {draft.origin.ref for draft in ctx.drafts if draft.origin.kind == "summary"}
        path = ctx.input.session.path(ctx.input.leaf_id) if texts or summaries else ()
        self._texts = {str(node.id): texts[node.id] for node in path if node.id in texts}
        self._place = {str(node.id): n for n, node in enumerate(path)}
        self._summaries = {str(node.id): node for node in path if node.id in summaries}

    def before(self, draft: Draft) -> Iterator[tuple[str, str]]:
        """The hidden messages up to here that were not handed out yet."""
        here = self._place.get(draft.origin.ref, -1) if self._texts and draft.origin.kind in HISTORY else -1
        while self._texts and self._place[first := next(iter(self._texts))] < here:
            yield first, self._texts.pop(first)

    def rest(self) -> Iterator[tuple[str, str]]:
        return iter(self._texts.items())

    def all_there(self, summary: Draft) -> bool:
        """Whether all that a summary stands for stands on the path."""
        node = self._summaries.get(summary.origin.ref)
        return node is not None and bool(node.hides) and all(hidden in self._place for hidden in node.hides)

    def snapshot(self, summary: Draft) -> Mapping[str, Any] | None:
        """The values that a file keeps with a summary."""
        node = self._summaries.get(summary.origin.ref)
        kept = node.meta(SNAPSHOT) if node is not None else None
        values = cast("Mapping[str, Any]", kept).get("values") if isinstance(kept, Mapping) else None
        return cast("Mapping[str, Any]", values) if isinstance(values, Mapping) else None
