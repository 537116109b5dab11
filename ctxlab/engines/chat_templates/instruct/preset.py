"""Presets of SillyTavern's text completion as values: instruct sequences, context template, system prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ctxlab.lazy_dataclass import dataclass

Names = Literal["none", "force", "always"]
"""Whether names stand before words: never, of others than the user and the character alone, always."""

SLOTS = (
    *("anchorBefore", "system", "wiBefore", "description", "personality"),
    *("scenario", "wiAfter", "persona", "anchorAfter"),
)
"""Names of the texts that a story string shows, in the usual order."""
STORY = "".join([f"{{{{#if {slot}}}}}{{{{{slot}}}}}\n{{{{/if}}}}" for slot in SLOTS]) + "{{trim}}"
"""The story string of a preset that has no context template: every text on a line of its own."""


@dataclass(frozen=True, slots=True)
class InstructSequences:
    """The characters before and after each message.

    With `wrap` a line feed follows each sequence, and a message that has no suffix. `macro` says whether macros in
    sequences are expanded. Of the first and last forms those that are empty give way to the usual ones.
    """

    input_sequence: str = ""
    output_sequence: str = ""
    system_sequence: str = ""
    input_suffix: str = ""
    output_suffix: str = ""
    system_suffix: str = ""
    first_input_sequence: str = ""
    first_output_sequence: str = ""
    last_input_sequence: str = ""
    last_output_sequence: str = ""
    last_system_sequence: str = ""
    story_string_prefix: str = ""
    story_string_suffix: str = ""
    stop_sequence: str = ""
    user_alignment_message: str = ""
    activation_regex: str = ""
    wrap: bool = True
    macro: bool = True
    skip_examples: bool = False
    system_same_as_user: bool = False
    sequences_as_stop_strings: bool = True
    names_behavior: Names = "force"


@dataclass(frozen=True, slots=True)
class ContextTemplate:
    """The texts before the chat: the story string, and the headings of examples and chat.

    With `story_string_position` 1 the story is a message `story_string_depth` messages from the newest, of the role
    `story_string_role` (0 system, 1 user, 2 assistant).
    """

    story_string: str = STORY
    example_separator: str = ""
    chat_start: str = ""
    use_stop_strings: bool = False
    names_as_stop_strings: bool = True
    single_line: bool = False
    always_force_name2: bool = True
    trim_sentences: bool = False
    story_string_position: int = 0
    story_string_depth: int = 1
    story_string_role: int = 0


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """The system prompt, and the text that the user is made to say after the chat; "" where there is none."""

    content: str = ""
    post_history: str = ""


@dataclass(frozen=True, slots=True)
class InstructPreset:
    """Sequences, context template and system prompt, by which a text is made of messages.

    `unknown` are keys of the files that nothing here reads, with their values, `notes` what of the preset isn't done.
    `place` is the file, "" where there was none.
    """

    name: str
    sequences: InstructSequences
    context: ContextTemplate = ContextTemplate()
    system: SystemPrompt = SystemPrompt()
    unknown: Mapping[str, object] | None = None
    notes: tuple[str, ...] = ()
    place: str = ""

    def __repr__(self) -> str:
        at = f" from {self.place!r}" if self.place else ""
        return f"InstructPreset({self.name!r}{at}, {len(self.notes)} notes)"
