"""Reasoning inside a reply's text told from its words, also while the text is still coming."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import ThinkRule
from ctxlab.documents.rules import think_rules_in_force
from ctxlab.engines.regexes.render import reasoning_blocks
from ctxlab.lazy_dataclass import dataclass

PartKind = Literal["words", "thought", "undecided"]


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a reply's text, from character `start` up to `end`; the parts of a text are all of it, in order.

    `text` is what is read: of a thought it is what stands between its tags, which the span has too. `closed` is False
    for a thought whose closing tag hasn't come, `collapsed` says whether it is shown folded. An `undecided` part may
    yet become a tag.
    """

    kind: PartKind
    start: int
    end: int
    text: str
    tag: str = ""
    name: str = ""
    closed: bool = True
    collapsed: bool = True


@checked_arguments
def split_thoughts(
    text: str, rules: Sequence[ThinkRule | str] = (), *, streaming: bool = False
) -> tuple[TextPart, ...]:
    """The thoughts and the words of a reply, by an agent's `llm_think_rules` or names of tags.

    Without rules that name a tag, the tags that models use most count. A thought that isn't closed goes to the end.
    With `streaming` the text may go on: its end is undecided while it may be the beginning of a tag, and what is called
    words or a thought stays that whatever comes.

    >>> [(part.kind, part.text) for part in split_thoughts("<think>hm</think>Yes.")]
    [('thought', 'hm'), ('words', 'Yes.')]
    """
    given = [ThinkRule(tag_name=rule) if isinstance(rule, str) else rule for rule in rules]
    in_force = think_rules_in_force(given)
    end = _decided(text, in_force) if streaming else len(text)
    parts = list(_parts(text[:end], in_force))
    return (*parts, *([TextPart("undecided", end, len(text), text[end:])] if end < len(text) else []))


def _parts(text: str, rules: Sequence[ThinkRule]) -> Iterator[TextPart]:
    at = 0
    for block in reasoning_blocks(text, rules):
        if block.start > at:
            yield TextPart("words", at, block.start, text[at : block.start])
        yield TextPart(
            "thought", block.start, block.end, block.text, block.tag, block.name, block.closed, block.collapsed
        )
        at = block.end
    if at < len(text):
        yield TextPart("words", at, len(text), text[at:])


def _decided(text: str, rules: Sequence[ThinkRule]) -> int:
    """The number of characters that no further ones can turn into something else."""
    open_tag = next((part.tag for part in _parts(text, rules) if not part.closed), None)
    at = text.rfind("<")
    if open_tag is not None:  # only its closing tag counts
        beginning = re.compile(rf"</?|</{_prefixes(open_tag)}\s*", re.IGNORECASE)
        return at if at >= 0 and beginning.fullmatch(text, at) else len(text)
    return _first_unclosed(text, [rule.tag_name for rule in rules])


def _first_unclosed(text: str, tags: Sequence[str]) -> int:
    """The first place outside of thoughts at which a tag has begun that isn't complete, else the end."""
    names = "|".join(re.escape(tag) for tag in tags)
    last = text.rfind(">") + 1
    inside = re.compile(rf"<(?:{names})(?:[\s/][^>]*)?\Z", re.IGNORECASE)
    found = inside.search(text, last)
    if found is not None:
        return found.start()
    at = text.rfind("<", last)
    half = re.compile(rf"<(?:{'|'.join(_prefixes(tag) for tag in tags)})", re.IGNORECASE)
    return at if at >= 0 and half.fullmatch(text, at) else len(text)


def _prefixes(tag: str) -> str:
    """A pattern of every beginning of a name, the empty one and the whole one included."""
    return "(?:" + "".join(f"(?:{re.escape(letter)}" for letter in tag) + ")?" * len(tag) + ")"
