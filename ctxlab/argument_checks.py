"""Checks of the arguments of public functions by their annotations; a wrong one is refused in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, TypeVar, Union, cast, get_args, get_origin

from ctxlab.errors import WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.secrets import masked_beginning

F = TypeVar("F", bound=Callable[..., Any])

SHOWN = 60
PLAIN = (str, bytes, int, float, type, NoneType, list, tuple, dict)
MISSPELT = 0.9
"""Similarity from which an unknown field of a function that takes any field counts as a misspelt argument."""
NEXT_STEPS: Mapping[str, str] = {
    "Session": "ctxlab.load(path) reads one",
    "Agent": "ctxlab.load_agent(path) reads one",
    "UserProfile": "ctxlab.load_user(path) reads one",
    "Library": "ctxlab.read(path) gives one",
    "Worldbook": "ctxlab.read(path).books are those of a file",
    "RegexConfig": "ctxlab.read(path).rules are those of a file",
    "RegexPreset": "ctxlab.read(path).rules are those of a file",
    "Trace": "ctxlab.build(session) makes one",
    "NamedRun": "give each a name: {'first': ..., 'second': ...}",
    "Debugger": "ctxlab.debug(session) makes one",
    "Pipeline": "ctxlab.default_pipeline() is one",
    "Processor": "a function of the context is one too",
    "Services": "trace.services are those of a run",
    "TokenCounter": "ctxlab.providers.tokenizer_for(model) makes one",
    "Comparison": "ctxlab.compare({name: trace}) makes one",
    "Variables": "trace.variables are those of a run",
}
"""By the name of a type that is wanted, the way to get a value of it."""
INSTEAD: Mapping[str, str] = {
    "RecordedCompression": "RecordingView(recording).open_compression(id) shows it, and report(recording, path) has it",
    "RecordingComparison": "it shows itself in a notebook, and .frame() is its table; a page is of one recording",
    "Comparison": "report(Compare(comparison), path) writes the page of its view",
}
"""By the name of a type that was given to a view or a report, what shows it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The values that an annotation allows, in words and as a test; `items` are those of what a container holds.

    The words are those in an `Annotated[..., "a path"]`, else made of the names of the types.
    """

    words: str
    fits: Callable[[Any], bool]
    names: tuple[str, ...] = ()
    options: tuple[Kind, ...] = ()
    items: Kind | None = None
    is_container: Callable[[Any], bool] = lambda value: False
    choices: tuple[str, ...] = ()


def checked_arguments(function: F) -> F:
    """The function, which refuses arguments that its annotations don't allow with a WrongArgument of one line.

    Of containers the items are looked at too. An annotation that names something its module knows only while types are
    checked is not looked at.
    """
    return cast("F", with_checks(function, signature(function), namespace=function.__globals__))


def with_checks(function: Callable[..., Any], shown: Signature, *, namespace: Mapping[str, Any]) -> Callable[..., Any]:
    """The function with the checks of a signature, whose annotations are looked up in a namespace at the first call."""
    checks: list[_Checks] = []

    @wraps(function)
    def run(*args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        if not checks:
            checks.append(_Checks(function, shown, namespace))
        checks[0].check(args, keywords)
        try:
            return function(*args, **keywords)
        except WrongArgument as wrong:
            if wrong.function:
                raise
            raise WrongArgument(str(wrong), function=checks[0].name) from None

    run.__signature__ = shown  # pyright: ignore[reportAttributeAccessIssue]
    return run


class _Checks:
    """The checks of one function, made of its signature."""

    def __init__(self, function: Callable[..., Any], shown: Signature, namespace: Mapping[str, Any]) -> None:
        self.name = function.__qualname__.removesuffix(".__init__")
        rest = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        own = [each for each in shown.parameters.values() if each.kind not in rest]
        self.by_name = {each.name: kind_of(each.annotation, namespace) for each in own}
        self.by_position = [(e.name, self.by_name[e.name]) for e in own if e.kind is not Parameter.KEYWORD_ONLY]
        self.takes_any_keyword = any(e.kind is Parameter.VAR_KEYWORD for e in shown.parameters.values())

    def check(self, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> None:
        __tracebackhide__ = True
        for name in keywords:
            if name not in self.by_name:
                self._refuse_name(name)
        for (name, kind), value in zip(self.by_position, args, strict=False):
            if kind is not None and not kind.fits(value):
                self._refuse(name, kind, value)
        for name, value in keywords.items():
            kind = self.by_name.get(name)
            if kind is not None and not kind.fits(value):
                self._refuse(name, kind, value)

    def _refuse(self, name: str, kind: Kind, value: object) -> NoReturn:
        __tracebackhide__ = True
        others = () if isinstance(value, PLAIN) else self.by_name.items()
        takes_it = [each for each, other in others if each != name and other is not None and other.fits(value)]
        hint = f"; did you mean {takes_it[0]}=?" if takes_it else None
        raise WrongArgument(refusal(name, kind, value, hint=hint), function=self.name)

    def _refuse_name(self, name: str) -> None:
        __tracebackhide__ = True
        known = [each for each in self.by_name if each != "self"]
        if not self.takes_any_keyword:
            raise WrongArgument(f"no argument is called {name!r}{did_you_mean(name, known)}", function=self.name)
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=1, cutoff=MISSPELT)
        if near:
            raise WrongArgument(f"no argument is called {name!r}; did you mean {near[0]!r}?", function=self.name)


# --- sentences


def refusal(name: str, kind: Kind, value: object, *, hint: str | None = None) -> str:
    """The sentence that says what an argument takes, what it got, and how to get what it takes."""
    place, wanted, found = next(_wrong_items(name, kind, value), (name, kind, value))
    step = _next_step(wanted, found) if hint is None else hint
    return f"{place} takes {wanted.words}, got {shown(found)}{step}"


def _wrong_items(place: str, kind: Kind, value: Any) -> Iterator[tuple[str, Kind, Any]]:
    """The first item, however deep, that makes a container wrong; none where the value itself is."""
    for option in (kind, *kind.options):
        if option.items is None or not option.is_container(value):
            continue
        rows = value.items() if isinstance(value, Mapping) else enumerate(cast("Sequence[Any]", value))
        for key, item in cast("Iterator[tuple[Any, Any]]", rows):
            if not option.items.fits(item):
                named = masked_beginning(repr(key), SHOWN) if isinstance(key, int | str) else shown(key)
                inner = f"{place}[{named}]"
                yield from _wrong_items(inner, option.items, item)
                yield inner, option.items, item


def _next_step(kind: Kind, value: object) -> str:
    if isinstance(value, list | tuple) and any(each.is_container({}) for each in (kind, *kind.options)):
        return "; give each a name: {'first': ..., 'second': ...}"
    if any(option.items is not None and option.items.fits(value) for option in (kind, *kind.options)):
        is_mapping = any(option.is_container({}) for option in (kind, *kind.options))
        return "; name it: {'name': value}" if is_mapping else "; put it into a list: [value]"
    if kind.choices and isinstance(value, str):
        near = did_you_mean(value[:SHOWN], kind.choices)
        return near if "did you mean" in near else ""
    found = getattr(value, "id", None) if type(value).__name__ == "MessageNode" else None
    if found is not None and kind.fits(""):
        return f"; its id is {masked_beginning(found, SHOWN)!r}"
    if kind.words == "a path" and isinstance(value, list | tuple | Mapping):
        return "; ctxlab.read_data(data) reads data, and build and send take messages as they are"
    instead = INSTEAD.get(type(value).__name__)
    if instead is not None and "Trace" in kind.names:
        return f"; {instead}"
    known = [NEXT_STEPS[name] for name in kind.names if name in NEXT_STEPS]
    return f"; {known[0]}" if known else ""


def _beginning(value: str | bytes) -> str | bytes:
    return value[:SHOWN] if isinstance(value, bytes) else masked_beginning(value, SHOWN)


def shown(value: object) -> str:
    """A value in a few words on one line, whatever it is."""
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, type):
        return f"the class {value.__name__}"
    name = type(value).__name__
    if isinstance(value, str | bytes | int | float):
        words = repr(value if isinstance(value, int | float) else _beginning(value))
        return f"the {name} {words if len(words) <= 2 * SHOWN else words[:SHOWN] + '...'}"
    if type(value).__module__.partition(".")[0].startswith("ctxlab"):
        words = masked_beginning(" ".join(repr(value).split()), 2 * SHOWN + 1)
        return words if len(words) <= 2 * SHOWN else f"{words[: 2 * SHOWN]}..."
    if isinstance(value, list | tuple | dict | set | frozenset):
        return f"a {name} of {len(cast('Sequence[Any]', value))}"
    return _with_article(name)


def _with_article(name: str) -> str:
    return f"an {name}" if name[:1] in "AEIOaeio" else f"a {name}"


# --- annotations


def kind_of(annotation: Any, namespace: Mapping[str, Any]) -> Kind | None:
    """The values that an annotation allows; None for any value, and for an annotation that can't be looked up."""
    if annotation is Parameter.empty:
        return None
    if isinstance(annotation, str):
        names = dict(namespace)
        if annotation.startswith("pd.") and "pd" not in names:  # who takes a frame imports pandas at its first call
            names["pd"] = import_module("pandas")
        try:
            annotation = eval(annotation, names)
        except NameError:
            return None
    return _kind(annotation)


