"""Addresses of an agent's files, `agent-asset://group/id.ext`, as its texts, and those of messages, write them."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, unquote

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

SCHEME: Final = "agent-asset://"
DEFAULT_GROUP: Final = "default"
IN_BRACKETS: Final = r"<agent-asset://([^<>\n]{1,1000})>"
BARE: Final = r"agent-asset://([^\s<>\"'`()\[\]{}|\\，。；：！？、（）【】《》「」『』“”]{1,1000})"
FOUND: Final = lazy_pattern(f"{IN_BRACKETS}|{BARE}", re.IGNORECASE)
AT_THE_END: Final = ".,;:!?*_~"
"""Signs of a sentence, or of Markdown, after an address."""
UNSAFE: Final = lazy_pattern(r"[\x00-\x20\x7f<>\"'`()\[\]{}|\\/?#%，。；：！？、（）【】《》「」『』“”\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class AssetReference:
    """An address in a text, from its character `start` to `end`, taken apart: percent signs are decoded.

    `group` is `default` where the address names none, `id` has no ending.
    """

    group: str
    id: str
    ending: str = ""
    start: int = 0
    end: int = 0

    @property
    def address(self) -> str:
        """The address as it is written anew."""
        return address_of(self.group, self.id, self.ending)


def asset_references(text: str) -> tuple[AssetReference, ...]:
    """The addresses of agents' files in a text, in order: in Markdown's links and pictures, in HTML, and alone.

    >>> [found.id for found in asset_references("![波](agent-asset://stickers/wave.png), agent-asset://horn.")]
    ['wave', 'horn']
    """
    found: list[AssetReference] = []
    for match in FOUND.finditer(text):
        number = 1 if match[1] is not None else 2
        words = match[number] if number == 1 else match[2].rstrip(AT_THE_END)
        if words.strip("/"):
            end = match.start(number) + len(words)
            found.append(_taken_apart(words, end - len(words) - len(SCHEME), end))
    return tuple(found)


def parse_asset_reference(words: str) -> AssetReference:
    """An address taken apart, with or without its scheme.

    >>> parse_asset_reference("stickers/%E6%B3%A2.png")
    AssetReference(group='stickers', id='波', ending='png', start=0, end=22)
    """
    plain = words.strip()
    inside = plain[len(SCHEME) :] if plain[: len(SCHEME)].lower() == SCHEME else plain
    return _taken_apart(inside, 0, len(words))


def _taken_apart(inside: str, start: int, end: int) -> AssetReference:
    """Group and id, decoded after they are taken apart."""
    plain = re.split(r"[?#]", inside, maxsplit=1)[0]
    group, slash, name = plain.partition("/")
    if not slash:
        group, name = "", group
    stem, ending = without_ending(unquote(name))
    return AssetReference(unquote(group) or DEFAULT_GROUP, stem, ending, start, end)


def without_ending(name: str) -> tuple[str, str]:
    """A name's stem and its ending, which begins after the last dot; a name that begins with its only dot has none."""
    stem, dot, ending = name.rpartition(".")
    return (stem, ending.lower()) if dot and stem else (name, "")


def address_of(group: str, id: str, ending: str = "") -> str:
    """The address of a file; letters of every writing stay as they are, what would end the address is encoded."""
    end = f".{_encoded(ending)}" if ending else ""
    address = f"{SCHEME}{_encoded(group or DEFAULT_GROUP)}/{_encoded(id)}{end}"
    last = address[-1]
    return f"{address[:-1]}%{ord(last):02X}" if last in AT_THE_END else address


def _encoded(part: str) -> str:
    return UNSAFE.sub(lambda found: quote(found[0], safe="", errors="replace"), part)
