"""The table of docs/local_servers.md: a chat of three turns through all published templates.

CTXLAB_ALL_TEMPLATES=1 .venv/bin/python -m tests.rendering.server.prefix_table
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import ctxlab
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import TemplateRefused
from tests.engines.chat_templates.published import templates
from tests.engines.chat_templates.real_llama_cpp import write_model

TURNS = [
    ("user", "Is it lit?"),
    ("assistant", "It is."),
    ("user", "And now?"),
    ("assistant", "It is too."),
    ("user", "Thanks."),
]
WAYS = {
    "": "each prompt begins with all of the one before",
    "begins a reply otherwise": "the reply begins otherwise than it is written later, as with an empty thought",
    "writes the time of the build": "the template writes the day",
    "no longer writes": "old messages are left out",
    "writes otherwise": "old messages are written otherwise",
    "refused": "refuses the chat",
}


def table() -> str:
    """Templates by what they do to the prompts of a chat that only grows, a day a turn, as Markdown."""
    runs = [
        ctxlab.build(
            [{"role": role, "content": content} for role, content in TURNS[:number]],
            timestamp=f"2026-11-{number:02d}T10:00:00+00:00",
        )
        for number in (1, 3, 5)
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.gguf"
        write_model(path)
        own = replace(ctxlab.local_model(path), context_length=None)
        found = Counter[str]()
        for template in templates():
            model = replace(own, templates=FrozenDict({"default": template}))
            try:
                breaks = ctxlab.prefix(runs, model=model).breaks
            except TemplateRefused:
                found["refused"] += 1
                continue
            sentence = breaks[0].cause.sentence if breaks and breaks[0].cause is not None else ""
            found[next(way for way in reversed(WAYS) if way in sentence)] += 1
    rows = [f"| {words} | {found[way]} |" for way, words in WAYS.items()]
    return "\n".join([f"| of {sum(found.values())} templates | |", "|---|--:|", *rows])


if __name__ == "__main__":
    print(table())
