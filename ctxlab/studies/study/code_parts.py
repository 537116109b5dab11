"""Parts of functions, classes and objects that decide what they do."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import CodeType, GetSetDescriptorType, MemberDescriptorType
from typing import Any, cast

from ctxlab.assets.asset_folder import AssetFolder
from ctxlab.assets.build_files import BuildFiles
from ctxlab.pipeline import Processor
from ctxlab.studies.study.code_origins import installed_as
from ctxlab.studies.study.files_of_folder import folder_hash

OF_PYTHON = (
    "_abc_impl",
    "_member_map_",
    "_member_names_",
    "_value2member_map_",
    "_unhashable_values_",
    "_hashable_values_",
)
"""Members of classes in which Python keeps what follows from the others."""
MADE_WHEN_RUN = 1 << 9
"""The flag of classes that Python makes, Py_TPFLAGS_HEAPTYPE in its C headers."""


def bytecode(code: CodeType) -> bytes:
    """The instructions of a code object, without its constants and without the lines and the file that it stands in."""
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return code.co_code + repr((names, counts, code.co_exceptiontable)).encode()


def inside_cell(cell: Any) -> object:
    """The values that a function closes over; None where that isn't filled yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def is_of_python(kind: type) -> bool:
    """Whether a class is written in Python; others say nothing of what they do, and often not where they come from."""
    return bool(kind.__flags__ & MADE_WHEN_RUN)


def members_of(kind: type) -> dict[str, Any]:
    """The functions, descriptors and constants of a class, by name."""
    found = {name: each for name, each in vars(kind).items() if _decides(name, each)}
    if issubclass(kind, Enum):
        found |= {name: each.value for name, each in kind.__members__.items()}
    of_pydantic: dict[str, Any] = vars(kind).get("__pydantic_fields__", {})
    return found | {f"{name}=": (each.default, each.default_factory) for name, each in of_pydantic.items()}


def _decides(name: str, member: Any) -> bool:
    if name in OF_PYTHON or isinstance(member, GetSetDescriptorType | MemberDescriptorType):
        return False
    is_dunder = name.startswith("__") and name.endswith("__")
    return not is_dunder or (callable(member) or isinstance(member, staticmethod | classmethod | property))


def parts_of_object(value: Any) -> object:
    """The content of an object: of a dataclass its fields, others what pickle takes; raises whatever that raises."""
    kind: type = type(value)
    if isinstance(value, AssetFolder):
        return folder_hash(value.folder)
    if isinstance(value, BuildFiles):
        folder = folder_hash(value.folder) if isinstance(value.folder, Path) else value.folder
        return [value.files, folder, value.agents]
    if isinstance(value, Processor):
        return vars(value)
    if isinstance(value, BaseException):  # of which a library may have told pickle to take the frames too
        return [value.args, vars(value)]
    if is_dataclass(value) and _is_plain(kind):
        own = {} if installed_as(kind.__module__) is not None else _without_caches(kind, getattr(value, "__dict__", {}))
        return {each.name: getattr(value, each.name) for each in fields(value)} | own
    registered = cast("Any", copyreg.dispatch_table.get(kind))
    reduced: Any = registered(value) if registered is not None else cast("Any", value).__reduce_ex__(4)
    if isinstance(reduced, str):
        return (kind.__module__, reduced)
    make, arguments, *rest = cast("tuple[Callable[..., Any], Any]", reduced)
    state, *items = [*rest, None, None, None][:3]
    return [make, arguments, _without_caches(kind, state), *[list(each) for each in items if each is not None]]


def _is_plain(kind: type) -> bool:
    """Whether a class leaves to pickle how its objects are taken apart."""
    return all("__reduce__" not in vars(each) and "__reduce_ex__" not in vars(each) for each in kind.__mro__[:-1])


def _without_caches(kind: type, state: Any) -> Any:
    """The attributes of an object without the values of its cached properties, which are there once one was asked.

    What isn't attributes by name stays as it is.
    """
    if not isinstance(state, dict):
        return state or {}
    cached = {
        name for each in kind.__mro__ for name, member in vars(each).items() if isinstance(member, cached_property)
    }
    own = {name: each for name, each in cast("dict[str, Any]", state).items() if name not in cached}
    return own | {"__dict__": _without_caches(kind, own["__dict__"])} if "__dict__" in own else own  # of pydantic
