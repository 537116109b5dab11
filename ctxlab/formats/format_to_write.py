"""The format that a file is written in: by its name, by the ending of the path, or the one that was read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from ctxlab.documents.library import NOUNS
from ctxlab.errors import WriteError, did_you_mean
from ctxlab.formats.format import Format, Kind
from ctxlab.formats.results import Import
from ctxlab.formats.sillytavern.lorebooks.writer import written_form

Plugins = Callable[[list[str]], Iterable[Format]]
"""Formats of other packages; the list gets a line for each that can't be loaded."""

SAME_FORM: Final = frozenset(
    {"card", "preset", "worldbook", "lorebook", "sillytavern-regex", "rules", "quick-actions", "quick-replies", "knowledge"}
)
"""Formats of files that hold no conversation and that plain `.json` has another or no form for."""


def format_to_write(
    path: str, name: str | None, kinds: Iterable[Kind], formats: Sequence[Format], plugins: Plugins
) -> Format:
    """The written format of this name, or the one with the longest ending that the path has."""
    if name is None:
        return _format_by_ending(path, kinds, formats, plugins)
    writable = [*_written(formats)]
    known = next((form for form in writable if form.name == name), None)
    if known is None:
        others = [*_written(plugins([]))]
        known = next((form for form in others if form.name == name), None)
        writable += others
    if known is None:
        raise WriteError(f"nothing is written as {name!r}{did_you_mean(name, [form.name for form in writable])}")
    return known


def form_as_read(found: Import, path: str) -> str | None:
    """The name of the format that one book, card, preset or set of rules or actions was read in, for a path in `.json`.

    None where there are several of them, or a session.
    """
    if path.lower().endswith(".session.json") or found.format not in SAME_FORM:
        return None
    kinds = (found.agents, found.books, found.rules_inside(), found.quick_actions, found.knowledge_bases)
    if found.sessions or max(map(len, kinds)) > 1:
        return None
    if found.format == "lorebook" and found.books and written_form(found.books[0]) == "character_book":
        return "character-book"
    return found.format


def why_not_written(form: Format, found: Import, path: str, kinds: tuple[Kind, ...], formats: Iterable[Format]) -> str:
    """A line that says what the format needs and the file hasn't, with the endings for what it has."""
    needed = " or ".join(NOUNS[kind][0] for kind in form.holds)
    reason = f"{found.source} holds no {needed}, which {path!r} needs as {form.name}"
    if not kinds:
        return f"{reason}; it holds nothing that is written"
    return f"{reason}; end the name in {_endings(_written(formats), kinds)}"


def _format_by_ending(path: str, kinds: Iterable[Kind], formats: Sequence[Format], plugins: Plugins) -> Format:
    own = _with_ending(path, _written(formats))
    if own is not None and "." not in Path(path).name[: -len(own[0])]:
        return own[1]
    # A plugin may have a longer ending, such as .moo.json.
    problems: list[str] = []
    others = [*_written(plugins(problems))]
    found = max(filter(None, (own, _with_ending(path, others))), key=lambda match: len(match[0]), default=None)
    if found is None:
        endings = _endings([*_written(formats), *others], kinds)
        refusal = f"{path!r} doesn't say what to write; end it in {endings}, or say format="
        raise WriteError("; ".join([refusal, *problems]))
    return found[1]


def _with_ending(path: str, formats: Iterable[Format]) -> tuple[str, Format] | None:
    """The longest ending that a path has, with its format; of several formats with one ending the first."""
    fitting = ((ending, form) for form in formats for ending in form.endings if path.lower().endswith(ending))
    return max(fitting, key=lambda match: len(match[0]), default=None)


def _written(formats: Iterable[Format]) -> Iterator[Format]:
    return (form for form in formats if form.write is not None)


def _endings(formats: Iterable[Format], kinds: Iterable[Kind]) -> str:
    """The endings of the formats that hold one of these kinds, or of all where there are none."""
    wanted = set(kinds)
    fitting = (form for form in formats if not wanted or not form.holds or not wanted.isdisjoint(form.holds))
    endings = [ending for form in fitting for ending in form.endings]
    return f"{'one of ' if len(endings) > 1 else ''}{', '.join(endings)}"
