"""A message as a run sends it: the messages that it was made of, and the parts of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from itertools import groupby
from typing import NamedTuple, cast

from ctxlab.context import Draft, Origin, Text
from ctxlab.context.file_words import FROM_FILES
from ctxlab.display.source_styles import BY_NAME, OF_KIND, OF_PART, OVERHEAD
from ctxlab.documents.session.message import Role, ToolCall
from ctxlab.lazy_dataclass import dataclass
from ctxlab.prompt.merged_parts import pieces
from ctxlab.prompt.part import ENTRIES, PromptPart, Source
from ctxlab.prompt.prompt import PromptMessage
from ctxlab.prompt.token_counter import TokenCounter
from ctxlab.prompt.tool_use import part_of_call, part_of_result

PERSONAS = ("user_profile", "personaDescription")
"""Anchors whose placeholders show the user's profile."""
FILES: Source = "attachments"
SEAMS: Source = "seams"


class RunFacts(NamedTuple):
    """Things of a run that its messages are read with.

    `alone` has the parts of merged messages as they last stood alone, `answered` the calls that results answer, both by
    key.
    """

    counter: TokenCounter
    alone: Mapping[str, Draft] = {}
    answered: Mapping[str, ToolCall] = {}


@dataclass(frozen=True, slots=True, eq=False)
class JoinedMessage:
    """One of the messages that a sent message was made of, characters `start` up to `end` of it; often the only one.

    `seam` is the separator before it. `alone` is the message as it last stood alone, with its calls and files; None
    where it never did.
    """

    key: str
    role: Role
    origin: Origin
    text: Text
    start: int
    seam: str
    alone: Draft | None
    run: RunFacts = field(repr=False)

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def source(self) -> str:
        """The entry of `trace.budget()` that counts its own words."""
        return source_of(self.alone) if self.alone is not None else ENTRIES.get(s := _source(self.role, self.origin), s)

    @property
    def look(self) -> str:
        """The source whose colour and sign it has."""
        return OF_PART[self.source]

    @property
    def placed(self) -> str:
        """The place that it asked for, in words; empty where it asked for none."""
        return str(self.alone.placement or "") if self.alone is not None else ""

    @property
    def tokens(self) -> int:
        """Tokens of its words, calls and files, without the overhead of a message."""
        if self.alone is not None and self.alone.text is self.text:
            return self.run.counter.count_draft(self.alone) - self.run.counter.message_tokens
        return sum([part.tokens for part in self.parts])

    @property
    def parts(self) -> list[PromptPart]:
        """Its parts: words, the text of its files apart, calls, files, and as `seams` what texts cost that meet."""
        words = _words(self.key, self.role, self.text, self.start, self.origin, self.alone, self.run)
        return [*words, *_beside(self.alone, self.run.counter)] if self.alone is not None else words


class BuiltMessage(PromptMessage):
    """A message as a run sends it. `joined` are the messages that it was made of, `joins` what joining them costs."""

    __slots__ = ("_joined", "draft", "run")

    def __init__(self, draft: Draft, run: RunFacts) -> None:
        super().__init__(draft.key, draft.role, None, run.counter.message_tokens)
        self.draft, self.run = draft, run
        self._joined: tuple[JoinedMessage, ...] | None = None

    @property
    def joined(self) -> tuple[JoinedMessage, ...]:
        """The messages that it was made of, in order; with their seams they are all of its text."""
        if self._joined is None:
            draft, role, run = self.draft, self.role, self.run
            alone = run.alone if draft.merged else {draft.key: draft}
            self._joined = tuple(
                [
                    JoinedMessage(
                        each.part.key,
                        role,
                        each.part.origin,
                        each.text,
                        each.start,
                        each.seam,
                        alone.get(each.part.key),
                        run,
                    )
                    for each in pieces(draft)
                ]
            )
        return self._joined

    @property
    def parts(self) -> tuple[PromptPart, ...]:
        if self._parts is None:
            draft, run = self.draft, self.run
            if not draft.merged:
                words = _words(draft.key, draft.role, draft.text, 0, draft.origin, draft, run)
                self._parts = (*words, *_beside(draft, run.counter))
                return self._parts
            found: list[PromptPart] = []
            joins = self.joins
            for each in self.joined:
                if each.seam:
                    found.append(PromptPart(SEAMS, each.seam, joins, self.key, each.start - len(each.seam)))
                    joins = 0
                found += each.parts
            if joins:
                found.append(PromptPart(SEAMS, "", joins, self.key))
            self._parts = tuple(found)
        return self._parts

    @property
    def sizes(self) -> Iterable[tuple[str, int, int]]:
        draft, text = self.draft, self.draft.text
        if self._parts is not None or draft.merged or draft.reasoning or draft.assets or _has_files(text):
            return super().sizes
        tokens = self.tokens - self.overhead  # its parts need not be made
        if not (draft.calls or draft.role == "tool"):
            return ((source_of(draft), tokens, len(text)),)
        words = self.run.counter.count(str(text))
        return ((source_of(draft), words, len(text)), (ENTRIES["calls"], tokens - words, 0))

    @property
    def tokens(self) -> int:
        return self.run.counter.count_draft(self.draft)

    @property
    def joins(self) -> int:
        """Tokens that joining its messages costs."""
        if not self.draft.merged:
            return 0
        return self.tokens - self.overhead - sum([each.tokens for each in self.joined])


