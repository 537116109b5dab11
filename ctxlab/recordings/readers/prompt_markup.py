"""Markup of prompts that are one text: the marks by which families of models tell messages apart.

Each is written after what the families' published templates write. A mark opens a message; it names the role, or is of
one. What stands after a message, up to the next mark, is no words of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final, NamedTuple

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

ROLES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("system", "developer", "developer system", "系统", "available_tools", "documents"), "system"),
    **dict.fromkeys(("user", "human", "用户", "prompt", "userprompt"), "user"),
    **dict.fromkeys(("assistant", "ai", "model", "bot", "chatbot", "助手", "answer", "response"), "assistant"),
    **dict.fromkeys(("tool", "function", "ipython", "工具", "observation", "tool_response", "function result"), "tool"),
    **dict.fromkeys(("environment", "tools", "tool_result", "tool_results"), "tool"),
}  # fmt: skip
"""Names of roles in marks and labels."""
BEGINNINGS: Final = lazy_pattern(
    r"\A\s*(?:(?:<s>|<bos>|<BOS_TOKEN>|<seed:bos>|\[gMASK\]|<sop>|\]~!b\[|〈\|EOS\|〉"
    r"|<[|｜](?:begin[_▁]of[_▁](?:text|sentence)|startoftext|endoftext|hy_begin[_▁]of[_▁]sentence[^<>]*)[|｜]>)\s*)+"
)
ENDS: Final = lazy_pattern(
    r"(?:</s>(?:\s*<s>)?|<eos(?::\w+)?>|<seed:eos>|<SPECIAL_12>|<[|｜](?:end[_▁]?of[_▁]?(?:text|sentence)|eos|hy_eos[^<>]*)[|｜]>)\s*$"
)


NO_RESULTS: Final = "this markup has no mark for results of tools: one would be read as somebody else's words"


class Mark(NamedTuple):
    """A mark in a text: its first and last character, the role that it opens, and its name as it stands there."""

    start: int
    end: int
    role: str | None
    name: str


@dataclass(frozen=True, slots=True)
class Markup:
    """A way of writing messages into one text: a mark before each, and marks after it.

    The role is the group `role` of `before`, or `kind` where that isn't known; else `fixed` has it by the mark's own
    characters. `least` are marks that a
    text has at least, for marks that other texts have too; `opener` is what the first one is. With
    `has_blanks` blanks around words are the markup's. `lacks` says what can't be told by it.
    """

    name: str
    before: re.Pattern[str]
    after: tuple[str, ...] = ()
    fixed: Mapping[str, str] = field(default_factory=dict[str, str])
    least: int = 1
    opener: str = ""
    has_blanks: bool = False
    lacks: str = ""

    def marks(self, text: str) -> Iterator[Mark]:
        """Its marks in a text, in order."""
        for found in self.before.finditer(text):
            whole, groups = found.group().strip(), found.groupdict()
            named = [groups[name] for name in ("role", "kind") if groups.get(name) is not None]
            role = self.fixed.get(whole) or next((role for name in named if (role := role_of(name))), None)
            yield Mark(found.start(), found.end(), role, named[0].strip() if named else whole)


def role_of(name: str) -> str | None:
    """The role of a name in a mark; None for one that isn't known."""
    whole = name.strip().lower()
    if whole in ROLES:
        return ROLES[whole]
    words = whole.split()
    if not words:
        return None
    if words[0].startswith(("functions.", "tool.", "python", "browser")):
        return "tool"
    return ROLES.get(words[0]) or ROLES.get(words[-1])


