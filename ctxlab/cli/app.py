"""The commands and their options; each does its work in a module of its own, loaded when it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import StrEnum
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, cast

import typer

from ctxlab.cli.options import (
    AgentOption,
    Asked,
    BudgetOption,
    FileArgument,
    LeafOption,
    ModelOption,
    PickOption,
    SetOption,
    UntilOption,
    UserOption,
)


class Form(StrEnum):
    text = "text"
    json = "json"


app = typer.Typer(
    name="ctxlab",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from ctxlab import __version__

        typer.echo(f"ctxlab {__version__}")
        raise typer.Exit


EXAMPLES = """\b
Examples:
  ctxlab demo
  ctxlab build chat.json --budget 4000
  ctxlab build chat.session.json --agent guide.agent.json --format json
  ctxlab explain chat.session.json --text "once upon a time"
  ctxlab step chat.session.json --set token-limiter.retain=each
  ctxlab tree chat.session.json
"""


@app.callback(epilog=EXAMPLES)
def ctxlab(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """See what an LLM chat program would send, step by step, and why."""


BUILD = """\b
Examples:
  ctxlab build chat.session.json
  ctxlab build chat.json --model gpt-4o --budget 2000
  ctxlab build chat.json --until token-limiter
  ctxlab build chat.json --set merge-system.enabled=false --set token-limiter.retained_characters=200
  ctxlab build chats.jsonl --pick 3 --format json > messages.json
"""


@app.command(epilog=BUILD, short_help="What is sent, every step, every cut and its cause.")
def build(
    file: FileArgument,
    pick: PickOption = None,
    agent: AgentOption = None,
    user: UserOption = None,
    budget: BudgetOption = None,
    model: ModelOption = None,
    leaf: LeafOption = None,
    until: UntilOption = None,
    settings: SetOption = None,
    form: Annotated[Form, typer.Option("--format", help="For people, or the messages as JSON.")] = Form.text,
) -> None:
    """Build the context for a message and show every step, every cut and its cause."""
    from ctxlab.cli.build import print_json, print_text
    from ctxlab.cli.options import load

    loaded = load(Asked(file, pick, agent, user, budget, model, leaf, until, tuple(settings or ())))
    trace = loaded.trace()
    if form is Form.json:
        print_json(trace)
    else:
        print_text(loaded, trace)


EXPLAIN = """\b
Examples:
  ctxlab explain chat.session.json                      every message and what became of it
  ctxlab explain chat.session.json --key u8             the life of one message
  ctxlab explain chat.session.json --text "the boat"    where these words are, and who wrote them
"""


@app.command(epilog=EXPLAIN, short_help="What became of a message, or of some words.")
def explain(
    file: FileArgument,
    key: Annotated[
        str | None, typer.Option("--key", metavar="K", help="A message's key, or the id of its node or preset.")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="WORDS", help="Words to look for, exactly as written.")
    ] = None,
    pick: PickOption = None,
    agent: AgentOption = None,
    user: UserOption = None,
    budget: BudgetOption = None,
    model: ModelOption = None,
    leaf: LeafOption = None,
    until: UntilOption = None,
    settings: SetOption = None,
) -> int:
    """Say what became of a message, or of some words, and which step did it."""
    from ctxlab.cli.explain import print_explanation
    from ctxlab.cli.options import load

    if key is not None and text is not None:
        raise typer.BadParameter("--key asks for a message and --text for words; give one of them")
    loaded = load(Asked(file, pick, agent, user, budget, model, leaf, until, tuple(settings or ())))
    return print_explanation(loaded, key=key, words=text)


STEP = """\b
Examples:
  ctxlab step chat.session.json
  ctxlab step chat.session.json --budget 1500 --until token-limiter
  printf 'next\\nshow\\nq\\n' | ctxlab step chat.session.json
"""


@app.command(epilog=STEP, short_help="Walk through the steps, and change things on the way.")
def step(
    file: FileArgument,
    pick: PickOption = None,
    agent: AgentOption = None,
    user: UserOption = None,
    budget: BudgetOption = None,
    model: ModelOption = None,
    leaf: LeafOption = None,
    until: UntilOption = None,
    settings: SetOption = None,
) -> None:
    """Walk through the steps, forwards and backwards, changing settings and messages on the way."""
    from ctxlab.cli.options import load
    from ctxlab.cli.step import walk

    walk(load(Asked(file, pick, agent, user, budget, model, leaf, until, tuple(settings or ()))))


TREE = """\b
Examples:
  ctxlab tree chat.session.json
  ctxlab tree chats.json --pick 0 --width 120
