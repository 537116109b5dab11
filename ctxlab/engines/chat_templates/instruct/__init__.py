"""SillyTavern's text completion: one text made of messages by instruct, context and system prompt presets."""

from ctxlab.engines.chat_templates.instruct.fit import FittedText, fit_instruct_text
from ctxlab.engines.chat_templates.instruct.preset import (
    ContextTemplate,
    InstructPreset,
    InstructSequences,
    SystemPrompt,
)
from ctxlab.engines.chat_templates.instruct.read_preset import read_instruct_preset
from ctxlab.engines.chat_templates.instruct.render_instruct import instruct_text
from ctxlab.engines.chat_templates.instruct.stop_strings import stop_strings

__all__ = [
    "ContextTemplate",
    "FittedText",
    "InstructPreset",
    "InstructSequences",
    "SystemPrompt",
    "fit_instruct_text",
    "instruct_text",
    "read_instruct_preset",
    "stop_strings",
]
