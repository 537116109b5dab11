"""A prompt that is one text, as one request: split into its messages by the marks of a chat template, or by labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from ctxlab.display.short_texts import counted, short
from ctxlab.errors import BrokenFile
from ctxlab.formats.requests.blocks import Data
from ctxlab.formats.results import Loss
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.readers.prompt_markup import BEGINNINGS, ENDS, Mark, Markup, markup_of

ENDINGS: Final = (".txt", ".text", ".prompt", ".md")
MOST_BYTES: Final = 64_000_000
SYSTEM: Final = lazy_pattern(r"\s*<<SYS>>\n?(?P<system>.*?)\n?<</SYS>>\s*", re.DOTALL)
EMPTY_THOUGHT: Final = lazy_pattern(
    r"(?:(?:<(?:\w+:)?think(?::\w+)?>\s*)?</(?:\w+:)?think(?::\w+)?>|<\|channel>thought\s*<channel\|>)\s*"
)
"""Marks that templates put before an answer without thoughts."""
OPEN_THOUGHT: Final = lazy_pattern(r"(?:<(?:\w+:)?think(?::\w+)?>|<\|channel>thought|<\|START_THINKING\|>)?\Z")
RESULT: Final = lazy_pattern(
    r"<tool_response>(?P<a>(?:(?!<tool_response>).)*?)</tool_response>"
    r"|<\|tool_response>(?P<b>(?:(?!<\|tool_response>).)*?)<tool_response\|>"
    r"|<start_function_response>(?P<c>(?:(?!<start_function_response>).)*?)<end_function_response>"
    r"|<TOOL_RESPONSE>(?P<d>(?:(?!<TOOL_RESPONSE>).)*?)</TOOL_RESPONSE>",
    re.DOTALL,
)
"""A tool's result inside a message of somebody else; no mark is looked for behind the next one that opens."""
LEFT: Final = lazy_pattern(
    r"<[|｜][^<>|｜\s]{1,40}[|｜]>|<\|[a-z_]{2,30}>|<[a-z_]{2,30}\|>|\[/?[A-Z]{3,}(?:_[A-Z]+)*\]|</s>|<s>"
)
"""Characters that look like a mark of a template."""
TURNS: Final = Markup("Anthropic's Human and Assistant", lazy_pattern(r"(?:\A|\n\n)(?P<role>Human|Assistant):[ ]?"))
LABELS: Final = Markup(
    "labels at the beginnings of lines",
    lazy_pattern(
        r"(?:^|(?<=</s>)|(?<=<\|end_of_sentence\|>)|(?<=<｜end▁of▁sentence｜>)|(?=#{3} ))(?:#{1,4} |\*\*)?"
        r"(?P<role>system|developer|user|human|assistant|ai|tool|系统|用户|助手|工具)"
        r"(?:\*\*)?[:：](?:\*\*)?[ \t]*",
        re.IGNORECASE | re.MULTILINE,
    ),
    ("</s>", "<|end_of_sentence|>", "<｜end▁of▁sentence｜>"),
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


Split = Callable[[str], "SplitPrompt"]


def read(place: Path, name: str, builder: RecordingBuilder, split: Split | None = None) -> None:
    """The one request of a prompt, split by its marks, or as `split` does.

    Raises BrokenFile for a file that is no UTF-8, or too large for a prompt.
    """
    try:
        if place.stat().st_size > MOST_BYTES:
            raise BrokenFile(f"{name} is too large for a prompt: more than {MOST_BYTES:,} bytes")
        text = place.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenFile(f"{name} can't be read as a text: {error}") from None
    if not text.strip():
        raise BrokenFile(f"{name} is empty, so there is no prompt in it")
    add_prompt(builder, (split or split_prompt)(text))


def add_prompt(builder: RecordingBuilder, found: SplitPrompt) -> None:
    """Add the request of a prompt."""
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
    """A prompt's messages; all of it is one of the user where no markup and no labels are in it."""
    found = markup_of(text)
    if found is not None:
        return _by_marks(text, *found)
    if any(mark.name == "Human" for mark in TURNS.marks(text)):
        return _by_marks(text, TURNS, [*TURNS.marks(text)])
    labels = [*LABELS.marks(text)]
    if any(mark.role == "user" for mark in labels) and (len(labels) > 1 or LABELS.before.match(text.lstrip())):
        return _by_marks(text, LABELS, labels)
    marks = _left((text,))
    notes = (f"what look like marks ({marks}) are of no markup that is known here",) if marks else ()
    return SplitPrompt("", (("user", text),), notes)


def _by_marks(text: str, markup: Markup, marks: Sequence[Mark]) -> SplitPrompt:
    notes = [markup.lacks] if markup.lacks else []
    messages: list[tuple[str, str]] = []
    before = BEGINNINGS.sub("", text[: marks[0].start], count=1).strip()
    if before:
        messages.append(("system", before))
        notes.append("what stands before the first mark is read as a system text")
    ends = [*(mark.start for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=True):
        if mark.role is None:
            notes.append(f"role {mark.name!r:.40} is not known; it is a message of the user")
        words, more = _until_mark(text[mark.end : end], markup.after)
        answers_begin = mark.role == "assistant" and OPEN_THOUGHT.match(_without_thought(words).strip())
        if not (answers_begin and (mark is marks[-1] or markup.fixed)):
            messages += _told(mark.role or "user", words.strip() if markup.has_blanks else words)
        if more:
            messages.append(("user", more))
            notes.append("text between two messages is read as one of the user")
    left = _left([words for _, words in messages])
    if left:
        notes.append(f"marks that aren't known here stay in the messages: {left}")
    return SplitPrompt(markup.name, tuple(messages) or (("user", text),), tuple(dict.fromkeys(notes)))


def _until_mark(text: str, after: Sequence[str]) -> tuple[str, str]:
    """The words up to the mark after a message, and what stands behind it."""
    places = [(at, mark) for mark in after if (at := text.find(mark)) >= 0]
    if not places:
        return ENDS.sub("", text).strip("\n"), ""
    at, mark = min(places)
    rest = text[at + len(mark) :]
    while True:  # several marks may end a message
        rest = ENDS.sub("", BEGINNINGS.sub("", rest, count=1)).strip()
        mark = next((mark for mark in after if rest.startswith(mark)), "")
        if not mark:
            return text[:at].strip("\n"), rest
        rest = rest.removeprefix(mark)


def _told(role: str, words: str) -> Iterator[tuple[str, str]]:
    """A message's words, with what is another's inside: a system text as Llama 2 has it, results of tools."""
    system = SYSTEM.match(words) if role == "user" else None
    if system is not None:
        yield "system", system["system"].strip()
        words = words[system.end() :]
    if role == "assistant":
        words = _without_thought(words)
    results = [*RESULT.finditer(words)]
    if role in ("user", "assistant") and results and (role == "assistant" or not RESULT.sub("", words).strip()):
        at = 0
        for result in results:
            if words[at : result.start()].strip():
                yield role, words[at : result.start()].strip()
            yield "tool", next(each for each in result.groups() if each is not None).strip()
            at = result.end()
        if words[at:].strip():
            yield role, words[at:].strip()
        return
    yield role, words


def _without_thought(words: str) -> str:
    """An answer without the marks of an empty thought before it."""
    bare = words.lstrip()
    found = EMPTY_THOUGHT.match(bare)
    return bare[found.end() :] if found is not None else words


def _left(texts: Iterable[str]) -> str:
    """The first few of what look like marks in some texts."""
    found = dict.fromkeys(mark.group() for text in texts for mark in LEFT.finditer(text))
    return short(", ".join(found), 80)
