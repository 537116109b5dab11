"""A prompt that is one text, as one request: split into its messages by the marks of a chat template, or by labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ctxlab.display.short_texts import counted
from ctxlab.errors import BrokenFile
from ctxlab.formats.requests.blocks import Data
from ctxlab.formats.results import Loss
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.recordings.builder import START, RecordingBuilder

ENDINGS: Final = (".txt", ".text", ".prompt", ".md")
MOST_BYTES: Final = 64_000_000
ROLES: Final = {
    "system": "system", "developer": "system", "系统": "system",
    "user": "user", "human": "user", "用户": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant", "bot": "assistant", "助手": "assistant",
    "tool": "tool", "function": "tool", "ipython": "tool", "工具": "tool",
}  # fmt: skip
"""Names of roles in marks and labels."""
BEGINNINGS: Final = lazy_pattern(r"\A\s*(?:<s>|<bos>|<\|begin_of_text\|>|<\|startoftext\|>)\s*")
ENDS: Final = lazy_pattern(r"(?:</s>|<eos>|<\|endoftext\|>|<\|end_of_text\|>)\s*$")


@dataclass(frozen=True, slots=True)
class Template:
    """A way of writing messages into one text: a mark with the role before each, and marks after it."""

    name: str
    before: re.Pattern[str]
    after: tuple[str, ...] = ()


TEMPLATES: Final = (
    Template("ChatML", lazy_pattern(r"<\|im_start\|>[ \t]*(?P<role>[^\n<]*)\n?"), ("<|im_end|>",)),
    Template(
        "Llama 3",
        lazy_pattern(r"<\|start_header_id\|>(?P<role>[^<\n]*)<\|end_header_id\|>\n{0,2}"),
        ("<|eot_id|>", "<|eom_id|>"),
    ),
    Template(
        "Llama 4", lazy_pattern(r"<\|header_start\|>(?P<role>[^<\n]*)<\|header_end\|>\n{0,2}"), ("<|eot|>", "<|eom|>")
    ),
    Template("Gemma", lazy_pattern(r"<start_of_turn>(?P<role>[^\n<]*)\n?"), ("<end_of_turn>",)),
    Template("Phi", lazy_pattern(r"<\|(?P<role>system|user|assistant|tool)\|>\n?"), ("<|end|>", "</s>")),
)
"""Templates with a mark for each role."""
INSTRUCTION: Final = lazy_pattern(r"\[INST\](?P<asked>.*?)(?:\[/INST\](?P<answer>.*?)(?=\[INST\]|\Z)|\Z)", re.DOTALL)
SYSTEM: Final = lazy_pattern(r"\s*<<SYS>>\n?(?P<system>.*?)\n?<</SYS>>\s*", re.DOTALL)
TURNS: Final = Template("Anthropic's Human and Assistant", lazy_pattern(r"(?:\A|\n\n)(?P<role>Human|Assistant):[ ]?"))
LABELS: Final = Template(
    "labels at the beginnings of lines",
    lazy_pattern(
        r"^(?:#{1,4} |\*\*)?(?P<role>system|developer|user|human|assistant|ai|tool|系统|用户|助手|工具)"
        r"(?:\*\*)?[:：](?:\*\*)?[ \t]*",
        re.IGNORECASE | re.MULTILINE,
    ),
)


@dataclass(frozen=True, slots=True)
class SplitPrompt:
    """The messages of a prompt, each a role and a text, and by what they were told; "" where nothing told them."""

    template: str
    messages: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()


def is_prompt(place: Path) -> bool:
    """Whether a file's name says that it is a text."""
    return place.suffix.lower() in ENDINGS and place.is_file()


def read(place: Path, name: str, builder: RecordingBuilder) -> None:
    """The one request of a prompt. Raises BrokenFile for a file that is no UTF-8, or too large for a prompt."""
    try:
        if place.stat().st_size > MOST_BYTES:
            raise BrokenFile(f"{name} is too large for a prompt: more than {MOST_BYTES:,} bytes")
        text = place.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenFile(f"{name} can't be read as a text: {error}") from None
    if not text.strip():
        raise BrokenFile(f"{name} is empty, so there is no prompt in it")
    add_prompt(builder, text)


