"""Settings of the injection step: its own places, and those in which SillyTavern's prompt is built otherwise."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ctxlab.pipeline import ProcessorSettings, form_hints
from ctxlab.processors.macro_engine import MACRO_ENGINE, MacroEngine

Reading = Literal["sillytavern", "sillytavern-1.19", "reference"]
Examples = Literal["text", "messages", "fitting", "none"]
Names = Literal["stored", "group", "field", "text"]
MacroOrder = Literal["as-sent", "sillytavern"]


class InjectionSettings(ProcessorSettings):
    """The places of presets and lore, and the forms in which they become messages."""

    note_depth: int = Field(
        4,
        ge=0,
        title="Author's note",
        description="Depth of lore that goes to the author's note where no preset is one.",
    )
    lore_places: Reading = Field(
        "sillytavern",
        title="Lore places",
        description="Whose reading of an entry's position and order is followed.",
    )
    macro_engine: MacroEngine = MACRO_ENGINE
    macros_in_messages: bool = Field(
        False,
        title="Macros in messages",
        description="With SillyTavern's engines, expand macros in the conversation's messages too, at each request.",
    )

    @property
    def expands_messages(self) -> bool:
        """Only SillyTavern's engines sign what they write into a message as this step's."""
        return self.macros_in_messages and self.macro_engine != "seed"

    macro_order: MacroOrder = Field(
        "as-sent",
        title="Order of macros",
        description="Which text's macros come first, where one sets a variable that another reads.",
        json_schema_extra=form_hints(
            labels={
                "as-sent": "as they are sent",
                "sillytavern": "as SillyTavern prepares them: card, lore, prompts, messages from the newest back",
            }
        ),
    )
    one_message: bool = Field(
        False,
        title="One message per place",
        description="Join lore and presets of one place, depth, order and role into one message, and the author's note "
        "with the lore around it.",
    )
    lore_format: str = Field(
        "",
        title="Form of lore",
        description="Put around the joined lore before and after the character; {0} is the lore, none is no form.",
    )
    examples: Examples = Field(
        "text",
        title="Example messages",
        description="Whether the card's examples are one text or a message for each speaker.",
        json_schema_extra=form_hints(
            labels={
                "text": "one text",
                "messages": "a message each",
                "fitting": "a message each, in whole blocks as far as they fit after the history",
                "none": "not sent",
            }
        ),
    )
    blank_prompts: bool = Field(
        False,
        title="Blank prompts",
        description="Send prompts that are nothing but blanks; what is quite empty is never sent then.",
    )
    cut_with_history: bool = Field(
        False,
        title="Cut with the history",
        description="Presets, notes and lore at a depth count as messages of the history and are cut with it.",
    )
    off_without_marker: bool = Field(
        False,
        title="History off",
        description="Leave the history out where its placeholder is switched off.",
    )
    names: Names = Field(
        "stored",
        title="Names of speakers",
        description="Whether messages of the history carry their speaker's name.",
        json_schema_extra=form_hints(
            labels={
                "stored": "as they are stored",
                "group": "before the text of replies, in a group",
                "field": "in the name field",
                "text": "before the text",
            }
        ),
    )
    quote_user: bool = Field(False, title="Quotes", description="Put what the user writes into double quotation marks.")
    drop_carriage_returns: bool = Field(
        False, title="Line ends", description="Take carriage returns out of the history's messages."
    )
    continued_is_apart: bool = Field(
        False,
        title="Continued message apart",
        description="In a turn that continues without words that ask for it, count depths without that message.",
    )
    reasoning_in_text: bool = Field(
        False,
        title="Reasoning in the text",
        description="Put the reasoning that the session loader keeps before the text of its message.",
    )
    reasoning_prefix: str = Field("<think>\n", title="Before reasoning", description="Put before the reasoning.")
    reasoning_suffix: str = Field("\n</think>", title="After reasoning", description="Put after the reasoning.")
    reasoning_separator: str = Field(
        "\n", title="Reasoning and text", description="Put between the reasoning's end and the text."
    )
    after_reply: str = Field(
        "",
        title="After a reply",
        description="The user's words that are sent where the newest message is the assistant's; none sends none.",
    )
