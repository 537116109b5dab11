"""`ctxlab render` and its options."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ctxlab.cli.inputs.options import CommandOptions, Form, takes_build_options

RENDER = """\b
Examples:
  ctxlab render datasets/harbour_roleplay.session.json --budget 1800 --template datasets/chatml.jinja
  ctxlab render datasets/harbour_roleplay.session.json --budget 1800 --template datasets/chatml.jinja --why 沈砚
  ctxlab render datasets/coding_chat.session.json --template datasets/chatml.jinja --format json
"""


class Server(StrEnum):
    """Programs that a model of one's own runs on."""

    llama_cpp = "llama.cpp"
    ollama = "ollama"
    koboldcpp = "koboldcpp"
    vllm = "vllm"


class Engine(StrEnum):
    """Programs that render chat templates."""

    transformers = "transformers"
    llama_cpp = "llama.cpp"


@takes_build_options(without=("until", "template"))
def render(
    options: CommandOptions,
    template: Annotated[
        Path,
        typer.Option(
            "--template", metavar="FILE", help="A chat template, or a model's file that has one.", show_default=False
        ),
    ],
    name: Annotated[
        str | None, typer.Option("--template-name", metavar="NAME", help="One of several, such as tool_use.")
    ] = None,
    engine: Annotated[
        Engine | None,
        typer.Option(
            "--engine",
            help="The program that renders: transformers, or llama.cpp's server; by default that of --server.",
            show_default="transformers",
        ),
    ] = None,
    typed_parts: Annotated[
        bool, typer.Option("--typed-parts", help="Give each message as a list of parts, as some templates want it.")
    ] = False,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Count the text by the model's own vocabulary, source by source.")
    ] = False,
    why: Annotated[
        str | None,
        typer.Option(
            "--why", metavar="TEXT|KEY", help="Why words or a message are in the text, or aren't.", show_default=False
        ),
    ] = None,
    context: Annotated[
        int | None,
        typer.Option("--context", metavar="N", help="Tokens of --server; of a preset those that its text is cut to."),
    ] = None,
    answer: Annotated[
        int, typer.Option("--answer", metavar="N", help="Tokens of --context that are kept for the reply.")
    ] = 0,
    server: Annotated[
        Server | None,
        typer.Option("--server", help="Say what a server reads of the text with a context of --context tokens."),
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="For people, or text and effects as JSON.")] = Form.text,
) -> int:
    """Show what a chat template makes of the messages: the text, and what it refuses, drops, moves or adds.

    Each loss has the smallest set of settings that mends it, which was tried. With --server it says what a server with
    a smaller context cuts of it. The exit code is 3 where the template or the server refuses the messages, 1 where
    --why finds its words nowhere.
    """
    from ctxlab.cli.commands.render import Asked, print_rendered
    from ctxlab.cli.inputs.files import load

    given: dict[str, Any] = {"template": name, "engine": engine and engine.value, "typed_parts": typed_parts}
    if server is not None:
        from ctxlab.rendering.server import local_server

        given["server"] = local_server(server.value, context=context, answer=answer or None)
    else:
        given |= {"context": context, "answer": answer}
    asked = Asked(why, tokens=tokens, as_json=form is Form.json)
    return print_rendered(load(options), template, given, asked)
