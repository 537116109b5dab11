"""Conversations that come with ctxlab, as libraries, and the folder that they and the notebooks are in."""

from __future__ import annotations

from functools import reduce
from operator import or_
from pathlib import Path

from ctxlab.documents import Library
from ctxlab.errors import CtxlabError, UnknownName

EXAMPLES = {
    "harbour": (
        "harbour_roleplay.session.json",
        "harbour_roleplay.agent.json",
        "harbour_roleplay.user.json",
        "harbour_lore.json",
        "harbour_rules.json",
    ),
    "harbour_attachments": ("harbour_attachments.session.json", "harbour_attachments.agent.json"),
    "coding": ("coding_chat.session.json", "coding_chat.agent.json"),
    "research": ("research_tree.session.json", "research_tree.agent.json"),
}
"""The files of each example, by name."""
ABOUT = {
    "harbour": "a roleplay in English and Chinese with an agent, a user, a lorebook and rules",
    "harbour_attachments": "a chat about a chart, a letter, a recording and eight more files, which come along",
    "coding": "a chat with tool calls about a failing test",
    "research": "a tree with 23 branches",
}


def example(name: str | None = None) -> Library:
    """A conversation that comes with ctxlab, with its agent, user, book, rules and files where it has them.

    `build`, `debug` and the widgets take it as it is: `ctxlab.build(ctxlab.example("harbour"), budget_tokens=1800)`.
    The names are `harbour`, `harbour_attachments`, `coding` and `research`; without a name, or with another one, the
    error lists them.
    """
    from ctxlab import formats

    if not isinstance(name, str) or name not in EXAMPLES:
        listed = "; ".join(f"{known!r}, {about}" for known, about in ABOUT.items())
        wrong = "ctxlab.example takes a name" if name is None else f"there is no example {name!r}"
        raise UnknownName(f"{wrong}; there are: {listed}")
    parts = [formats.read(bundled(file)) for file in EXAMPLES[name]]
    return Library(**reduce(or_, parts).joined_with(Library()))


def bundled(name: str) -> Path:
    """A file or folder that comes with ctxlab: of an installed package, else of the checkout.

    A name is that of a file in `datasets`, or `notebooks`. Raises CtxlabError where it wasn't installed.
    """
    package = Path(__file__).parent.parent
    checkout = package.parent / name if name == "notebooks" else package.parent / "datasets" / name
    found = next((path for path in (package / "bundled" / name, checkout) if path.exists()), None)
    if found is None:
        raise CtxlabError(f"{name} of ctxlab is not installed here; install ctxlab again from a wheel or a checkout")
    return found
