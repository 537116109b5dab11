"""Files in: everything of a file, or the one thing that is in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ctxlab.documents import Agent, Session, UserProfile
from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    from ctxlab.formats import Import

T = TypeVar("T")


def read(path: str | Path) -> Import:
    """Everything in a file: sessions, agents, users, and what could not be carried. The format is told by the content.

    Raises ReadError, naming the place, when the file can't be read or no reader knows it.
    """
    from ctxlab import formats

    return formats.read(path)


def read_data(data: object, *, source: str = "data") -> Import:
    """The same for JSON data that is already parsed, such as a list of OpenAI messages."""
    from ctxlab import formats

    return formats.read_data(data, source=source)


def load(path: str | Path, pick: int | str | None = None) -> Session:
    """The session of a file: the only one, or the one picked by index or id.

    Raises SeveralSessions, naming them, when there are several and none is picked; ReadError when there is none.
    """
    return read(path).pick(pick)


def load_agent(path: str | Path) -> Agent:
    """The only agent of a file."""
    return _only(read(path).agents, "agent", path)


def load_user(path: str | Path) -> UserProfile:
    """The only user profile of a file."""
    return _only(read(path).users, "user profile", path)


def joined(preset: Agent, card: Agent) -> Agent:
    """SillyTavern's preset and character card as one agent: the card's texts at the preset's markers.

    Its main prompt and its words after the history take the place of the preset's, whose own `{{original}}` shows; the
    card's greetings, books and rules are kept.
    """
    from ctxlab import formats

    return formats.joined(preset, card)


def _only(found: Sequence[T], what: str, path: str | Path) -> T:
    if len(found) != 1:
        raise CtxlabError(f"{path} holds {len(found)} {what}s, not one; read() gives them all")
    return found[0]
