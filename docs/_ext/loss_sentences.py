"""Sentences of losses that a format can note, found in the code that reads and writes it.

Nothing is run: from the function of a format every function of ctxlab that it names is looked at, and those that they
name. A value that a sentence quotes is an ellipsis.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path

PACKAGES = ("ctxlab.formats", "ctxlab.recordings")
"""Code that is looked at: where losses of files are noted."""
ELLIPSIS = "\u2026"
UNSAID = re.compile(rf"({ELLIPSIS}[ .]?)+(;.*)?$")
"""A sentence whose own words are all of another one."""
Words = Mapping[str, ast.AST]
NO_WORDS: Words = {}
Place = tuple[str, str]
"""A module, and a function, class or name in it."""


@dataclass
class Module:
    """A parsed module: what its names stand for."""

    name: str
    defined: dict[str, ast.AST] = field(default_factory=dict[str, ast.AST])
    imported: dict[str, Place] = field(default_factory=dict[str, Place])


def sentences_of(module: str, name: str, role: str) -> list[str]:
    """Sentences of the losses that reading or writing can note; `role` is the argument `read` or `write` of a Format.

    `name` is the format's, `module` the one that makes it.
    """
    made = next(call for call in _formats_in(module) if _name(call, module) == name)
    roots = [each.value for each in made.keywords if each.arg == role]
    return _sentences(roots, module)


def sentences_from(function: Callable[..., object]) -> list[str]:
    """Sentences of the losses that a function can note, by itself or by others."""
    return _sentences([ast.Name(function.__name__)], function.__module__)


def made_in(module: str) -> list[str]:
    """Names of the formats that a module makes."""
    return [_name(call, module) for call in _formats_in(module)]


def _name(call: ast.Call, module: str) -> str:
    """The name that a module gives a format: a text, or an attribute of one of its names, such as that of a wire."""
    given = call.args[0]
    return (
        str(attrgetter(ast.unparse(given))(import_module(module))) if isinstance(given, ast.Attribute) else _text(given)
    )


def _formats_in(module: str) -> Iterator[ast.Call]:
    for node in _module(module).defined.values():
        for each in ast.walk(node):
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "Format":
                yield each


def _sentences(roots: Iterable[ast.AST], module: str) -> list[str]:
    reached: dict[Place, ast.AST] = {}
    waiting = [place for root in roots for place in _named_in(root, module)]
    while waiting:
        place = waiting.pop()
        node = _defined(place)
        if node is None or place in reached:
            continue
        reached[place] = node
        waiting += _named_in(node, place[0])
    texts = (text for node in reached.values() for text in _texts(node))
    return sorted({text for text in texts if not UNSAID.match(text)}, key=str.casefold)


def _named_in(node: ast.AST, module: str) -> list[Place]:
    """Places that the code names, those of annotations left out."""
    known = _module(module)
    found: list[Place] = []
    for each in _code(node):
        if isinstance(each, ast.Name):
            found.append(known.imported.get(each.id, (module, each.id)))
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in known.imported:
            whose, what = known.imported[each.value.id]
            found.append((f"{whose}.{what}", each.attr))
    return found


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but those of annotations."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield from _code(each)


def _defined(place: Place) -> ast.AST | None:
    module, name = place
    if not module.startswith(PACKAGES) or not _is_module(module):
        return None
    known = _module(module)
    if name in known.defined:
        return known.defined[name]
    return _defined(known.imported[name]) if name in known.imported else None


@cache
def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@cache
def _module(name: str) -> Module:
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None
    known = Module(name)
    for node in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                known.defined[node.name] = node
            case ast.ImportFrom(module=str(whose)):
                known.imported |= {each.asname or each.name: (whose, each.name) for each in node.names}
            case ast.Assign(targets=[ast.Name(id=target)]) | ast.AnnAssign(target=ast.Name(id=target)):
                known.defined[target] = node
            case _:
                pass
    return known


# --- the words


SINKS = {"Loss": 1, "lose": 1, "_lose": 1, "left_out": 2}
"""Calls that note a loss, with the place of the sentence among their arguments."""


def _texts(node: ast.AST) -> Iterator[str]:
    words = _words_of(node)
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            name = each.func.id if isinstance(each.func, ast.Name) else getattr(each.func, "attr", "")
            if (at := SINKS.get(name)) is not None:
                said = [*each.args[at : at + 1], *(one.value for one in each.keywords if one.arg == "text")]
                for text in said:
                    yield from _readings(text, words)


def _words_of(node: ast.AST) -> Words:
    """Names that stand for one thing in the code, and that thing."""
    given = [each for each in ast.walk(node) if isinstance(each, ast.Assign)]
    words = {each.targets[0].id: each.value for each in given if isinstance(each.targets[0], ast.Name)}
    names = Counter(one.id for each in given for one in each.targets if isinstance(one, ast.Name))
    return {name: value for name, value in words.items() if names[name] == 1}


def _readings(node: ast.AST, words: Words) -> Iterator[str]:
    """The sentences that an expression can be."""
    if isinstance(node, ast.IfExp):
        yield from _readings(node.body, words)
        yield from _readings(node.orelse, words)
    elif isinstance(node, ast.Constant | ast.JoinedStr | ast.Name):
        yield _text(node, words)


def _text(node: ast.AST, words: Words = NO_WORDS) -> str:
    match node:
        case ast.Constant(value=value):
            return str(value)
        case ast.JoinedStr(values=values):
            return "".join(_text(each, words) for each in values)
        case ast.FormattedValue(value=value):
            return _text(value, words) if isinstance(value, ast.Name | ast.Call) else ELLIPSIS
        case ast.Name(id=name) if name in words and isinstance(words[name], ast.Constant | ast.Call):
            return _text(words[name])
        case ast.Call(func=ast.Name(id="counted"), args=[_, ast.Constant(value=noun), *more]):
            many = more[0].value if more and isinstance(more[0], ast.Constant) else f"{noun}s"
            return f"{ELLIPSIS} {many}"
        case _:
            return ELLIPSIS
