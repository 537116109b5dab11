"""Sessions as Markdown for people: a branch with its presets, the words of a path, a whole tree; written only."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ctxlab.display.short_texts import counted
from ctxlab.documents import Session
from ctxlab.formats.files.inline import texts_of_files
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.markdown.branch import branch_markdown, path_markdown
from ctxlab.formats.markdown.tree import tree_markdown
from ctxlab.formats.results import Export, Import, Loss
from ctxlab.formats.values_to_export import agent_of, agents_left_out, other_branches_left_out


def write_branch(found: Import, pick: Pick) -> Export[bytes]:
    """The active branch of the only session, or of the picked one, after its agent's presets."""
    session = found.pick(pick)
    texts = texts_of_files(session.nodes, found.files)
    agent = agent_of(session, found.agents)
    presets = [preset for preset in agent.preset_messages if preset.enabled] if agent else []
    tools = [Loss(f"agent {agent.id!r}", "its tool definitions are left out")] if agent and agent.tools else []
    export = branch_markdown(session, presets=presets, people=(*found.agents, *found.users), files=texts)
    return _file(export, session, texts, [*other_branches_left_out(session), *tools])


def write_path(found: Import, pick: Pick) -> Export[bytes]:
    """The active path of the only session, or of the picked one, without system messages."""
    session = found.pick(pick)
    texts = texts_of_files(session.nodes, found.files)
    export = path_markdown(session, people=(*found.agents, *found.users), files=texts)
    return _file(export, session, texts, [*other_branches_left_out(session), *agents_left_out(session, found)])


def write_tree(found: Import, pick: Pick) -> Export[bytes]:
    """The tree of the only session, or of the picked one."""
    session = found.pick(pick)
    texts = texts_of_files(session.nodes, found.files)
    export = tree_markdown(session, people=(*found.agents, *found.users), files=texts)
    return _file(export, session, texts, agents_left_out(session, found))


def _file(export: Export[str], session: Session, texts: Collection[str], losses: Iterable[Loss]) -> Export[bytes]:
    attached = [asset for node in session.nodes.values() for asset in node.attachments or ()]
    named = sum(asset.id not in texts for asset in attached)
    files = [Loss("attachments", f"{named} are named at most, not contained")] if named else []
    if len(attached) > named:
        files.append(Loss("attachments", f"{counted(len(attached) - named, 'is', 'are')} there as their text alone"))
    made = export.as_bytes()
    return Export(made.data, (*losses, *made.losses, *files))


MARKDOWN = Format("markdown", "branch", (".md", ".markdown"), write=write_branch, holds=("sessions",))
MARKDOWN_PATH = Format("markdown-path", "path", (".path.md",), write=write_path, holds=("sessions",))
MARKDOWN_TREE = Format("markdown-tree", "tree", (".tree.md",), write=write_tree, holds=("sessions",))
