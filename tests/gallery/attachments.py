"""The bundled conversation with files of every kind, and runs in which they go different ways."""

from __future__ import annotations

from functools import cache

import ctxlab
from ctxlab import Comparison, Trace


@cache
def files_run(model: str = "gpt-4o", budget_tokens: int | None = 7000) -> Trace:
    """A run in which pictures go as pictures, PDF as files, letters and tables as text, a sound as its description.

    Within this budget the oldest message with a file is cut.
    """
    return ctxlab.build(ctxlab.example("harbour_attachments"), model=model, budget_tokens=budget_tokens)


@cache
def files_compared() -> Comparison:
    """The run for a model that reads pictures and documents, beside one that reads text only."""
    return ctxlab.compare({"reads": files_run("gpt-4o", None), "text only": files_run("deepseek-chat", None)})
