"""Pickles that another process can read: code that can't be imported there, and histories of any depth."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import fields
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    from ctxlab.context.text_with_origins import Span

T = TypeVar("T")

NOTEBOOKS = ("__main__", "__mp_main__")
"""Modules that are another one, or none, in a process that was started afresh."""
LEVELS = 25
"""Levels of `was` that pickle may walk down at once; it takes three of Python's frames or more for each."""

CONTAINERS = (list, tuple, dict)
LOOKED_INTO = (*CONTAINERS, type, FunctionType, BuiltinFunctionType, MethodType, partial)

_by_value: ContextVar[bool] = ContextVar("pickled by value", default=False)


class ByValue:
    """A wrapper that pickles something by its code with cloudpickle; unpickled, it is that thing."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        import pickle

        import cloudpickle

        before = _by_value.set(True)
        try:
            return pickle.loads, (cloudpickle.dumps(self.thing),)
        except (AttributeError, TypeError, pickle.PicklingError) as problem:
            raise pickle.PicklingError(f"{self.thing!r} can't be pickled: {problem}") from problem
        finally:
            _by_value.reset(before)

    def __deepcopy__(self, memo: object) -> Any:
        return self.thing


def portable(thing: T, *, holds: object = None) -> T | ByValue:
    """`thing` itself where pickle finds its code by name in another process, else what carries its code along.

    Lists, tuples and dicts are looked through, to a few levels; other values are known by their class and by what they
    hold according to the caller.
    """
    return thing if _by_value.get() or is_importable((thing, holds)) else ByValue(thing)


def unwrapped(value: Any) -> Any:
    """The thing inside a `ByValue` that was copied without being pickled; anything else as it is."""
    return value.thing if isinstance(value, ByValue) else value


def by_fields(value: Any, *foreign: str) -> tuple[Any, ...]:
    """The reduced form of a dataclass whose named fields (all, when none is named) may hold unimportable code."""
    names = [each.name for each in fields(value)]
    held = {name: getattr(value, name) for name in names}
    held |= {name: portable(held[name]) for name in foreign or names}
    return _of_fields, (type(value), *held.values())


def _of_fields(kind: Callable[..., T], *values: Any) -> T:
    return kind(*map(unwrapped, values))


def portable_error(error: Exception) -> Exception:
    """The error, or a CtxlabError with the same words where another process could not read it."""
    import pickle

    ours = isinstance(error, CtxlabError)
    # An error of ours may hold the run that it ended, whose step holds the error; and that run is pickled anyway.
    held = [value for name, value in error.__dict__.items() if not (ours and name == "trace")]
    try:
        if is_importable((error, error.args, held)):
            pickle.loads(pickle.dumps((type(error), error.args, held) if ours else error))
            return error
    except Exception:  # a foreign error may raise anything while it is pickled or unpickled
        pass
    return CtxlabError(str(error) if ours else f"{type(error).__name__}: {error}")


def is_importable(thing: object, *, levels: int = 4) -> bool:
    """Whether a fresh process could import the code of a function, of a class, or of a value's class."""
    if isinstance(thing, type):
        return thing.__module__ == "builtins" or _is_found(thing)
    if isinstance(thing, FunctionType | BuiltinFunctionType):
        owner = getattr(thing, "__self__", None)  # of `[].append`, which pickle takes apart itself
        return _is_found(thing) or (owner is not None and is_importable(owner))
    if isinstance(thing, MethodType):
        return is_importable(thing.__self__)
    if isinstance(thing, partial):
        return is_importable((thing.func, thing.args, thing.keywords))
    if isinstance(thing, CONTAINERS) and levels:
        held = cast("Mapping[object, object]", thing).values() if isinstance(thing, dict) else thing
        kinds = {type(thing), *map(type, cast("Iterable[object]", held))}  # many values are of few kinds
        deeper = tuple(kind for kind in kinds if issubclass(kind, LOOKED_INTO))
        inside = [each for each in held if isinstance(each, deeper)] if deeper else []
        return all(map(is_importable, kinds)) and all(is_importable(each, levels=levels - 1) for each in inside)
    return is_importable(type(thing))


def named(module: str, name: str) -> Any:
    """The object of a qualified name in a module, looked up as pickle does; raises ImportError or AttributeError."""
    from importlib import import_module

    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def importable_at(module: str, name: str) -> Any:
    """The object that a fresh process would import there; None without one."""
    loaded = sys.modules.get(module)
    if loaded is None or module in NOTEBOOKS or getattr(loaded, "__spec__", None) is None:
        return None
    found: Any = loaded
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _is_found(thing: Any) -> bool:
    return importable_at(str(thing.__module__), thing.__qualname__) is thing


def by_depth(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans below the given ones, deepest first, from which pickle has no more than twice `LEVELS` levels to go.

    Empty where a text was rewritten less often than that. Pickled before the text itself, they are known when it comes
    to them, so that a text rewritten a thousand times needs no more stack than one rewritten fifty times.
    """
    heights: dict[int, int] = {}  # by id of a row of spans; rows are shared by all slices of what replaced them
    steps: dict[int, tuple[int, Span]] = {}
    stack = [(span.was, False) for span in spans if span.was]
    while stack:
        row, entered = stack.pop()
        if id(row) in heights:
            continue
        if not entered:
            stack.append((row, True))
            stack.extend((span.was, False) for span in row if span.was and id(span.was) not in heights)
            continue
        height = 1 + max((heights[id(span.was)] for span in row if span.was), default=0)
        heights[id(row)] = height
        for span in row:
            below = heights[id(span.was)] if span.was else 0
            if below // LEVELS < height // LEVELS:
                steps[id(span)] = (below, span)
    return tuple(span for _, span in sorted(steps.values(), key=lambda found: found[0]))
