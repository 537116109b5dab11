"""The tables of docs/what_your_template_does.md on llama.cpp: all published templates through a real server each.

    .venv/bin/python -m tests.engines.chat_templates.llama_cpp_table

Servers are started one at a time; it takes about ten minutes on an idle machine, and gives the same figures on a busy
one. Only the day may differ: where it ends between both texts, they have two dates.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ctxlab.engines.chat_templates import JinjaTemplate, RenderedText
from ctxlab.errors import TemplateRefused
from tests.engines.chat_templates.published import every_template
from tests.engines.chat_templates.real_llama_cpp import answers, write_model
from tests.engines.chat_templates.server_chats import CHATS, Chat, ours

SAME = "the same text"
KINDS = (SAME, "both refuse", "another text", "only the server refuses", "only ctxlab refuses")


def compared(mine: RenderedText | TemplateRefused, theirs: dict[str, Any]) -> str:
    """One of KINDS."""
    if "prompt" not in theirs:
        return "both refuse" if isinstance(mine, TemplateRefused) else "only the server refuses"
    if isinstance(mine, TemplateRefused):
        return "only ctxlab refuses"
    return SAME if str(mine.text) == theirs["prompt"] else "another text"


def cause(mine: RenderedText | TemplateRefused, theirs: dict[str, Any], chat: Chat) -> str:
    """A difference in words."""
    if "ended" in theirs:
        return "the template ends the server, or keeps it busy for two minutes"
    if "prompt" not in theirs:
        return "the server refuses: " + theirs["error"].rpartition("Error: ")[2].partition("\n")[0][:80]
    if isinstance(mine, TemplateRefused):
        return "ctxlab refuses: " + str(mine).partition(" (line")[0][:80]
    one, other = str(mine.text), theirs["prompt"]
    if "".join(one.split()) == "".join(other.split()):
        return "blanks"
    if isinstance(chat["messages"][0]["content"], list):
        return "typed parts are joined, or written as they are, by one alone"
    if sorted(one.split()) == sorted(other.split()):
        return "the order of words"
    if "tools" in chat:
        return "values of calls and tools are written otherwise"
    return "other words"


def tables() -> str:
    """Both tables as Markdown."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in CHATS}
    causes: Counter[str] = Counter()
    served = 0
    templates = every_template()
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder / "tiny.gguf")
        for template in templates:
            theirs = answers(folder / "tiny.gguf", template.source, CHATS, folder)
            if theirs is None:
                continue
            served += 1
            for kind, chat in CHATS.items():
                _count(template, kind, chat, theirs[kind], counts[kind], causes)
    head = ["| chat |", *(f" {kind} |" for kind in KINDS)]
    rows = ["".join(head), "|---|" + "--:|" * len(KINDS)]
    rows += [f"| {name} |" + "".join(f" {each[kind]} |" for kind in KINDS) for name, each in counts.items()]
    total = sum(counts.values(), Counter[str]())
    both = total[SAME] + total["another text"]
    given = both + total["only ctxlab refuses"]
    said = (
        f"{served} of {len(templates)} templates let a server start. Both give a text in {both:,} cases, and it is the "
        f"same in {total[SAME] / both:.1%}; of the {given:,} texts that the server gives {total[SAME] / given:.1%} are "
        "the same."
    )
    few = [f"| {words} | {count} |" for words, count in causes.most_common()]
    return "\n".join([said, "", *rows, "", "| where they differ | cases |", "|---|--:|", *few])


def _count(
    template: JinjaTemplate,
    kind: str,
    chat: Chat,
    theirs: dict[str, Any],
    counts: Counter[str],
    causes: Counter[str],
) -> None:
    mine = ours(template, chat)
    found = compared(mine, theirs)
    counts[found] += 1
    if found not in (SAME, "both refuse"):
        causes[cause(mine, theirs, chat)] += 1
        sys.stderr.write(f"{template.name}: {kind}: {found}: {cause(mine, theirs, chat)}\n")


if __name__ == "__main__":
    print(tables())