def _words(
    key: str, role: Role, text: Text, at: int, origin: Origin, alone: Draft | None, run: RunFacts
) -> list[PromptPart]:
    """A text in stretches: its own words, those of files, and what is more or less where they meet."""
    counter, whole = run.counter, str(text)
    tokens = counter.count(whole)
    own = _source_of(alone) if alone is not None else _source(role, origin)
    if not _has_files(text):
        if own != "results":
            return [PromptPart(own, whole, tokens, key, at, role)]
        id = (alone.result_of if alone is not None else None) or ""
        return [part_of_result(whole, tokens, key, at, run.answered.get(key), id)]
    found: list[PromptPart] = []
    for is_file, spans in groupby(text.spans, lambda span: span.origin.kind in FROM_FILES):
        words = "".join([span.text for span in spans])
        found.append(PromptPart(FILES if is_file else own, words, counter.count(words), key, at, role))
        at += len(words)
    joins = tokens - sum([part.tokens for part in found])
    return [*found, PromptPart(SEAMS, "", joins, key)] if joins else found


def _has_files(text: Text) -> bool:
    return any([span.origin.kind in FROM_FILES for span in text.spans])  # noqa: C419 (a third of the time)


def _beside(draft: Draft, counter: TokenCounter) -> list[PromptPart]:
    """The parts of a message beside its words: thoughts, files, calls, and what its names and ids cost."""
    left = counter.count_draft(draft) - counter.message_tokens - counter.count(str(draft.text))
    if not left and not (draft.calls or draft.assets or draft.reasoning):
        return []
    key, role = draft.key, draft.role
    found: list[PromptPart] = []
    if draft.reasoning:
        found.append(PromptPart("reasoning", draft.reasoning, counter.count(draft.reasoning), key, None, role))
    for file in draft.assets:
        alone = Draft(key, role, (file,), draft.origin)
        tokens = counter.count_draft(alone) - counter.message_tokens
        found.append(PromptPart(FILES, file.name, tokens, key, None, role, file.name or file.kind))
    for call in draft.calls:
        found.append(part_of_call(call, counter.count(call.name) + counter.count(call.arguments), key, role))
    rest = left - sum([part.tokens for part in found])
    if rest:
        source = "tools" if draft.calls or role == "tool" else FILES if draft.assets else _source_of(draft)
        found.append(PromptPart(source, "", rest, key, None, role))
    return found


def source_of(draft: Draft) -> str:
    """The entry of `trace.budget()` that counts the words of a message."""
    source = _source_of(draft)
    return ENTRIES.get(source, source)


def _source_of(draft: Draft) -> Source:
    place = draft.placement
    is_profile = place is not None and place.kind == "template" and place.anchor in PERSONAS
    return _source(draft.role, draft.origin, is_profile=is_profile)


def _source(role: str, origin: Origin, *, is_profile: bool = False) -> Source:
    if role == "tool":
        return "results"
    if origin.kind == "preset":
        return "profile" if is_profile else "system" if role == "system" else "presets"
    source = BY_NAME[OF_KIND.get(origin.kind, OVERHEAD)]
    return cast("Source", source.parts[0] if source.parts else OVERHEAD)