"""


@app.command(epilog=TREE, short_help="The conversation as a tree, and what is wrong with it.")
def tree(
    file: FileArgument,
    pick: PickOption = None,
    width: Annotated[
        int | None, typer.Option("--width", metavar="N", min=40, help="Columns to use; else the terminal's.")
    ] = None,
) -> None:
    """Draw the conversation as a tree, straight stretches folded, and say what is wrong with it."""
    from ctxlab.cli.tree import print_tree

    print_tree(file, pick=pick, width=width)


LEDGER = """\b
Examples:
  ctxlab ledger chat.session.json --budget 2000
"""


@app.command(epilog=LEDGER, short_help="Where every token went, by step and rule.")
def ledger(
    file: FileArgument,
    pick: PickOption = None,
    agent: AgentOption = None,
    user: UserOption = None,
    budget: BudgetOption = None,
    model: ModelOption = None,
    leaf: LeafOption = None,
    until: UntilOption = None,
    settings: SetOption = None,
) -> None:
    """Show where every token came from and where it went, step by step and rule by rule."""
    from ctxlab.cli.ledger import print_ledger
    from ctxlab.cli.options import load

    print_ledger(load(Asked(file, pick, agent, user, budget, model, leaf, until, tuple(settings or ()))))


COMPARE = """\b
Examples:
  ctxlab compare chat.session.json --strategies sliding,middle-out,block --budgets 2000,4000
  ctxlab compare chat.session.json --budgets 1500,2000,3000
"""


@app.command(epilog=COMPARE, short_help="Strategies and budgets side by side.")
def compare(
    file: FileArgument,
    strategies: Annotated[
        str, typer.Option("--strategies", metavar="S,S,...", help="Truncation strategies, with commas between.")
    ] = "",
    budgets: Annotated[
        str, typer.Option("--budgets", metavar="N,N,...", help="Budgets in tokens, with commas between.")
    ] = "",
    pick: PickOption = None,
    agent: AgentOption = None,
    user: UserOption = None,
    model: ModelOption = None,
    leaf: LeafOption = None,
    settings: SetOption = None,
) -> None:
    """Cut the same conversation in several ways and show what each way keeps."""
    from ctxlab.cli.compare import print_comparison
    from ctxlab.cli.options import load

    names = tuple(name.strip() for name in strategies.split(",") if name.strip())
    loaded = load(Asked(file, pick, agent, user, None, model, leaf, None, tuple(settings or ())))
    print_comparison(loaded, strategies=names, budgets=_numbers(budgets))


def _numbers(text: str) -> tuple[int, ...]:
    words = [word.strip().replace("_", "") for word in text.split(",") if word.strip()]
    wrong = next((word for word in words if not word.isdecimal() or int(word) < 1), None)
    if wrong is not None:
        raise typer.BadParameter(f"--budgets takes whole numbers of tokens from 1 on, not {wrong!r}")
    return tuple(int(word) for word in words)


CONVERT = """\b
Examples:
  ctxlab convert conversations.json chat.zip
  ctxlab convert chat.session.json chat.openai.json
  ctxlab convert chat.session.json chat.tree.md
"""


@app.command(epilog=CONVERT, short_help="From any format that is read to any that is written.")
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file with conversations.", show_default=False)],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Where to write; its ending says as what.")],
    pick: PickOption = None,
    form: Annotated[str | None, typer.Option("--format", metavar="F", help="The format, whatever the ending.")] = None,
) -> None:
    """Write a conversation in another format, and say what could not be carried."""
    from ctxlab.cli.convert import print_conversion

    print_conversion(source, target, pick=pick, form=form)


@app.command(short_help="The main things, on a conversation that comes along.")
def demo() -> None:
    """Show the main things on a conversation that comes with ctxlab."""
    from ctxlab.cli.demo import show_demo

    show_demo()


# typer hands out only the leaves of its tree of errors; their common root is what a wrong option raises.
USAGE_ERROR = cast(
    "type[typer.BadParameter]", next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
)


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code; what goes wrong is one line on standard error."""
    from ctxlab.errors import CtxlabError

    args = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(args or ["--help"], prog_name="ctxlab", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has had enough. What is still buffered must not complain on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except (CtxlabError, OSError) as error:
        return _refused(str(error))
    except USAGE_ERROR as error:
        return _refused(error.format_message())
    return code if isinstance(code, int) else 0


def _refused(text: str) -> int:
    """One line, in the words of the command line where an error speaks in those of Python."""
    from ctxlab.cli.terminal import complain

    complain(
        text.replace("with pick=", "with --pick").replace("pick=", "--pick").replace("budget_tokens,", "--budget,")
    )
    return 2
