"""The next turn of a chat in a data folder: everything that its request depends on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ctxlab.context import GroupChat, TurnKind
from ctxlab.documents import Agent, LoreEntry, MessageNode, RegexPreset, Session, UserProfile, Worldbook
from ctxlab.documents.agent.named_models import OWN_MODEL
from ctxlab.engines.tokens import read_model_name
from ctxlab.engines.worldbook.timing import RESTS
from ctxlab.errors import ReadError
from ctxlab.formats.files.attached import Files
from ctxlab.formats.files.shelf import FolderShelf
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.sillytavern.card_fields import original_of
from ctxlab.formats.sillytavern.chats.own_texts import as_in_a_field
from ctxlab.formats.sillytavern.chats.reader import chat_from
from ctxlab.formats.sillytavern.coerce import as_object
from ctxlab.formats.sillytavern.data_folder.cards import CardFile, agent_of, preset_in_use
from ctxlab.formats.sillytavern.data_folder.conversation import Conversation, conversation_of
from ctxlab.formats.sillytavern.data_folder.folder import SETTINGS, WORLDS, DataFolder
from ctxlab.formats.sillytavern.data_folder.group import card_of_turn, depth_prompts
from ctxlab.formats.sillytavern.data_folder.links import LinkedWorlds, linked_worlds
from ctxlab.formats.sillytavern.data_folder.note import (
    note_of,
    note_of_character,
    text_of_chat,
    with_persona,
)
from ctxlab.formats.sillytavern.data_folder.persona import persona_of
from ctxlab.formats.sillytavern.data_folder.program_settings import ProgramSettings, SettingInUse
from ctxlab.formats.sillytavern.data_folder.speaker import speaker_of
from ctxlab.formats.sillytavern.data_folder.turn_prompts import lost_nudges, with_turn_prompts
from ctxlab.formats.sillytavern.lorebooks.reader import book_from
from ctxlab.formats.sillytavern.regex_scripts import preset_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Dialect

TIMED: Final = "timedWorldInfo"


def activations_of(metadata: Mapping[str, Any], session: Session, books: Iterable[Worldbook]) -> dict[str, str]:
    """By key of an entry, the id of the message that was the newest when it fired, as `activations` of a build has it.

    A chat keeps the number of messages that there were when stickiness began, and when the cooldown did. One that is
    protected began after stickiness, and is recorded as that rest.
    """
    path = [node.id for node in session.path() if not node.is_empty_root]
    effects = as_object(metadata.get(TIMED))
    found: dict[str, str] = {}
    for key, name, entry in _entries(books):
        for kind in ("cooldown", "sticky"):
            effect = as_object(as_object(effects.get(kind)).get(name))
            start, rests = effect.get("start"), effect.get("protected") is True
            if not isinstance(start, int) or not 0 < start <= len(path):
                continue
            if rests:
                found[f"{RESTS}{key}"] = path[start - 1]
            # Of stickiness that is over the chat keeps nothing; where it began doesn't matter while the entry rests.
            found[key] = path[max(0, start - 1 - (entry.sticky or 0))] if rests else path[start - 1]
    return found


def _entries(books: Iterable[Worldbook]) -> Iterator[tuple[str, str, LoreEntry]]:
    """The entries with their keys here and in a chat."""
    for book in books:
        for uid, entry in book.entries.items():
            yield f"lore:{book.book_id}/{uid}", f"{book.book_id}.{uid}", entry


ESTIMATED_SOURCES: Final = frozenset(
    {"ai21", "claude", "cohere", "deepseek", "makersuite", "mistralai", "vertexai"},
)
"""Sources of completions whose models have a tokenizer of their own there, whatever the model is called."""
IN_NAMES: Final = (
    (("o1-preview", "o1-mini", "o3-mini", "gpt-5", "o3", "o4-mini"), "o200k_base"),
    (("gpt-4o", "chatgpt-4o-latest", "gpt-4.1", "gpt-4.5"), "o200k_base"),
    (("gpt-4", "gpt-3.5-turbo"), "cl100k_base"),
    (("claude", "llama", "mistral", "yi", "deepseek", "gemma", "gemini", "learnlm", "jamba", "qwen2"), None),
    (("command-r", "command-a", "nemo"), None),
)
"""Words in a model's name by which the program finds an encoding, in its order; of None the ranks aren't at hand."""
USUAL: Final = "cl100k_base"
"""With which it counts for a model of whose name it knows nothing."""


def encoding_of(source: str, model: str) -> str | None:
    """The encoding of a model; None where the program has a tokenizer for it that is only estimated here."""
    if source in ESTIMATED_SOURCES:
        return None
    if model == "o1":
        return "o200k_base"
    return next((encoding for words, encoding in IN_NAMES if any(word in model for word in words)), USUAL)


ANEW: Final = ("swipe", "regenerate")
"""Kinds that write the newest reply anew, which the request is without."""
FROM_FOLDER: Final = "the data folder"
AFTER_REPLY: Final = "injection-assembler.after_reply"
LISTED: Final = "disabledExtensions"
PROMPTING: Final = ("memory", "vectors", "quick-reply", "translate", "expressions", "stable-diffusion", "sd")
"""Extensions that come with the program and may change what is sent."""
COME_ALONG: Final = (
    *("assets", "attachments", "caption", "connection-manager", "expressions", "gallery", "memory", "quick-reply"),
    *("regex", "stable-diffusion", "token-counter", "translate", "tts", "vectors"),
)
"""Extensions that come with the program, which are on until they are switched off."""
FACTS: Final = {
    "chatStart": "power_user.context.chat_start",
    "exampleSeparator": "power_user.context.example_separator",
    "defaultSystemPrompt": "power_user.sysprompt.content",
    "systemPrompt": "power_user.sysprompt.content",
    "reasoningPrefix": "power_user.reasoning.prefix",
    "reasoningSuffix": "power_user.reasoning.suffix",
    "reasoningSeparator": "power_user.reasoning.separator",
    "defaultAuthorsNote": "extension_settings.note.default",
}
"""Settings that macros show, by the macro's name."""


