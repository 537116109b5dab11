"""Cases in TOML files: a conversation, a question, options of the build, and what the prompt must be."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from ctxlab.api.build import build
from ctxlab.api.resolve import session_of
from ctxlab.api.sources import library_of, session_or_library
from ctxlab.argument_checks import checked_arguments, shown
from ctxlab.documents import Library, Session
from ctxlab.errors import BrokenFile, CtxlabError, did_you_mean
from ctxlab.pipeline import Trace
from ctxlab.studies.study import Case
from ctxlab.testing.context_assertions import expect
from ctxlab.testing.context_assertions.assert_context import ContextAssertion, assert_context
from ctxlab.testing.context_assertions.expectation import Expectation

FILES = ("session", "agent", "user", "library", "assets")
LISTS_OF_FILES = ("books", "rules")
OPTIONS: Mapping[str, type | tuple[type, ...]] = {
    "leaf": str,
    "model": str,
    "pick": (int, str),
    "timestamp": str,
    "zone": str,
    "budget_tokens": int,
    "seed": int,
    "settings": dict,
}
KNOWN = ("title", "question", "expect", *FILES, *LISTS_OF_FILES, *OPTIONS)
NOT_OF_A_CASE = ("leaf", "pending", "pick", "budget_tokens", "seed")
LARGEST_FILE = 1_000_000
"""A case is written by hand."""


@dataclass(frozen=True, slots=True, eq=False)
class ContextCase:
    """One prompt under test, as a file describes it: `build` makes it, `check` holds it to its expectations.

    `id` is the name of the file without its ending, `options` are those of `ctxlab.build`.
    """

    id: str
    file: Path
    session: Path
    title: str = ""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    expectations: tuple[Expectation, ...] = ()

    def __repr__(self) -> str:
        return f"ContextCase({self.id!r}, {len(self.expectations)} expectations)"

    def build(self, **options: Any) -> Trace:
        """The context of this case; `options` of `ctxlab.build` take the place of the file's."""
        return build(self.session, **{**self.options, **options})

    def case(self) -> Case:
        """The case for a study: conversation, question and options; budget and seed are a study's own.

        Its expectations aren't scored. What else a file of the conversation holds is in the option `library`.
        """
        given = {name: value for name, value in self.options.items() if name not in NOT_OF_A_CASE}
        session, brought = _session(self.session, self.options)
        if brought is not None:
            library = given.get("library")
            given["library"] = brought if library is None else brought | library_of(library)
        leaf, question = self.options.get("leaf"), self.options.get("pending")
        return Case(self.id, session.id, session, question, leaf, options=given)

    def check(self, **options: Any) -> ContextAssertion:
        """Build, and raise an AssertionError that names every expectation that isn't met."""
        __tracebackhide__ = True
        return assert_context({self.title or self.id: self.build(**options)}, *self.expectations)


def _session(file: Path, options: Mapping[str, Any]) -> tuple[Session, Library | None]:
    """The conversation of a case, and what else its file holds."""
    held = session_or_library(file)
    if isinstance(held, Session):
        return held, None
    session = session_of(held, {"pick": options.get("pick")})
    return session, replace(held, sessions=(session,))


@dataclass(frozen=True, slots=True)
class BrokenContextCase:
    """A file that is no case; `problem` says why."""

    id: str
    problem: str


@checked_arguments
def load_context_cases(folder: str | Path, *, inside: str | Path | None = None) -> tuple[ContextCase, ...]:
    """The cases of a folder, one a TOML file, by name; files that they name lie below `inside`, or the folder itself.

    Raises CtxlabError for a folder without cases: a test over none would hold whatever is built.
    """
    place = Path(folder)
    return tuple([read_case(file, Path(inside) if inside is not None else place) for file in _files(place)])


def cases_one_by_one(place: Path, inside: Path) -> Iterator[ContextCase | BrokenContextCase]:
    """The cases of a folder, those that can't be read too; raises CtxlabError for a folder without files of cases."""
    for file in _files(place):
        try:
            yield read_case(file, inside)
        except (CtxlabError, OSError) as problem:
            yield BrokenContextCase(file.stem, str(problem))


def _files(place: Path) -> list[Path]:
    files = sorted(place.glob("*.toml")) if place.is_dir() else []
    if not files:
        missing = "has no .toml files" if place.is_dir() else "is no folder"
        raise CtxlabError(f"{place} {missing}; a case is a file such as harbour.toml with session = and [expect]")
    return files


def read_case(file: Path, inside: Path) -> ContextCase:
    """The case in a TOML file; raises CtxlabError that names the file and the field for what isn't as it must be."""
    data = _table(file)
    _refuse_unknown(file, data, KNOWN, "")
    if "session" not in data:
        raise BrokenFile(f"{file}: session is missing; it is the path of a conversation, from the folder of the case")
    paths = {name: _path(file, inside, name, data[name]) for name in FILES if name in data}
    lists = {
        name: [_path(file, inside, name, each) for each in _texts(file, name, data[name])]
        for name in LISTS_OF_FILES
        if name in data
    }
    options = {name: _typed(file, name, data[name], kind) for name, kind in OPTIONS.items() if name in data}
    if "question" in data:
        options["pending"] = _typed(file, "question", data["question"], str)
    session = paths.pop("session")
    title = _typed(file, "title", data.get("title", ""), str)
    expectations = tuple(_expectations(file, _typed(file, "expect", data.get("expect", {}), dict)))
    if not expectations:
        raise BrokenFile(f"{file}: [expect] is missing or empty; it says what the prompt must be, as in kept = ['u5']")
    return ContextCase(file.stem, file, session, title, {**paths, **lists, **options}, expectations)


