"""Hashes of values by what they hold, the same in every process: data, documents, functions, objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from hashlib import blake2b
from pathlib import PurePath
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast

from ctxlab.context.portable_pickles import ByValue
from ctxlab.documents.stored import Stored
from ctxlab.errors import WrongArgument
from ctxlab.pipeline import Processor

SIZE = 16
"""Bytes of a hash: 128 bits."""
PLAIN = (type(None), bool, int, float, str, bytes, PurePath)


def content_hash(value: object) -> bytes:
    """A hash of a value: equal for equal content, whatever process asks and in whatever order sets and dicts are.

    Functions count by their code, with what they close over and the functions and constants of their module that they
    name; those of ctxlab count by their name alone, since the version of its code is hashed apart. Objects count as
    they are pickled. Raises WrongArgument for what has no content to hash, such as an open file.
    """
    return _hash(value, ())


def _hash(value: Any, inside: tuple[int, ...]) -> bytes:
    digest = blake2b(digest_size=SIZE)
    if id(value) in inside:  # of something that holds itself: how many levels up
        digest.update(b"up%d" % (len(inside) - inside.index(id(value))))
        return digest.digest()
    within = inside if isinstance(value, PLAIN) else (*inside, id(value))
    for piece in _pieces(value, within):
        digest.update(len(piece).to_bytes(8, "big"))
        digest.update(piece)
    return digest.digest()


def _pieces(value: Any, inside: tuple[int, ...]) -> Iterator[bytes]:
    """The bytes that are hashed of a value: first its kind, then its words, or the hashes of what is in it."""
    if isinstance(value, PLAIN):
        yield _kind(value)
        yield value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
    elif isinstance(value, Enum | Stored):
        yield _kind(value)
        data = value.to_data() if isinstance(value, Stored) else value.value
        yield json.dumps(data, default=repr).encode()
    elif isinstance(value, list | tuple):
        yield b"row"
        yield from [_hash(each, inside) for each in cast("list[object]", value)]
    elif isinstance(value, Mapping):
        yield b"names"
        items = cast("Mapping[object, object]", value).items()
        yield from sorted(_hash(key, inside) + _hash(each, inside) for key, each in items)
    elif isinstance(value, set | frozenset):
        yield b"set"
        yield from sorted(_hash(each, inside) for each in cast("set[object]", value))
    elif isinstance(value, ByValue):
        yield _hash(value.thing, inside)
    else:
        yield from _pieces_of_code(value, inside)


def _pieces_of_code(value: Any, inside: tuple[int, ...]) -> Iterator[bytes]:
    if isinstance(value, FunctionType):
        yield b"function"
        yield from _pieces_of_function(value, inside)
    elif isinstance(value, type):
        yield b"class"
        yield from _pieces_of_class(value, inside)
    elif isinstance(value, MethodType):
        yield _hash((value.__func__, value.__self__), inside)
    elif isinstance(value, partial):
        yield _hash((value.func, value.args, value.keywords), inside)
    elif isinstance(value, BuiltinFunctionType | ModuleType):
        yield repr((getattr(value, "__module__", ""), value.__name__)).encode()
    elif isinstance(value, CodeType):
        yield from _pieces_of_bytecode(value, inside)
    else:
        yield b"object"
        yield from _pieces_of_object(value, inside)


def _pieces_of_function(function: FunctionType, inside: tuple[int, ...]) -> Iterator[bytes]:
    yield f"{function.__module__}.{function.__qualname__}".encode()
    if _is_ours(function.__module__):
        return
    wrapped = getattr(function, "__wrapped__", None)
    yield from _pieces_of_bytecode(function.__code__, inside)
    yield _hash((function.__defaults__, function.__kwdefaults__, wrapped), inside)
    cells = function.__closure__ or ()
    yield _hash([_contents(cell) for cell in cells], inside)
    named = {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}
    yield _hash({name: each for name, each in named.items() if _belongs(each, function)}, inside)


def _contents(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _names(code: CodeType) -> set[str]:
    """Names of globals that a code may read, those of functions inside it too."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return {*code.co_names, *(name for each in inner for name in _names(each))}


def _belongs(value: object, function: FunctionType) -> bool:
    """Whether a global that a function names is a constant, or a function or a class of its own module."""
    if isinstance(value, FunctionType | type):
        return value.__module__ == function.__module__
    return isinstance(value, (*PLAIN, tuple, list, dict, set, frozenset))


def _pieces_of_bytecode(code: CodeType, inside: tuple[int, ...]) -> Iterator[bytes]:
    yield code.co_code
    yield repr((code.co_names, code.co_varnames, code.co_argcount, code.co_kwonlyargcount)).encode()
    yield _hash(code.co_consts, inside)


def _pieces_of_class(kind: type, inside: tuple[int, ...]) -> Iterator[bytes]:
    yield f"{kind.__module__}.{kind.__qualname__}".encode()
    if _is_ours(kind.__module__) or kind.__module__ == "builtins":
        return
    code = {name: _code_of(each) for name, each in vars(kind).items()}
    yield _hash({name: each for name, each in code.items() if each is not None}, inside)
    yield _hash([base for base in kind.__bases__ if base is not object], inside)


def _code_of(member: Any) -> Any:
    """The function, the constant or the functions of a property in a class; None for the rest."""
    if isinstance(member, staticmethod | classmethod):
        return cast("Any", member).__func__
    if isinstance(member, property):
        return (member.fget, member.fset)
    return member if isinstance(member, (FunctionType, str, int, float, bytes, tuple)) else None


def _pieces_of_object(value: Any, inside: tuple[int, ...]) -> Iterator[bytes]:
    kind: type = type(value)
    yield _hash(kind, inside)
    if isinstance(value, Processor):
        yield _hash(vars(value), inside)
    elif is_dataclass(value) and "__reduce__" not in vars(kind):
        yield _hash({each.name: getattr(value, each.name) for each in fields(value)}, inside)
    else:
        yield _hash(_reduced(value), inside)


def _reduced(value: Any) -> object:
    """The parts of an object as pickle takes it apart."""
    try:
        reduced: Any = value.__reduce_ex__(4)
    except Exception as problem:  # an object of anybody's may raise anything
        name = type(value).__name__
        raise WrongArgument(f"a {name} has no content to hash ({problem}); give data in its place") from problem
    if isinstance(reduced, str):
        return (type(value).__module__, reduced)
    make, arguments, *rest = cast("tuple[Callable[..., Any], Any]", reduced)
    state, *items = [*rest, None, None, None][:3]
    return [make, arguments, state, *[list(each) for each in items if each is not None]]


def _kind(value: object) -> bytes:
    return (PurePath if isinstance(value, PurePath) else type(value)).__name__.encode()


def _is_ours(module: str | None) -> bool:
    return (module or "").partition(".")[0] in ("ctxlab", "ctxlab_widgets")
