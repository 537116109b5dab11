"""Which lore fires; the injection assembler places it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from pydantic import Field

from ctxlab.context import BuildInput, Context, Draft, LoreActivations
from ctxlab.documents import Agent, MessageNode
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.lore import Worldbook
from ctxlab.engines.worldbook import (
    ActiveBook,
    Chat,
    GrowingChat,
    Level,
    LoreScan,
    ScanInput,
    ScannedMessage,
    ScanSettings,
    Source,
    scan,
)
from ctxlab.engines.worldbook.decision import COLUMNS
from ctxlab.pipeline import Processor, ProcessorSettings, Services, form_hints
from ctxlab.processors.injection.read_preset_placement import role_in_prompt
from ctxlab.processors.lore_budget import lore_budget, no_budget_note
from ctxlab.processors.lore_wording import LoreWording
from ctxlab.processors.macro_engine import MACRO_ENGINE, MacroEngine

ID = "worldbook-processor"
HISTORY = frozenset({"node", "summary", "pending"})


class WorldbookProcessor(Processor):
    """Decide on every entry of every book in force; the LoreScan is its report, with the table `lore`."""

    id = ID
    name = "Worldbook"
    description = "Finds the lore that the newest messages call up, and says of every entry why it fires or not."
    priority = 290
    aliases = ("worldbook", "primary:worldbook-processor")
    needs = ("history",)
    tables = FrozenDict({LoreScan.name: COLUMNS})

    class Settings(ProcessorSettings):
        scan_depth: int = Field(
            2,
            ge=0,
            title="Scan depth",
            description="Newest messages in which keys are looked for, where entry, book and agent don't say it.",
        )
        recursion: bool = Field(
            True,
            title="Recursion",
            description="Look for keys in the lore that fires as well, unless the agent says no.",
        )
        max_passes: int = Field(
            20, ge=0, title="Passes", description="Times that lore may call up more lore; 0 is no limit."
        )
        budget_percent: float = Field(
            25,
            ge=0,
            le=100,
            title="Budget",
            description="Percent of the agent's tokens for a prompt, else of the model's window; 0 is no budget.",
        )
        budget_cap_tokens: int = Field(
            0, ge=0, title="Budget cap", description="Most tokens for lore, whatever its share is; 0 is no cap."
        )
        overflow: Literal["stop", "skip"] = Field(
            "stop",
            title="When one doesn't fit",
            description="Stop there, or skip it and try the smaller ones after it.",
            json_schema_extra=form_hints(labels={"stop": "stop there", "skip": "skip it"}),
        )
        case_sensitive: bool = Field(
            False, title="Case sensitive", description="Tell upper and lower case apart where an entry doesn't say."
        )
        whole_words: bool = Field(
            False, title="Whole words", description="Match Latin keys as whole words only where an entry doesn't say."
        )
        group_scoring: bool = Field(
            False,
            title="Group scoring",
            description="In a group the entries with the most keys in sight win, where an entry doesn't say.",
        )
        first: Literal["agent", "global", "neither"] = Field(
            "agent",
            title="Whose books first",
            description="After the user's: the agent's before the global ones, the other way round, or all alike.",
            json_schema_extra=form_hints(
                labels={"agent": "the agent's", "global": "the global ones", "neither": "all alike"}
            ),
        )
        compat: Literal["sillytavern", "reference"] = Field(
            "sillytavern", title="Reading", description="Whose order of checks and reading of patterns is followed."
        )
        macro_engine: MacroEngine = MACRO_ENGINE

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        if not ctx.input.books:
            return ctx
        found = self.scan(ctx, services)
        notes = [replace(note, processor=ID) for note in found.notes]
        return ctx.put(found).put(LoreActivations(found.activations)).noted(notes)

    def scan(self, ctx: Context, services: Services) -> LoreScan:
        """The decisions, with what they were made from, to be asked again with changes."""
        return self.scanned(self.scan_input(ctx, services))

    def scanned(self, scan_input: ScanInput, *, growing: GrowingChat | None = None) -> LoreScan:
        """The decisions on an input; they say so where a share of the context is asked for and isn't known."""
        found = scan(scan_input, growing=growing)
        percent, is_asked_for = self.settings.budget_percent, "budget_percent" in self.settings.model_fields_set
        if not percent or scan_input.rules.budget_tokens is not None or not (found.fired or is_asked_for):
            return found
        return replace(found, notes=(*found.notes, no_budget_note(ID, percent, is_asked_for=is_asked_for)))

    def scan_input(self, ctx: Context, services: Services) -> ScanInput:
        return self.input_of(ctx.input, chat_of(ctx), services)

    def input_of(self, build_input: BuildInput, chat: Chat, services: Services) -> ScanInput:
        """The input of a scan of this conversation, without the context that it is from."""
        books = tuple([ActiveBook(book, _level_of(book, build_input)) for book in build_input.books])
        dice = Context(build_input).dice  # which the report keeps, without the messages of this moment
        rules, words_sent = self._rules(build_input, services), LoreWording(build_input, self.settings.macro_engine)
        return ScanInput(books, chat, rules, dice, services.tokenizer.count, words_sent)

    def _rules(self, build_input: BuildInput, services: Services) -> ScanSettings:
        own, settings = build_input.agent.worldbook_settings if build_input.agent else None, self.settings
        depth = own.default_scan_depth if own and own.default_scan_depth is not None else settings.scan_depth
        off = own.disable_recursion if own and own.disable_recursion is not None else not settings.recursion
        budget = lore_budget(
            build_input, services, percent=settings.budget_percent, cap_tokens=settings.budget_cap_tokens
        )
        return ScanSettings(
            scan_depth=depth,
            recursion=not off,
            max_passes=settings.max_passes,
            case_sensitive=settings.case_sensitive,
            whole_words=settings.whole_words,
            group_scoring=settings.group_scoring,
            budget_tokens=budget.tokens,
            overflow=settings.overflow,
            first=settings.first,
            compat=settings.compat,
            budget_source=budget.source,
        )


