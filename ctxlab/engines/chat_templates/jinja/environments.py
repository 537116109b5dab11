"""The two environments of a template: plain as transformers sets one up, and the same with strings that are traced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, cast

import jinja2
import jinja2.ext
import jinja2.nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.parser import Parser
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from ctxlab.engines.chat_templates.jinja.filters import (
    as_string,
    limited_filter,
    sized,
    traced_indent,
    traced_join,
    traced_replace,
    traced_safe,
)
from ctxlab.engines.chat_templates.jinja.limits import (
    MOST_CHARACTERS,
    StepCounter,
    TemplateTooLarge,
    check_format,
    check_numbers,
    check_operation,
    check_replace,
    check_size,
)
from ctxlab.engines.chat_templates.jinja.traced_json import traced_json
from ctxlab.engines.chat_templates.jinja.traced_string import TracedString, joined, leaf_string

HTML_FILTERS = frozenset({"safe", "escape", "e", "forceescape", "urlize", "xmlattr", "striptags"})
NAMED_FILTERS = (*HTML_FILTERS, "join")
"""Filters that may be given to `map` by their names."""
OF_DICT = frozenset(dir(dict))
WRAPPED = frozenset({"format", "format_map"})
OF_TEXT = frozenset(name for name in dir(str) if not name.startswith("_")) - WRAPPED
OF_LOOP = frozenset({"index", "index0", "first", "last", "length", "previtem", "nextitem", "revindex", "revindex0"})
TEXTS = (str, TracedString)
WIDE_METHODS = frozenset({"center", "ljust", "rjust", "zfill", "expandtabs"})


class Generation(jinja2.ext.Extension):
    """The tag `{% generation %}`, with which transformers marks an assistant's words; it writes nothing itself."""

    tags = {"generation"}  # noqa: RUF012 (jinja2's own form)

    def parse(self, parser: Parser) -> jinja2.nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_words"), [], [], body).set_lineno(line)

    def _words(self, caller: Callable[[], str]) -> str:
        return caller()


