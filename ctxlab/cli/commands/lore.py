"""`ctxlab lore`: what became of every entry of the books, and why."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ctxlab.errors import CtxlabError
from ctxlab.secrets import masked, masked_data

if TYPE_CHECKING:
    from ctxlab.cli.inputs.files import Inputs
    from ctxlab.cli.inputs.options import CommandOptions
    from ctxlab.documents import Worldbook
    from ctxlab.engines.worldbook import LoreScan
    from ctxlab.pipeline import Trace

Form = Literal["text", "json", "csv"]


def print_session_lore(inputs: Inputs, *, form: Form) -> None:
    """The decisions on the lore of a conversation."""
    from ctxlab.engines.worldbook.explain import scan_of
    from ctxlab.processors import WorldbookProcessor

    debugger = inputs.debugger()
    if not debugger.context.input.books:
        raise CtxlabError(f"no book is in force for {inputs.options.file}; --book names one")
    inputs.announce()
    debugger.run_until(WorldbookProcessor.id)
    if not debugger.done:
        debugger.step()
    _print(scan_of(debugger.context), form, inputs.losses, debugger.trace)


def print_text_lore(text: str, options: CommandOptions, *, form: Form) -> None:
    """The decisions on the lore that a text alone calls up; raises CtxlabError for options that need a file."""
    from ctxlab import api
    from ctxlab.cli.inputs.options import settings_from, variables_from
    from ctxlab.cli.inputs.read_file import read, refuse_two_pipes
    from ctxlab.processors import default_pipeline

    _refuse_options_of_files(options)
    books = options.books or ()
    refuse_two_pipes(books)
    found: list[Worldbook] = []
    losses: list[str] = []
    for name in books:
        held = read(Path(name))
        losses += [str(loss) for loss in held.losses]
        if not held.books:
            raise CtxlabError(f"{name} holds no book; --book takes a file with one")
        found += held.books
    if not found:
        raise CtxlabError("--text is looked through for the keys of a book; --book names one")
    scan = api.lore_scan(
        found,
        text,
        model=options.model,
        variables=variables_from(options.variables or ()),
        timestamp=options.timestamp,
        zone=options.zone,
        seed=options.seed,
        budget_tokens=options.budget,
        settings=settings_from(default_pipeline(), options.settings or ()),
    )
    _print(scan, form, tuple(losses), model=options.model)


def _refuse_options_of_files(options: CommandOptions) -> None:
    given = {
        "--pick": options.pick,
        "--leaf": options.leaf,
        "--agent": options.agent,
        "--user": options.user,
        "--rules": options.rules,
        "--pending": options.pending,
    }
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        raise CtxlabError(f"{wrong[0]} goes with the FILE of a conversation, not with --text")


def _print(
    found: LoreScan,
    form: Form,
    losses: tuple[str, ...],
    trace: Trace | None = None,
    *,
    model: str | None = None,
) -> None:
    if form == "json":
        from ctxlab.documents.stored import as_json

        sys.stdout.buffer.write(as_json(masked_data(list(found.rows())), indent=2) + b"\n")
    elif form == "csv":
        sys.stdout.write(masked(found.frame().to_csv(lineterminator="\n")))
    else:
        _show(found, losses, trace, model)
    sys.stdout.flush()


def _show(found: LoreScan, losses: tuple[str, ...], trace: Trace | None, model: str | None) -> None:
    from ctxlab.cli.output import run_text
    from ctxlab.cli.output.lore import table
    from ctxlab.cli.output.terminal import Screen, harmless
    from ctxlab.documents import ModelProfile
    from ctxlab.providers import tokenizer_for

    screen = Screen()
    run_text.losses(screen, losses)
    if trace is not None:
        run_text.sent_before(screen, trace.start.input)
        counter, words = trace.services.tokenizer, run_text.tokenizer_words(trace)
    else:
        counter = tokenizer_for(model)
        words = run_text.counter_words(counter, ModelProfile(id=model) if model else None)
    table(screen, found.fired_first(), scan=found, around=counter.message_tokens)
    screen.line((f"counted with {harmless(words)}", "dim"), hang=2)
    if trace is not None and len(found.fired) < len(found):
        told = "ctxlab explain FILE --entry NAME says what a change costs, and tries settings for all entries"
        screen.line((told, "dim"), hang=2)
    notes = [note for note in found.notes if note.level != "info"]
    if notes:
        screen.blank()
        run_text.notes(screen, notes)