def chat_of(ctx: Context) -> Chat:
    """The history as it is scanned, and who is in it; presets aren't scanned."""
    build_input = ctx.input
    agent, user = build_input.agent, build_input.user
    leaf = build_input.leaf_id
    known = leaf is not None and bool(build_input.activations) and leaf in build_input.session.nodes
    return Chat(
        messages=tuple([scanned(draft) for draft in ctx.drafts if draft.origin.kind in HISTORY]),
        about=dict(_about(agent, user.content if user else "")),
        names=tuple(dict.fromkeys(name for name in (agent.shown_name, agent.name, agent.id) if name)) if agent else (),
        tags=agent.tags or () if agent else (),
        user=user.shown_name if user else "",
        model=build_input.model,
        activations=build_input.activations,
        path=tuple([node.id for node in build_input.session.path(leaf)]) if known else (),
    )


def scanned(draft: Draft) -> ScannedMessage:
    """A message of the history as it is scanned."""
    return ScannedMessage(draft.key, str(draft.text), draft.origin.ref or draft.key)


def _level_of(book: Worldbook, build_input: BuildInput) -> Level:
    if build_input.agent and book.book_id in build_input.agent.worldbook_ids:
        return "agent"
    return "user" if build_input.user and book.book_id in build_input.user.worldbook_ids else "global"


def _about(agent: Agent | None, persona: str) -> Iterator[tuple[Source, str]]:
    """Texts beside the messages that an entry may have scanned, by their source."""
    yield "persona", persona
    if agent is None:
        return
    yield "character", _description(agent)
    yield "personality", agent.personality or _preset(agent, "charPersonality")
    yield "scenario", agent.scenario or _preset(agent, "scenario")
    yield "depth-prompt", agent.depth_prompt or _preset(agent, "depthPrompt")
    yield "creator-notes", agent.creator_notes or ""


def _description(agent: Agent) -> str:
    """The card's description: the preset that it became, else the first that the system says."""
    named = _preset(agent, "charDescription")
    return named or next((node.content for node in _sent(agent) if node.role == "system"), "")


def _preset(agent: Agent, name: str) -> str:
    return next((node.content for node in _sent(agent) if role_in_prompt(node) == name), "")


def _sent(agent: Agent) -> Iterator[MessageNode]:
    return (node for node in agent.preset_messages if node.enabled)