MARKUP: Final[Sequence[Markup]] = (
    Markup(
        "Kimi",
        lazy_pattern(
            r"(?:<\|im_(?P<kind>system|user|assistant)\|>|(?<=<\|im_end\|>)(?=tool))(?P<role>[^<\n]*)<\|im_middle\|>"
        ),
        ("<|im_end|>",),
    ),
    Markup(
        "ChatML",
        lazy_pattern(r"<\|im_start\|>[ \t]*(?:<\|(?P<kind>\w+)\|>\n?|(?P<role>[^\n<]*)(?:<\|im_sep\|>|\n)?)"),
        ("<|im_end|>", "<|endoftext|>", "</s>"),
    ),
    Markup(
        "Llama 3",
        lazy_pattern(r"<\|start_header_id\|>(?P<role>[^<\n]*)<\|end_header_id\|>\n{0,2}"),
        ("<|eot_id|>", "<|eom_id|>"),
    ),
    Markup(
        "Llama 4", lazy_pattern(r"<\|header_start\|>(?P<role>[^<\n]*)<\|header_end\|>\n{0,2}"), ("<|eot|>", "<|eom|>")
    ),
    Markup("Gemma", lazy_pattern(r"<start_of_turn>(?P<role>[^\n<]*)\n?"), ("<end_of_turn>",)),
    Markup("Gemma 4", lazy_pattern(r"<\|turn>(?P<role>[^\n<]*)\n?"), ("<turn|>",)),
    Markup(
        "Granite",
        lazy_pattern(r"<\|start_of_role\|>(?P<role>[^<{\n]*)(?:\{[^<\n]*\})?<\|end_of_role\|>[ \t]*"),
        ("<|end_of_text|>",),
    ),
    Markup(
        "gpt-oss (harmony)",
        lazy_pattern(r"<\|start\|>(?P<role>[^<\n]*)(?:<\|channel\|>[^<\n]*)?(?:<\|constrain\|>[^<\n]*)?<\|message\|>"),
        ("<|end|>", "<|call|>", "<|return|>"),
    ),
    Markup(
        "Command R",
        lazy_pattern(
            r"<\|START_OF_TURN_TOKEN\|>(?:<\|(?P<role>SYSTEM|USER|CHATBOT)_TOKEN\|>)"
            r"(?:<results>|<\|START_TOOL_RESULT\|>|<\|START_THINKING\|><\|END_THINKING\|>|<\|START_(?:TEXT|RESPONSE)\|>)*"
        ),
        ("<|END_OF_TURN_TOKEN|>", "<|END_TEXT|>", "<|END_RESPONSE|>", "<|END_TOOL_RESULT|>", "</results>"),
        {
            "<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><results>": "tool",
            "<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><|START_TOOL_RESULT|>": "tool",
        },
    ),
    Markup(
        "DeepSeek",
        lazy_pattern(
            r"<[|｜](?P<role>User|Assistant)[|｜]>|<｜tool▁outputs▁begin｜>(?:<｜tool▁output▁begin｜>)?"
            r"|<｜tool▁output▁begin｜>|<｜tool▁outputs▁end｜>"
        ),
        ("<｜end▁of▁sentence｜>", "<|end_of_text|>", "<｜tool▁output▁end｜>", "</s>"),
        {
            "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>": "tool",
            "<｜tool▁outputs▁begin｜>": "tool",
            "<｜tool▁output▁begin｜>": "tool",
            "<｜tool▁outputs▁end｜>": "assistant",
        },
    ),
    Markup(
        "Hunyuan",
        lazy_pattern(r"<｜hy_(?P<role>User|Assistant)(?::\w+)?｜>"),
        ("</s>", "<｜hy_eos｜>", "<｜hy_eos:opensource｜>", "<｜hy_place▁holder▁no▁2｜>"),
    ),
    Markup(
        "Hunyuan with marks behind",
        lazy_pattern(r"<｜hy_place▁holder▁no▁3｜>(?!<｜hy_User)|<｜hy_(?:User|Assistant)｜>"),
        ("</s>",),
        {"<｜hy_place▁holder▁no▁3｜>": "user", "<｜hy_User｜>": "assistant", "<｜hy_Assistant｜>": "user"},
        least=2,
        opener="<｜hy_place▁holder▁no▁3｜>",
        lacks=NO_RESULTS,
    ),
    Markup("Step", lazy_pattern(r"<\|BOT\|>[ ]?(?P<role>\w+)\n"), ("<|EOT|>",)),
    Markup(
        "EXAONE 3",
        lazy_pattern(r"\[\|(?P<role>system|user|assistant|tool)\|\]"),
        ("[|endofturn|]",),
    ),
    Markup(
        "Apertus",
        lazy_pattern(r"<\|(?P<role>system|developer|user|assistant)_start\|>"),
        tuple(f"<|{role}_end|>" for role in ("system", "developer", "user", "assistant")),
    ),
    Markup("Apriel", lazy_pattern(r"<\|begin_(?P<role>system|user|assistant|tool_result)\|>\n?"), ("<|end|>",)),
    Markup("MiniMax", lazy_pattern(r"\]~b\](?P<role>system|developer|user|ai|assistant|tool)[^\n\[\]]*\n"), ("[e~[",)),
    Markup("Ling", lazy_pattern(r"<role>(?P<role>[A-Za-z]+)</role>"), ("<|role_end|>",)),
    Markup(
        "Nemotron",
        lazy_pattern(r"<(?:extra_id_[01]|SPECIAL_1[01])>(?P<role>System|User|Assistant|Tool)\n"),
        ("<SPECIAL_12>",),
    ),
    Markup(
        "GigaChat",
        lazy_pattern(r"\b(?P<role>(?:developer system|function result|\w{1,30}))<\|role_sep\|>\n?"),
        ("<|message_sep|>",),
    ),
    Markup(
        "dots",
        lazy_pattern(r"<\|(?P<role>system|userprompt|response)\|>"),
        ("<|endofsystem|>", "<|endofuserprompt|>", "<|endofresponse|>"),
    ),
    Markup(
        "marks of roles as Phi, GLM and Metharme have them",
        lazy_pattern(
            r"(?:<\|bom\|>)?"
            r"<\|(?P<role>system|developer|user|assistant|model|tool|observation|prompt|answer)\|>[ \t]*\n?"
        ),
        ("<|end|>", "</s>", "<|endofturn|>", "<|endoftext|>", "<|eom|>"),
    ),
    Markup(
        "roles after the token that begins a text",
        lazy_pattern(r"(?:<s>|<bos>|<\|begin_of_text\|>|<seed:bos>)(?P<role>system|user|assistant|tool)\n"),
        ("</s>", "<eos>", "<|end_of_text|>", "<seed:eos>"),
    ),
    Markup(
        "elements named by roles",
        lazy_pattern(r"(?:^|(?<=>))<(?P<role>system|user|assistant|tool)>\n?", re.MULTILINE),
        ("</system>", "</user>", "</assistant>", "</tool>"),
        least=2,
    ),
    Markup(
        "roles between two marks",
        lazy_pattern(r"<\|[\w:]{2,20}\|>(?P<role>system|user|assistant|tool)<\|[\w:]{2,20}\|>\n{0,2}", re.IGNORECASE),
        ("<|end|>", "<|eot_id|>", "<|cos|>", "<|end_turn|>", "<|endoftext|>"),
        least=2,
    ),
    Markup(
        "[INST]",
        lazy_pattern(
            r"\[SYSTEM_PROMPT\]|\[AVAILABLE_TOOLS\]|\[MODEL_SETTINGS\]|\[INST\]|\[/INST\]|\[TOOL_RESULTS\]|\[/TOOL_RESULTS\]"
        ),
        ("[/SYSTEM_PROMPT]", "[/AVAILABLE_TOOLS]", "[/MODEL_SETTINGS]"),
        {
            **dict.fromkeys(("[SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]", "[MODEL_SETTINGS]"), "system"),
            "[INST]": "user",
            "[/INST]": "assistant",
            "[TOOL_RESULTS]": "tool",
            "[/TOOL_RESULTS]": "assistant",
        },
        has_blanks=True,
    ),
    Markup("MiniCPM", lazy_pattern(r"<(?P<role>用户|AI)>"), ("</s>",), least=2),
    Markup(
        "Hunyuan's older marks",
        lazy_pattern(r"<\|startoftext\|>(?![^<]*<\|extra_4\|>)|<\|extra_4\|>|<\|extra_0\|>"),
        ("<|eos|>",),
        {"<|extra_4|>": "user", "<|startoftext|>": "user", "<|extra_0|>": "assistant"},
        least=2,
    ),
    Markup("Blossom", lazy_pattern(r"^\|(?P<role>Human|Bot)\|: ?", re.MULTILINE), ("<|endoftext|>",), least=2),
    Markup("Reka", lazy_pattern(r"(?:\A|<sep>\s*)(?P<role>system|human|assistant): ?"), ("<sep>",), least=2),
    Markup(
        "Alpaca",
        lazy_pattern(r"### (?:Instruction|Input|Response):[ \t]*\n?"),
        ("<|EOT|>", "</s>"),
        {"### Instruction:": "user", "### Input:": "user", "### Response:": "assistant"},
        least=2,
        lacks=NO_RESULTS,
    ),
    Markup(
        "Vicuna",
        lazy_pattern(r"(?:^|(?<=</s>)|[ ]|(?<=[.!?]))(?P<role>USER|ASSISTANT):[ ]?", re.MULTILINE),
        ("</s>",),
        least=2,
        lacks=NO_RESULTS,
    ),
)
"""Markup with a mark for each message. The first mark in a text decides."""


def markup_of(text: str) -> tuple[Markup, list[Mark]] | None:
    """The markup whose first mark stands first, with its marks; None where none is there."""
    best: tuple[int, int, Markup, list[Mark]] | None = None
    for number, markup in enumerate(MARKUP):
        marks = [mark for mark in markup.marks(text) if mark.name or mark.role]
        if marks and markup.opener and text[marks[0].start : marks[0].end] != markup.opener:
            continue
        if len(marks) < markup.least or not any(mark.role in ("user", "assistant") for mark in marks):
            continue
        if best is None or (marks[0].start, number) < best[:2]:
            best = marks[0].start, number, markup, marks
    return best and (best[2], best[3])
