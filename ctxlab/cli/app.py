"""The commands and their options; each does its work in a module of its own, loaded when it runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ctxlab.cli.check_command import CHECK, check
from ctxlab.cli.compressions_command import COMPRESSIONS, compressions
from ctxlab.cli.examples import (
    ABLATE,
    ASSETS,
    BUILD,
    CHAT,
    COMPARE,
    COMPRESS,
    CONVERT,
    DEMO,
    EXAMPLES,
    EXPLAIN,
    LAB,
    LEDGER,
    LORE,
    MINIMISE,
    REPORT,
    REQUEST,
    STEP,
    STUDY,
    SURVEY,
    TREE,
)
from ctxlab.cli.inputs.options import (
    CommandOptions,
    FileArgument,
    Form,
    PickOption,
    RequestOption,
    names_in,
    numbers_in,
    takes_build_options,
)
from ctxlab.cli.mcp_command import MCP, mcp
from ctxlab.cli.prefix_command import PREFIX, prefix
from ctxlab.cli.record_command import RECORD, record
from ctxlab.cli.render_command import RENDER, render
from ctxlab.cli.review_command import REVIEW, review
from ctxlab.cli.study_commands import ablate, minimise, study, survey
from ctxlab.cli.workspace_commands import SEARCH, WORKSPACE, search, workspace
from ctxlab.wires import LOCAL_SERVERS, PROVIDERS


class Reading(StrEnum):
    """The two readings of a program's log."""

    conversation = "conversation"
    recording = "recording"


SERVED_BY = f"{', '.join(PROVIDERS)}, or a server of a model of one's own: {', '.join(LOCAL_SERVERS)}"


class Turn(StrEnum):
    """The kinds of turns of SillyTavern."""

    normal = "normal"
    swipe = "swipe"
    regenerate = "regenerate"
    cont = "continue"
    impersonate = "impersonate"
    quiet = "quiet"


class Language(StrEnum):
    zh = "zh"
    en = "en"


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


@app.callback(epilog=EXAMPLES)
def ctxlab(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """See what an LLM chat program would send, step by step, and why."""


@app.command(epilog=BUILD, short_help="What is sent, every step, every cut and its cause.")
@takes_build_options()
def build(
    options: CommandOptions,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="A file with a conversation, a card to begin one, or a folder; - is a pipe.",
            show_default=False,
        ),
    ] = None,
    sillytavern: Annotated[
        Path | None,
        typer.Option(
            "--sillytavern",
            metavar="FOLDER",
            help="SillyTavern's data folder, such as data/default-user; in place of FILE.",
            show_default=False,
        ),
    ] = None,
    chat: Annotated[
        str | None, typer.Option("--chat", metavar="NAME", help="The chat in it; else the one that is open there.")
    ] = None,
    kind: Annotated[Turn | None, typer.Option("--kind", help="The kind of its turn; else normal.")] = None,
    request: RequestOption = None,
    form: Annotated[Form, typer.Option("--format", help="For people, or the messages as JSON.")] = Form.text,
) -> None:
    """Build the context for a message and show every step, every cut and its cause."""
    from ctxlab.cli.commands.build import print_json, print_text
    from ctxlab.cli.inputs.files import load, load_request, load_turn

    if (file is None) == (sillytavern is None):
        raise typer.BadParameter(
            "give FILE or --sillytavern FOLDER, one of them; - is standard input, as in: ctxlab build - < chat.json"
        )
    if sillytavern is None and (chat is not None or kind is not None):
        raise typer.BadParameter("--chat and --kind are of --sillytavern FOLDER")
    if sillytavern is not None and request is not None:
        raise typer.BadParameter("--request is of a recording, which FILE names")
    if request is not None:
        inputs = load_request(options, request)
    elif sillytavern is None:
        inputs = load(options)
    else:
        inputs = load_turn(options, sillytavern, chat=chat, kind="normal" if kind is None else kind.value)
    trace = inputs.trace()
    inputs.announce()
    if form is Form.json:
        print_json(trace.messages, as_it_is=True)
    else:
        print_text(inputs, trace)


