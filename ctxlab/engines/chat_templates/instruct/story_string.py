"""The story string: texts of card, lore and persona by name, with the conditionals of Handlebars.

Blocks are `#if`, `#unless`, `#with` and `#each`, with `else` and `^`. A value is put in as it is: nothing in it is read
as a block, and no character is escaped. A name that stands for nothing here stays as it is written, for macros.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ctxlab.engines.chat_templates.instruct.pieces import Piece
from ctxlab.errors import TemplateRefused
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

MOST_TAGS: Final = 10_000
MOST_DEPTH: Final = 100
TAG: Final = lazy_pattern(
    r"\{\{(?P<left>~?)(?:"
    r"(?P<comment>!--(?:(?!\{\{!--)[\s\S]){0,2000}?--|![^}]{0,2000})"
    r"|\#(?P<opens>\w+)(?:\s+(?:this\.)?(?P<subject>\w+))?\s*"
    r"|\^(?P<inverse>\w*)\s*"
    r"|/(?P<closes>\w+)\s*"
    r"|(?P<otherwise>\s*else(?:\s+if\s+(?P<elseif>\w+))?\s*)"
    r"|\{\s*(?P<raw>\w+)\s*\}"
    r"|&?\s*(?:this\.)?(?P<name>\w+)\s*"
    r")(?P<right>~?)\}\}"
)
BLOCKS: Final = frozenset({"if", "unless", "with", "each"})
ALONE: Final = lazy_pattern(r"[ \t]*\Z")
REST: Final = lazy_pattern(r"[ \t]*(?:\r?\n|\Z)")


@dataclass(slots=True)
class _Block:
    """A block that is open: whether what is read is shown, and what the other half would be."""

    name: str
    shown: bool
    outer: bool
    at: int
    had: bool
    """Whether one of its halves was shown."""


def story_pieces(
    source: str, values: Mapping[str, Sequence[Piece]], own: Callable[[str], Sequence[Piece | str]]
) -> list[Piece | str]:
    """The pieces of a story string; `own` gives those of characters of its own.

    Raises TemplateRefused for a block that isn't closed, or closes none, with its line.
    """
    out: list[Piece | str] = []
    blocks: list[_Block] = []
    literal: list[str] = []
    at = tags = 0
    strip_next = False

    def shown() -> bool:
        return not blocks or blocks[-1].shown

    def flush() -> None:
        if literal:
            out.extend(own("".join(literal)))
            literal.clear()

    for tag in TAG.finditer(source):
        tags += 1
        if tags > MOST_TAGS:
            raise TemplateRefused(f"the story string has more than {MOST_TAGS:,} tags")
        words = source[at : tag.start()]
        is_block = tag["opens"] or tag["closes"] or tag["otherwise"] or tag["comment"] or tag["inverse"] is not None
        known = tag["name"] or tag["raw"]
        if tag["comment"] and tag["comment"].startswith("//"):
            continue
        if strip_next:
            words = words.lstrip()
        if tag["left"]:
            words = words.rstrip()
        end, strip_next = tag.end(), bool(tag["right"])
        if is_block and not tag["left"] and not strip_next:
            line = source.rfind("\n", 0, tag.start()) + 1
            rest = REST.match(source, end)
            if line >= at - 1 and ALONE.match(source, line, tag.start()) is not None and rest is not None:
                if line >= at:
                    words = words[: len(words) - (tag.start() - line)]
                    end = rest.end()
                elif at == 0 or source[at - 1] == "\n":
                    words, end = "", rest.end()
        if shown():
            literal.append(words)
        at = end
        if tag["comment"]:
            continue
        if tag["opens"]:
            if tag["opens"] in BLOCKS:
                truth = bool(tag["subject"] and values.get(tag["subject"]))
            else:  # a section by the name of a value
                truth = bool(values.get(tag["opens"]))
            truth = truth != (tag["opens"] == "unless")
            blocks.append(_Block(tag["opens"], shown() and truth, shown(), tag.start(), truth))
            if len(blocks) > MOST_DEPTH:
                raise TemplateRefused(f"the story string has more than {MOST_DEPTH} blocks within one another")
        elif tag["otherwise"] or tag["inverse"] == "":
            if not blocks:
                raise TemplateRefused(f"the story string has an else outside a block{_line(source, tag.start())}")
            block, wanted = blocks[-1], tag["elseif"]
            half = not block.had and (wanted is None or bool(values.get(wanted)))
            block.shown, block.had = block.outer and half, block.had or half
        elif tag["inverse"]:
            truth = not values.get(tag["inverse"])
            blocks.append(_Block(tag["inverse"], shown() and truth, shown(), tag.start(), truth))
        elif tag["closes"]:
            if not blocks or blocks[-1].name != tag["closes"]:
                where = _line(source, tag.start())
                raise TemplateRefused(f"the story string closes {tag['closes']}, which is not open{where}")
            blocks.pop()
        elif shown():
            if known in values:
                flush()
                out.extend(values[known])
            else:
                literal.append(source[tag.start() : tag.end()])
    if blocks:
        where = _line(source, blocks[-1].at)
        raise TemplateRefused(f"the story string doesn't close {blocks[-1].name}{where}")
    rest = source[at:]
    literal.append(rest.lstrip() if strip_next else rest)
    flush()
    return out


def _line(source: str, at: int) -> str:
    return f" (line {source.count(chr(10), 0, at) + 1})"
