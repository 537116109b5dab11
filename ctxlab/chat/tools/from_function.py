"""Tools of Python functions: the schema of the arguments comes from the signature, the words from the docstring."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from inspect import Parameter
from typing import Any, cast, get_type_hints, overload

from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.tools.background_tasks import BackgroundTasks
from ctxlab.chat.tools.check_arguments import checked_by, model_of
from ctxlab.chat.tools.docstrings import summary_and_parameters
from ctxlab.chat.tools.tool import Tool
from ctxlab.errors import WrongArgument
from ctxlab.lazy_pattern import lazy_pattern

_NAME = lazy_pattern(r"\w[\w.-]{0,63}")


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout_seconds: float | None = None,
    approve: bool | None = None,
    background: bool = False,
) -> Any: ...
@checked_arguments
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout_seconds: float | None = None,
    approve: bool | None = None,
    background: bool = False,
) -> Any:
    """A tool of a function, for `tools=`; also as a decorator.

    Name, description and parameters come from the function: its docstring's first paragraph, the lines about
    parameters, the annotations. `approve=True` lets every call wait for a person's word, `False` none; None leaves
    it to the agent. With `background` a call answers at once with the id of a task, whose state later requests show.
    """
    if timeout_seconds is not None and not timeout_seconds > 0:
        raise WrongArgument(f"timeout_seconds={timeout_seconds!r} is no time to wait: a number above 0 is")
    settings: dict[str, Any] = {
        "name": name,
        "description": description,
        "timeout_seconds": timeout_seconds,
        "approve": approve,
        "background": background,
    }
    if function is None:
        return partial(_tool, **settings)
    return _tool(function, **settings)


def tools_of(tools: Iterable[Tool | Callable[..., Any]]) -> tuple[Tool, ...]:
    """The tools of a list of tools and functions; two of one name are refused."""
    made = tuple(each if isinstance(each, Tool) else _tool(each) for each in tools)
    names = [each.name for each in made]
    for each in names:
        if names.count(each) > 1:
            raise WrongArgument(f"two tools are named {each!r}; ctxlab.tool(function, name=...) names one anew")
    return made


def _tool(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    timeout_seconds: float | None = None,
    approve: bool | None = None,
    background: bool = False,
) -> Tool:
    if not callable(cast("object", function)):
        raise WrongArgument(f"{function!r} is no tool: a function or ctxlab.tool(function) is")
    called = name or getattr(function, "__name__", type(function).__name__)
    if not _NAME.fullmatch(called):
        raise WrongArgument(
            f"{called!r} is no name of a tool: letters, digits, _, - and . are, up to 64; "
            "ctxlab.tool(function, name=...) gives one"
        )
    summary, about = summary_and_parameters(inspect.getdoc(function) or "")
    parameters = _parameters(function, called)
    model = model_of(called, parameters, about)
    return Tool(
        called,
        description if description is not None else summary,
        model.schema,
        function,
        timeout_seconds=timeout_seconds,
        approve=approve,
        check=checked_by(model),
        tasks=BackgroundTasks() if background else None,
    )


def _parameters(function: Callable[..., Any], name: str) -> Mapping[str, Parameter]:
    """The parameters with their annotations looked up; refuses those that a JSON object can't give."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        raise WrongArgument(
            f"tool {name!r} has no signature that Python knows; wrap it in a function of its own"
        ) from None
    hints = _annotations(function, name)
    found: dict[str, Parameter] = {}
    for parameter in signature.parameters.values():
        if parameter.kind is Parameter.VAR_POSITIONAL:
            raise WrongArgument(
                f"tool {name!r} takes *{parameter.name}, which no model can give: take a list under a name instead"
            )
        if parameter.kind is Parameter.POSITIONAL_ONLY:
            raise WrongArgument(
                f"tool {name!r} takes {parameter.name!r} by its place only, and models give names: drop the / from its "
                "signature"
            )
        found[parameter.name] = parameter.replace(annotation=hints.get(parameter.name, parameter.annotation))
    return found


def _annotations(function: Callable[..., Any], name: str) -> Mapping[str, Any]:
    subject = function if inspect.isroutine(function) else getattr(function, "func", type(function).__call__)
    try:
        return get_type_hints(subject, include_extras=True)
    except NameError as error:
        raise WrongArgument(
            f"tool {name!r} has an annotation that can't be looked up: {error}; define it at the top of the module"
        ) from None
    except TypeError:
        return {}
