"""Formats that are read and written with what each can't carry, and logs that are read as recordings."""

from __future__ import annotations

import pkgutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from _ext.loss_sentences import made_in, sentences_from, sentences_of
from _ext.reference.markdown import code, page, plain, table
from ctxlab import formats as package
from ctxlab.formats import FORMATS
from ctxlab.recordings.read import FORMATS as LOGS

INTRO = """A file is known by its content, not by its name. What it holds and ctxlab has no field for is kept and
written again; what can't be carried is named in `losses`, with its place."""
MANY = 6
LOSSES = f"""Sentences that reading or writing a format can say, as they stand in its code: what is in the file is \u2026
here. Many are of files that aren't as they should be; a few are put together while a file is read, and aren't among them.
Those that {MANY} formats or more can say stand once, at the end."""


@dataclass(frozen=True)
class Said:
    """The sentences of one format."""

    read: Sequence[str]
    written: Sequence[str]


def formats() -> str:
    """The page."""
    said = _said()
    times = Counter(text for each in said.values() for text in {*each.read, *each.written})
    shared = {text for text, count in times.items() if count >= MANY}
    rows = (
        [
            code(form.name),
            form.noun,
            "yes" if form.read is not None else "",
            "yes" if form.write is not None else "",
            ", ".join(code(ending) for ending in form.endings),
            ", ".join(form.holds),
            _link(form.name, said[form.name]),
        ]
        for form in FORMATS
    )
    head = ["format", "a", "read", "written", "endings of files", "holds", "what it can't carry"]
    return page(
        "Formats and losses",
        INTRO,
        table(head, rows),
        "## Recordings",
        "`ctxlab.read_recording(path)` and `ctxlab record` know these logs; [Recordings](../recordings.md) says "
        "what each has.",
        table(
            ["log", "what its reader can say is lost"], ([log.name, _cell(sentences_from(log.read))] for log in LOGS)
        ),
        "## Losses",
        LOSSES,
        *(block for name, each in said.items() for block in _section(name, each, shared)),
        "### Of many formats",
        _list(sorted(shared, key=str.casefold)),
    )


def _said() -> Mapping[str, Said]:
    modules = {
        name: found.name
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        for name in made_in(found.name)
    }
    return {
        form.name: Said(*(sentences_of(modules[form.name], form.name, role) for role in ("read", "write")))
        for form in FORMATS
    }


def _link(name: str, said: Said) -> str:
    counts = [
        f"{len(texts)} {when}" for texts, when in ((said.read, "when read"), (said.written, "when written")) if texts
    ]
    return f"[{', '.join(counts)}](#losses-of-{name})" if counts else "nothing is lost"


def _section(name: str, said: Said, shared: set[str]) -> Iterable[str]:
    if not said.read and not said.written:
        return
    yield f"(losses-of-{name})="
    yield f"### {code(name)}"
    for texts, when in ((said.read, "When it is read"), (said.written, "When it is written")):
        own = [text for text in texts if text not in shared]
        if others := len(texts) - len(own):
            own.append(f"and {others} of [those of many formats](#of-many-formats)")
        if texts:
            yield f"{when}:"
            yield _list(own[:-1] if others else own, own[-1] if others else "")


def _list(texts: Iterable[str], last: str = "") -> str:
    return "\n".join([*(f"- {plain(text)}" for text in texts), *([f"- {last}"] if last else [])])


def _cell(texts: Sequence[str]) -> str:
    return "; ".join(plain(text.replace(";", ",")) for text in texts)
