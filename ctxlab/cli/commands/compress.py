"""`ctxlab compress`: what a compression would do, and the conversation after it as a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.api.compression import compressed_run
from ctxlab.chat.compression import Compression, Wanted
from ctxlab.cli.inputs.files import Inputs
from ctxlab.cli.inputs.read_file import is_pipe
from ctxlab.cli.output.run_text import losses
from ctxlab.cli.output.terminal import Screen, harmless, one_line
from ctxlab.display.short_texts import counted
from ctxlab.errors import CtxlabError, WriteError

if TYPE_CHECKING:
    from ctxlab.engines.compression import CheckedFact

MOST_SHOWN = 12


def print_compression(inputs: Inputs, wanted: Wanted, *, protect: int | None, out: Path | None) -> None:
    """Print what goes, what it saves and what is lost; write the session after it where a file is named."""
    if out is not None and is_pipe(out):
        raise WriteError("- is no name of a file to write; give one, such as out.session.json")
    if out is not None and out.resolve() == inputs.options.file.resolve():
        raise WriteError(f"{out} is the file that is read; give another name to write to")
    replaced = "; replaced the file that was there" if out is not None and out.is_file() else ""
    settings = {"protect_recent_count": protect} if protect is not None else {}
    done = compressed_run(inputs.trace(), wanted, compression=settings)
    if out is not None:
        _write(done, out)
    inputs.announce()
    screen = Screen()
    losses(screen, inputs.losses)
    show_compression(screen, done)
    if out is not None:
        screen.blank()
        screen.line(("wrote ", "label"), harmless(str(out)), (replaced, "label"))


def show_compression(screen: Screen, done: Compression) -> None:
    """A preview as text: what goes and what it saves, the summary, the facts it loses; or why nothing is compressed."""
    if done.error is not None:
        screen.line(("nothing is compressed: ", "label"), harmless(done.error))
        return
    _print_savings(screen, done)
    screen.blank()
    for line in done.summary.splitlines():
        screen.line(harmless(line))
    show_losses(screen, done)


def show_losses(screen: Screen, done: Compression) -> None:
    """The facts that a summary loses and weakens."""
    if done.summary:
        _print_facts(screen, "lost", done.report().lost)
        _print_facts(screen, "weakened", done.report().weakened)


def show_notes(screen: Screen, done: Compression) -> None:
    """A warning where the prompt has more tokens after a compression than before, and its notes."""
    if done.after_tokens > done.before_tokens:
        more = counted(done.after_tokens - done.before_tokens, "token")
        screen.line((f"the prompt has {more} more than before", "warn"))
    for note in done.notes:
        screen.line(("· ", "dim"), (harmless(note.text), "dim"), hang=2)


def _write(done: Compression, out: Path) -> None:
    from ctxlab import api

    if done.changes_nothing:
        raise CtxlabError(f"nothing is compressed, and nothing is written: {done.error}")
    api.write(done.session, out)


def _print_savings(screen: Screen, done: Compression) -> None:
    gone = counted(len(done.gone), "message")
    folded = f" and {counted(len(done.folded), 'earlier summary', 'earlier summaries')}" if done.folded else ""
    tokens = f"{done.before_tokens:,} to {counted(done.after_tokens, 'token')}"
    screen.line((f"{gone}{folded} behind one summary", "strong"), f", {tokens}")
    screen.line((f"{done.gone[0]} to {done.gone[-1]}" if done.gone else "", "dim"))
    screen.line((str(done.prefix), "dim"))
    show_notes(screen, done)


def _print_facts(screen: Screen, state: str, facts: Sequence[CheckedFact]) -> None:
    if not facts:
        return
    screen.blank()
    screen.line((f"{state}: {counted(len(facts), 'fact')}", "label"))
    for fact in facts[:MOST_SHOWN]:
        screen.line(("· ", "dim"), f"{fact.kind}, {fact.source}: {one_line(fact.text, cells=70)}", hang=2)
    if len(facts) > MOST_SHOWN:
        screen.line((f"· and {len(facts) - MOST_SHOWN:,} more", "dim"))