def _kind(annotation: Any) -> Kind | None:
    origin, inner = get_origin(annotation), get_args(annotation)
    if annotation is None or annotation is NoneType:
        return Kind("None", lambda value: value is None)
    if origin in (Union, UnionType):
        return _union([_kind(each) for each in inner])
    if origin is Annotated:
        kind = _kind(inner[0])
        words = next((each for each in inner[1:] if isinstance(each, str)), None)
        return replace(kind, words=words) if kind is not None and words is not None else kind
    if origin is Literal:
        words = ", ".join(repr(each) for each in inner[:-1])
        words = f"{words} or {inner[-1]!r}" if words else repr(inner[-1])
        return Kind(words, lambda value: _is_among(value, inner), choices=tuple(map(str, inner)))
    if isinstance(origin, type):
        return _container(origin, inner)
    supertype = getattr(annotation, "__supertype__", None)
    if supertype is not None:
        return _kind(supertype)
    return _of_class(annotation) if isinstance(annotation, type) and annotation not in (object, Any) else None


def _of_class(wanted: type) -> Kind:
    if wanted is float:
        return Kind("a number", lambda value: isinstance(value, int | float) or _has_all(value, ("__float__",)))
    if wanted is int:
        return Kind("an int", lambda value: type(value) is int or _has_all(value, ("__index__",)))
    words = _with_article(wanted.__name__)
    if getattr(wanted, "_is_protocol", False):
        members = [name for each in wanted.__mro__ if getattr(each, "_is_protocol", False) for name in vars(each)]
        members = [name for name in members if not name.startswith("_")]
        return Kind(words, lambda value: _has_all(value, members), (wanted.__name__,))
    return Kind(words, lambda value: isinstance(value, wanted), (wanted.__name__,))