class _Dict:
    """The global `dict` of a template: it makes dicts, and is no class of Python."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, keys: Iterable[Any], value: Any = None) -> dict[Any, Any]:
        return dict.fromkeys(keys, value)

    def __getitem__(self, name: Any) -> _Dict:  # as `dict[str]` in Python, which makes dicts too
        return self


class TemplateCode(CodeGenerator):
    """Code in which `~` is a method of the environment, so that it can be traced."""

    def visit_Concat(self, node: jinja2.nodes.Concat, frame: Frame) -> None:  # noqa: N802 (jinja2's own name)
        self.write("environment.together((")
        for each in node.nodes:
            self.visit(each, frame)
            self.write(", ")
        self.write("))")

    def visit_Add(self, node: jinja2.nodes.Add, frame: Frame) -> None:  # noqa: N802
        self.write("environment.plus(")
        self.visit(node.left, frame)
        self.write(", ")
        self.visit(node.right, frame)
        self.write(")")


class PlainEnvironment(ImmutableSandboxedEnvironment):
    """transformers' environment, with limits of steps and sizes."""

    intercepted_binops = frozenset({"*", "**", "%"})
    code_generator_class = TemplateCode
    undefined_class: type[jinja2.Undefined] = jinja2.Undefined

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=[Generation, jinja2.ext.loopcontrols],
            undefined=self.undefined_class,
            finalize=self.written,
        )
        self.now: datetime | None = None
        self.steps = StepCounter()
        self.lost: list[tuple[str, int]] = []
        del self.globals["lipsum"]
        own: dict[str, Any] = {"dict": _Dict(), "raise_exception": _refuse, "strftime_now": self._time}
        self.globals.update(own)
        self.filters = {name: limited_filter(each) for name, each in self.filters.items()}
        self.filters["tojson"] = self.json_filter(json.dumps)

    def reset(self, now: datetime | None) -> None:
        """Begin a rendering at a time."""
        self.now, self.steps = now, StepCounter()

    @staticmethod
    def written(value: Any) -> Any:
        """A value that a template writes: a list or an object would be written as Python shows it."""
        if isinstance(value, list | dict | tuple | set):
            check_size(value)
        return value

    def json_filter(self, write: Callable[..., str]) -> Callable[..., str]:
        """The filter `tojson` as transformers has it, without escapes for HTML, by a function that writes."""

        def tojson(
            value: Any,
            ensure_ascii: bool = False,
            indent: int | None = None,
            separators: Any = None,
            sort_keys: bool = False,
        ) -> str:
            check_numbers((indent,))
            check_size(value)
            return write(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

        return tojson

    def _time(self, form: str) -> str:
        check_format(form)
        return self.now.strftime(form) if self.now is not None else ""

    def together(self, parts: Iterable[Any]) -> str:
        """The operator `~`."""
        return _joined([str(self.written(each)) for each in parts])

    def wrap_str_format(self, value: Any) -> Any:
        """The methods `format` and `format_map` of a text, as the sandbox wraps them."""
        wrapped = super().wrap_str_format(value)
        if wrapped is not None:
            check_format(value.__self__)
        return wrapped

    @staticmethod
    def concat(parts: Iterable[str]) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """All that was written, one behind the other."""
        return _joined([*parts])

    def getattr(self, obj: Any, attribute: str) -> Any:
        """An attribute as the sandbox gives it; of objects and texts, nearly all that are asked, without its search."""
        kind = type(obj)
        if kind is dict:
            if attribute not in OF_DICT and attribute in obj:
                return obj[attribute]
        elif kind in TEXTS:
            if attribute in OF_TEXT:
                return getattr(obj, attribute)
            if not hasattr(str, attribute):  # nothing of a traced string's own is within reach
                return self.undefined(obj=obj, name=attribute)
        elif kind is LoopContext:
            if attribute in OF_LOOP:
                return getattr(obj, attribute)
        elif kind is Namespace and attribute[:1] != "_":
            try:
                return getattr(obj, attribute)
            except AttributeError:
                pass
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """A member as the sandbox gives it; of a text by a name, its attribute."""
        if isinstance(argument, str) and type(obj) in TEXTS:
            return self.getattr(obj, str.__str__(argument))
        return super().getitem(obj, argument)

    def plus(self, left: Any, right: Any) -> Any:
        """The operator `+`; lists and texts stay small, so that they can't be doubled again and again."""
        total = left + right
        if isinstance(total, str | list) and len(total) > MOST_CHARACTERS:  # pyright: ignore[reportUnknownArgumentType]
            raise TemplateTooLarge
        return total

    def counted(self, iterable: Iterable[Any]) -> Iterable[Any]:
        """The values that a loop goes through."""
        return self.steps.counted(iterable)

    def _parse(self, source: str, name: str | None, filename: str | None) -> jinja2.nodes.Template:
        tree = super()._parse(source, name, filename)
        for loop in tree.find_all(jinja2.nodes.For):
            counted = jinja2.nodes.EnvironmentAttribute("counted", lineno=loop.lineno)
            loop.iter = jinja2.nodes.Call(counted, [loop.iter], [], None, None, lineno=loop.lineno)
        tree.set_environment(self)
        return tree

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        check_operation(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        if isinstance(getattr(obj, "__self__", None), str):
            name = getattr(obj, "__name__", "")
            if name in WIDE_METHODS:
                check_numbers(args)
            elif name == "replace":
                check_replace(obj.__self__, *args[:2])
            elif name == "join":
                args = (sized(args[0]), *args[1:]) if args else args
        return super().call(context, obj, *args, **kwargs)


class TracedEnvironment(PlainEnvironment):
    """That environment over traced strings; `constants` are texts of the template that it may write, `lines` theirs.

    The leaf of the first constant is -2, that of the next -3, and so on; -1 is a text that nobody knows. `is_exact` is
    whether a text that it gives is the plain one for certain: traced strings have the characters that `str` gives, but
    texts that are escaped for HTML, and members that are joined by a path, are made in a way of ours.
    """

    inexact_filters: frozenset[str] = HTML_FILTERS

    def __init__(self) -> None:
        super().__init__()
        self.constants: list[TracedString] = []
        self.lines: list[int] = []
        self.is_exact = True
        self.filters |= {
            "tojson": self.json_filter(traced_json),
            "join": traced_join,
            "replace": traced_replace,
            "string": as_string,
            "indent": traced_indent,
            "safe": traced_safe,
        }

    @staticmethod
    def concat(parts: Iterable[str]) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        return joined([*parts])

    def together(self, parts: Iterable[Any]) -> str:
        return joined([as_string(self.written(each)) for each in parts])

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        own = getattr(obj, "__self__", None)
        if type(own) is str and getattr(obj, "__name__", "") in ("join", "replace"):
            obj = getattr(leaf_string(own, -1), obj.__name__)
        return super().call(context, obj, *args, **kwargs)

    def _parse(self, source: str, name: str | None, filename: str | None) -> jinja2.nodes.Template:
        tree = super()._parse(source, name, filename)
        self.is_exact = not any(
            each.name in self.inexact_filters or (each.name == "join" and len(each.args) + len(each.kwargs) > 1)
            for each in tree.find_all(jinja2.nodes.Filter)
        ) and not any(each.value in NAMED_FILTERS for each in tree.find_all(jinja2.nodes.Const))
        _Marker(self).mark(tree)
        tree.set_environment(self)
        return tree

    def marked(self, text: str, line: int) -> jinja2.nodes.Expr:
        """An expression for a text of the template."""
        self.constants.append(leaf_string(text, -2 - len(self.constants)))
        self.lines.append(line)
        return jinja2.nodes.EnvironmentAttribute(f"constants[{len(self.constants) - 1}]", lineno=line)


class _Marker:
    """Puts texts that know their line in the place of a template's own: outside of tags, and in what it writes."""

    def __init__(self, environment: TracedEnvironment) -> None:
        self._environment = environment

    def mark(self, node: jinja2.nodes.Node) -> None:
        """Go through all statements, and below them through expressions whose value may be written."""
        for name, value in [*node.iter_fields()]:
            if isinstance(value, list):
                setattr(node, name, [self._of(each, node) for each in cast("list[Any]", value)])
            else:
                setattr(node, name, self._of(value, node))

    def _of(self, value: Any, parent: jinja2.nodes.Node) -> Any:
        if isinstance(value, jinja2.nodes.TemplateData):
            return self._environment.marked(value.data, value.lineno)
        if isinstance(value, jinja2.nodes.Const):
            is_written = isinstance(parent, WRITTEN) and isinstance(value.value, str) and value.value
            return self._environment.marked(value.value, value.lineno) if is_written else value
        if isinstance(value, jinja2.nodes.Node):
            self.mark(value)
        return value


WRITTEN = (
    jinja2.nodes.Output,
    jinja2.nodes.Add,
    jinja2.nodes.Concat,
    jinja2.nodes.CondExpr,
    jinja2.nodes.Assign,
    jinja2.nodes.Or,
    jinja2.nodes.Getattr,
)
"""Parents of constants that may be written; not of keys, tests and arguments, which have to stay constants."""


def _joined(parts: list[str]) -> str:
    if sum(map(len, parts)) > MOST_CHARACTERS:
        raise TemplateTooLarge
    return "".join(parts)


def _refuse(message: str) -> None:
    raise jinja2.TemplateError(message)
