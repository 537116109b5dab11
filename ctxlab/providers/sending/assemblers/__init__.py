"""Replies put together from the events of their streams, a file for each wire format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Protocol, cast

from ctxlab.providers.sending.deltas import Data, Delta, ReplyAssembler
from ctxlab.wires import WireName


class ReplyForm(Protocol):
    """The module of a wire format: its assembler, a reply in one piece, and what in its JSON can't be read.

    `SHAPES` are the kinds of values by their places, `unknown` has a sentence for each block of an unknown kind.
    """

    Assembler: Callable[[], ReplyAssembler]
    SHAPES: Mapping[str, tuple[type, ...]]

    def deltas_of(self, reply: Data) -> Iterable[Delta]: ...

    def unknown(self, data: Data) -> Iterator[str]: ...


def form_of(wire: WireName) -> ReplyForm:
    """The module of a wire format, which has its name."""
    return cast("ReplyForm", import_module(f"{__name__}.{wire.replace('-', '_')}"))


def assembler_of(wire: WireName) -> ReplyAssembler:
    """A new assembler for the streams of a wire format."""
    return form_of(wire).Assembler()


def deltas_of(reply: Data, wire: WireName) -> tuple[Delta, ...]:
    """The readable parts of a reply in one piece: its thoughts, words and calls."""
    return tuple(form_of(wire).deltas_of(reply))