@dataclass(frozen=True, slots=True, repr=False)
class FolderTurn:
    """A turn as it is kept in files: the conversation with all that is in force, and the settings by steps.

    `typed` is the user's message that is sent with it; empty for none. `encoding` is by what tokens are counted; None
    where it is that of the model.
    """

    kind: TurnKind
    typed: str
    dialect: Dialect
    group: GroupChat | None
    facts: Mapping[str, str]
    session: Session
    leaf: str | None
    agent: Agent
    agents: tuple[Agent, ...]
    user: UserProfile
    books: tuple[Worldbook, ...]
    chat_books: tuple[str, ...]
    rules: tuple[RegexPreset, ...]
    presets: tuple[MessageNode, ...]
    session_variables: Mapping[str, Any]
    everywhere_variables: Mapping[str, Any]
    activations: Mapping[str, str]
    model: str | None
    encoding: str | None
    steps: Mapping[str, Any]
    settings: tuple[SettingInUse, ...]
    lines: int
    files: Mapping[str, bytes]
    losses: tuple[Loss, ...]


def read_turn(
    folder: DataFolder,
    *,
    chat: str | None,
    character: str | None,
    kind: TurnKind,
    text: str | None,
    speaker: str | None,
) -> FolderTurn:
    """The turn; `text` is what is sent with it.

    Raises ReadError where the chat, its card or settings.json can't be read.
    """
    losses: list[Loss] = []
    settings = ProgramSettings(folder.data(SETTINGS) if folder.has(SETTINGS) else {})
    conversation = conversation_of(folder, settings, chat, character)
    if kind == "regenerate" and conversation.group is not None:
        # A group forgets what it replied at once, and then it is a turn like any other.
        conversation, kind = conversation.without_newest_replies(), "normal"
    card = speaker_of(conversation, speaker, kind=kind, text=text, losses=losses)
    persona = persona_of(settings, conversation)
    worlds = linked_worlds(settings, conversation, card, persona)
    preset = preset_in_use(folder, settings, losses)
    own = card_of_turn(conversation, card)
    agent = agent_of(own, preset, worlds.of_character, settings, conversation.metadata)
    note = note_of(settings, conversation, card)
    agent, beside = with_persona(agent, persona, note)
    pinned = bool(settings.at("power_user.pin_examples"))
    losses += lost_nudges(agent, original_of(preset) or {}, kind=kind, is_pinned=pinned)
    agent = with_turn_prompts(
        agent,
        original_of(preset) or {},
        kind=kind,
        text=text,
        is_group=conversation.group is not None,
        bias=(conversation.bias(kind) if text is None else "") or str(settings.at("power_user.user_prompt_bias") or ""),
    )
    session, files = _session(folder, conversation, losses)
    books = tuple(_books(folder, worlds, losses))
    scripts = _scripts(settings)
    return FolderTurn(
        kind=kind,
        typed=_typed(conversation, original_of(preset) or {}, kind=kind, text=text),
        dialect=settings.dialect,
        group=_group(conversation),
        facts={**dict(_facts(settings, conversation, card)), **_in_the_box(kind, text)},
        session=session,
        leaf=_leaf(session, kind),
        agent=agent,
        agents=(agent,),
        user=persona.profile(worlds.of_persona),
        books=books,
        chat_books=worlds.of_chat,
        rules=_rules(scripts, losses),
        presets=(note, *beside, *depth_prompts(conversation, card)),
        session_variables=as_object(conversation.metadata.get("variables")),
        everywhere_variables=settings.object("extension_settings.variables.global"),
        activations=activations_of(conversation.metadata, session, books),
        model=(model := _model(agent)),
        encoding=_encoding(settings, model, losses),
        steps={**settings.steps(losses), AFTER_REPLY: ""},  # it is typed where it counts
        settings=(*settings.in_use(), *_in_use(conversation, settings, worlds), *_extensions(settings)),
        lines=len(conversation.lines),
        files=files,
        losses=tuple(losses),
    )


