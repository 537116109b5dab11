"""Macros of names, card and messages in SillyTavern's newer engine. A text of the card is a template itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ctxlab.engines.macros.call import BadCall, MacroCall
from ctxlab.engines.macros.environment import MacroEnv
from ctxlab.engines.macros.registry import NEWER, Macro, MacroFamily, macro
from ctxlab.engines.macros.sillytavern import card_text
from ctxlab.lazy_pattern import lazy_pattern

START = lazy_pattern(r"<START>", re.IGNORECASE)
Read = Callable[[MacroEnv], str]


def template(call: MacroCall, text: str) -> str:
    """A text of the card with its own macros evaluated; those of the card's texts are empty in it.

    Carriage returns are taken out of what it gives.
    """
    from ctxlab.engines.macros.left_to_right.evaluation import evaluated
    from ctxlab.engines.macros.left_to_right.pieces import string_of

    call.run.works(len(text))
    return string_of(evaluated(text, call.run, without_card(call.env)).pieces, text).replace("\r", "")


def without_card(env: MacroEnv) -> MacroEnv:
    """The environment in which a text of the card is expanded: none of these texts is known there."""
    return replace(env, agent=None, persona="", description="", personality="", scenario="", mes_examples="")


def example_blocks(examples: str) -> str:
    """Examples as they stand in a prompt: each block under `<START>`."""
    text = examples.strip()
    if not text:
        return ""
    blocks = START.split(text)
    blocks = blocks[1:] if START.match(text) else blocks
    return "".join([f"<START>\n{block.strip()}\n" for block in blocks])


TEMPLATES: tuple[tuple[tuple[str, ...], str, Read], ...] = (
    (("persona",), "The user's persona.", lambda env: env.persona),
    (("charDescription", "description"), "Description of the card.", lambda env: env.description),
    (("charPersonality", "personality"), "Personality of the card.", lambda env: env.personality),
    (("charScenario", "scenario"), "Scenario of the card.", lambda env: env.scenario),
    (("mesExamplesRaw",), "Examples of the card, as they are written.", lambda env: env.mes_examples),
    (("mesExamples",), "Examples of the card, each under <START>.", lambda env: example_blocks(env.mes_examples)),
    (("charPrompt",), "The card's own main prompt.", lambda env: card_text(env, "system_prompt")),
    (
        ("charInstruction",),
        "The card's own instructions after the history.",
        lambda env: card_text(env, "post_history_instructions"),
    ),
    (
        ("charDepthPrompt",),
        "The card's note inside the history.",
        lambda env: (env.agent and env.agent.depth_prompt) or "",
    ),
    (
        ("charCreatorNotes", "creatorNotes"),
        "Notes of the card's author.",
        lambda env: (env.agent and env.agent.creator_notes) or card_text(env, "creator_notes"),
    ),
)


def _templates() -> tuple[Macro, ...]:
    def run(read: Read) -> Callable[[MacroCall], str]:
        return lambda call: template(call, read(call.env))

    return tuple(
        Macro(name, "substitute", run(read if name == "mesExamples" else _stripped(read)), description, dialect=NEWER)
        for names, description, read in TEMPLATES
        for name in names
    )


def _stripped(read: Read) -> Read:
    return lambda env: read(env).strip()


templates = MacroFamily(_templates())


@macro("charFirstMessage", "greeting", phase="substitute", arguments="0-1", dialect=NEWER)
def greeting(call: MacroCall) -> str:
    """The card's first message, or the greeting of a number."""
    number = whole_number(call, 0, 0)
    greetings = call.env.agent.greetings if call.env.agent else ()
    return template(call, greetings[number].content.strip()) if 0 <= number < len(greetings) else ""


def whole_number(call: MacroCall, place: int, default: int) -> int:
    """An argument that is a whole number; raises BadCall where it is something else."""
    if place >= len(call.arguments):
        return default
    if not re.fullmatch(r"-?\d{1,9}", call.arguments[place].strip(), re.ASCII):
        raise BadCall(f"{call.arguments[place]!r} is not a whole number")
    return int(call.arguments[place])


# --- names


