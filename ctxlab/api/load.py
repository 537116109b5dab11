"""Read a file: everything in it, or its one session, agent or user; a preset and a card joined."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, overload

from ctxlab.api.sources import AgentSource, FilePath, agent_of, agent_or_library, is_card, is_preset
from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import Agent, Library, Session, UserProfile

if TYPE_CHECKING:
    from ctxlab.formats import Import


@checked_arguments
def read(path: FilePath) -> Import:
    """Everything in a file as a library, with what could not be carried. The format is told by the content.

    Of a folder it is everything in its files and in those of the folders in it; `losses` names the files that can't be
    read. Hidden files are left out, links are not followed. Raises ReadError, naming the place, when nothing can be
    read.
    """
    from ctxlab import formats

    return formats.read(path)


@checked_arguments
def read_data(data: object, *, source: str = "data") -> Import:
    """Everything in JSON data that is already parsed, such as a list of OpenAI messages, as a library."""
    from ctxlab import formats

    return formats.read_data(data, source=source)


@checked_arguments
def load(path: FilePath, pick: int | str | None = None) -> Session:
    """The session of a file: the only one, or the one picked by index or id.

    A system prompt at the head of a list of messages is its first message; `read` makes it a preset of an agent.
    Raises SeveralSessions, naming them, when there are several and none is picked; ReadError when there is none.
    """
    from ctxlab import formats

    return formats.read(path, keep_prompts=True).pick(pick)


@checked_arguments
def load_agent(path: FilePath) -> Agent:
    """The only agent of a file."""
    return read(path).agent()


@checked_arguments
def load_user(path: FilePath) -> UserProfile:
    """The only user profile of a file."""
    return read(path).user()


@overload
def joined(preset: Agent, card: Agent) -> Agent: ...
@overload
def joined(preset: Library, card: Agent | Library) -> Library: ...
@overload
def joined(preset: Agent, card: Library) -> Library: ...
@overload
def joined(preset: AgentSource, card: AgentSource) -> Agent | Library: ...
@checked_arguments
def joined(preset: AgentSource, card: AgentSource) -> Agent | Library:
    """SillyTavern's preset and character card as one agent: the card's texts at the preset's markers.

    Its main prompt and its words after the history take the place of the preset's, whose own `{{original}}` shows; the
    card's greetings, books and rules are kept. A card and a preset that `read` gave may come in either order. Of
    libraries and of paths it is a library with that one agent and all else that is in them.
    """
    from ctxlab import formats

    both = [agent_or_library(preset), agent_or_library(card)]
    if is_card(both[0]) and is_preset(both[1]):
        both.reverse()
    agent = formats.joined(agent_of(both[0]), agent_of(both[1]))
    libraries = [each for each in both if isinstance(each, Library)]
    if not libraries:
        return agent
    return replace(libraries[0] | libraries[-1], agents=(agent,))
