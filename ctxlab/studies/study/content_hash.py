"""Hashes of values by what they hold, the same in every process: data, documents, functions, objects."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from functools import cached_property, partial
from hashlib import blake2b
from math import inf
from pathlib import PurePath
from types import BuiltinFunctionType, ClassMethodDescriptorType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast

from ctxlab.context.portable_pickles import ByValue, importable_at
from ctxlab.documents.stored import Stored
from ctxlab.errors import WrongArgument
from ctxlab.studies.study.code_origins import (
    OURS,
    all_names,
    global_names,
    installed_as,
    modules_imported,
    needs_ctxlab,
)
from ctxlab.studies.study.code_parts import bytecode, inside_cell, is_of_python, members_of, parts_of_object
from ctxlab.studies.study.code_version import code_of_module, whole_code_version

SIZE = 16
"""Bytes of a hash: 128 bits."""
PLAIN = (type(None), bool, int, float, str, bytes, PurePath)


def content_hash(value: object) -> bytes:
    """A hash of a value: equal for equal content, whatever process asks and in whatever order sets and options are.

    A function counts by its code, its defaults, what it closes over, and by every global that it names; of a module
    that is a global, or that it imports when it runs, by every name of it that stands in the function. The functions
    and classes among these count in the same way, classes by all their members, objects by their class and by how they
    are pickled, in which the order of dicts counts. Code of installed packages counts by name and version, that of
    Python and ctxlab by name, since these versions are hashed apart; but where there is code that no cell goes through
    by itself, somebody's own or another room of ctxlab's, all sources of ctxlab count, any of which it may run. Names
    that are looked up by a text (`getattr`, `globals()`) and files that code opens don't count.

    Raises WrongArgument for what has no content to hash, such as an open file, unless it is held by an object or a
    function with a text as `version`, which then counts in its place.
    """
    return _Hasher().whole(value)


class _Hasher:
    """The hash of one value. Globals that functions name are hashed after it, each once, since they hold circles."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, bool, bool], tuple[object, bytes]] = {}  # held, so that no other has its id
        self._inside: dict[int, int] = {}
        self._outermost: float = inf
        self._has_version = False
        self._is_code = False
        self._followed: set[tuple[int, bool]] = set()
        self._globals: dict[tuple[str, int, bool], Any] = {}
        self._place = ""

    def whole(self, value: object) -> bytes:
        first = self._hash(value)
        rest: set[bytes] = set()
        self._is_code = True
        done = 0
        while done < len(self._globals):
            (name, _, self._has_version), each = list(self._globals.items())[done]
            self._place = f" (global {name})"
            rest.add(_digest([name.encode(), self._hash(each)]))
            done += 1
        return _digest([first, *sorted(rest)]) if rest else first

    def _hash(self, value: Any) -> bytes:
        if isinstance(value, PLAIN) and not isinstance(value, Enum):
            text = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
            return _digest([_kind(value), text, *self._own_kind(value)])
        key = (id(value), self._is_code, self._has_version)
        if key in self._found:
            return self._found[key][1]
        level = len(self._inside)
        if id(value) in self._inside:  # of something that holds itself: how many levels up
            self._outermost = min(self._outermost, self._inside[id(value)])
            return _digest([b"up%d" % (level - self._inside[id(value)])])
        outermost, self._outermost = self._outermost, inf
        self._inside[id(value)] = level
        try:
            found = _digest(self._pieces(value))
        finally:
            del self._inside[id(value)]
        if self._outermost >= level:  # it is the same wherever it stands
            if not isinstance(value, list | tuple | Mapping):  # of which some are made here, to go at once
                self._found[key] = (value, found)
            self._outermost = inf
        self._outermost = min(outermost, self._outermost)
        return found

    def _pieces(self, value: Any) -> Iterator[bytes]:
        """The bytes that are hashed of a value: first its kind, then the hashes of what is in it."""
        if isinstance(value, Stored):
            yield _kind(value)
            yield json.dumps(value.to_data(), default=repr).encode()
        elif isinstance(value, Enum):
            yield from map(self._hash, (type(value), value.name, value.value))
        elif isinstance(value, list | tuple):
            yield b"row"
            yield from map(self._hash, cast("list[object]", value))
            yield from self._own_kind(value)
        elif isinstance(value, Mapping):
            yield b"names"
            items = cast("Mapping[object, object]", value).items()
            pairs = [self._hash(key) + self._hash(each) for key, each in items]
            yield from pairs if self._is_code else sorted(pairs)
            yield from self._own_kind(value)
        elif isinstance(value, set | frozenset):
            yield b"set"
            yield from sorted(map(self._hash, cast("set[object]", value)))
            yield from self._own_kind(value)
        elif isinstance(value, ByValue):
            yield self._hash(value.thing)
        else:
            with self._in_code(value):
                yield from self._pieces_of_code(value)

    def _own_kind(self, value: Any) -> Iterator[bytes]:
        """The class and the attributes of a list, a dict, a text of somebody's own class."""
        if installed_as(type(value).__module__) is None:
            with self._in_code(value):
                yield self._hash(type(value))
                yield self._hash(getattr(value, "__dict__", None))

    @contextmanager
    def _in_code(self, value: Any) -> Generator[None]:
        before = (self._is_code, self._has_version)
        is_own = installed_as(str(getattr(value, "__module__", ""))) is None
        self._is_code = True
        self._has_version |= is_own and not isinstance(value, type) and _has_version(value)
        try:
            yield
        finally:
            self._is_code, self._has_version = before

    def _pieces_of_code(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, FunctionType):
            yield b"function"
            yield from self._pieces_of_function(value)
        elif isinstance(value, type):
            yield b"class"
            yield from self._pieces_of_class(value)
        elif isinstance(value, MethodType):
            yield from map(self._hash, (value.__func__, value.__self__))
        elif isinstance(value, partial):
            yield from map(self._hash, (value.func, value.args, value.keywords, vars(value)))
        elif isinstance(value, BuiltinFunctionType):
            yield repr((getattr(value, "__module__", ""), value.__qualname__)).encode()
            owner = getattr(value, "__self__", None)
            yield self._hash(None if isinstance(owner, ModuleType) else owner)
        elif isinstance(value, ClassMethodDescriptorType):
            yield value.__qualname__.encode()
        elif isinstance(value, ModuleType):
            yield from self._pieces_of_module(value)
        elif isinstance(value, property):
            yield from map(self._hash, (value.fget, value.fset, value.fdel))
        elif isinstance(value, staticmethod | classmethod):
            yield _kind(value)
            yield self._hash(cast("Any", value).__func__)
        elif isinstance(value, cached_property):
            yield self._hash(cast("Any", value).func)
        elif isinstance(value, CodeType):
            yield bytecode(value)
            yield self._hash(value.co_consts)
        elif hasattr(value, "__wrapped__"):  # a function with a cache of its results
            yield from map(self._hash, (type(value), value.__wrapped__))
        else:
            yield b"object"
            yield from self._pieces_of_object(value)

    def _pieces_of_function(self, function: FunctionType) -> Iterator[bytes]:
        yield f"{function.__module__}.{function.__qualname__}".encode()
        installed = installed_as(str(function.__globals__.get("__name__", "")))
        yield _code_of_ctxlab(function.__module__, installed)
        if installed is not None:
            yield installed.encode()
            if importable_at(str(function.__module__), function.__qualname__) is function:
                return
        else:
            yield self._hash(function.__code__)
        given = (function.__defaults__, function.__kwdefaults__, {**function.__dict__})
        yield from map(self._hash, given)
        names = all_names(function.__code__)
        for each in map(inside_cell, function.__closure__ or ()):
            yield self._hash(each) if not isinstance(each, ModuleType) else each.__name__.encode()
            if isinstance(each, ModuleType):
                self._follow_module(each, names)
        if installed is None:
            self._follow(function)

    def _follow(self, function: FunctionType) -> None:
        """Take the globals that a function names, and names of modules that are among them, to be hashed once."""
        if (id(function), self._has_version) in self._followed:
            return
        self._followed.add((id(function), self._has_version))
        names, here = all_names(function.__code__), function.__globals__
        module = str(here.get("__name__", ""))
        for name in sorted(global_names(function.__code__) & here.keys()):
            self._take(module, name, here[name], names)
        for each in modules_imported(function.__code__, str(here.get("__package__") or "")):
            self._follow_module(each, names)

    def _follow_module(self, module: ModuleType, names: frozenset[str]) -> None:
        if installed_as(module.__name__) is None:
            for name in sorted({*names, "__getattr__"} & vars(module).keys()):
                self._take(module.__name__, name, vars(module)[name], names)

    def _take(self, module: str, name: str, value: Any, names: frozenset[str]) -> None:
        key = (f"{module}.{name}", id(value), self._has_version)
        if key in self._globals:
            return
        if isinstance(value, ModuleType):
            self._globals[key] = value.__name__
            self._follow_module(value, names)
        else:
            self._globals[key] = value

    def _pieces_of_module(self, module: ModuleType) -> Iterator[bytes]:
        """A module as a value, of which any name may be taken: all that stands in it, without other modules."""
        installed = installed_as(module.__name__)
        yield f"{module.__name__} {installed}".encode()
        yield _code_of_ctxlab(module.__name__, installed)
        if installed is None:
            own = {k: v for k, v in vars(module).items() if not isinstance(v, ModuleType) and k[:2] != "__"}
            yield self._hash(own)

    def _pieces_of_class(self, kind: type) -> Iterator[bytes]:
        installed = installed_as(kind.__module__)
        yield f"{kind.__module__}.{kind.__qualname__} {installed}".encode()
        yield _code_of_ctxlab(kind.__module__, installed)
        if installed is None and is_of_python(kind):
            yield self._hash(members_of(kind))
            yield self._hash([type(kind), *kind.__bases__])

    def _pieces_of_object(self, value: Any) -> Iterator[bytes]:
        yield self._hash(type(value))
        try:
            parts = parts_of_object(value)
        except Exception as problem:  # an object of anybody's may raise anything
            if self._has_version:
                return
            raise WrongArgument(
                f"a {type(value).__name__}{self._place} has no content to hash ({problem}); give data in its place, "
                "or give what holds it a version: a text that changes when its answers do"
            ) from problem
        yield self._hash(parts)


def _code_of_ctxlab(module: object, installed: str | None) -> bytes:
    """The version of ctxlab's code that code of a module may run beside what makes every cell."""
    name = str(module)
    if name.partition(".")[0] in OURS:
        return code_of_module(name).encode()
    return whole_code_version().encode() if installed is None or needs_ctxlab(name) else b""


def _has_version(value: Any) -> bool:
    try:
        return isinstance(value.version, str) and bool(value.version)
    except Exception:  # as above
        return False


def _kind(value: object) -> bytes:
    return (PurePath if isinstance(value, PurePath) else type(value)).__name__.encode()


def _digest(pieces: Any) -> bytes:
    digest = blake2b(digest_size=SIZE)
    for piece in pieces:
        digest.update(len(piece).to_bytes(8, "big"))
        digest.update(piece)
    return digest.digest()
