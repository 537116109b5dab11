"""Options that the commands share, and how settings and variables are spelled in them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ctxlab.lazy_dataclass import dataclass
from ctxlab.secrets import masked_beginning

if TYPE_CHECKING:
    from ctxlab.context import Variables
    from ctxlab.documents import MessageNode
    from ctxlab.pipeline import Pipeline


class Form(StrEnum):
    """The form of what a command prints."""

    text = "text"
    json = "json"


FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="A file with a conversation, a card to begin one, or a folder; - is a pipe.",
        show_default=False,
    ),
]
PickOption = Annotated[
    str | None, typer.Option("--pick", metavar="P", help="Which session of several: an id, or an index from 0.")
]
AgentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        metavar="A",
        help="An agent's file, or the id of one in FILE or beside it; a preset's and a card's file are joined.",
        show_default=False,
    ),
]
UserOption = Annotated[
    str | None,
    typer.Option("--user", metavar="U", help="A user profile's file, or the id of one in FILE or beside it."),
]
BudgetOption = Annotated[int | None, typer.Option("--budget", metavar="N", min=1, help="Tokens for the whole prompt.")]
ModelOption = Annotated[str | None, typer.Option("--model", metavar="M", help="The model's name, such as gpt-4o.")]
TokenizerOption = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        metavar="T",
        help="What counts tokens: a name (o200k_base, chars4+4), or the path of a model or of its vocabulary.",
        show_default=False,
    ),
]
TemplateOption = Annotated[
    str | None,
    typer.Option(
        "--template",
        metavar="FILE",
        help="The chat template whose own tokens count too, or that wrote FILE: a .jinja, or a model's file or folder.",
        show_default=False,
    ),
]
LeafOption = Annotated[
    str | None, typer.Option("--leaf", metavar="ID", help="The message to build for; else the session's active leaf.")
]
AssetsOption = Annotated[
    Path | None,
    typer.Option("--assets", metavar="FOLDER", help="The folder in which files of messages are.", show_default=False),
]
UntilOption = Annotated[str | None, typer.Option("--until", metavar="PROCESSOR", help="Stop after this step.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="STEP.SETTING=VALUE",
        help="Change a setting of a step, or of the request (request.temperature=0); may be given again.",
        show_default=False,
    ),
]
BookOption = Annotated[
    list[str] | None,
    typer.Option(
        "--book", metavar="B", help="A worldbook's file, or a card with one; may be given again.", show_default=False
    ),
]
RulesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rules", metavar="R", help="A file of find and replace rules; may be given again.", show_default=False
    ),
]
NoteOption = Annotated[
    list[str] | None,
    typer.Option(
        "--note",
        metavar="TEXT@DEPTH",
        help="A note into the history, so many messages before its end; may be given again.",
        show_default=False,
    ),
]
KnowledgeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--knowledge",
        metavar="FILE|FOLDER",
        help="A knowledge base's file, or files to make one of; may be given again.",
        show_default=False,
    ),
]
VariableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--var", metavar="NAME=VALUE", help="A variable that macros read; may be given again.", show_default=False
    ),
]
PendingOption = Annotated[
    str | None,
    typer.Option("--pending", metavar="TEXT", help="What the user is about to send; its macros are expanded."),
]
TimestampOption = Annotated[
    str | None, typer.Option("--timestamp", metavar="T", help="The time that macros tell, ISO 8601; else the leaf's.")
]
ZoneOption = Annotated[
    str | None, typer.Option("--zone", metavar="Z", help="The time zone that macros tell it in, such as Asia/Shanghai.")
]
RequestOption = Annotated[
    int | None,
    typer.Option(
        "--request",
        metavar="N",
        min=1,
        help="Of a recording the request of this number, as it was sent.",
        show_default=False,
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", help="What macros and lore draw their dice from.", show_default=False)
]


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """The options of a command that builds, as they were typed."""

    file: FileArgument
    pick: PickOption = None
    agent: AgentOption = None
    user: UserOption = None
    books: BookOption = None
    rules: RulesOption = None
    notes: NoteOption = None
    knowledge: KnowledgeOption = None
    variables: VariableOption = None
    pending: PendingOption = None
    budget: BudgetOption = None
    model: ModelOption = None
    tokenizer: TokenizerOption = None
    template: TemplateOption = None
    leaf: LeafOption = None
    timestamp: TimestampOption = None
    zone: ZoneOption = None
    seed: SeedOption = 0
    until: UntilOption = None
    assets: AssetsOption = None
    settings: SetOption = None
    command: str = "build"

    @property
    def files(self) -> tuple[str | Path | None, ...]:
        """Everything that may be the name of a file to read; knowledge and assets apart."""
        return (self.file, *(self.agent or ()), self.user, *(self.books or ()), *(self.rules or ()))


R = TypeVar("R")


def takes_build_options(*, without: tuple[str, ...] = ()) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """A command that takes the shared options besides its own, and gets them as one value, its first parameter.

    A `file` of its own takes the place of the shared one; where it is None, that of the value is an empty path.
    """
    every = signature(CommandOptions, eval_str=True).parameters.values()
    shared = [each for each in every if each.name not in (*without, "command")]

    def decorated(command: Callable[..., R]) -> Callable[..., R]:
        sign = signature(command, eval_str=True)
        own = list(sign.parameters.values())[1:]

        @wraps(command)
        def run(**options: Any) -> R:
            mine = {each.name: options.pop(each.name) for each in own}
            _refuse_wrong_time(options["timestamp"], options["zone"])
            notes_from(options["notes"] or ())
            file = options.pop("file", None) or mine.get("file") or Path()
            return command(CommandOptions(file, **options, command=command.__name__), **mine)

        theirs = {each.name for each in own}
        files = [each for each in shared if each.name == "file" and "file" not in theirs]
        others = [each for each in shared if each.name != "file"]
        parameters = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in (*files, *own, *others)]
        run.__signature__ = sign.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
        return run

    return decorated


def _refuse_wrong_time(timestamp: str | None, zone: str | None) -> None:
    """Raise BadParameter for a time that is no date and for a zone that is not known, before any file is read."""
    if timestamp is None and zone is None:
        return
    from ctxlab.engines.macros.clock_and_timeline import timestamp_problem, zone_problem

    checks = (("--timestamp", timestamp, timestamp_problem), ("--zone", zone, zone_problem))
    for option, value, problem in checks:
        wrong = problem(value) if value is not None else ""
        if wrong:
            raise typer.BadParameter(f"{option} {wrong}")


def names_in(text: str) -> tuple[str, ...]:
    """Names with commas between."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def numbers_in(text: str) -> tuple[int, ...]:
    """Budgets with commas between; raises BadParameter for one that is none."""
    words = [word.strip().replace("_", "") for word in text.split(",") if word.strip()]
    wrong = next((word for word in words if not word.isdecimal() or len(word) > 15 or int(word) < 1), None)
    if wrong is not None:
        takes = "whole numbers of tokens from 1 on, of 15 digits at most"
        raise typer.BadParameter(f"--budgets takes {takes}, not {wrong[:40]!r}")
    return tuple(int(word) for word in words)