def add_prompt(builder: RecordingBuilder, text: str) -> None:
    """Add the request of a prompt."""
    found = split_prompt(text)
    messages: list[Data] = [{"role": role, "content": words} for role, words in found.messages]
    leads = next((number for number, message in enumerate(messages) if message["role"] != "system"), len(messages))
    head = builder.head_with("openai-chat", tuple(messages[:leads]))
    leaf = builder.add_all(START, messages[leads:], "openai-chat", place="message")
    builder.request(leaf, head)
    builder.losses += [Loss("", note) for note in found.notes]
    if found.template:
        told = f"its {counted(len(messages), 'message')} told by {found.template}, whose marks are left out"
        builder.losses.append(Loss("", f"the prompt is one text, {told}"))
    else:
        builder.losses.append(Loss("", "nothing tells the prompt's messages apart: all of it is one of the user"))


def split_prompt(text: str) -> SplitPrompt:
    """A prompt's messages; all of it is one of the user where no template and no labels are in it."""
    for template in TEMPLATES:
        if template.before.search(text):
            return _by_marks(text, template)
    if INSTRUCTION.search(text):
        return _by_instructions(text)
    if any(found["role"] == "Human" for found in TURNS.before.finditer(text)):
        return _by_marks(text, TURNS)
    roles = [ROLES[found["role"].lower()] for found in LABELS.before.finditer(text)]
    if "user" in roles and (len(roles) > 1 or LABELS.before.match(text.lstrip())):
        return _by_marks(text, LABELS)
    return SplitPrompt("", (("user", text),))


def _by_marks(text: str, template: Template) -> SplitPrompt:
    marks = [*template.before.finditer(text)]
    notes: list[str] = []
    messages: list[tuple[str, str]] = []
    before = BEGINNINGS.sub("", text[: marks[0].start()], count=1).strip()
    if before:
        messages.append(("system", before))
        notes.append("what stands before the first mark is read as a system text")
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=True):
        named = mark["role"].strip()
        role = ROLES.get(named.split()[0].lower() if named else "")
        if role is None:
            notes.append(f"role {named!r:.40} is not known; it is a message of the user")
        words, more = _until_mark(text[mark.end() : end], template.after)
        is_open = mark is marks[-1] and role == "assistant" and not words.strip()
        if not is_open:  # else it is where the answer begins
            messages.append((role or "user", words))
        if more:
            messages.append(("user", more))
            notes.append("text between two messages is read as one of the user")
    return SplitPrompt(template.name, tuple(messages) or (("user", text),), tuple(dict.fromkeys(notes)))


def _until_mark(text: str, after: Sequence[str]) -> tuple[str, str]:
    """The words up to the mark after a message, and what stands behind it."""
    places = [(at, mark) for mark in after if (at := text.find(mark)) >= 0]
    if not places:
        return ENDS.sub("", text).strip("\n"), ""
    at, mark = min(places)
    return text[:at].strip("\n"), ENDS.sub("", BEGINNINGS.sub("", text[at + len(mark) :], count=1)).strip()


def _by_instructions(text: str) -> SplitPrompt:
    """Turns as Llama 2 and Mistral write them: `[INST] asked [/INST] answer`, the system text inside the first."""
    notes: list[str] = []
    messages: list[tuple[str, str]] = []
    first = text.find("[INST]")
    before = BEGINNINGS.sub("", text[:first], count=1).strip()
    if before:
        messages.append(("system", before))
        notes.append("what stands before the first mark is read as a system text")
    for turn in INSTRUCTION.finditer(text, first):
        messages += _of_turn(turn["asked"], turn["answer"] or "")
    return SplitPrompt("[INST]", tuple(messages), tuple(notes))


def _of_turn(asked: str, answer: str) -> Iterator[tuple[str, str]]:
    system = SYSTEM.match(asked)
    if system is not None:
        yield "system", system["system"].strip()
        asked = asked[system.end() :]
    yield "user", asked.strip()
    words = re.sub(r"\s*(?:</s>|<eos>)?\s*(?:<s>|<bos>)?\s*\Z", "", answer).strip()
    if words:
        yield "assistant", words
