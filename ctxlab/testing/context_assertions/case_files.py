"""Cases in TOML files: a conversation, a question, options of the build, and what the prompt must be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, cast

from ctxlab.api.build import build
from ctxlab.api.resolve import session_of
from ctxlab.api.sources import library_of, session_or_library
from ctxlab.argument_checks import checked_arguments, shown
from ctxlab.documents import Library, Session
from ctxlab.errors import BrokenFile, CtxlabError, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.studies.study import Case
from ctxlab.studies.toml_table import TomlTable, read_toml
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
    table = read_toml(file, what="case")
    table.refuse_unknown(KNOWN)
    if "session" not in table.data:
        raise BrokenFile(f"{file}: session is missing; it is the path of a conversation, from the folder of the case")
    paths = {name: _path(table, inside, name, table.value(name, str, "")) for name in FILES if name in table.data}
    lists = {
        name: [_path(table, inside, name, each) for each in table.texts(name)]
        for name in LISTS_OF_FILES
        if name in table.data
    }
    options = {name: table.value(name, kind, None) for name, kind in OPTIONS.items() if name in table.data}
    if "question" in table.data:
        options["pending"] = table.value("question", str, "")
    session = paths.pop("session")
    expectations = tuple(_expectations(table.table("expect")))
    if not expectations:
        raise BrokenFile(f"{file}: [expect] is missing or empty; it says what the prompt must be, as in kept = ['u5']")
    return ContextCase(
        file.stem, file, session, table.value("title", str, ""), {**paths, **lists, **options}, expectations
    )


def _path(table: TomlTable, inside: Path, name: str, text: str) -> Path:
    """A file that a case names, from its own folder; it has to lie below `inside`, wherever links lead."""
    try:
        found = (table.place.parent / text).resolve(strict=True)
        root = inside.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise table.wrong(name, f"names {text!r}, and there is no such file beside the case") from None
    if not found.is_relative_to(root):
        raise table.wrong(name, f"names {text!r}, which is outside of {root}")
    return found


# --- [expect]


def _expectations(table: TomlTable) -> list[Expectation]:
    table.refuse_unknown([*_MAKERS, *(f"not_{each}" for each in _MAKERS)])
    made: list[Expectation] = []
    for name in table.data:
        bare = name.removeprefix("not_")
        try:
            found = _MAKERS[bare](table, name)
        except WrongArgument as problem:
            raise table.wrong(name, f"can't be tested: {problem}") from None
        made += [~each for each in found] if bare != name else found
    return made


def _of_texts(make: Callable[[str], Expectation]) -> Callable[[TomlTable, str], list[Expectation]]:
    return lambda table, name: [make(each) for each in table.texts(name)]


def _says(table: TomlTable, name: str) -> list[Expectation]:
    texts: Mapping[str, Any] = table.table(name).data
    for key, text in texts.items():
        if not isinstance(text, str):
            raise table.wrong(name, f"takes the text of each name, got {shown(text)} for {key!r}")
    return [expect.says(key, text) for key, text in texts.items()]


def _before(table: TomlTable, name: str) -> list[Expectation]:
    pairs: list[Any] = table.value(name, list, [])
    if pairs and all(isinstance(each, str) for each in pairs):
        pairs = [pairs]
    for pair in pairs:
        words = cast("list[Any]", pair) if isinstance(pair, list) else []
        if len(words) != 2 or not all(isinstance(each, str) for each in words):
            raise table.wrong(name, f"takes two names, or a list of pairs, got {shown(pair)}")
    return [expect.before(*pair) for pair in pairs]


def _under(table: TomlTable, name: str) -> list[Expectation]:
    return [expect.under(table.value(name, int, 0))]


def _sound_pairs(table: TomlTable, name: str) -> list[Expectation]:
    sound = expect.sound_pairs()
    return [sound if table.value(name, bool, True) else ~sound]


def _prefix_stable(table: TomlTable, name: str) -> list[Expectation]:
    given = table.table(name)
    given.refuse_unknown(("turns", "share"))
    turns, share = given.value("turns", int, 10), given.value("share", (int, float), 0.9)
    return [expect.prefix_stable(turns, share=share)]


def _cheaper_than(table: TomlTable, name: str) -> list[Expectation]:
    if not isinstance(table.data[name], dict):
        return [expect.cheaper_than(table.value(name, (int, float), 0))]
    given = table.table(name)
    given.refuse_unknown(("usd", "provider", "model"))
    if "usd" not in given.data:
        raise given.wrong("usd", "is missing; it is the price that the prompt must stay below")
    of = {key: given.value(key, str, None) for key in ("provider", "model")}
    return [expect.cheaper_than(given.value("usd", (int, float), 0), **of)]


_MAKERS: Mapping[str, Callable[[TomlTable, str], list[Expectation]]] = {
    "kept": _of_texts(expect.kept),
    "has": _of_texts(expect.has),
    "says": _says,
    "fires": _of_texts(expect.fires),
    "before": _before,
    "under": _under,
    "sound_pairs": _sound_pairs,
    "prefix_stable": _prefix_stable,
    "cheaper_than": _cheaper_than,
}
