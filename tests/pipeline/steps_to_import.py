"""Steps as a package brings them, and what a process of its own does with runs; all found by name after an import."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import Field

from ctxlab.context import Cause, Context, Draft, Edit, Origin, Table
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Debugger, Processor, ProcessorSettings, Services, Trace, processor


def with_words(draft: Draft, words: str, step: str, *, start: int | None = None) -> Draft:
    """The message with words of a step at its end, instead of what stands there from `start` on."""
    text = draft.text
    cause = Cause(step, "write", "it says so")
    edit = Edit(len(text) if start is None else start, len(text), words, cause, Origin("made", step))
    return replace(draft, body=(text.splice([edit]),))


class Clipper(Processor):
    """Cuts what is long."""

    id = "clipper"
    priority = 320

    class Settings(ProcessorSettings):
        most: int = Field(12, ge=1, title="Most", description="Characters that stay.")

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        most = self.settings.most
        return ctx.edit(lambda draft: with_words(draft, "", self.id, start=most) if len(draft.text) > most else draft)


@processor("signed", priority=330)
def signed(ctx: Context) -> Context:
    return ctx.edit(lambda draft: with_words(draft, " ~", signed.id))


def plain_step(ctx: Context) -> Context:
    return ctx.put(Table("seen", len(ctx.drafts)))


class Strange(Exception):
    """Can be pickled, but not read again: it wants two words and passes on one."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


def raises_strange(ctx: Context) -> Context:
    raise Strange("this", "that")


class WantsMore(CtxlabError):
    def __init__(self, *, why: str) -> None:
        super().__init__(f"no, because {why}")
        self.why = why


def rerun_there(trace: Trace, settings: dict[str, Any]) -> Trace:
    return trace.rerun(settings)


def finished_there(debugger: Debugger) -> Debugger:
    debugger.run()
    return debugger
