"""Which lore fires; the injection assembler places it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from pydantic import Field

from ctxlab.context import BuildInput, Context, Draft, LoreActivations
from ctxlab.documents import Agent, MessageNode
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.lore import Worldbook
from ctxlab.engines.macros import MacroEnv, expand
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
from ctxlab.engines.worldbook.scan_input import Compat
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Processor, ProcessorSettings, Services, form_hints
from ctxlab.processors.injection.presets import is_due
from ctxlab.processors.injection.read_preset_placement import (
    AUTHORS_NOTE,
    PERSONA,
    SKELETON,
    requested_placement,
    role_in_prompt,
)
from ctxlab.processors.lore_budget import lore_budget, no_budget_note
from ctxlab.processors.macro_engine import MACRO_ENGINE, MacroEngine
from ctxlab.processors.rewritten_lore import rewritten_lore


@dataclass(frozen=True, slots=True, eq=False)
class LoreWording:
    """Expands the macros of an entry's content, as SillyTavern does before it counts it and looks for keys in it.

    Variables are as they are in the input: one that a preset sets isn't known yet.
    """

    build_input: BuildInput
    engine: MacroEngine = "seed"

    def __call__(self, key: str, content: str, dialect: str | None) -> str:
        """The content of the entry of this key, with values in the place of its macros."""
        if "{{" not in content and "<" not in content and "\\" not in content:
            return content
        env = MacroEnv.of(self.build_input, engine=self.engine)
        return str(expand(content, env.at(key).speaking(dialect)).text)


def speaker_name(draft: Draft, build_input: BuildInput) -> str:
    """The speaker in a group, else the name that the message was written with, else the user's or the agent's.

    Empty where none is known, as for a tool's message.
    """
    key = _WRITTEN.get(draft.role)
    named = draft.speaker or (draft.meta.get(key) if key is not None else None)
    if not named:
        node = build_input.session.nodes.get(draft.origin.ref)
        named = node.name if node is not None else None
    if isinstance(named, str) and named:
        return named
    speaker = build_input.user if draft.role == "user" else build_input.agent if draft.role == "assistant" else None
    return speaker.shown_name if speaker is not None else ""


_WRITTEN = {"user": "userProfileName", "assistant": "agentName"}


ID = "worldbook-processor"
HISTORY = frozenset({"node", "summary", "pending"})
SILLYTAVERN = "sillytavern"
"""The spelling of macros in texts of SillyTavern."""
DEPTH_PROMPT, QUIET, PERSONA_AT_DEPTH = "depthPrompt", "quietPrompt", "persona-at-depth"
NOTES = {AUTHORS_NOTE: "authors-note", DEPTH_PROMPT: "character-note"}
"""Presets that are scanned as notes, and the names that a match has of them."""


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
        scan_text: Literal["messages", "joined"] = Field(
            "messages",
            title="Where patterns match",
            description="In each message alone, or in one text as in SillyTavern: the newest message first, each "
            "behind a mark, then lore that fired. There `^` is before the mark, and `$` the end of the last text.",
            json_schema_extra=form_hints(labels={"messages": "each message", "joined": "one text of all"}),
        )
        include_names: bool = Field(
            False, title="Names", description="Look for keys in the speaker's name before each message as well."
        )
        scan_note: bool = Field(
            False,
            title="Notes",
            description="Look for keys in the author's note and the character's own as well, for every entry.",
        )
        draw: Literal["turn", "place"] = Field(
            "turn",
            title="Draws",
            description="When an entry with a probability is drawn: anew at each turn, as SillyTavern does, or once at "
            "each message that calls it up, so that the prompt before stays as it was.",
        )
        recursion: bool = Field(
            True,
            title="Recursion",
            description="Look for keys in the lore that fires as well, unless the agent says no.",
        )
        max_passes: int = Field(
            20, ge=0, title="Passes", description="Times that lore may call up more lore; 0 is no limit."
        )
        min_activations: int = Field(
            0,
            ge=0,
            title="Fewest entries",
            description="Look at one message more at a time until so many entries fire; 0 keeps to the scan depth.",
        )
        min_activations_depth: int = Field(
            0,
            ge=0,
            title="Deepest for fewest entries",
            description="Messages down to which more are looked at for the fewest entries, and one beyond; 0 is all.",
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
        zero_percent: Literal["no budget", "one token"] = Field(
            "no budget",
            title="A budget of 0 percent",
            description="No budget, or one token as in SillyTavern: then only what ignores the budget fires.",
        )
        budget_count: Literal["each", "together"] = Field(
            "each",
            title="Counting",
            description="Each entry alone, or all so far as one message as in SillyTavern, with a line break after "
            "each and 6 tokens around it, which has to stay below the budget.",
            json_schema_extra=form_hints(labels={"each": "each entry", "together": "all so far"}),
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
        constants_first: bool = Field(
            True,
            title="Constant entries first",
            description="Give entries without conditions room in the budget before all others, whatever their order.",
        )
        first: Literal["agent", "global", "neither", "evenly"] = Field(
            "agent",
            title="Whose books first",
            description="After the conversation's and the user's: the agent's before the global ones, the other way "
            "round, or by order alone; `neither` has the user's among them.",
            json_schema_extra=form_hints(
                labels={
                    "agent": "the agent's",
                    "global": "the global ones",
                    "neither": "all alike",
                    "evenly": "all but the user's alike",
                }
            ),
        )
        book_settings: bool = Field(
            True,
            title="Settings of books",
            description="Follow a book's own scan depth, budget and recursion, which SillyTavern takes no notice of.",
        )
        rewrite_lore: bool = Field(
            False,
            title="Rules for lore",
            description="Have rules for the system's role rewrite what fires, after it is counted and looked through: "
            "SillyTavern's scripts for world info.",
        )
        compat: Compat = Field(
            "sillytavern",
            title="Reading",
            description="Whose order of checks and reading of patterns is followed. sillytavern-1.19 follows it where "
            "it is odd as well: groups, delayed entries without recursion, rests after stickiness, macros in keys.",
        )
        macro_engine: MacroEngine = MACRO_ENGINE

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        if not ctx.input.books:
            return ctx
        found = self.scan(ctx, services)
        if self.settings.rewrite_lore:
            found = replace(found, texts=rewritten_lore(found, ctx, self.settings.macro_engine))
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
        return self.input_of(replace(ctx.input, variables=ctx.variables), self.chat_of(ctx), services)

    def chat_of(self, ctx: Context) -> Chat:
        """The history as it is scanned, and who is in it; of presets only notes are scanned, where that is on."""
        build_input, settings = ctx.input, self.settings
        chat = chat_of(ctx, [self.scanned_message(draft, build_input) for draft in ctx.drafts if is_scanned(draft)])
        worded = LoreWording(replace(build_input, variables=ctx.variables), settings.macro_engine)
        if settings.compat == "sillytavern-1.19":
            about = {source: worded(source, text, SILLYTAVERN) for source, text in chat.about.items()}
            chat = replace(chat, about=about)
        notes = {} if not settings.scan_note else dict(_notes(build_input, worded))
        if settings.compat == "sillytavern-1.19":
            notes |= _persona_at_depth(build_input, worded)
            notes |= _quiet_prompt(build_input, worded) if build_input.turn == "quiet" else {}
        return replace(chat, prompts=notes) if notes else chat

    def scanned_message(self, draft: Draft, build_input: BuildInput) -> ScannedMessage:
        """A message of the history as it is scanned."""
        name = speaker_name(draft, build_input) if self.settings.include_names else ""
        return ScannedMessage(draft.key, str(draft.text), draft.origin.ref or draft.key, name)

    def input_of(self, build_input: BuildInput, chat: Chat, services: Services) -> ScanInput:
        """The input of a scan of this conversation, without the context that it is from."""
        books = tuple([ActiveBook(book, _level_of(book, build_input)) for book in build_input.books])
        places = _places(build_input) if self.settings.draw == "place" else None
        thrown = build_input if places is None else replace(build_input, leaf=str(build_input.session.id))
        dice = Context(thrown).dice  # which the report keeps, without the messages of this moment
        rules, words_sent = self._rules(build_input, services), LoreWording(build_input, self.settings.macro_engine)
        return ScanInput(books, chat, rules, dice, services.tokenizer.count, words_sent, places)

    def _rules(self, build_input: BuildInput, services: Services) -> ScanSettings:
        own, settings = build_input.agent.worldbook_settings if build_input.agent else None, self.settings
        depth = own.default_scan_depth if own and own.default_scan_depth is not None else settings.scan_depth
        off = own.disable_recursion if own and own.disable_recursion is not None else not settings.recursion
        budget = lore_budget(
            build_input, services, percent=settings.budget_percent, cap_tokens=settings.budget_cap_tokens
        )
        if not settings.budget_percent and settings.zero_percent == "one token":
            budget = budget._replace(tokens=1, source="0 %")
        return ScanSettings(
            scan_depth=depth,
            recursion=not off,
            scan_text=settings.scan_text,
            max_passes=settings.max_passes,
            min_activations=settings.min_activations,
            min_activations_depth=settings.min_activations_depth,
            case_sensitive=settings.case_sensitive,
            whole_words=settings.whole_words,
            group_scoring=settings.group_scoring,
            budget_tokens=budget.tokens,
            budget_count=settings.budget_count,
            overflow=settings.overflow,
            constants_first=settings.constants_first,
            book_settings=settings.book_settings,
            first=settings.first,
            compat=settings.compat,
            budget_source=budget.source,
        )


def chat_of(ctx: Context, messages: Sequence[ScannedMessage] = ()) -> Chat:
    """These messages, and who is in the conversation."""
    build_input = ctx.input
    agent, user = build_input.agent, build_input.user
    leaf = build_input.leaf_id
    known = leaf is not None and bool(build_input.activations) and leaf in build_input.session.nodes
    return Chat(
        messages=tuple(messages),
        about=dict(_about(agent, user.content if user else "")),
        names=tuple(dict.fromkeys(name for name in (agent.shown_name, agent.name, agent.id) if name)) if agent else (),
        tags=agent.tags or () if agent else (),
        user=user.shown_name if user else "",
        model=build_input.model,
        trigger=build_input.turn,
        activations=build_input.activations,
        path=tuple([node.id for node in build_input.session.path(leaf)]) if known else (),
    )


def _places(build_input: BuildInput) -> Mapping[str, int]:
    """Numbers of the messages of the path by key; what is typed has the one that it gets when it is sent."""
    session, leaf = build_input.session, build_input.leaf_id
    path = [node for node in session.walk(leaf).nodes if not node.is_empty_root] if leaf is not None else []
    return FrozenDict({**{f"node:{node.id}": number for number, node in enumerate(path)}, "pending": len(path)})


def is_scanned(draft: Draft) -> bool:
    """Whether a draft is a message of the history."""
    return draft.origin.kind in HISTORY


def _notes(build_input: BuildInput, worded: LoreWording) -> Iterator[tuple[str, str]]:
    """The author's note and the character's own, as they are sent, by their names."""
    own = build_input.agent.preset_messages if build_input.agent else ()
    users = build_input.user.preset_messages if build_input.user else ()
    for node in (*build_input.presets, *own, *users):
        name = role_in_prompt(node) or node.id
        if node.enabled and name in NOTES and node.content.strip() and is_due(node, build_input):
            yield NOTES[name], worded(NOTES[name], node.content, SILLYTAVERN)
    depth_prompt = build_input.agent.depth_prompt if build_input.agent else None
    if depth_prompt:
        yield NOTES[DEPTH_PROMPT], worded(NOTES[DEPTH_PROMPT], depth_prompt, SILLYTAVERN)


def _persona_at_depth(build_input: BuildInput, worded: LoreWording) -> Mapping[str, str]:
    """A persona that is sent at a depth, which is looked through whether notes are or not."""
    nodes = (node for node in build_input.presets if node.enabled and node.content.strip())
    elsewhere = (node for node in nodes if requested_placement(node) != SKELETON)
    found = [node.content for node in elsewhere if role_in_prompt(node) == PERSONA]
    return {PERSONA_AT_DEPTH: worded(PERSONA_AT_DEPTH, found[-1], SILLYTAVERN)} if found else {}


def _quiet_prompt(build_input: BuildInput, worded: LoreWording) -> Mapping[str, str]:
    """The prompt of a turn that nobody sees."""
    own = build_input.agent.preset_messages if build_input.agent else ()
    texts = [node.content for node in own if node.enabled and role_in_prompt(node) == QUIET]
    return {QUIET: worded(QUIET, texts[-1], SILLYTAVERN)} if texts else {}


def _level_of(book: Worldbook, build_input: BuildInput) -> Level:
    if book.book_id in build_input.chat_books:
        return "chat"
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
