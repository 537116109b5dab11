"""A built prompt as text to be reviewed: the order of its pieces, a line each, then each piece by its key."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Draft
from ctxlab.display.short_texts import counted
from ctxlab.pipeline import Trace
from ctxlab.prompt.merged_parts import Piece, pieces

FORMAT = "ctxlab snapshot 2"
ROLE_WIDTH = 10


@checked_arguments
def snapshot_text(trace: Trace) -> str:
    """The prompt as text: first the order of the pieces, then the words of each piece, sorted by key.

    A piece that moves is one line that moves, a piece whose words change is changed where it is, and nothing else is
    another. Presets go by the ids of their file (`preset:main`), so that one more of them renames none. `+` marks what
    was joined to the piece above it. Tokens, causes and what was cut are not in it.
    """
    sent = [(draft, pieces(draft)) for draft in trace.result.drafts]
    agent = trace.start.input.agent
    seams = Counter([piece.seam for _, own in sent for piece in own[1:]])
    usual = seams.most_common(1)[0][0] if seams else ""
    names = _names(sent)
    lines = [FORMAT, *([f"joined by {usual!r}"] if seams else []), "", "order:"]
    for draft, own in sent:
        lines += _order_lines(draft, own, usual, names)
    lines += [f"  tool {_escaped(_tool_name(tool))}" for tool in (agent.tools if agent else None) or ()]
    found = [(names[piece.part.key], block) for draft, own in sent for piece, block in _blocks(draft, own, names)]
    for _, block in sorted(found, key=lambda item: _natural(item[0])):
        lines += ["", *block]
    return "\n".join(lines) + "\n"


def _names(sent: Sequence[tuple[Draft, tuple[Piece, ...]]]) -> dict[str, str]:
    """By key of a piece its name: of a preset its id in the file, where no other goes by it."""
    origins = {piece.part.key: piece.part.origin for _, own in sent for piece in own}
    ids: dict[str, set[str]] = {}
    for key, origin in origins.items():
        if origin.kind == "preset":
            ids.setdefault(f"preset:{origin.ref}", set()).add(key.partition("@")[0])
    taken = {key.partition("@")[0] for key in origins}
    names = {key: key for key in origins}
    for key, origin in origins.items():
        _, at, depth = key.partition("@")
        name = f"preset:{origin.ref}"
        if origin.kind == "preset" and len(ids[name]) == 1 and name not in taken:
            names[key] = f"{name}{at}{depth}"
    return names


def _order_lines(draft: Draft, own: tuple[Piece, ...], usual_seam: str, names: Mapping[str, str]) -> Iterator[str]:
    speaker = f"  as {_escaped(draft.speaker)}" if draft.speaker else ""
    for at, piece in enumerate(own):
        key = _escaped(names[piece.part.key])
        if at == 0:
            yield f"  {draft.role:<{ROLE_WIDTH}}{key}{speaker}"
        else:
            seam = "" if piece.seam == usual_seam else f"  joined by {piece.seam!r}"
            yield f"  {'+':>{ROLE_WIDTH - 1}} {key}{seam}"


def _blocks(draft: Draft, own: tuple[Piece, ...], names: Mapping[str, str]) -> Iterator[tuple[Piece, list[str]]]:
    """The lines of each piece; calls, thoughts and files of a message stand with its first one."""
    for at, piece in enumerate(own):
        text = str(piece.text)
        lines = [f"[{_escaped(names[piece.part.key])}] {counted(len(text), 'character')}"]
        lines += _beside(draft) if at == 0 else []
        lines += [f"| {_escaped(line)}" for line in text.split("\n")] if text else []
        yield piece, lines


def _beside(draft: Draft) -> Iterator[str]:
    if draft.result_of is not None:
        yield f"result of {_escaped(draft.result_of)}"
    for call in draft.calls:
        yield f"call {_escaped(call.id)} {_escaped(call.name)} {_escaped(call.arguments)}"
    for asset in draft.assets:
        yield f"file {_escaped(asset.kind)} {_escaped(asset.name)} {_escaped(asset.mime_type)}"
    if draft.reasoning:
        yield from (f"thought {_escaped(line)}" for line in draft.reasoning.split("\n"))


def _tool_name(tool: object) -> str:
    inner = tool.get("function", tool) if isinstance(tool, dict) else tool
    return str(inner.get("name", "")) if isinstance(inner, dict) else ""


def _escaped(text: str) -> str:
    """One line in which every sign shows: control characters, marks that turn the order, and spaces at the end."""
    shown = "".join([c if c.isprintable() or c == " " else _code(c) for c in text])
    end = len(shown.rstrip(" "))
    return shown[:end] + _code(" ") * (len(shown) - end)


def _code(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _natural(key: str) -> tuple[object, ...]:
    """Keys in the order in which people count: preset:2 before preset:10."""
    return tuple([(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", key)])
