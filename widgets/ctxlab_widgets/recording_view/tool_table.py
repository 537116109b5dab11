"""Results of tools up to a request: by tool, server and file, and what the log tells of their use later."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import PurePosixPath
from typing import Any

from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.prompt import PromptPart
from ctxlab.recordings.parts import ContextParts
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab_widgets.recording_view.stacks import RESULTS, new_messages

MOST_FILES = 12
"""Files that the page lists of one tool; the rest are one row."""
MOST_TOOLS = 40
EDITS = re.compile(r"edit|write|patch|replace|insert|create|update", re.IGNORECASE)
"""Names of tools that change files."""
WORDS = re.compile(r"[\w.+@-]+")


@dataclass(frozen=True, slots=True)
class Came:
    """A result and the number of the request that sent it first."""

    at: int
    tool: str
    server: str
    file: str
    tokens: int


@dataclass(slots=True)
class _Sum:
    calls: int = 0
    tokens: int = 0
    server: str = ""
    files: dict[str, list[int]] = field(default_factory=dict[str, list[int]])


class ToolTable:
    """Results in the order in which requests sent them, each once; read when the table is first asked for."""

    def __init__(self, parts: ContextParts, requests: Sequence[RecordedRequest]) -> None:
        self._parts, self._requests = parts, requests
        self._came: list[Came] | None = None
        self._last: dict[str, int] = {}
        self._named: dict[str, set[int]] = {}
        self._edited: dict[str, int] = {}

    def rows(self, upto: int) -> dict[str, Any]:
        """Results sent by the first requests, up to this one: `upto` counts from 0."""
        by_tool: dict[str, _Sum] = {}
        for came in self._results():
            if came.at > upto:
                break
            held = by_tool.setdefault(came.tool, _Sum(server=came.server))
            held.calls += 1
            held.tokens += came.tokens
            if came.file:
                of_file = held.files.setdefault(came.file, [0, 0])
                of_file[0] += 1
                of_file[1] += came.tokens
        calls, tokens = sum(each.calls for each in by_tool.values()), sum(each.tokens for each in by_tool.values())
        order = sorted(by_tool.items(), key=lambda each: (-each[1].tokens, each[0]))
        rows = [self._tool(name, held, tokens) for name, held in order[:MOST_TOOLS]]
        more = len(order) - len(rows)
        return {"rows": rows, "more": more, "servers": _servers(by_tool, tokens), "calls": calls, "tokens": tokens}

    def _tool(self, name: str, held: _Sum, all_tokens: int) -> dict[str, Any]:
        order = sorted(held.files.items(), key=lambda each: (-each[1][1], each[0]))
        files = [
            {"name": file, "calls": count, "tokens": tokens, "share": _share(tokens, all_tokens), "later": later}
            for file, (count, tokens) in order[:MOST_FILES]
            for later in [self._later(file)]
        ]
        rest = order[MOST_FILES:]
        if rest:
            count, tokens = (sum(each[1][n] for each in rest) for n in (0, 1))
            share, unused = _share(tokens, all_tokens), sum(self._later(file)[1] for file, _ in rest)
            later = (f"{unused:,} not named later" if unused else "", bool(unused))
            words = f"{len(rest):,} other files"
            files.append({"name": words, "calls": count, "tokens": tokens, "share": share, "later": later, "rest": 1})
        share = _share(held.tokens, all_tokens)
        later = (f"server {held.server}" if held.server else "", False)
        row = {"name": name, "calls": held.calls, "tokens": held.tokens, "share": share}
        return {**row, "server": held.server, "later": later, "files": files}

    def _later(self, file: str) -> tuple[str, bool]:
        """Words on a file's use after its last result, by the whole log; and whether nothing names it."""
        last, words = self._last.get(file, 0), list[str]()
        if "." not in _base(file):
            return ("", False)  # a folder, or a word that stands everywhere
        if self._edited.get(file, -1) > last:
            words.append("edited")
        named = sum(at > last for at in self._named.get(file, ()))
        if named:
            words.append(f"named in {counted(named, 'later message')}")
        return (", ".join(words), False) if words else ("not named later", True)

    def _results(self) -> list[Came]:
        if self._came is None:
            self._came = []
            self._read()
        return self._came

    def _read(self) -> None:
        """Take each message once, in order; of words only the names of files that were read are looked for."""
        assert self._came is not None
        seen, moment, texts = set[str](), 0, list[tuple[int, PromptPart]]()
        for number, request in enumerate(self._requests):
            for message in new_messages(request, seen):
                moment += 1
                for part in self._parts.of_message(message):
                    if part.source in RESULTS:
                        name = part.name or "unknown tool"
                        self._came.append(Came(number, name, part.server, part.file, part.tokens))
                        if part.file:
                            self._last[part.file] = moment
                    elif part.source in ("history", "calls"):
                        texts.append((moment, part))
        self._look_for_names(texts)

    def _look_for_names(self, texts: Sequence[tuple[int, PromptPart]]) -> None:
        by_name: dict[str, list[str]] = {}
        for file in self._last:
            by_name.setdefault(_base(file), []).append(file)
        odd = [name for name in by_name if not WORDS.fullmatch(name) or name.endswith(".")]
        for moment, part in texts:
            if part.source == "calls" and part.file in self._last and EDITS.search(part.name):
                self._edited[part.file] = moment
            for name in _names_in(part, by_name, odd):
                for file in by_name[name]:
                    self._named.setdefault(file, set()).add(moment)


def _servers(by_tool: Mapping[str, _Sum], all_tokens: int) -> list[dict[str, Any]]:
    """Sums of the tools of each server, the largest first; tools of none are left out."""
    sums: dict[str, list[int]] = {}
    for held in by_tool.values():
        if held.server:
            of_server = sums.setdefault(held.server, [0, 0])
            of_server[0] += held.calls
            of_server[1] += held.tokens
    order = sorted(sums.items(), key=lambda each: (-each[1][1], each[0]))
    return [
        {"name": name, "calls": calls, "tokens": tokens, "share": _share(tokens, all_tokens), "later": ("", False)}
        for name, (calls, tokens) in order
    ]


def _names_in(part: PromptPart, names: Mapping[str, Any], odd: Sequence[str]) -> set[str]:
    text = part.text
    found = {word for each in WORDS.findall(text) for word in (each, each.rstrip(".")) if word in names}
    found.update(name for name in odd if name in text)
    return found


def _base(file: str) -> str:
    return PurePosixPath(file.replace("\\", "/")).name or file


def _share(tokens: int, of: int) -> str:
    return f"{round(100 * tokens / of):,} %" if of else ""
