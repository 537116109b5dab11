"""`ctxlab demo`: the main things, shown on a conversation that comes with ctxlab."""

from __future__ import annotations

import os
from pathlib import Path

from ctxlab import api
from ctxlab.api.examples import bundled
from ctxlab.cli.notebook_files import demo_notebook
from ctxlab.cli.output.diff import differences
from ctxlab.cli.output.explain_text import life, places
from ctxlab.cli.output.lore import entry
from ctxlab.cli.output.run_text import Steps, head, short_key
from ctxlab.cli.output.terminal import Screen
from ctxlab.cli.output.token_bar import bar
from ctxlab.context import Draft
from ctxlab.engines.worldbook.explain import entries_named
from ctxlab.pipeline import Trace, diff
from ctxlab.processors import TokenLimiter

NAME = "harbour_roleplay"
LORE, ENTRY = "harbour_lore.json", "The compass"
SMALL, LARGE = 1500, 1900


def show_demo() -> None:
    """Build with a small budget, explain a cut, a rewritten word and a lore entry, build with a larger one, compare."""
    file = bundled(f"{NAME}.session.json")
    folder = file.parent
    found = api.example("harbour")
    session, agent, user = found.session(), found.agent(), found.user()
    screen = Screen()
    shown = _shown(file)

    _command(screen, f"ctxlab build {shown} --budget {SMALL}", "what is sent, and how it came to be")
    trace = api.build(session, agent, user=user, budget_tokens=SMALL)
    head(screen, trace)
    screen.blank()
    Steps(screen, trace).all(trace)
    screen.blank()
    bar(screen, trace)

    cut = _newest_cut(trace)
    screen.blank()
    _command(screen, f"ctxlab explain {shown} --budget {SMALL} --key {short_key(cut.key)}", "why a message is not sent")
    life(screen, trace, trace.why(cut.key))

    words = _rewritten_words(trace)
    screen.blank()
    _command(screen, f'ctxlab explain {shown} --budget {SMALL} --text "{words}"', "who wrote which characters")
    places(screen, trace, words, trace.where(words)[:1])

    screen.blank()
    _command(screen, f"ctxlab build {shown} --budget {LARGE}", f"what {LARGE - SMALL:,} more tokens bring back")
    larger = trace.rerun({f"{TokenLimiter.id}.budget_tokens": LARGE})
    differences(screen, diff(trace.upto(TokenLimiter.id), larger.upto(TokenLimiter.id)), most=4)
    screen.blank()
    bar(screen, larger)

    lore = _shown(folder / LORE)
    screen.blank()
    _command(screen, f'ctxlab explain {shown} --book {lore} --entry "{ENTRY}"', "why a lore entry does not fire")
    with_lore = api.build(session, agent, user=user, books=found.books)
    for decision in entries_named(with_lore.result, ENTRY):
        entry(screen, with_lore, decision)

    screen.blank()
    screen.line(("next", "strong"))
    for command in (
        f"ctxlab step {shown} --budget {SMALL}",
        f"ctxlab build {_shown(folder / 'coding_chat.session.json')} --set token-limiter.retain=each",
        f"ctxlab lore {shown} --book {lore}",
        f"ctxlab tree {_shown(folder / 'research_tree.session.json')}",
    ):
        screen.line("  ", (command, "command"))


def write_demo_notebook() -> None:
    """Write the demo as a notebook into this folder, and say where it is and how it is opened."""
    path = demo_notebook(Path())
    Screen().line(("the demo is in ", "label"), (str(path), "command"), "; open it with: ctxlab lab ", str(path))


def _shown(path: Path) -> str:
    """The path as one would type it in this folder."""
    here = Path.cwd()
    text = str(path.relative_to(here) if path.is_relative_to(here) else path)
    return f'"{text}"' if " " in text else text.replace(os.sep, "/")


def _command(screen: Screen, command: str, what: str) -> None:
    screen.line((f"# {what}", "dim"))
    screen.line(("$ ", "dim"), (command, "command"), hang=2)


def _newest_cut(trace: Trace) -> Draft:
    """The newest message that was cut: the nearest to those that stay."""
    step = trace.step(TokenLimiter.id)
    groups = [group for group in step.after.dropped if group.cause.processor == step.id]
    gone = {draft.key for group in groups for draft in group.drafts}
    return next(draft for draft in reversed(step.before.drafts) if draft.key in gone)


def _rewritten_words(trace: Trace) -> str:
    spans = (span for draft in trace.result.drafts for span in draft.text.spans if span.was and span.text)
    return next(spans).text
