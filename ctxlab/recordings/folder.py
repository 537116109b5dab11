"""A folder as a recording: OpenCode's storage, or the one file in it that is a recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ctxlab.display.short_texts import counted
from ctxlab.errors import ReadError
from ctxlab.formats.folder import FilesOfFolder
from ctxlab.recordings.readers.sub_agent_logs import session_of_sub_agent

HIDDEN: Final = (".aider.chat.history.md",)
"""Hidden files that programs leave in the folder of one's work."""
SEVERAL_SHOWN: Final = 8
NAMED: Final = "agent-"
LOOKED_AT: Final = 400_000
"""Bytes of a log in which the session of a sub-agent beside it is looked for."""


def only_recording(folder: Path, name: str, is_recording: Callable[[Path], bool]) -> tuple[Path, int]:
    """The one file of a folder that is a recording, and the number of the others; raises ReadError for none or several.

    Logs of sub-agents, in a folder of their log's name or beside it, are read with that one.
    """
    found: list[Path] = []
    others = 0
    for file in _files(folder):
        if is_recording(file):
            found.append(file)
        else:
            others += 1
    found = _without_sub_agents(found)
    if not found:
        looked = counted(others, "file")
        raise ReadError(f"{name} is a folder without a recording that is known; {looked} looked at")
    if len(found) > 1:
        shown = [file.relative_to(folder).as_posix() for file in found[:SEVERAL_SHOWN]]
        more = f" and {len(found) - SEVERAL_SHOWN} more" if len(found) > SEVERAL_SHOWN else ""
        held = counted(len(found), "recording")
        raise ReadError(f"{name} is a folder with {held}, each a file; name one of them: {', '.join(shown)}{more}")
    return found[0], others


def _without_sub_agents(found: list[Path]) -> list[Path]:
    """The logs without those of sub-agents that lie beside that of their session."""
    agents = {file: session for file in found if NAMED in file.name and (session := session_of_sub_agent(file))}
    if not agents:
        return found
    mains = [file for file in found if file not in agents]
    sessions = {(main.parent, session) for main in mains for session in set(agents.values()) if _names(main, session)}
    return [file for file in found if (file.parent, agents.get(file)) not in sessions]


def _names(main: Path, session: str) -> bool:
    """Whether the beginning of a log has the id of a session."""
    with main.open("rb") as file:
        return f'"{session}"'.encode() in file.read(LOOKED_AT)


def _files(folder: Path) -> Iterator[Path]:
    yield from (file for name in HIDDEN if (file := folder / name).is_file() and not file.is_symlink())
    yield from (file for file in FilesOfFolder(folder) if not _is_of_sub_agent(file))


def _is_of_sub_agent(file: Path) -> bool:
    above = file.parent
    return above.name == "subagents" and above.parent.with_suffix(".jsonl").is_file()