@app.command(epilog=EXPLAIN, short_help="What became of a message, words, a lore entry, a rule.")
@takes_build_options()
def explain(
    options: CommandOptions,
    key: Annotated[
        str | None, typer.Option("--key", metavar="K", help="A message's key, or the id of its node or preset.")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="WORDS", help="Words to look for, exactly as written.")
    ] = None,
    entry: Annotated[
        str | None, typer.Option("--entry", metavar="E", help="A lore entry, by title, uid, key or book/uid.")
    ] = None,
    rule: Annotated[str | None, typer.Option("--rule", metavar="R", help="A find and replace rule, by name.")] = None,
    piece: Annotated[
        str | None, typer.Option("--piece", metavar="P", help="Pieces of knowledge, by title, base, id or placeholder.")
    ] = None,
    request: RequestOption = None,
    form: Annotated[Form, typer.Option("--format", help="For people, or the answer as JSON.")] = Form.text,
) -> int:
    """Say what became of a message, of some words, of a lore entry, a rule or a piece of knowledge, and why."""
    from ctxlab.cli.commands.explain import ExplainTarget, print_explanation
    from ctxlab.cli.inputs.files import load, load_request

    question = ExplainTarget(key=key, words=text, entry=entry, rule=rule, piece=piece)
    if question.asks_several:
        raise typer.BadParameter(
            "--key asks for a message, --text for words, --entry for lore, --rule for a rule, --piece for knowledge; "
            "give one of them"
        )
    inputs = load(options) if request is None else load_request(options, request)
    code = print_explanation(inputs, question, as_json=form is Form.json)
    inputs.announce()
    return code


@app.command(epilog=STEP, short_help="Walk through the steps, and change things on the way.")
@takes_build_options()
def step(options: CommandOptions) -> None:
    """Walk through the steps, forwards and backwards, changing settings and messages on the way."""
    from ctxlab.cli.commands.step import refuse_pipes, walk
    from ctxlab.cli.inputs.files import load

    refuse_pipes(options)
    walk(load(options))


@app.command(epilog=TREE, short_help="The conversation as a tree, and what is wrong with it.")
def tree(
    file: FileArgument,
    pick: PickOption = None,
    width: Annotated[
        int | None, typer.Option("--width", metavar="N", min=40, help="Columns to use; else the terminal's.")
    ] = None,
) -> None:
    """Draw the conversation as a tree, straight stretches folded, and say what is wrong with it."""
    from ctxlab.cli.commands.tree import print_tree

    print_tree(file, pick=pick, width=width)


@app.command(epilog=REPORT, short_help="The run as one HTML file, to walk through in a browser.")
@takes_build_options()
def report(
    options: CommandOptions,
    out: Annotated[Path, typer.Option("--out", metavar="PAGE", help="Where to write it.", show_default=False)],
    reading: Annotated[
        Reading | None,
        typer.Option("--as", help="Read a log as a conversation or as a recording.", show_default=False),
    ] = None,
) -> None:
    """Write the run as one HTML file that opens anywhere: every step, every message, every cause; or a recording."""
    from ctxlab.cli.commands.report import print_report

    print_report(options, out, reading.value if reading is not None else None)


@app.command(epilog=LEDGER, short_help="Where every token went, by step and rule.")
@takes_build_options()
def ledger(options: CommandOptions) -> None:
    """Show where every token came from and where it went, step by step and rule by rule."""
    from ctxlab.cli.commands.ledger import print_ledger
    from ctxlab.cli.inputs.files import load

    print_ledger(load(options))


@app.command(epilog=CHAT, short_help="Talk, and look at what each reply was made of.")
@takes_build_options(without=("until", "pending", "model"))
def chat(
    options: CommandOptions,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="Who answers; echo asks nobody. Else the agent's.")
    ] = None,
    provider: Annotated[
        str | None,
        typer.Option("--provider", metavar="NAME", help=f"One of {SERVED_BY}; else the model's."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="URL", help="Another server that speaks as the provider does.")
    ] = None,
    log: Annotated[
        Path | None, typer.Option("--log", metavar="LOG", help="Every event of every turn, added as JSON lines.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="OUT", help="Where the conversation goes; else NAME.chat.json beside FILE."),
    ] = None,
) -> int:
    """Go on with a conversation: a line is sent and answered, a line that begins with / is a command.

    /why, /budget and /step show what the model got, /compress what a summary would lose; /help lists all. Ctrl+C
    cancels a reply, and what came of it stays. FILE is not changed. Keys are those of the environment, such as
    OPENAI_API_KEY, or of the keyring. Without --model, where the agent's can't be asked, an echo answers and says why.
    """
    from ctxlab.cli.commands.chat import Asked, talk
    from ctxlab.cli.commands.step import refuse_pipes
    from ctxlab.cli.inputs.files import load

    refuse_pipes(options)
    return talk(load(options), Asked(model, provider, base_url, out, log))


