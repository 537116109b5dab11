"""llama.cpp's Jinja where it isn't jinja2's: what it writes of values, loses, forgives and refuses (2026-10)."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from datetime import datetime
from typing import Any, Final, cast

import jinja2
import jinja2.nodes
from jinja2.compiler import Frame
from jinja2.runtime import Context

from ctxlab.engines.chat_templates.jinja.environments import PlainEnvironment, TemplateCode, TracedEnvironment
from ctxlab.engines.chat_templates.jinja.filters import as_string
from ctxlab.engines.chat_templates.jinja.limits import MOST_CHARACTERS, TemplateTooLarge, check_size
from ctxlab.engines.chat_templates.jinja.traced_string import joined


class _Nothing(jinja2.ChainableUndefined):
    """A value that isn't there: nothing is added by it, it has no members, and methods of texts give "" for it."""

    def __add__(self, other: Any) -> Any:
        return other

    def __radd__(self, other: Any) -> Any:
        return other

    def strip(self, *_: Any) -> str:
        return ""

    capitalize = lower = replace = title = upper = strip

    def items(self) -> list[Any]:
        return []


LEAVING = (jinja2.nodes.Continue, jinja2.nodes.Break)


class _LosingCode(TemplateCode):
    """Code in which what an `{% if %}` has written is lost where a `{% continue %}` or `{% break %}` leaves it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._loops: list[list[str]] = [[]]

    def visit_For(self, node: jinja2.nodes.For, frame: Frame) -> None:  # noqa: N802 (jinja2's own name)
        self._loops.append([])
        super().visit_For(node, frame)
        self._loops.pop()

    def visit_If(self, node: jinja2.nodes.If, frame: Frame) -> None:  # noqa: N802
        if not _leaves_loop(node):
            super().visit_If(node, frame)
            return
        own = frame.soft()
        self.buffer(own)
        self._loops[-1].append(str(own.buffer))
        super().visit_If(node, own)
        self._loops[-1].pop()
        self.start_write(frame, node)
        self.write(f"concat({own.buffer})")
        self.end_write(frame)

    def visit_Continue(self, node: jinja2.nodes.Continue, frame: Frame) -> None:  # noqa: N802
        self._lose(node)
        super().visit_Continue(node, frame)

    def visit_Break(self, node: jinja2.nodes.Break, frame: Frame) -> None:  # noqa: N802
        self._lose(node)
        super().visit_Break(node, frame)

    def _lose(self, node: jinja2.nodes.Node) -> None:
        for buffer in self._loops[-1]:
            self.writeline(f"environment.lose(concat({buffer}), {node.lineno})", node)


def _leaves_loop(node: jinja2.nodes.Node) -> bool:
    """Whether the loop around a statement is left in it."""
    return any(
        isinstance(each, LEAVING) or (not isinstance(each, jinja2.nodes.For) and _leaves_loop(each))
        for each in node.iter_child_nodes()
    )


class _LlamaCpp(PlainEnvironment):
    """The rules of both environments."""

    code_generator_class = _LosingCode
    undefined_class = _Nothing

    def __init__(self) -> None:
        super().__init__()
        self.filters |= {"safe": as_string, "string": _in_short, "length": _size, "count": _size, "format": as_string}
        self.filters = {name: _of_kinds(name, each) for name, each in self.filters.items()}
        for name in ("default", "d"):
            self.filters[name] = _default(self.filters[name])
        own: dict[str, Any] = {"dict": _dict_of}
        self.globals.update(own)
        del self.globals["cycler"], self.globals["joiner"]
        for name in ("iterable", "sequence"):
            self.tests[name] = _is_sequence

    def reset(self, now: datetime | None) -> None:
        super().reset(now)
        self.lost = []

    def lose(self, text: str, line: int) -> None:
        """Note a text that is lost, and the line of the tag that loses it."""
        self.lost.append((text, line))
        if sum(len(each) for each, _ in self.lost) > MOST_CHARACTERS:
            raise TemplateTooLarge

    def required(self, *values: Any) -> None:
        """Refuse a call of a macro that leaves an argument out."""
        for each in values:
            hint = each._undefined_hint if isinstance(each, jinja2.Undefined) else None  # pyright: ignore[reportPrivateUsage]
            if hint and hint.startswith("parameter "):
                raise TypeError(f"llama.cpp calls no macro with too few arguments: {hint}")

    def _parse(self, source: str, name: str | None, filename: str | None) -> jinja2.nodes.Template:
        tree = super()._parse(source, name, filename)
        for macro in tree.find_all(jinja2.nodes.Macro):
            needed = macro.args[: len(macro.args) - len(macro.defaults)]
            values = [jinja2.nodes.Name(each.name, "load", lineno=macro.lineno) for each in needed]
            check = jinja2.nodes.EnvironmentAttribute("required", lineno=macro.lineno)
            call = jinja2.nodes.Call(check, values, [], None, None, lineno=macro.lineno)
            macro.body.insert(0, jinja2.nodes.ExprStmt(call, lineno=macro.lineno))
        tree.set_environment(self)
        return tree

    @staticmethod
    def written(value: Any) -> Any:
        if value is None or isinstance(value, dict):
            return ""
        if isinstance(value, list | tuple):
            check_size(value)
            return joined([as_string(_LlamaCpp.written(each)) for each in cast("list[Any]", value)])
        return _fraction(value) if isinstance(value, float) else value

    def json_filter(self, write: Callable[..., str]) -> Callable[..., str]:
        tojson = super().json_filter(write)

        def short(value: Any, *args: Any, **kwargs: Any) -> str:
            if not _has_fractions(value):
                return tojson(value, *args, **kwargs)
            text = tojson(_marked(value), *args, **kwargs)
            return text.replace(f'"{ESCAPED}', "").replace(f'{ESCAPED}"', "")

        return short

    def counted(self, iterable: Iterable[Any]) -> Iterable[Any]:
        if isinstance(iterable, str):
            raise TypeError("llama.cpp goes through no text character by character")
        return super().counted(iterable)

    def plus(self, left: Any, right: Any) -> Any:
        if isinstance(left, str) or isinstance(right, str):
            left, right = _added(left), _added(right)
        return super().plus(left, right)

    def together(self, parts: Iterable[Any]) -> str:
        return super().together([_added(each) for each in parts])

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether a template may ask for it; lists may grow and shrink, as in llama.cpp."""
        return super().is_safe_attribute(obj, attr, value) or (isinstance(obj, list) and attr in ("append", "pop"))

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        own = getattr(obj, "__self__", None)
        if isinstance(own, str) and not args and getattr(obj, "__name__", "") in ("split", "rsplit"):
            args = (" ",)
        found = super().call(context, obj, *args, **kwargs)
        return [*cast("Iterable[Any]", found)] if isinstance(found, KeysView | ValuesView | ItemsView) else found