def _typed(conversation: Conversation, preset: Mapping[str, Any], *, kind: TurnKind, text: str | None) -> str:
    """The words that the user sends; with nothing typed those of the preset, which a group does without."""
    if text or kind != "normal":
        return as_in_a_field(text or "") if kind in ("normal", "continue") else ""
    words = preset.get("send_if_empty")
    return words.strip() if isinstance(words, str) and conversation.group is None else ""


def _in_the_box(kind: TurnKind, text: str | None) -> Mapping[str, str]:
    """The words that stay in the program's input box during the turn, for the macro that shows them."""
    return {"input": as_in_a_field(text)} if kind == "impersonate" and text else {}


def _group(conversation: Conversation) -> GroupChat | None:
    if conversation.group is None:
        return None
    muted = conversation.group.get("disabled_members") or ()
    names = tuple(card.name for card in conversation.cards)
    return GroupChat(names, tuple(card.name for card in conversation.cards if card.file in muted))


def _facts(settings: ProgramSettings, conversation: Conversation, card: CardFile) -> Iterator[tuple[str, str]]:
    """Texts of the settings by the macros that show them."""
    for name, path in FACTS.items():
        value = settings.at(path)
        if isinstance(value, str):
            yield name, value
    yield "authorsNote", text_of_chat(settings, conversation)
    yield "charAuthorsNote", (note_of_character(settings, card) or ("", 0))[0]
    off = settings.at(f"extension_settings.{LISTED}")
    if isinstance(off, list):
        yield "extensions", ", ".join(name for name in COME_ALONG if name not in off)