def _union(found: Sequence[Kind | None]) -> Kind | None:
    kinds = [kind for kind in found if kind is not None]
    if len(kinds) < len(found):
        return None
    fits = [kind.fits for kind in kinds]
    words = list(dict.fromkeys(kind.words for kind in sorted(kinds, key=lambda kind: kind.words == "None")))
    return Kind(
        f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0],
        lambda value: any(fit(value) for fit in fits),
        tuple(name for kind in kinds for name in kind.names),
        tuple(option for kind in kinds for option in (kind, *kind.options)),
        choices=tuple(choice for kind in kinds for choice in kind.choices),
    )


def _container(origin: type, inner: tuple[Any, ...]) -> Kind:
    if origin is type:
        return Kind("a class", lambda value: isinstance(value, type))
    if issubclass(origin, Callable):
        return Kind("a function", lambda value: callable(value) and not isinstance(value, type))
    is_mapping = issubclass(origin, Mapping)
    if not is_mapping and not issubclass(origin, Sequence):  # nothing may be taken out of what can be read only once
        return Kind(_with_article(origin.__name__), lambda value: isinstance(value, origin) and not _is_text(value))
    row = list if origin is Sequence else origin
    noun = "dict" if is_mapping else "list" if row is list else origin.__name__
    items = _kind(inner[1] if is_mapping else inner[0]) if inner else None
    holds = items.fits if items is not None else None
    by_name = is_mapping and inner[:1] == (str,)

    def is_container(value: Any) -> bool:
        return isinstance(value, origin) and not _is_text(value)

    def fits(value: Any) -> bool:
        if not is_container(value) or (by_name and not all(isinstance(key, str) for key in value)):
            return False
        return holds is None or all(map(holds, value.values() if is_mapping else value))

    words = f"a {noun}" if items is None else f"a {noun} of {_many(items.words)}"
    words += " by names" if by_name else ""
    return Kind(words, fits, items.names if items is not None else (), (), items, is_container)


def _many(words: str) -> str:
    return " or ".join(
        each.removeprefix("a ").removeprefix("an ") for each in words.replace(", ", " or ").split(" or ")
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str | bytes | bytearray)


def _is_among(value: object, options: Sequence[object]) -> bool:
    return any(type(value) is type(option) and value == option for option in options)


def _has_all(value: object, members: Sequence[str]) -> bool:
    return not isinstance(value, type) and all(hasattr(value, name) for name in members)