class PlainLlamaCpp(_LlamaCpp):
    """llama.cpp's Jinja over plain strings."""


class TracedLlamaCpp(_LlamaCpp, TracedEnvironment):
    """llama.cpp's Jinja over traced strings; it has no texts that are escaped for HTML."""

    inexact_filters = frozenset()


_ANY: Final = frozenset({"capitalize", "lower", "string", "title", "trim", "upper"})
_SIMPLE: Final = _ANY | {"d", "default", "float", "int", "safe", "tojson"}
_CHOICES: Final = frozenset({"map", "reject", "rejectattr", "select", "selectattr"})
_LISTS: Final = _ANY | _CHOICES | {"count", "d", "default", "first", "join", "last", "length", "list", "max", "min"}
_EMPTY: Final = frozenset({"items", "replace", "safe", "sum", "truncate", "unique", "wordcount"})
KNOWN: Final[Mapping[str, frozenset[str]]] = {
    "text": _SIMPLE | {"count", "format", "indent", "length", "replace"},
    "number": _SIMPLE | {"abs"},
    "boolean": _SIMPLE,
    "list": _LISTS | {"reverse", "sort", "tojson"},
    "object": _ANY | {"count", "dictsort", "items", "length", "tojson"},
    "nothing": _ANY | _CHOICES | {"d", "default", "items", "safe", "tojson", "unique"},
    "undefined": _LISTS | _EMPTY | {"reverse", "sort"},
}
"""The filters that llama.cpp has for each kind of value, asked of a real server one by one."""


def _kind(value: Any) -> str:
    if isinstance(value, jinja2.Undefined):
        return "undefined"
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, list | tuple):
        return "list"
    return "nothing" if value is None else "object"


def _of_kinds(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that refuses kinds of values for which llama.cpp has none of this name; what it gives is a list."""
    at = 1 if hasattr(function, "jinja_pass_arg") else 0

    def known(*args: Any, **kwargs: Any) -> Any:
        kind = _kind(args[at])
        if name not in KNOWN[kind] or (name == "map" and kind == "list" and len(args) > at + 1):
            raise TypeError(f"llama.cpp has no filter {name} for this value, which is of the kind {kind}")
        found = function(*args, **kwargs)
        return [*cast("Iterator[Any]", found)] if isinstance(found, Iterator) else found

    known.__dict__.update(function.__dict__)
    return known


def _default(function: Callable[..., Any]) -> Callable[..., Any]:
    """The filter `default`, for which None is no value either."""

    def default(value: Any, other: Any = "", boolean: bool = False) -> Any:  # noqa: FBT001, FBT002 (as templates call it)
        return other if value is None else function(value, other, boolean)

    return default


def _in_short(value: Any) -> str:
    """The filter `string`: objects and lists as Python shows them, fractions short."""
    return f"{value:g}" if isinstance(value, float) else as_string(value)


def _dict_of(*args: Any, **kwargs: Any) -> dict[Any, Any]:
    """The function `dict`, which has no members in llama.cpp."""
    return dict(*args, **kwargs)


def _size(value: Any) -> int:
    """The filter `length`: a text's bytes."""
    return len(value.encode()) if isinstance(value, str) else len(value)


def _added(value: Any) -> str:
    """A value that is put behind a text, or in front of one."""
    if value is None or isinstance(value, jinja2.Undefined):
        return ""
    return _fraction(value) if isinstance(value, float) else as_string(value)


NUMBER, ESCAPED = "\0", "\\u0000"
"""The character that stands around a fraction until its quotation marks are gone."""


def _has_fractions(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_fractions, cast("dict[Any, Any]", value).values()))
    return isinstance(value, float) or (isinstance(value, list | tuple) and any(map(_has_fractions, value)))


def _marked(value: Any) -> Any:
    """A value with each fraction as a marked text of six digits, as llama.cpp writes it in JSON."""
    if isinstance(value, float):
        return f"{NUMBER}{value:g}{NUMBER}"
    if isinstance(value, dict):
        return {name: _marked(each) for name, each in cast("dict[Any, Any]", value).items()}
    return [_marked(each) for each in value] if isinstance(value, list | tuple) else value


def _fraction(value: float) -> str:
    """A fraction as llama.cpp writes it: six digits behind the point, without the last zeros."""
    whole, _, rest = f"{value:.6f}".partition(".")
    return f"{whole}.{rest.rstrip('0') or '0'}"


def _is_sequence(value: Any) -> bool:
    return isinstance(value, str | list | tuple | jinja2.Undefined)
