"""The author's note and the character's name that a chat of SillyTavern brings into a build of it alone."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

from ctxlab.documents import Note
from ctxlab.documents.agent.authors_note import AUTHORS_NOTE, PROMPT_NAME
from ctxlab.documents.frozen_json import frozen
from ctxlab.formats.sillytavern.chats.own_texts import NOTE_OF_CHAT, character_of_chat, note_of_chat
from ctxlab.pipeline.settings.dialects import Dialect, dialect_of

if TYPE_CHECKING:
    from ctxlab.context import BuildInput
    from ctxlab.documents import MessageNode
    from ctxlab.pipeline import Pipeline

CHAR: Final = "char"
NOTE_NOT_SENT: Final = "note_not_sent"
"""Detail of a note on an author's note that the dialect leaves out."""
LONGEST: Final = 80
"""Characters of a note that a sentence repeats."""


def with_texts_of_chat(build_input: BuildInput, pipeline: Pipeline) -> tuple[BuildInput, tuple[Note, ...]]:
    """The input with that which its session's file says, and a note where its author's note isn't sent.

    The note is sent in the dialects of SillyTavern, unless the presets have one already.
    """
    build_input = with_character_of_chat(build_input)
    given = tuple(node for node in build_input.presets if node.id != NOTE_OF_CHAT)
    note = note_of_chat(build_input.session)
    if note is None or any(node.meta(PROMPT_NAME) == AUTHORS_NOTE for node in given):
        return (build_input if given == build_input.presets else replace(build_input, presets=given)), ()
    dialect = pipeline.dialect or dialect_of(build_input)
    if dialect.program == "sillytavern":
        return replace(build_input, presets=(note, *given)), ()
    return replace(build_input, presets=given), (_not_sent(note, dialect),)


def with_character_of_chat(build_input: BuildInput) -> BuildInput:
    """The input with the name that `{{char}}` shows where no agent is chosen."""
    facts: dict[str, Any] = {name: text for name, text in build_input.facts.items() if name != CHAR}
    name = character_of_chat(build_input.session) if build_input.agent is None else ""
    facts |= {CHAR: name} if name else {}
    return build_input if facts == build_input.facts else replace(build_input, facts=frozen(facts))


def _not_sent(note: MessageNode, dialect: Dialect) -> Note:
    sentence = (
        f"the chat's author's note is not sent in the dialect {dialect.name}; dialect='sillytavern-1.19' sends it"
    )
    place = note.injection_strategy
    if place is not None and place.type == "depth":
        text = note.content if len(note.content) <= LONGEST and note.content.isprintable() else "TEXT"
        sentence += f", on the command line --note {quote(f'{text}@{place.depth:g}')} does"
    return Note("warning", sentence, details={NOTE_NOT_SENT: note.content})
