"""YAML in and out as JSON values: the core schema and nothing else, with everything bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from ctxlab.errors import BrokenFile
from ctxlab.formats.results import Loss
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from yaml import SafeLoader
    from yaml.nodes import Node, ScalarNode

ENDINGS: Final = (".yaml", ".yml")
MOST_BYTES: Final = 8 * 2**20
MOST_VALUES: Final = 1_000_000
"""Values after every alias was replaced by its anchor's value."""
CHARACTERS_A_VALUE: Final = 100
"""A long text counts as several values: aliases repeat it too."""
DEEPEST: Final = 200

# What a plain scalar can be besides text: YAML 1.2, where `no`, `12:30` and 2024-01-01 are texts.
SCALARS: Final = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+|0x[0-9a-fA-F]+|0o[0-7]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("float", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", "-+."),
    ("merge", r"<<", "<"),
)
PREFIX: Final = "tag:yaml.org,2002:"


def named_yaml(name: str) -> bool:
    return name.lower().endswith(ENDINGS)


def from_yaml(text: str, source: str) -> tuple[Any, list[Loss]]:
    """The one document of a text, and what was in it twice; raises BrokenFile with the place when it can't be read.

    Aliases that unfold to more than a million values, that hold themselves, and tags of programs are refused.
    """
    import yaml

    if len(text) > MOST_BYTES:
        raise BrokenFile(f"{source} has {len(text):,} characters; YAML is read up to {MOST_BYTES:,}")
    try:
        _check_depth(text, source)
        root = yaml.compose(text, Loader=_loader())
        if root is None:
            raise BrokenFile(f"{source} is empty")
        _check_size(root, source)
        losses: list[Loss] = []
        return _value(root, losses), losses
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        reason = " ".join(part for part in (error.context, error.problem) if part)
        raise BrokenFile(f"{source}{at}: {' '.join(reason.split())}") from None
    except yaml.YAMLError as error:
        raise BrokenFile(f"{source}: {' '.join(str(error).split())}") from None


@cache
def _loader() -> type[SafeLoader]:
    """A loader that knows the scalars above; it parses in C where that is built in."""
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, list[Any]] = {}  # noqa: RUF012

    for tag, pattern, first in SCALARS:
        cast("Any", Loader).add_implicit_resolver(PREFIX + tag, re.compile(rf"^(?:{pattern})$"), list(first))
    return cast("type[SafeLoader]", Loader)


def _check_depth(text: str, source: str) -> None:
    """Composing goes down level by level, so the depth is looked at before."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=_loader()):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                line = cast("Any", event).start_mark.line + 1
                raise BrokenFile(f"{source}:{line} is nested too deeply to be read: more than {DEEPEST} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _check_size(root: Node, source: str) -> None:
    """Count the values as if no alias shared any."""
    sizes: dict[int, int | None] = {}

    def size(node: Node) -> int:
        key = id(node)
        if key in sizes:
            known = sizes[key]
            if known is None:
                raise BrokenFile(f"{source}:{node.start_mark.line + 1}: this value holds itself by an alias")
            return known
        sizes[key] = None
        total = 1 + sum(size(child) for child in _children(node)) + len(node.value) // CHARACTERS_A_VALUE
        if total > MOST_VALUES:
            raise BrokenFile(f"{source}: its aliases unfold to more than {MOST_VALUES:,} values; write them out")
        sizes[key] = total
        return total

    size(root)


def _children(node: Node) -> Iterable[Node]:
    import yaml

    if isinstance(node, yaml.MappingNode):
        return (part for pair in cast("list[tuple[Node, Node]]", node.value) for part in pair)
    return cast("list[Node]", node.value) if isinstance(node, yaml.SequenceNode) else ()


def _value(node: Node, losses: list[Loss]) -> Any:
    import yaml

    kind = str(node.tag).removeprefix(PREFIX)
    if isinstance(node, yaml.MappingNode) and kind == "map":
        return _mapping(node, losses)
    if isinstance(node, yaml.SequenceNode) and kind == "seq":
        return [_value(item, losses) for item in cast("list[Node]", node.value)]
    if isinstance(node, yaml.ScalarNode) and kind == "binary":
        losses.append(Loss(f"line {node.start_mark.line + 1}", "bytes, of which JSON has none; their base64 is used"))
        return "".join(str(node.value).split())
    if isinstance(node, yaml.ScalarNode):
        return _scalar(kind, str(node.value), node)
    raise yaml.MarkedYAMLError(problem=f"the tag {node.tag!r} is not read", problem_mark=node.start_mark)


def _mapping(node: Node, losses: list[Loss]) -> dict[str, Any]:
    """Keys as text; of a key that is there twice the last counts, and what is merged in (`<<`) gives way to all."""
    own: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for name, child in cast("list[tuple[Node, Node]]", node.value):
        if name.tag == PREFIX + "merge":
            found = _value(child, losses)
            for part in cast("list[Any]", found) if isinstance(found, list) else [found]:
                if isinstance(part, dict):
                    merged = {**cast("dict[str, Any]", part), **merged}
                else:
                    losses.append(Loss(f"line {name.start_mark.line + 1}", "what is merged in is no object; left out"))
            continue
        key = _key(name)
        if key in own:
            losses.append(Loss(f"line {name.start_mark.line + 1}", f"the key {key!r} stands twice; the last counts"))
        own[key] = _value(child, losses)
    return {**merged, **own}


def _key(node: Node) -> str:
    import yaml

    if not isinstance(node, yaml.ScalarNode):
        raise yaml.MarkedYAMLError(problem="a key is a list or an object, not text", problem_mark=node.start_mark)
    return str(node.value)


def _scalar(kind: str, text: str, node: Node) -> Any:
    import yaml

    match kind:
        case "str" | "merge" | "timestamp":
            return text
        case "null":
            return None
        case "bool" if text.lower() in ("true", "false"):
            return text.lower() == "true"
        case "int" | "float":
            try:
                return _number(kind, text.lower().replace("_", ""))
            except ValueError:
                pass
        case _:
            pass
    raise yaml.MarkedYAMLError(problem=f"{text!r:.40} is no {kind} that is read", problem_mark=node.start_mark)


def _number(kind: str, text: str) -> int | float:
    if kind == "int":
        return int(text, 0) if text[:2] in ("0x", "0o") else int(text)
    return float(text.replace(".inf", "inf").replace(".nan", "nan"))


# --- writing


PLAIN = lazy_pattern("|".join(f"(?:{pattern})" for _, pattern, _ in SCALARS))
"""Texts that would be read as something else without quotes."""
CONTROL = lazy_pattern("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\xa0\\u2028\\u2029\\ufeff\\ufffe\\uffff]")
"""Characters that only a text in double quotes can hold safely."""
SURROGATE = lazy_pattern("[\\ud800-\\udfff]")


def as_yaml(data: Any) -> bytes:
    """The data in UTF-8, keys in their order, long texts of several lines as blocks."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: yaml.SafeDumper, value: str) -> ScalarNode:
        value = SURROGATE.sub("\ufffd", value)  # YAML has no lone surrogates; readers of JSON replace them too
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=_style(value))

    Dumper.add_representer(str, text)
    written = yaml.dump(data, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=2**31)
    return written.encode()


def _style(text: str) -> str | None:
    if CONTROL.search(text):
        return '"'
    if PLAIN.fullmatch(text):
        return "'"
    lines = text.split("\n")
    return "|" if len(lines) > 1 and lines[0] and all(line == line.rstrip() for line in lines) else None