# --- settings and variables


def running_step(pipeline: Pipeline, id: str) -> str:
    """The id of a step that will run; raises UnknownProcessor, or WrongSetting for one that is switched off."""
    from ctxlab.errors import WrongSetting

    stage = pipeline.stage(id)
    if not stage.enabled:
        raise WrongSetting(f"step {stage.id!r} is switched off; setting {stage.id}.enabled=true switches it on")
    return stage.id


def settings_from(pipeline: Pipeline, texts: Sequence[str]) -> dict[str, Any]:
    """Settings of steps, by name; of one that is set twice the last."""
    return {name: value for text in texts for name, value in setting_from(pipeline, text).items()}


def setting_from(pipeline: Pipeline, text: str) -> dict[str, Any]:
    """`step.setting=value` as a setting. A value is JSON where it can be read so and the setting is no text."""
    from ctxlab.errors import WrongSetting
    from ctxlab.pipeline.parameters.layers import field_of_parameter
    from ctxlab.pipeline.settings.stored_layers import REQUEST

    name, sign, value = text.partition("=")
    step, dot, setting = name.strip().rpartition(".")
    if not sign or not dot:
        raise WrongSetting(f"{text!r} is no setting; write step.setting=value, such as token-limiter.retain=each")
    if step == REQUEST and REQUEST not in pipeline.ids:
        id, field = step, field_of_parameter(setting)
    else:
        base = pipeline.stage(step).base
        id, field = base.id, base.Settings.model_fields.get(setting)
    try:
        parsed: Any = json.loads(value)
    except ValueError:
        parsed = value
    if field is not None and field.annotation is str and not isinstance(parsed, str):
        parsed = value
    return {f"{id}.{setting}": parsed}


def notes_from(texts: Sequence[str]) -> tuple[MessageNode, ...]:
    """`TEXT@DEPTH` as presets at their depth in the history; raises BadParameter for one without words or a depth."""
    from ctxlab.documents.agent.new_preset import preset

    found: list[MessageNode] = []
    for text in texts:
        words, _, depth = text.rpartition("@")
        number = depth.strip()
        if not words.strip() or not (number.isascii() and number.isdecimal()) or len(number) > 9:
            takes = "TEXT@DEPTH, such as 'Be brief.@4' for a note before the last 4 messages"
            raise typer.BadParameter(f"--note takes {takes}, not {masked_beginning(text, 40)!r}")
        name = f"note-{len(found) + 1}" if found else "note"
        found.append(preset(words.rstrip(), depth=int(number), id=name))
    return tuple(found)


def settings_text(settings: Mapping[str, Any]) -> str:
    """Settings as a person reads them."""
    return ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in settings.items())


def variables_from(texts: Sequence[str]) -> Variables:
    """`name=value` as variables of the conversation; a value that is a JSON number is one."""
    from ctxlab.context import Variables
    from ctxlab.errors import WrongSetting

    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise WrongSetting(f"{text!r} is no variable; write NAME=VALUE, such as coins=12")
        found[name.strip()] = _number_or_text(value)
    return Variables(session=found)


def _number_or_text(value: str) -> int | float | str:
    try:
        parsed: Any = json.loads(value)
    except ValueError:
        return value
    return parsed if isinstance(parsed, int | float) and not isinstance(parsed, bool) else value
