"""The table of docs/what_your_template_does.md: one chat through all published templates, before and after remedies.

CTXLAB_ALL_TEMPLATES=1 .venv/bin/python -m tests.rendering.template_table
"""

from __future__ import annotations

from collections import Counter

import ctxlab
from ctxlab.rendering import RenderedPrompt, TemplateRemedy, rendered
from tests.engines.chat_templates.published import templates

WORDS = {
    "refused": "refuse these messages",
    "dropped": "drop whole messages without a word",
    "moved": "carry all, some elsewhere than they were sent",
    "all": "carry all in order",
}


def outcome(found: RenderedPrompt) -> str:
    """The worst that a template does to the messages."""
    kinds = {each.kind for each in found.effects if each.thing == "words"}
    lost = {kind for kind in ("refused", "dropped", "moved") if kind in kinds}
    return next((kind for kind in ("refused", "dropped", "moved") if kind in lost), "all")


def table() -> str:
    """Both tables as Markdown."""
    trace = ctxlab.build(ctxlab.example("harbour"), budget_tokens=1800)
    before, after = Counter[str](), Counter[str]()
    remedies, less = Counter[str](), 0
    for template in templates():
        found = rendered(trace, template)
        kind = outcome(found)
        before[kind] += 1
        remedy: TemplateRemedy | None = found.remedy if kind != "all" else None
        if remedy is not None:
            words, _, cost = remedy.sentence.rstrip(".").partition("; ")
            remedies[f"{words}."] += 1
            less += bool(cost)
        if kind != "all" and remedy is None and found.typed_parts_help:
            remedies["Messages are lists of typed parts."] += 1
            mended = rendered(trace, template, typed_parts=True)
        else:
            mended = rendered(trace.rerun(remedy.settings), template) if remedy is not None else found
        after[outcome(mended)] += 1
    rows = [f"| {words} | {before[kind]} | {after[kind]} |" for kind, words in WORDS.items()]
    rows.append(f"| … of these with a message less, which no longer fits the budget | | {less} |")
    sets = [f"| {sentence} | {count} |" for sentence, count in remedies.most_common()]
    return "\n".join(
        [
            f"| of {sum(before.values())} templates | as it is | with the remedy that was found |",
            "|---|--:|--:|",
            *rows,
            "",
            "| the smallest set of formatter steps, or what was tried where none helps | templates that it mends |",
            "|---|--:|",
            *sets,
        ]
    )


if __name__ == "__main__":
    print(table())
