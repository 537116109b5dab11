"""The kinds of values that a workspace keeps: their folders and files, and how a file is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from ctxlab.display.short_texts import nearest
from ctxlab.documents import Agent, Worldbook, read_stored
from ctxlab.documents.library import KINDS as TYPES
from ctxlab.documents.library import NOUNS
from ctxlab.documents.stored import Stored
from ctxlab.errors import WrongArgument
from ctxlab.formats.native.agents import up_to_date
from ctxlab.formats.native.session import read_session
from ctxlab.formats.results import Loss, losses_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.file_names import file_stem

KindName: TypeAlias = Literal[
    "sessions", "agents", "users", "models", "books", "rules", "presets", "quick_actions", "knowledge_bases"
]
Data = dict[str, Any]
ReadValue: TypeAlias = Callable[[Data], tuple[Stored, list[Loss]]]
SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of values: one file each in `folder`, and an index that is made of them."""

    name: KindName
    folder: str
    prefix: str
    index: str
    read: ReadValue

    @property
    def noun(self) -> str:
        return NOUNS[self.name][0]

    @property
    def nouns(self) -> tuple[str, str]:
        return NOUNS[self.name]

    def file_name(self, id: str) -> str:
        """The name of the file of an id, inside the folder."""
        return f"{self.prefix}{file_stem(id)}{SUFFIX}"

    def path(self, file: str) -> str:
        """The path of a file of this kind inside the workspace."""
        return f"{self.folder}/{file}"

    def is_value_file(self, name: str) -> bool:
        """Whether a file in the folder is one of a value."""
        return name.endswith(SUFFIX) and self.path(name) != self.index


def _read_agent(data: Data) -> tuple[Stored, list[Loss]]:
    losses: list[Loss] = []
    agent, notes = read_stored(Agent, up_to_date(data, "", losses), place="the agent")
    return agent, [*losses, *losses_of(notes)]


def _reader(name: KindName) -> ReadValue:
    def read(data: Data) -> tuple[Stored, list[Loss]]:
        value, notes = read_stored(TYPES[name], data, place=f"the {NOUNS[name][0]}")
        return value, losses_of(notes)

    return read


def _alike(name: KindName, folder: str, read: ReadValue | None = None) -> Kind:
    return Kind(name, folder, "", f"{folder}-index.json", read or _reader(name))


KINDS: Mapping[str, Kind] = {
    "sessions": Kind("sessions", "sessions", "session-", "sessions/index.json", read_session),
    "agents": _alike("agents", "agents", _read_agent),
    "users": _alike("users", "users"),
    "models": _alike("models", "models"),
    "books": _alike("books", "books"),
    "rules": _alike("rules", "rules"),
    "presets": _alike("presets", "presets"),
    "quick_actions": _alike("quick_actions", "quick-actions"),
    "knowledge_bases": _alike("knowledge_bases", "knowledge-bases"),
}
"""By the name of the field of a library that holds them."""


def kind_named(name: str) -> Kind:
    """The kind of this name; raises WrongArgument."""
    if name not in KINDS:
        raise WrongArgument(f"there is no kind {name!r}{nearest(name, list(KINDS))}")
    return KINDS[name]


def kind_of(value: Stored) -> Kind:
    """The kind of a value; raises WrongArgument for what no workspace keeps."""
    for name, type_ in TYPES.items():
        if isinstance(value, type_):
            return KINDS[name]
    raise WrongArgument(f"a workspace keeps {', '.join(KINDS)}, not {type(value).__name__}")


def id_of(value: Stored) -> str:
    """The id of a value; empty where it has none."""
    return value.book_id if isinstance(value, Worldbook) else str(getattr(value, "id", "") or "")


def name_of(value: Stored) -> str:
    """The name by which people know a value, else its id."""
    return str(getattr(value, "shown_name", None) or getattr(value, "name", None) or id_of(value))
