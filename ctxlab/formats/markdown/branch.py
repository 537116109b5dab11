"""One path of a session, or finished messages, as Markdown to read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Unpack

from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode, Role, Session
from ctxlab.formats.markdown.message import Entry, How, Style, one_line
from ctxlab.formats.markdown.visible_path import Span, VisiblePath, visible_path
from ctxlab.formats.results import Export, Loss

RULE = "---"
SPEAKERS: tuple[Role, ...] = ("user", "assistant", "tool")


def path_markdown(
    session: Session, leaf: str | None = None, *, roles: Collection[Role] = SPEAKERS, **how: Unpack[How]
) -> Export[str]:
    """The messages from the root to `leaf` (default: the active leaf), without system messages; summaries stay.

    `how` it looks: labels, zone, show, people and files, as `How` says.
    """
    style = Style(**how)
    path = visible_path(session, leaf)
    nodes = [node for node in path.nodes if node.role in roles or node.is_summary]
    losses = list(path.losses)
    if unsaid := len(path.nodes) - len(nodes):
        others = counted(unsaid, "of its messages is", "of its messages are")
        losses.append(Loss("the path", f"{others} of other roles than {', '.join(roles)}"))
    head = [*_dates(session, style), style.say("zone", zone=style.zone)]
    entries = (style.entry(node, hidden=path.hidden_by(node)) for node in nodes)
    return document(style.say("path", name=name_of(session)), head, _sections(entries, level=2), losses)


def branch_markdown(
    session: Session,
    leaf: str | None = None,
    *,
    span: Span | None = None,
    presets: Sequence[MessageNode] = (),
    presets_apart: bool = False,
    exported_at: str | None = None,
    **how: Unpack[How],
) -> Export[str]:
    """All messages from the root to `leaf` (default: the active leaf), with who took part and what is known of them.

    A summary replaces what it hides. `span` takes some of the messages, (first, last), counted from 1, both
    included. `presets` come first, as messages of their own or `presets_apart` in a part of their own; they don't
    count as messages. `how` it looks: labels, zone, show, people and files, as `How` says.
    """
    style = Style(**how)
    path = visible_path(session, leaf, span=span)
    before = [style.entry(preset, preset=True) for preset in presets if preset.type in (None, "message")]
    messages = [style.entry(node, hidden=path.hidden_by(node)) for node in path.nodes]
    head = [
        *_exported(exported_at, style),
        style.say("zone", zone=style.zone),
        style.say("count", n=len(messages)),
        *_span(path, style),
        *_participants(path.nodes, style),
    ]
    if before and presets_apart:
        parts = [
            f"## {style.say('presets')}",
            *_sections(before, level=3),
            f"## {style.say('messages')}",
            *_sections(messages, level=3),
        ]
    else:
        parts = [*_sections([*before, *messages], level=2)]
    return document(style.say("branch", name=name_of(session)), head, parts, path.losses)


def payload_markdown(
    messages: Sequence[Mapping[str, Any]], *, name: str = "", exported_at: str | None = None, **how: Unpack[How]
) -> Export[str]:
    """Finished messages, such as a trace's `messages`, as they would be sent; `how` as for a branch."""
    style = Style(**how)
    head = [*_exported(exported_at, style), style.say("count", n=len(messages)), style.say("payload_note")]
    parts = _sections(map(style.entry_of_message, messages), level=2)
    return document(style.say("payload", name=one_line(name)), head, parts, ())


def document(title: str, head: Sequence[str], parts: Iterable[str], losses: Sequence[Loss]) -> Export[str]:
    """Markdown with a title, lines about the whole, and the parts."""
    blocks = [f"# {title.rstrip()}", "  \n".join(head), RULE, *parts]  # two blanks keep the lines apart
    return Export("\n\n".join(blocks) + "\n", tuple(losses))


def _sections(entries: Iterable[Entry], *, level: int) -> Iterator[str]:
    for entry in entries:
        yield f"{'#' * level} {entry.title}{entry.remarks}"
        yield from entry.blocks


def name_of(session: Session) -> str:
    """The session's title, in one line."""
    return one_line(session.name) or session.id


def _exported(exported_at: str | None, style: Style) -> Iterator[str]:
    if exported_at:
        yield style.say("exported", time=style.time(exported_at))


def _dates(session: Session, style: Style) -> Iterator[str]:
    for label, time in (("created", session.created_at), ("updated", session.updated_at)):
        if time:
            yield style.say(label, time=style.time(time))


def _span(path: VisiblePath, style: Style) -> Iterator[str]:
    if path.span is not None:
        yield style.say("span", first=path.span[0], last=path.span[1], total=path.total)


def _participants(nodes: Iterable[MessageNode], style: Style) -> Iterator[str]:
    """Named speakers with their roles, in the order of their first messages."""
    speakers = dict.fromkeys((style.speaker(node), node.role) for node in nodes)
    named = [f"{speaker} ({style.say(role)})" for speaker, role in speakers if speaker]
    if named:
        yield style.say("participants", names=", ".join(named))
