"""Families of models whose replies llama.cpp's server knows by words of their templates."""

from __future__ import annotations

from typing import Final, NamedTuple


class ReplyForm(NamedTuple):
    """The words that the server writes in front of a reply that is continued.

    A template is of the family that has all of `words` and none of `without`. `turn` begins the reply; `start` and
    `end` stand around its thoughts, both of them also where it has none.
    """

    name: str
    words: tuple[str, ...]
    turn: str = ""
    start: str = ""
    end: str = ""
    without: tuple[str, ...] = ()

    @property
    def thinks(self) -> bool:
        """Whether replies of the family have thoughts."""
        return bool(self.start)


THINK, THOUGHT = "<think>", "</think>"
CHATML: Final = "<|im_start|>assistant\n"
FORMS: Final[tuple[ReplyForm, ...]] = (
    ReplyForm("ministral", ("[SYSTEM_PROMPT]", "[TOOL_CALLS]", "[ARGS]"), "", "[THINK]", "[/THINK]", ("[CALL_ID]",)),
    ReplyForm(
        "gpt-oss",
        ("<|channel|>",),
        "",
        "<|start|>assistant<|channel|>analysis<|message|>",
        "<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
    ReplyForm(
        "functionary", (">>>all", ">>>${recipient}"), "<|start_header_id|>assistant<|end_header_id|>\n\n>>>all\n"
    ),
    ReplyForm(
        "kimi-k2",
        ("<|tool_calls_section_begin|>", "<|tool_call_begin|>"),
        "<|im_assistant|>assistant<|im_middle|>",
        THINK,
        THOUGHT,
    ),
    ReplyForm(
        "cohere2-moe",
        ("<|START_TEXT|>", "<|START_ACTION|>"),
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
        "<|START_THINKING|>",
        "<|END_THINKING|><|START_TEXT|>",
    ),
    ReplyForm("lfm2", ("<|tool_list_start|>", "<|tool_list_end|>"), CHATML, THINK, THOUGHT),
    ReplyForm("lfm2", ("List of tools: [",), CHATML, THINK, THOUGHT, ("<|tool_list_start|>",)),
    ReplyForm(
        "gigachat", ("<|role_sep|>", "<|message_sep|>"), "assistant<|role_sep|>\n", without=("<|function_call|>",)
    ),
    ReplyForm("deepseek-v3.2", ("dsml_token", "DSML", "function_calls"), "<｜Assistant｜>", THINK, THOUGHT),
    ReplyForm(
        "deepseek-v4", ("dsml_token", "DSML", "tool_calls"), "<｜Assistant｜>", THINK, THOUGHT, ("function_calls",)
    ),
    ReplyForm("gemma4", ("'<|tool_call>call:'",), "", "<|channel>thought\n", "<channel|>"),
    ReplyForm(
        "minicpm5",
        ("Tool usage guidelines:", '<function name="', '<param name="'),
        CHATML,
        "<think>\n",
        "\n</think>\n\n",
    ),
    ReplyForm("ling3", ("<role>ASSISTANT</role>", "<arg_key>"), "<role>ASSISTANT</role>\n", THINK, THOUGHT),
    ReplyForm(
        "qwen3-coder", ("<tool_call>", "<function=", "<parameter=", THINK), CHATML, "<think>\n", "\n</think>\n\n"
    ),
    ReplyForm("qwen3-coder", ("<tool_call>", "<function=", "<parameter="), CHATML),
)
"""In the order in which the server asks; measured with xllamacpp 2026.10.11549."""


def reply_form(source: str) -> ReplyForm | None:
    """The family of a template; None where it is of none."""
    for form in FORMS:
        if all(word in source for word in form.words) and not any(word in source for word in form.without):
            return form
    return None
