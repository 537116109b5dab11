"""Knowledge in the place of its placeholders, and where an agent asks for it by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ctxlab.context import Cause, Context, Draft, Edit, Origin, Text
from ctxlab.display.short_texts import short
from ctxlab.documents import Agent, ModelProfile, Note, ProcessorEntry
from ctxlab.documents.agent.knowledge import KnowledgeSettings
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.misspelt_fields import misspelt_fields
from ctxlab.errors import did_you_mean
from ctxlab.knowledge.policy.placeholder import ENGINE_ALIASES, Placeholder, placeholders_in, share_of
from ctxlab.knowledge.policy.report import COLUMNS, KnowledgeReport, PlaceholderResult
from ctxlab.knowledge.policy.result_text import FRAME, result_text
from ctxlab.pipeline import Processor, Services
from ctxlab.processors.knowledge.conversation import (
    FoundPlaceholder,
    messages_of_user,
    newest_of_user,
    placeholders_that_count,
    spoken_texts,
)
from ctxlab.processors.knowledge.settings import KnowledgeStepSettings

if TYPE_CHECKING:
    from ctxlab.processors.knowledge.search import KnowledgeSearch

ID = "knowledge-processor"
INSERTED = f"made:{ID}:0"
BLANK_LINE = "\n\n"
POSITIONS = ("context_head", "before_last_user")
"""Places for what comes by itself, as files name them."""


class KnowledgeProcessor(Processor):
    """Put what a search finds in the place of each placeholder; the KnowledgeReport has the table `knowledge`.

    Placeholders count in presets, in lore and in what the user typed last. What a search found is data: it is never
    expanded and never looked at again.
    """

    id = ID
    name = "Knowledge"
    description = (
        "Puts pieces of knowledge bases in the place of 【kb::name】, and says of every other why it isn't sent."
    )
    priority = 320
    waits = True
    aliases = ("knowledge", "primary:knowledge-processor")
    needs = ("history",)
    tables = FrozenDict({KnowledgeReport.name: COLUMNS})

    Settings = KnowledgeStepSettings
    settings: KnowledgeStepSettings

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        own = stored.knowledge_settings if isinstance(stored, Agent) else None
        settings = dict(_settings_of(own)) if own is not None else {}
        return ProcessorEntry(id=cls.id, settings=settings) if settings else None

    def __call__(self, ctx: Context, services: Services) -> Context:
        found = list(placeholders_that_count(ctx.drafts))
        by_itself = list(_by_itself(ctx.input.agent, found))
        ctx = ctx.noted([Note("warning", problem, ID) for problem in _problems(ctx.input.agent)])
        if not found and not by_itself:
            return ctx
        from ctxlab.processors.knowledge.search import KnowledgeSearch

        search = KnowledgeSearch(
            self.settings, ctx.input.agent, services.retriever, spoken_texts(ctx.drafts), messages_of_user(ctx)
        )
        results = [search.result(each.placeholder, each.key) for each in found]
        drafts = self._replaced(ctx.drafts, found, results)
        ctx = ctx.arrange(drafts)
        if by_itself:
            ctx, more = self._inserted(ctx, by_itself, search)
            results += more
        report = KnowledgeReport(tuple(results), ID, self.settings.by_placeholder)
        notes = list(_notes(search, results))
        if any(result.sent for result in results):
            notes += [Note("warning", problem, ID) for problem in self.settings.templates.problems()]
        return ctx.put(report).noted(notes)

    # --- in the place of placeholders

    def _replaced(
        self, drafts: Sequence[Draft], found: Sequence[FoundPlaceholder], results: Sequence[PlaceholderResult]
    ) -> list[Draft]:
        edits: dict[tuple[int, int], list[Edit]] = {}
        for each, result in zip(found, results, strict=True):
            edits.setdefault((each.draft, each.part), []).append(self._edit(each.placeholder, result))
        made = list(drafts)
        for (number, index), these in edits.items():
            body = list(made[number].body)
            part = body[index]
            assert isinstance(part, Text)
            body[index] = part.splice(these)
            made[number] = replace(made[number], body=tuple(body))
        return made

    def _edit(self, placeholder: Placeholder, result: PlaceholderResult) -> Edit:
        if not result.activation.active:
            cause = Cause(ID, "not active", f"{short(placeholder.raw)}: {result.activation.reason}")
            return Edit(placeholder.start, placeholder.end, "", cause)
        cause = Cause(ID, "knowledge", f"what {short(placeholder.raw)} found")
        return Edit(placeholder.start, placeholder.end, self._text(result), cause, FRAME)

    def _text(self, result: PlaceholderResult) -> Text:
        return result_text(result.sent, self.settings.templates, processor=ID, placeholder=short(result.placeholder))

    # --- by itself

    def _inserted(
        self, ctx: Context, placeholders: Sequence[Placeholder], search: KnowledgeSearch
    ) -> tuple[Context, list[PlaceholderResult]]:
        """The context with what comes by itself: behind a system message, else in a message of its own."""
        config = ctx.input.agent.knowledge_base_config if ctx.input.agent else None
        assert config is not None
        at = newest_of_user(ctx.drafts) if config.auto_inject_position == "before_last_user" else None
        host = _host(ctx.drafts, at, at_head=config.auto_inject_position != "before_last_user")
        where = ctx.drafts[host].key if host is not None else INSERTED
        results = [search.result(placeholder, where) for placeholder in placeholders]
        texts = [self._text(result) for result in results if result.sent]
        if not texts:
            return ctx, results
        cause = Cause(ID, "knowledge", "no placeholder names these bases, and the agent asks for them")
        text = Text.join(Text.of("\n", FRAME, cause), texts)
        if host is not None:
            drafts = list(ctx.drafts)
            drafts[host] = _appended(drafts[host], text, cause)
            return ctx.arrange(drafts), results
        draft = Draft(INSERTED, "user", (self._framed(text, cause),), Origin("knowledge", "by itself"), pinned=True)
        return ctx.insert(at or 0, draft), results

    def _framed(self, text: Text, cause: Cause) -> Text:
        before, _, after = self.settings.inserted_template.partition("{text}")
        return Text.of(before, FRAME, cause) + text + Text.of(after, FRAME, cause)


def _settings_of(own: KnowledgeSettings) -> Iterator[tuple[str, Any]]:
    """The step's settings in an agent's; empty texts there mean the default."""
    if own.default_engine_id:
        yield "engine", ENGINE_ALIASES.get(own.default_engine_id, own.default_engine_id)
    if own.default_min_score is not None:
        share = share_of(own.default_min_score)
        yield "min_score", own.default_min_score if share is None else share
    for name, value in (
        ("limit", own.default_limit),
        ("max_characters", own.max_recall_chars),
        ("gate_scan_depth", own.gate_scan_depth),
        ("template", own.result_template or None),
        ("empty_text", own.empty_text or None),
    ):
        if value is not None:
            yield name, value


def _problems(agent: Agent | None) -> Iterator[str]:
    """Sentences on fields and values of an agent's config of knowledge that aren't known, and so aren't used."""
    config = agent.knowledge_base_config if agent is not None else None
    if config is None:
        return
    yield from misspelt_fields(config, "knowledgeBaseConfig")
    for binding in config.bindings:
        yield from misspelt_fields(binding, f"knowledgeBaseConfig, the binding of {short(binding.shown_name)!r},")
    if config.auto_inject_position not in POSITIONS:
        near = did_you_mean(config.auto_inject_position, POSITIONS).removesuffix("?")
        yield (
            f"knowledgeBaseConfig.autoInjectPosition {short(config.auto_inject_position)!r} is not known{near};"
            f" it counts as {POSITIONS[0]!r}"
        )