@macro("user", phase="substitute", dialect=NEWER)
def user(call: MacroCall) -> str:
    """Name of the user."""
    return call.env.user


@macro("char", phase="substitute", dialect=NEWER)
def char(call: MacroCall) -> str:
    """Name of the card."""
    return call.env.char


@macro("group", "charIfNotGroup", phase="substitute", dialect=NEWER)
def group(call: MacroCall) -> str:
    """Names of all in the group; the card's where there is none."""
    return ", ".join(call.env.group) or call.env.char


@macro("groupNotMuted", phase="substitute", dialect=NEWER)
def group_not_muted(call: MacroCall) -> str:
    """Names of those in the group who may speak; the card's where there is none."""
    return ", ".join(name for name in call.env.group if name not in call.env.muted) or call.env.char


@macro("notChar", phase="substitute", dialect=NEWER)
def not_char(call: MacroCall) -> str:
    """Names of the others: the rest of the group, else the user."""
    return ", ".join(name for name in call.env.group if name != call.env.char) or call.env.user


@macro("charVersion", "version", "char_version", phase="substitute", dialect=NEWER)
def char_version(call: MacroCall) -> str:
    """Version of the card."""
    return (call.env.agent.agent_version if call.env.agent else None) or card_text(call.env, "character_version")


@macro("original", phase="substitute", dialect=NEWER)
def original(call: MacroCall) -> str:
    """The prompt that the card's own one stands in for."""
    if not call.env.original:
        raise BadCall("this text stands in for no other")
    return call.env.original


@macro("outlet", phase="substitute", arguments="1", dialect=NEWER)
def outlet(call: MacroCall) -> str:
    """The worldbook entries that were sent to this outlet; empty when there are none."""
    return str(call.env.outlets.get(call.arguments[0].strip(), ""))


@macro("input", phase="post", dialect=NEWER)
def typed(call: MacroCall) -> str:
    """The text that is typed and not sent yet."""
    return call.env.input if call.env.place == "pending" else call.env.facts.get("input", "")


# --- messages


@macro("lastMessage", phase="post", dialect=NEWER)
def last_message(call: MacroCall) -> str:
    """The newest message, whoever wrote it."""
    return call.env.messages.newest()


@macro("lastUserMessage", phase="post", dialect=NEWER)
def last_user_message(call: MacroCall) -> str:
    """The user's newest message."""
    return call.env.messages.newest("user")


@macro("lastCharMessage", phase="post", dialect=NEWER)
def last_char_message(call: MacroCall) -> str:
    """The newest message of a card."""
    return call.env.messages.newest("assistant")


@macro("lastMessageId", phase="post", dialect=NEWER)
def last_message_id(call: MacroCall) -> str:
    """Number of the newest message, the first being 0; empty when there is none."""
    count = call.env.messages.count()
    return str(count - 1) if count else ""


@macro("allChatRange", phase="post", dialect=NEWER)
def all_chat_range(call: MacroCall) -> str:
    """Numbers of the first and the last message, as 0-3; empty when there is none."""
    count = call.env.messages.count()
    return f"0-{count - 1}" if count else ""


@macro("firstDisplayedMessageId", phase="post", dialect=NEWER)
def first_displayed(call: MacroCall) -> str:
    """Number of the first message that the program shows: it shows a hundred."""
    count = call.env.messages.count()
    return str(max(0, count - 100)) if count else ""


@macro("firstIncludedMessageId", phase="post", dialect=NEWER)
def first_included(call: MacroCall) -> str:
    """Nothing: the number of the first message of the request before this one, which isn't known."""
    return ""


@macro("lastSwipeId", phase="post", dialect=NEWER)
def last_swipe(call: MacroCall) -> str:
    """The number of versions of the newest message; empty when it is the user's."""
    found = call.env.messages.swipes()
    return str(found[1]) if found else ""


@macro("currentSwipeId", phase="post", dialect=NEWER)
def current_swipe(call: MacroCall) -> str:
    """The number of the version that is sent of the newest message; empty when it is the user's."""
    found = call.env.messages.swipes()
    return str(found[0]) if found else ""