@app.command(epilog=COMPRESS, short_help="Old messages behind a summary, as a preview or a file.")
@takes_build_options(without=("until",))
def compress(
    options: CommandOptions,
    above: Annotated[str | None, typer.Option("--above", metavar="ID", help="All messages above this one go.")] = None,
    below: Annotated[str | None, typer.Option("--below", metavar="ID", help="All messages below this one go.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="All but the newest go.")] = False,
    protect: Annotated[
        int | None, typer.Option("--protect", metavar="N", min=0, help="Newest messages that stay as they are.")
    ] = None,
    must_keep: Annotated[
        list[str] | None, typer.Option("--must-keep", metavar="TEXT", help="Words that the summary must have.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="OUT", help="Where to write the conversation.")] = None,
) -> None:
    """Show what a compression would put behind a summary, what it saves, and which facts it loses.

    The summary is made offline, of sentences of the messages. Nothing changes but the file that --out names.
    """
    from ctxlab.chat.compression import Wanted
    from ctxlab.cli.commands.compress import print_compression
    from ctxlab.cli.inputs.files import load

    wanted = Wanted(above=above, below=below, everything=everything, must_keep=tuple(must_keep or ()))
    print_compression(load(options), wanted, protect=protect, out=out)


@app.command(epilog=COMPARE, short_help="Strategies and budgets side by side.")
@takes_build_options(without=("budget", "until"))
def compare(
    options: CommandOptions,
    strategies: Annotated[
        str, typer.Option("--strategies", metavar="S,S,...", help="Truncation strategies, with commas between.")
    ] = "",
    budgets: Annotated[
        str, typer.Option("--budgets", metavar="N,N,...", help="Budgets in tokens, with commas between.")
    ] = "",
) -> None:
    """Cut the same conversation in several ways and show what each way keeps."""
    from ctxlab.cli.commands.compare import print_comparison
    from ctxlab.cli.inputs.files import load

    print_comparison(load(options), strategies=names_in(strategies), budgets=numbers_in(budgets))


@app.command(epilog=LORE, short_help="Which lore fires, by what, and what the rest would take.")
@takes_build_options(without=("until",))
def lore(
    options: CommandOptions,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A file with a conversation.", show_default=False)
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="WORDS", help="Words to look through, in place of a file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The decisions as JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="The decisions as CSV.")] = False,
) -> None:
    """Show every lore entry: whether it fires, which words call it up, what stops it, and what it would take."""
    from ctxlab.cli.commands.lore import print_session_lore, print_text_lore
    from ctxlab.cli.inputs.files import load

    form = "json" if as_json else "csv" if as_csv else "text"
    if (file is None) == (text is None):
        raise typer.BadParameter("lore looks through a FILE, or through the words of --text; give one of them")
    if as_json and as_csv:
        raise typer.BadParameter("--json and --csv are two forms; give one of them")
    if text is not None:
        print_text_lore(text, options, form=form)
    else:
        print_session_lore(load(options), form=form)


@app.command(epilog=CONVERT, short_help="From any format that is read to any that is written.")
def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="A file of any kind that is read; - is a pipe.", show_default=False)
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="Where to write; its ending says as what.")],
    pick: PickOption = None,
    form: Annotated[str | None, typer.Option("--format", metavar="F", help="The format, whatever the ending.")] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Mend broken trees, keeping every message.")] = False,
) -> None:
    """Write a file in another format, and say what could not be carried.

    OUT's ending says as what:

    \b
      conversations  .json .session.json .zip .openai.json .branch.json .jsonl
                     .md .path.md .tree.md
      agents, cards  .agent.json .agent.yaml .agent.zip .card.json .png .charx
                     .preset.json
      lorebooks      .lorebook.json .worldbook.json .character_book.json
      rules          .regex.json .rules.json
      quick actions  .quickactions.json .quickactions.zip .quickreplies.json
      knowledge      .knowledge.json

    A card, preset, lorebook or rules alone go to plain .json in the form they came in.
    """
    from ctxlab.cli.commands.convert import print_conversion

    print_conversion(source, target, pick=pick, form=form, repair=repair)


@app.command(epilog=REQUEST, short_help="The body that a vendor gets, and what it would refuse.")
@takes_build_options(without=("until",))
def request(
    options: CommandOptions,
    provider: Annotated[
        str, typer.Option("--provider", metavar="NAME", help=f"One of {SERVED_BY}.", show_default=False)
    ],
    form: Annotated[Form, typer.Option("--format", help="For people, or the body as JSON.")] = Form.text,
) -> int:
    """Show the request as it would be posted: what the vendor would refuse, and what its form has no place for.

    The exit code is 3 where problems are left.
    """
    from ctxlab.cli.commands.request import print_request
    from ctxlab.cli.inputs.files import load

    return print_request(load(options), provider, as_json=form is Form.json)