def _by_itself(agent: Agent | None, found: Sequence[FoundPlaceholder]) -> Iterator[Placeholder]:
    """Placeholders for the bound bases that none names; none where one without a name searches all of them."""
    config = agent.knowledge_base_config if agent is not None else None
    if config is None or not config.auto_inject_if_macro_missing:
        return
    named = {each.placeholder.base for each in found}
    if "" in named:
        return
    for binding in config.bound:
        if not named.intersection((binding.kb_name, binding.kb_id)):
            yield from placeholders_in(binding.placeholder)


def _host(drafts: Sequence[Draft], newest: int | None, *, at_head: bool) -> int | None:
    """The position of the system message that takes what comes by itself; None where there is none."""
    if not at_head:
        before = newest - 1 if newest else None
        return before if before is not None and drafts[before].role == "system" else None
    last = None
    for number, draft in enumerate(drafts):
        if draft.role != "system":
            break
        last = number
    return last


def _appended(draft: Draft, text: Text, cause: Cause) -> Draft:
    """The message with a text behind its last words."""
    places = [number for number, part in enumerate(draft.body) if isinstance(part, Text)]
    if not places:
        return draft.with_body((*draft.body, text), cause)
    part = draft.body[places[-1]]
    assert isinstance(part, Text)
    written = str(part)
    lines = BLANK_LINE[min(len(written) - len(written.rstrip("\n")), 2) :] if written else ""
    edit = Edit(len(part), len(part), Text.of(lines, FRAME, cause) + text, cause, FRAME)
    body = (*draft.body[: places[-1]], part.splice([edit]), *draft.body[places[-1] + 1 :])
    return replace(draft, body=body)


def _notes(search: KnowledgeSearch, results: Sequence[PlaceholderResult]) -> Iterator[Note]:
    places = {result.placeholder: result.where for result in reversed(results)}
    if search.retriever is None:
        text = "knowledge is asked for, and no knowledge base is given: give one with knowledge="
        yield Note("warning", text, ID, {"placeholders": [result.placeholder for result in results]})
        return
    for raw, problem in dict.fromkeys(search.problems):
        yield Note("warning", f"{places.get(raw, '')}: {short(raw)}: {problem}", ID, {"placeholder": raw})
    for result in results:
        if result.decisions and not result.sent:
            first = result.decisions[0]
            text = f"{result.where}: {short(result.placeholder)} sends nothing; the best piece is cut: {first.reason}"
            yield Note("info", text, ID, {"placeholder": result.placeholder})
