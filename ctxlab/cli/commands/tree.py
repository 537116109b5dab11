"""`ctxlab tree`: the conversation as a tree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from ctxlab.cli.inputs.files import losses_for, mending, session_of
from ctxlab.cli.inputs.read_conversation import conversation
from ctxlab.cli.output.run_text import losses, notes
from ctxlab.cli.output.terminal import Screen, complain, harmless, one_line, quoted
from ctxlab.cli.output.tree_lines import TreeLine, TreeLines
from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode, Session

MOST_LINES = 200
MOST_PROBLEMS = 20
SUMMARY = "⧗"
LEAF = "◉"
# Filled on the active path, hollow beside it.
GLYPHS = {"system": "■□", "user": "●○", "assistant": "◆◇", "tool": "▲△"}


def print_tree(file: Path, *, pick: str | None, width: int | None) -> None:
    """The head, the tree, what its signs mean, and what is wrong with it."""
    held, pick = conversation(file, pick)
    session, begun = session_of(file, held, pick, command="tree")
    if begun:
        complain(begun)
    screen = Screen(width=width)
    draw_tree(screen, session, lost=losses_for(session, held, held.losses))
    problems = session.check()
    if problems:
        screen.blank()
        screen.line((f"{counted(len(problems), 'problem')}; {mending(file)}", "warn"))
        notes(screen, problems[:MOST_PROBLEMS])
        if len(problems) > MOST_PROBLEMS:
            screen.line((f"! and {len(problems) - MOST_PROBLEMS:,} more", "warn"))


def draw_tree(screen: Screen, session: Session, *, lost: Sequence[str] = ()) -> None:
    """The head, what reading could not carry, the tree, and what its signs mean."""
    forest = TreeLines(session)
    _head(screen, session, forest)
    losses(screen, lost)
    lines = forest.lines(most=MOST_LINES, columns=screen.width // 3)
    for line in lines:
        screen.line(_shown(screen, forest, line))
    _legend(screen, forest, lines)


def _head(screen: Screen, session: Session, forest: TreeLines) -> None:
    messages = sum(not node.is_empty_root for node in session.nodes.values())
    path = sum(not node.is_empty_root for node in session.path())
    leaves = sum(forest.leaves[top] for top in forest.tops)
    facts = [
        counted(messages, "message"),
        f"{path:,} on the active path",
        "1 leaf" if leaves == 1 else f"{leaves:,} leaves",
    ]
    name = one_line(session.name or session.id or "unnamed")
    screen.flow([Text(name, "strong"), Text(", ".join(facts), "dim")], gap="  ")


def _shown(screen: Screen, forest: TreeLines, line: TreeLine) -> Text:
    rails = Text(line.rails, "dim", end="")
    room = screen.width - len(line.rails) - 2
    if line.kind == "fold":
        words = f"… {counted(line.messages, 'message')}, {harmless(line.key)} to {harmless(line.last)}"
        if line.branches:
            words += f"; {counted(line.branches, 'message')} in side branches"
        return Text.assemble(rails, ("⋮ ", "dim"), (one_line(words, cells=room), "dim"))
    if line.kind == "branches":
        noun = "branch" if line.rails else "tree"
        many = noun if line.branches == 1 else {"branch": "branches", "tree": "trees"}[noun]
        words = f"… {line.branches:,} more {many}"
        return Text.assemble(rails, (f"{words}, {counted(line.messages, 'message')}", "dim"))
    return Text.assemble(rails, _node(forest, forest.session.nodes[line.key], line, room))


def _node(forest: TreeLines, node: MessageNode, line: TreeLine, room: int) -> Text:
    """Glyph, id, what is special about it, first words."""
    active = node.id in forest.active
    style = f"role.{node.role}"
    is_leaf = node.id == forest.session.active_leaf_id
    glyph = LEAF if is_leaf else SUMMARY if node.is_summary else GLYPHS[node.role][0 if active else 1]
    colour = "bold red" if is_leaf else "source.summary" if node.is_summary else f"who.{node.role}" if active else style
    key = Text(harmless(node.id), ("bold" if active else "") + ("" if node.enabled else " strike"))
    marks = _marks(forest, node, line)
    head = Text.assemble((f"{glyph} ", colour), key, (f" {marks}" if marks else "", "dim"), "  ")
    left = room - head.cell_len + 2
    words = "" if node.is_empty_root else quoted(node.content, max(14, left))
    if node.tool_calls and not node.content.strip():
        words = one_line(f"calls {', '.join(call.name for call in node.tool_calls)}", cells=max(14, left))
    row = Text.assemble(head, (words, ("" if active else "dim") if node.enabled else "dim strike"), end="")
    row.rstrip()
    return row


def _marks(forest: TreeLines, node: MessageNode, line: TreeLine) -> str:
    which, of = line.place
    marks = [f"{which}/{of}{'*' if forest.is_remembered(node) else ''}"] if of > 1 else []
    if node.id in forest.tops[1:]:
        marks.append("not under the root")
    if not node.enabled:
        marks.append("off")
    if node.is_summary:
        marks.append(f"stands for {counted(len(node.hides), 'stored message')}")
        if edited := len(node.edited_of(forest.session.nodes)):
            marks.append(f"{edited} of them edited since")
    if line.messages > 1:
        marks.append(f"+{line.messages - 1:,} below")
    return f"({', '.join(marks)})" if marks else ""


def _legend(screen: Screen, forest: TreeLines, lines: Sequence[TreeLine]) -> None:
    """The signs that this tree has."""
    nodes = forest.session.nodes.values()
    roles = [role for role in GLYPHS if any(n.role == role and not n.is_empty_root and not n.is_summary for n in nodes)]
    items = [Text(f"{GLYPHS[role]} {role}", "dim") for role in roles]
    if any(node.is_summary for node in nodes):
        items.append(Text(f"{SUMMARY} summary", "dim"))
    items.append(Text(f"{LEAF} active leaf", "dim"))
    items.append(Text("filled: on the active path", "dim"))
    drawn = [line for line in lines if line.kind == "node" and line.place[1] > 1]
    starred = [line.place for line in drawn if forest.is_remembered(forest.session.nodes[line.key])]
    if starred:
        which, of = starred[0]
        items.append(Text(f"{which}/{of}*: branch {which} of {of}, the one that the file remembers", "dim"))
    elif drawn:
        which, of = drawn[0].place
        items.append(Text(f"{which}/{of}: branch {which} of {of}", "dim"))
    screen.blank()
    screen.flow(items, gap="  ")