@app.command(epilog=ASSETS, short_help="Type and measures of files, and how a model would get them.")
def assets(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE|FOLDER...", help="Files of any type, or folders of them.")
    ],
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="A model, to say how it would get each file.")
    ] = None,
    language: Annotated[Language, typer.Option("--language", help="Of types and descriptions.")] = Language.en,
    form: Annotated[Form, typer.Option("--format", help="For people, or the facts as JSON.")] = Form.text,
) -> None:
    """Show what files are: type, how sure it is, size, pixels, seconds or pages, and what is amiss.

    The bytes decide; a name that says something else is named. With --model, the form in which it would get each file.
    """
    from ctxlab.cli.commands.assets import print_assets

    print_assets(paths, model=model, language=language.value, as_json=form is Form.json)


@app.command(epilog=DEMO, short_help="The main things, on a conversation that comes along.")
def demo(
    notebook: Annotated[bool, typer.Option("--notebook", help="Write it as a notebook into this folder.")] = False,
) -> None:
    """Show the main things on a conversation that comes with ctxlab."""
    from ctxlab.cli.commands.demo import show_demo, write_demo_notebook

    if notebook:
        write_demo_notebook()
    else:
        show_demo()


app.command(epilog=MINIMISE, short_help="The smallest context that keeps what is named.")(minimise)
app.command(epilog=ABLATE, short_help="What each step, setting, preset, entry and rule does.")(ablate)
app.command(epilog=STUDY, short_help="Ways of building side by side, over many cases.")(study)
app.add_typer(workspace, name="workspace", epilog=WORKSPACE, short_help="Keep all of it in a folder, safely.")
app.command(epilog=SEARCH, short_help="Words in everything that a workspace holds.")(search)
app.command(epilog=SURVEY, short_help="Many conversations, cut in every way.")(survey)

app.command(epilog=RENDER, short_help="The text that a local model reads, and what its template does.")(render)
app.command(epilog=CHECK, short_help="What is wrong with a recording or a conversation, or wasted.")(check)
app.command(epilog=REVIEW, short_help="What a commit changes in built prompts, as Markdown and SARIF.")(review)
app.command(epilog=MCP, short_help="Answers other programs over the Model Context Protocol.")(mcp)
app.command(epilog=RECORD, short_help="What a program really sends, request by request, to a file.")(record)
app.command(epilog=COMPRESSIONS, short_help="What a program's compressions kept, and what they lost.")(compressions)
app.command(epilog=PREFIX, short_help="Where the prefix of each request breaks, why, and what it costs.")(prefix)


SERVE_FAKE = """\b
Examples:
  ctxlab serve-fake
  ctxlab serve-fake --port 8765 --script replies.json
"""


@app.command("serve-fake", epilog=SERVE_FAKE, short_help="A strict fake of the vendors' servers, on this machine.")
def serve_fake(
    port: Annotated[int, typer.Option("--port", metavar="N", help="Where to listen; 0 is any free port.")] = 0,
    script: Annotated[
        Path | None,
        typer.Option("--script", metavar="FILE", help="JSON with replies, given in order; without it, an echo."),
    ] = None,
) -> None:
    """Answer as OpenAI, Anthropic, Gemini, DeepSeek and compatible servers do, and refuse what they refuse.

    It listens at 127.0.0.1 alone, takes any key, keeps none, and prints one line a request. Ctrl+C ends it.

    A script is a list of texts and of objects with fields of FakeReply: ["Hello", {"status": 429}].
    """
    from ctxlab.cli.commands.serve_fake import serve

    serve(port=port, script=script)


@app.command(epilog=LAB, short_help="JupyterLab on the notebooks, with your file in them.")
def lab(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="A file with a conversation, a recording, a folder, a workspace, or a notebook.",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--folder", metavar="F", help="Where to put the notebooks; what is there stays.")
    ] = Path("ctxlab-notebooks"),
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Start without opening a browser.")] = False,
) -> int:
    """Open JupyterLab on copies of the notebooks that come with ctxlab."""
    from ctxlab.cli.commands.lab import open_lab

    return open_lab(file, folder=folder, browser=not no_browser)
