"""The contract of a step: settings, what it reads and provides, and the function from a context to a context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from ctxlab.argument_checks import checked_arguments, shown
from ctxlab.context import Context
from ctxlab.context.portable_pickles import ByValue, importable_at, named, portable
from ctxlab.context.step_report import Row
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.refused_values import RefusesInOneLine
from ctxlab.documents.stored import OF_PYDANTIC
from ctxlab.errors import WrongArgument
from ctxlab.pipeline.services import Services, TokenCounter

if TYPE_CHECKING:
    from ctxlab.pipeline.remedies import Remedy
    from ctxlab.pipeline.trace import Trace


class ProcessorSettings(BaseModel, metaclass=RefusesInOneLine):
    """The settings of a step; titles, descriptions and bounds are enough to draw a form.

    `read_with` names settings that are read only while another has one of some values: the other's name, and those.
    """

    read_with: ClassVar[Mapping[str, tuple[str, tuple[Any, ...]]]] = {}

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        defer_build=True,
    )

    def _repr_html_(self) -> str:
        from ctxlab.pipeline.explain.html import settings_html

        return settings_html(self)

    def __dir__(self) -> Iterable[str]:
        """The settings and what is ours, without the names that pydantic gives every model."""
        return sorted({*type(self).model_fields, *(name for name in super().__dir__() if name not in OF_PYDANTIC)})


class Processor:
    """A step: a value that turns a context into another.

    Settings are on the step itself, data in `ctx`, what waits in `services`. What it takes out has a Cause.
    """

    id: str = ""
    name: str = ""
    description: str = ""
    priority: int = 900
    icon: str | None = None
    is_core: bool = False
    default_enabled: bool = True

    aliases: tuple[str, ...] = ()
    """Other ids that stored files use for this step."""
    groups: tuple[str, ...] = ()
    """Ids that stored files use for several steps at once; off means all of them, on means each as it is."""
    needs: tuple[str, ...] = ()
    """Needs that an earlier step must provide, such as `history`."""
    provides: tuple[str, ...] = ()
    reads_later_tokens: bool = False
    """Whether the step reads `services.later_tokens`."""
    tables: Mapping[str, Sequence[str]] = FrozenDict()
    """Columns of its tables by their names; a table is empty where the step left no report."""
    waits: bool = False
    """Whether the step calls services that wait: transcriber, retriever or llm."""

    Settings: type[ProcessorSettings] = ProcessorSettings
    settings: Any

    def __init__(self, settings: ProcessorSettings | None = None) -> None:
        self.settings = settings if settings is not None else self.Settings()

    def __repr__(self) -> str:
        changed = ", ".join(f"{k}={v!r}" for k, v in self.settings.model_dump(exclude_defaults=True).items())
        return f"{type(self).__name__}({changed})"

    def __call__(self, ctx: Context, services: Services) -> Context:
        """The context that comes after `ctx`; `ctx` itself when there is nothing to do."""
        raise TypeError(f"{type(self).__name__} does not say what it does")

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        """The entry of this step made of older places in a stored agent or model; None when they have nothing of it."""
        return None

    def may_add_tokens(self, tokenizer: TokenCounter) -> int:
        """Tokens that this step may add per message it gets, beyond what the message already costs."""
        return 0

    def check_run(self, trace: Trace) -> None:
        """Raise when this step refuses the finished run; called after the last step.

        The error counts as this step's failure.
        """

    def what_keeps(self, ctx: Context, services: Services, keys: Sequence[str]) -> Mapping[str, Remedy]:
        """The smallest change of settings that keeps each of these messages, all of which this step drops from `ctx`.

        Keys for which it knows none are left out. It is called only when an explanation is wanted.
        """
        return {}

    def why_dropped(self, ctx: Context, services: Services, keys: Sequence[str]) -> Mapping[str, str]:
        """A clause on each of these messages, which it drops from `ctx`, that says more than the cause they share.

        Keys of which it knows no more are left out. It is called only when an explanation is wanted.
        """
        return {}

    def rows_of(self, table: str, ctx: Context, services: Services) -> Sequence[Row] | None:
        """The rows of a table that it works out from `ctx` when it is asked for; None for another name."""
        return None

    def with_settings(self, settings: ProcessorSettings) -> Self:
        if settings == self.settings:
            return self
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.settings = settings
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        """By class with its settings; a step whose code a fresh process can't import goes with its code."""
        reduced = portable(self, holds=self.__dict__)
        return reduced.__reduce__() if isinstance(reduced, ByValue) else super().__reduce_ex__(protocol)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


Step = Callable[..., Context]


class FunctionProcessor(Processor):
    """A step made of a plain function of (ctx) or (ctx, services)."""

    def __init__(
        self,
        function: Step,
        *,
        id: str,
        name: str = "",
        priority: int = 900,
        description: str = "",
        waits: bool = False,
    ) -> None:
        super().__init__()
        self.id = id
        self.name = name or id
        self.priority = priority
        self.waits = waits
        self.description = description or (function.__doc__ or "").strip().partition("\n")[0]
        self._function = function
        arguments = _positional_arguments(function)
        self.takes_a_context = arguments > 0
        self._takes_services = arguments > 1

    def __repr__(self) -> str:
        return f"FunctionProcessor({self.id!r})"

    def __call__(self, ctx: Context, services: Services) -> Context:
        return self._function(ctx, services) if self._takes_services else self._function(ctx)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """By the name of its function where a module has the step under that name, as `@processor` leaves it there."""
        place = (str(getattr(self._function, "__module__", "")), str(getattr(self._function, "__qualname__", "")))
        return (named, place) if importable_at(*place) is self else super().__reduce_ex__(protocol)


@checked_arguments
def processor(
    id: str, *, name: str = "", priority: int = 900, description: str = "", waits: bool = False
) -> Callable[[Step], FunctionProcessor]:
    """Make a step of a function; `waits` says that it calls services which wait.

    >>> @processor("shout", priority=910)
    ... def shout(ctx):
    ...     return ctx
    >>> shout.id
    'shout'
    """

    def made(function: Step) -> FunctionProcessor:
        return FunctionProcessor(function, id=id, name=name, priority=priority, description=description, waits=waits)

    return made


def as_processor(thing: Processor | type[Processor] | Step) -> Processor:
    """A step from an instance, a class or a plain function (which gets its own name as id)."""
    if isinstance(thing, Processor):
        return thing
    if isinstance(thing, type) and issubclass(thing, Processor):
        return thing()
    name = getattr(thing, "__name__", None)
    if isinstance(thing, type) or not callable(thing) or name is None:
        raise WrongArgument(f"a step is a Processor, a class of one, or a function of a context; got {shown(thing)}")
    return FunctionProcessor(thing, id=str(name).replace("_", "-"))


def _positional_arguments(function: Step) -> int:
    import inspect

    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in kinds for p in inspect.signature(function).parameters.values())