def _session(folder: DataFolder, conversation: Conversation, losses: list[Loss]) -> tuple[Session, Mapping[str, bytes]]:
    place = conversation.place
    id = place.rpartition("/")[2].removesuffix(".jsonl")
    session, found = chat_from(conversation.lines, id=id, uses_metadata=True)
    read = Files(FolderShelf(folder.path, deep=True)).along_with(Import((session,), losses=tuple(found)))
    losses += [loss.inside(place) for loss in read.losses]
    return read.sessions[0], read.files


def _leaf(session: Session, kind: TurnKind) -> str | None:
    """The message that the request ends with: without the newest reply where that is written anew."""
    leaf = session.active_leaf_id
    node = session.nodes.get(leaf) if leaf is not None else None
    return node.parent_id if kind in ANEW and node is not None and node.role == "assistant" else leaf


def _books(folder: DataFolder, worlds: LinkedWorlds, losses: list[Loss]) -> Iterator[Worldbook]:
    for world in worlds.all():
        try:
            book, found = book_from(folder.data(WORLDS, f"{world}.json"), name=world, id=world)
        except ReadError as error:
            losses.append(Loss(f"{WORLDS}/{world}.json", f"{error}; none of its entries is sent"))
            continue
        losses += [loss.inside(f"{WORLDS}/{world}.json") for loss in found]
        yield book


def _scripts(settings: ProgramSettings) -> tuple[Any, ...]:
    found = settings.at("extension_settings.regex")
    is_off = "regex" in (settings.at(f"extension_settings.{LISTED}") or ())
    return tuple(found) if isinstance(found, list) and not is_off else ()  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]


def _rules(scripts: Sequence[Any], losses: list[Loss]) -> tuple[RegexPreset, ...]:
    if not scripts:
        return ()
    rules, found = preset_of(scripts, name="Global scripts", id="sillytavern-regex")
    losses += [loss.inside(f"{SETTINGS}, extension_settings.regex") for loss in found]
    return (rules,)


def _model(agent: Agent) -> str | None:
    name = (agent.carried or {}).get(OWN_MODEL)
    return name if isinstance(name, str) else None


def _encoding(settings: ProgramSettings, model: str | None, losses: list[Loss]) -> str | None:
    """The encoding by which the program counts for the model, where the model's own is another one or not known."""
    if model is None:
        return None
    own = read_model_name(model).encoding
    found = encoding_of(str(settings.at("oai_settings.chat_completion_source") or ""), model)
    if found is None:
        losses.append(
            Loss(
                f"the tokens of {model}",
                "the program has a tokenizer for it, by which it cuts; here they are estimated",
            )
        )
    return found if found != own else None


def _in_use(conversation: Conversation, settings: ProgramSettings, worlds: LinkedWorlds) -> Iterator[SettingInUse]:
    """Everything that decides besides plain settings: the speaker, the preset and the books that count."""
    place = conversation.place
    yield SettingInUse("chat", place, FROM_FOLDER)
    yield SettingInUse("characters", ", ".join(card.file for card in conversation.cards), place)
    for key in ("oai_settings.preset_settings_openai", "oai_settings.chat_completion_source", "user_avatar"):
        yield SettingInUse(key, settings.at(key), settings.where(key))
    for world, where in worlds.linked_by.items():
        yield SettingInUse(f"world {world}", worlds.level(world), where)
    for key in ("note_prompt", "note_position", "note_depth", "note_role", "note_interval"):
        if key in conversation.metadata:
            yield SettingInUse(f"chat_metadata.{key}", conversation.metadata[key], place)


def _extensions(settings: ProgramSettings) -> Iterator[SettingInUse]:
    """Extensions that were on and may change the prompt; none of them is run."""
    off = settings.at(f"extension_settings.{LISTED}") or ()
    for name in PROMPTING:
        if name not in off and settings.at(f"extension_settings.{name}") is not None:
            yield SettingInUse(f"extension {name}", "on", SETTINGS, state="not run")
