"""What a command that builds can be asked: the options that build, explain, step, ledger and compare share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A file with a conversation.", show_default=False)]
PickOption = Annotated[
    str | None, typer.Option("--pick", metavar="P", help="Which session of several: an id, or an index from 0.")
]
AgentOption = Annotated[
    str | None, typer.Option("--agent", metavar="A", help="An agent's file, or the id of one in FILE or beside it.")
]
UserOption = Annotated[
    str | None,
    typer.Option("--user", metavar="U", help="A user profile's file, or the id of one in FILE or beside it."),
]
BudgetOption = Annotated[int | None, typer.Option("--budget", metavar="N", min=1, help="Tokens for the whole prompt.")]
ModelOption = Annotated[str | None, typer.Option("--model", metavar="M", help="The model's name, such as gpt-4o.")]
LeafOption = Annotated[
    str | None, typer.Option("--leaf", metavar="ID", help="The message to build for; else the session's active leaf.")
]
UntilOption = Annotated[str | None, typer.Option("--until", metavar="PROCESSOR", help="Stop after this step.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="STEP.SETTING=VALUE",
        help="Change a setting of a step; may be given again.",
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
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", help="What macros and lore draw their dice from.", show_default=False)
]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What was typed."""

    file: Path
    pick: str | None = None
    agent: str | None = None
    user: str | None = None
    budget: int | None = None
    model: str | None = None
    leaf: str | None = None
    until: str | None = None
    settings: tuple[str, ...] = ()
    books: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    pending: str | None = None
    timestamp: str | None = None
    zone: str | None = None
    seed: int = 0


def asked_for(
    file: FileArgument,
    pick: PickOption = None,
    agent: AgentOption = None,
    user: UserOption = None,
    book: BookOption = None,
    rules: RulesOption = None,
    variable: VariableOption = None,
    pending: PendingOption = None,
    budget: BudgetOption = None,
    model: ModelOption = None,
    leaf: LeafOption = None,
    timestamp: TimestampOption = None,
    zone: ZoneOption = None,
    seed: SeedOption = 0,
    until: UntilOption = None,
    settings: SetOption = None,
) -> BuildOptions:
    """What these options come to."""
    return BuildOptions(
        file,
        pick,
        agent,
        user,
        budget,
        model,
        leaf,
        until,
        tuple(settings or ()),
        books=tuple(book or ()),
        rules=tuple(rules or ()),
        variables=tuple(variable or ()),
        pending=pending,
        timestamp=timestamp,
        zone=zone,
        seed=seed,
    )


R = TypeVar("R")


def asking(*, without: tuple[str, ...] = ()) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """A command that takes the shared options besides its own, and gets them as one value, its first parameter."""
    shared = [each for each in signature(asked_for, eval_str=True).parameters.values() if each.name not in without]

    def decorated(command: Callable[..., R]) -> Callable[..., R]:
        sign = signature(command, eval_str=True)
        own = list(sign.parameters.values())[1:]

        @wraps(command)
        def run(**options: Any) -> R:
            mine = {each.name: options.pop(each.name) for each in own}
            return command(asked_for(**options), **mine)

        file, *others = (each.replace(kind=Parameter.KEYWORD_ONLY) for each in shared)
        parameters = [file, *(each.replace(kind=Parameter.KEYWORD_ONLY) for each in own), *others]
        run.__signature__ = sign.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
        return run

    return decorated
