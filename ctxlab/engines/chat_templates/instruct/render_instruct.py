"""Messages as the text that SillyTavern's text completion sends by an instruct preset, with their origins.

It is written after what SillyTavern 1.19.0 was seen to send, character by character.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import field, replace
from typing import Final, Literal, NamedTuple

from ctxlab.context import Draft, Origin, Text
from ctxlab.engines.chat_templates.instruct.parts import SPEAKERS, PromptParts, Turn, sorted_parts, turn_of
from ctxlab.engines.chat_templates.instruct.pieces import Piece, as_text, ends_line, own, plain, trimmed
from ctxlab.engines.chat_templates.instruct.preset import SLOTS, InstructPreset
from ctxlab.engines.chat_templates.instruct.preset_macros import PresetMacros
from ctxlab.engines.chat_templates.instruct.story_string import story_pieces
from ctxlab.engines.chat_templates.rendered_text import RenderedText
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

TurnKind = Literal["normal", "continue", "impersonate"]
TRIM: Final = lazy_pattern(r"\{\{\s*trim\s*\}\}")
STORY_ROLES: Final[tuple[Turn, ...]] = ("system", "user", "assistant")
ALIASES: Final = {"loreBefore": "wiBefore", "loreAfter": "wiAfter"}
NAMED: Final = Origin("separator", "names")
"""The origin of a name that a build puts before words in a group."""
CARD: Final = ("description", "personality", "scenario", "persona")
"""Texts of the story string that macros stand for too."""
SYSTEM: Final = "System"
"""The value of `{{name}}` before the story."""


@dataclass(frozen=True, slots=True)
class _Said:
    """Words of the chat, and whose; no name stands before those that the preset has a user say after the chat."""

    turn: Turn
    words: Sequence[Piece]
    speaker: str
    message: int | None = None
    is_named: bool = True


@dataclass(frozen=True, slots=True)
class _Example:
    """A line of a talk that is an example."""

    message: int
    pieces: Sequence[Piece]


def instruct_text(
    drafts: Sequence[Draft],
    preset: InstructPreset,
    *,
    user: str = "User",
    char: str = "Assistant",
    kind: TurnKind = "normal",
    is_group: bool = False,
    without: Collection[int] = (),
) -> RenderedText:
    """The text that SillyTavern's text completion sends of messages, by an instruct preset.

    `user` and `char` are the names that macros and names before words stand for. `kind` says what the text asks for: an
    answer, more of the last message, or words of the user. `is_group` says that several characters speak, `without` are
    positions of messages of the chat and of examples that are cut. Messages that text completion has no place for are
    left out, such as results of tools. Raises TemplateRefused for a story string
    that can't be read.
    """
    whole = InstructWriter.of(drafts, preset, user, char, kind, is_group=is_group, without=without).pieces()
    text, stretches = as_text(whole)
    return RenderedText(text, stretches, preset.name, "sillytavern")


class Written(NamedTuple):
    """Characters that were written for one thing: an example, a message of the chat, or what has to be there."""

    thing: Literal["example", "chat", "fixed"]
    message: int | None
    text: str


@dataclass(slots=True)
class InstructWriter:
    """The writing of one text: `out` are its pieces, `log` what each thing took."""

    drafts: Sequence[Draft]
    preset: InstructPreset
    macros: PresetMacros
    kind: TurnKind
    is_group: bool
    parts: PromptParts
    out: list[Piece] = field(default_factory=list[Piece])
    log: list[Written] = field(default_factory=list[Written])

    @classmethod
    def of(
        cls,
        drafts: Sequence[Draft],
        preset: InstructPreset,
        user: str,
        char: str,
        kind: TurnKind,
        *,
        is_group: bool,
        without: Collection[int] = (),
    ) -> InstructWriter:
        """A writer of some messages."""
        parts = sorted_parts(drafts, has_system_prompt=bool(preset.system.content))
        card = {slot: "\n".join(str(drafts[number].text) for number in parts.slots.get(slot, ())) for slot in CARD}
        if without:
            examples = [[number for number in block if number not in without] for block in parts.examples]
            chat = [number for number in parts.chat if number not in without]
            parts = replace(parts, examples=[block for block in examples if block], chat=chat)
        return cls(drafts, preset, PresetMacros(user, char, preset.name, **card), kind, is_group, parts)

    def pieces(self) -> list[Piece]:
        """The pieces of the text, in order."""
        parts, context = self.parts, self.preset.context
        story = self._story(parts.slots, parts.examples)
        examples = [each for block in parts.examples for each in self._example(block)]
        chat = [self._said(number) for number in parts.chat]
        self._insert_afterword(chat)
        if context.story_string_position == 1:
            words = trimmed(story, " \t\r\n", front=True, back=True)
            if words:
                role = STORY_ROLES[context.story_string_role] if 0 <= context.story_string_role < 3 else "system"
                said = _Said(role, words, self._name(role))
                chat.insert(max(0, len(chat) - max(0, context.story_string_depth)), said)
        else:
            self._put_story(story)
        self._logged("fixed", None, 0)
        for each in examples:
            at = len(self.out)
            self.out += each.pieces
            self._logged("example", each.message, at)
        at = len(self.out)
        if context.chat_start:
            self._add(self.macros.expanded(context.chat_start) + "\n")
        self._logged("fixed", None, at)
        self._put_chat(chat)
        return self.out

    def _logged(self, thing: Literal["example", "chat", "fixed"], message: int | None, at: int) -> None:
        self.log.append(Written(thing, message, plain(self.out[at:])))

    def _add(self, text: str) -> None:
        if text:
            self.out.append(self._own(text))

    def _own(self, text: str) -> Piece:
        return own(text, self.macros.origin)

    @property
    def _separator(self) -> str:
        return "\n" if self.preset.sequences.wrap else ""

    def _name(self, turn: Turn) -> str:
        return self.macros.user if turn == "user" else self.macros.char

    # --- the story

    def _story(self, slots: dict[str, list[int]], examples: Sequence[Sequence[int]]) -> list[Piece]:
        values: dict[str, Sequence[Piece]] = dict.fromkeys(SLOTS, ())
        for slot, numbers in slots.items():
            values[slot] = self._lines(numbers)
        prompt = self.macros.expanded(self.preset.system.content)
        if prompt:
            more = values["system"]
            values["system"] = [self._own(prompt), *([self._own("\n"), *more] if more else [])]
        values |= {alias: values[slot] for alias, slot in ALIASES.items()}
        values["char"], values["user"] = [self._own(self.macros.char)], [self._own(self.macros.user)]
        values["mesExamples"] = [piece for block in examples for each in self._example(block) for piece in each.pieces]
        values["mesExamplesRaw"] = [piece for block in examples for piece in self._raw_example(block)]
        found = story_pieces(self.preset.context.story_string, values, self._literal)
        return trimmed(_without_marks(found), "\n", front=True)

    def _literal(self, text: str) -> list[Piece | str]:
        """Characters of the story string; a mark stands where line feeds are to go."""
        out: list[Piece | str] = []
        for number, words in enumerate(TRIM.split(text)):
            if number:
                out.append("")
            if words:
                out.append(self._own(self.macros.expanded(words)))
        return out

    def _lines(self, numbers: Sequence[int]) -> list[Piece]:
        out: list[Piece] = []
        for number in numbers:
            if self.drafts[number].text:
                out += [*([self._own("\n")] if out else []), Piece(self.drafts[number].text, number, "content")]
        return out

    def _put_story(self, story: Sequence[Piece]) -> None:
        if not story:
            return
        sequences = self.preset.sequences
        if sequences.story_string_prefix:
            self._add(self.macros.expanded(sequences.story_string_prefix, SYSTEM) + self._separator)
        self.out += story
        self._add(self.macros.expanded(sequences.story_string_suffix))
        if not sequences.story_string_suffix and sequences.wrap and not ends_line(self.out):
            self._add("\n")

    # --- examples

    def _example(self, block: Sequence[int]) -> Iterator[_Example]:
        """The lines of a talk; its heading goes with the first."""
        sequences = self.preset.sequences
        before = [*self._heading()]
        for number in block:
            said = self._said(number)
            if sequences.skip_examples:
                yield _Example(number, [*before, *self._raw_line(number)])
            elif self.drafts[number].text:
                sequence = sequences.input_sequence if said.turn == "user" else sequences.output_sequence
                named = sequences.names_behavior == "always" or (
                    sequences.names_behavior == "force" and (said.turn == "user" or self.is_group)
                )
                yield _Example(number, [*before, *self._message(said, sequence, is_named=named)])
            else:
                continue
            before = []

    def _heading(self) -> Iterator[Piece]:
        separator = self.macros.expanded(self.preset.context.example_separator)
        if separator:
            yield self._own(separator + "\n")

    def _raw_example(self, block: Sequence[int]) -> Iterator[Piece]:
        yield self._own("<START>\n")
        for number in block:
            yield from self._raw_line(number)

    def _raw_line(self, number: int) -> Iterator[Piece]:
        said = self._said(number)
        yield Piece(Text.of(said.speaker, Origin("template", self.preset.name)), number, "name")
        yield self._own(": ")
        yield from said.words
        yield self._own("\n")

    # --- the chat

    def _said(self, number: int) -> _Said:
        draft = self.drafts[number]
        example = SPEAKERS.get(draft.speaker or "")
        turn = example or turn_of(draft)
        words = Piece(draft.text, number, "content")
        if draft.placement is not None and draft.placement.is_in_history:
            words = words.without(" \t\r\n", front=True, back=True)
        speaker = self._name(turn) if example or not draft.speaker else draft.speaker
        first = draft.text.spans[0] if draft.text.spans else None
        if first is not None and first.origin == NAMED and first.text.endswith(": "):
            # A name that a build put before the words; whether it stands there is the preset's to say.
            speaker, words = first.text.removesuffix(": "), words.cut(len(first.text), len(words.text))
        return _Said(turn, (words,), speaker, number)

    def _insert_afterword(self, chat: list[_Said]) -> None:
        afterword = self.macros.expanded(self.preset.system.post_history).strip()
        if afterword:
            said = _Said("user", (self._own(afterword),), self.macros.user, is_named=False)
            chat.insert(len(chat) - (1 if self.kind == "continue" and chat else 0), said)

    def _put_chat(self, chat: Sequence[_Said]) -> None:
        sequences = self.preset.sequences
        if sequences.user_alignment_message and chat and chat[0].turn != "user":
            words = self._own(self.macros.expanded(sequences.user_alignment_message))
            said = _Said("user", (words,), self.macros.user)
            first = sequences.first_input_sequence or sequences.input_sequence
            at = len(self.out)
            self.out += self._message(said, first, is_named=sequences.names_behavior == "always")
            self._logged("fixed", None, at)
        users = [number for number, said in enumerate(chat) if said.turn == "user"]
        last_user = users[-1] if users and self.kind != "impersonate" else -1
        for number, said in enumerate(chat):
            continued = self.kind == "continue" and number == len(chat) - 1
            sequence = self._sequence(
                said.turn, is_first=number == 0, is_last_user=number == last_user, continued=continued
            )
            at = len(self.out)
            self.out += self._message(said, sequence, is_named=self._shows_name(said), is_open=continued)
            self._logged("fixed" if continued or self._stays(said) else "chat", said.message, at)
        if self.kind != "continue" or not chat:
            at = len(self.out)
            self._put_prompt()
            self._logged("fixed", None, at)

    def _stays(self, said: _Said) -> bool:
        """Whether a message is never cut: what was put into the chat at a depth, and the preset's own."""
        place = self.drafts[said.message].placement if said.message is not None else None
        return said.message is None or (place is not None and place.is_in_history)

    def _sequence(self, turn: Turn, *, is_first: bool, is_last_user: bool, continued: bool) -> str:
        sequences = self.preset.sequences
        if turn == "system":
            return sequences.input_sequence if sequences.system_same_as_user else sequences.system_sequence
        if turn == "user":
            first = sequences.first_input_sequence if is_first else ""
            return (sequences.last_input_sequence if is_last_user else "") or first or sequences.input_sequence
        first = sequences.first_output_sequence if is_first else ""
        return (sequences.last_output_sequence if continued else "") or first or sequences.output_sequence

    def _shows_name(self, said: _Said) -> bool:
        behavior = self.preset.sequences.names_behavior
        if said.turn == "system" or not said.is_named or behavior == "none":
            return False
        if behavior == "always":
            return True
        if said.turn == "user":
            return said.speaker != self.macros.user
        return self.is_group and said.message is not None

    def _message(self, said: _Said, sequence: str, *, is_named: bool, is_open: bool = False) -> Iterator[Piece]:
        """A message with its sequence and its suffix; an open one, which the model goes on with, has no suffix."""
        sequences = self.preset.sequences
        name = said.speaker
        if sequence:
            yield self._own(self._in_sequence(sequence, name) + self._separator)
        if is_named:
            named = Text.of(name, Origin("template", self.preset.name))
            yield Piece(named, said.message, "name" if said.message is not None else "template")
            yield self._own(": ")
        yield from said.words
        if is_open:
            return
        as_user = said.turn == "user" or (said.turn == "system" and sequences.system_same_as_user)
        by_turn = {"assistant": sequences.output_suffix, "system": sequences.system_suffix}
        suffix = sequences.input_suffix if as_user else by_turn[said.turn]
        yield self._own(self._in_sequence(suffix, name) or self._separator)

    def _in_sequence(self, sequence: str, name: str) -> str:
        return self.macros.expanded(sequence, name) if self.preset.sequences.macro else sequence

    def _put_prompt(self) -> None:
        """The line after which the answer begins."""
        sequences = self.preset.sequences
        impersonates = self.kind == "impersonate"
        name = self.macros.user if impersonates else self.macros.char
        if impersonates:
            sequence = sequences.last_input_sequence or sequences.input_sequence
        else:
            sequence = sequences.last_output_sequence or sequences.output_sequence
        sequence = self._in_sequence(sequence, name)
        is_named = sequences.names_behavior == "always" or (
            sequences.names_behavior == "force" and self.is_group and not impersonates
        )
        before = "" if ends_line(self.out) or not self.out else self._separator
        if sequences.wrap:
            sequence = sequence.rstrip() + self._separator if sequence.strip() else ""
        self._add(before + sequence + (f"{name}:" if is_named else ""))


def _without_marks(found: Sequence[Piece | str]) -> list[Piece]:
    """Without the line feeds on both sides of each mark."""
    out: list[Piece] = []
    eats = False
    for each in found:
        if isinstance(each, str):
            out, eats = trimmed(out, "\r\n", back=True), True
            continue
        rest = each.without("\r\n", front=True) if eats else each
        if rest.text:
            out.append(rest)
            eats = False
    return out