def _table(file: Path) -> dict[str, Any]:
    if file.stat().st_size > LARGEST_FILE:
        raise BrokenFile(
            f"{file} has more than {LARGEST_FILE:,} bytes, which is no case; session = names a conversation"
        )
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BrokenFile(f"{file} is not TOML: {error}") from None


def _refuse_unknown(file: Path, data: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for name in data:
        if name not in known:
            raise BrokenFile(f"{file}: {where}{name} is not known{did_you_mean(name, known)}")


def _path(file: Path, inside: Path, name: str, value: object) -> Path:
    """A file that a case names, from its own folder; it has to lie below `inside`, wherever links lead."""
    text = _typed(file, name, value, str)
    try:
        found = (file.parent / text).resolve(strict=True)
        root = inside.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise BrokenFile(f"{file}: {name} names {text!r}, and there is no such file beside the case") from None
    if not found.is_relative_to(root):
        raise BrokenFile(f"{file}: {name} names {text!r}, which is outside of {root}")
    return found


def _typed(file: Path, name: str, value: object, kind: type | tuple[type, ...]) -> Any:
    wrong = isinstance(value, bool) and kind is not bool
    if wrong or not isinstance(value, kind):
        words = " or ".join([_WORDS[each] for each in (kind if isinstance(kind, tuple) else (kind,))])
        raise BrokenFile(f"{file}: {name} takes {words}, got {shown(value)}")
    return value


_WORDS: Mapping[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table",
    list: "a list",
}


def _texts(file: Path, name: str, value: object) -> list[str]:
    """A text, or a list of texts."""
    if isinstance(value, str):
        return [value]
    return [_typed(file, name, each, str) for each in _typed(file, name, value, list)]


# --- [expect]


def _expectations(file: Path, table: Mapping[str, Any]) -> list[Expectation]:
    made: list[Expectation] = []
    for name, value in table.items():
        bare = name.removeprefix("not_")
        if bare not in _MAKERS:
            names = [*_MAKERS, *(f"not_{each}" for each in _MAKERS)]
            raise BrokenFile(f"{file}: expect.{name} is not known{did_you_mean(name, names)}")
        found = _MAKERS[bare](file, name, value)
        made += [~each for each in found] if bare != name else found
    return made


def _of_texts(make: Callable[[str], Expectation]) -> Callable[[Path, str, Any], list[Expectation]]:
    return lambda file, name, value: [make(each) for each in _texts(file, f"expect.{name}", value)]


def _before(file: Path, name: str, value: Any) -> list[Expectation]:
    pairs = cast("list[Any]", _typed(file, f"expect.{name}", value, list))
    if pairs and all(isinstance(each, str) for each in pairs):
        pairs = [pairs]
    for pair in pairs:
        if not (isinstance(pair, list) and len(cast("list[Any]", pair)) == 2):
            raise BrokenFile(f"{file}: expect.{name} takes two names, or a list of pairs, got {shown(pair)}")
    return [expect.before(*_texts(file, f"expect.{name}", pair)) for pair in pairs]


def _under(file: Path, name: str, value: Any) -> list[Expectation]:
    return [expect.under(_typed(file, f"expect.{name}", value, int))]


def _sound_pairs(file: Path, name: str, value: Any) -> list[Expectation]:
    sound = expect.sound_pairs()
    return [sound if _typed(file, f"expect.{name}", value, bool) else ~sound]


def _prefix_stable(file: Path, name: str, value: Any) -> list[Expectation]:
    table = _typed(file, f"expect.{name}", value, dict)
    _refuse_unknown(file, table, ("turns", "share"), f"expect.{name}.")
    turns = _typed(file, f"expect.{name}.turns", table.get("turns", 10), int)
    share = _typed(file, f"expect.{name}.share", table.get("share", 0.9), (int, float))
    return [expect.prefix_stable(turns, share=share)]


def _cheaper_than(file: Path, name: str, value: Any) -> list[Expectation]:
    table = value if isinstance(value, dict) else {"usd": value}
    given = cast("dict[str, Any]", table)
    _refuse_unknown(file, given, ("usd", "provider", "model"), f"expect.{name}.")
    if "usd" not in given:
        raise BrokenFile(f"{file}: expect.{name}.usd is missing; it is the price that the prompt must stay below")
    usd = _typed(file, f"expect.{name}.usd", given["usd"], (int, float))
    of = {key: _typed(file, f"expect.{name}.{key}", given[key], str) for key in ("provider", "model") if key in given}
    return [expect.cheaper_than(usd, **of)]


_MAKERS: Mapping[str, Callable[[Path, str, Any], list[Expectation]]] = {
    "kept": _of_texts(expect.kept),
    "has": _of_texts(expect.has),
    "fires": _of_texts(expect.fires),
    "before": _before,
    "under": _under,
    "sound_pairs": _sound_pairs,
    "prefix_stable": _prefix_stable,
    "cheaper_than": _cheaper_than,
}
