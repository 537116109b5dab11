"""Code of one's own counts in a cell's key by what it does: a change of it makes another hash, nothing else does."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from importlib import invalidate_caches
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import WrongArgument
from ctxlab.studies.study.content_hash import content_hash

Load = Callable[..., Any]

OBJECT = """
from dataclasses import dataclass
from functools import cached_property
class Score:
    name, version, columns = "score", "1", ()
    {member}
    def score(self, run): return {{"score": 0}}
score = Score()
"""
IMPORTS = """from collections import namedtuple
from dataclasses import dataclass
from enum import Enum
from pydantic import BaseModel
"""
FUNCTIONS = """
K = {0} | def score(run): return K
K = [0, {'a': {0}}] | def score(run): return K
K = {'a': {0}, 'b': 2} | def score(run): return K
import re | P = re.compile('a{0}') | def score(run): return P.search('')
import re | P = [re.compile('a{0}')] | def score(run): return P[0].search('')
import regex | P = {'a': regex.compile('a{0}')} | def score(run): return P['a'].search('')
from functools import cache | @cache | def g(x): return {0} | def score(run): return g(0)
from functools import lru_cache | def h(x): return {0} | @lru_cache(3) | def g(x): return h(x) | score = g
from functools import partial | def h(a): return a | g = partial(h, {0}) | def score(run): return g()
def deco(f): return lambda run: f(run) | @deco | def score(run): return {0}
from functools import wraps | def deco(f): return wraps(f)(lambda run: f(run)) | @deco | def score(run): return {0}
def score(run, k={0}): return k
def score(run, *, k={0}): return k
def score(run): return [k + {0} for k in ()]
def made(k): return lambda run: k | score = made({0})
def score(run): return 0 | score.k = {0}
def even(n): return n == 0 or odd(n - 1) | def odd(n): return n == {0} or even(n - 1) | def score(run): return even(3)
from numpy import array | K = array([{0}, 2]) | def score(run): return K.sum()
def score(run): return (max, min)[1]({0}, 3)
"""
MEMBERS = """
W = {'{0}'}
W = ['{0}']
W = {'{0}': 0}
W = frozenset('{0}')
W = ('{0}',)
W = None or {0}
W = 'abc{0}'.upper
w = cached_property(lambda self: {0})
w = property(lambda self: {0})
w = staticmethod(lambda: {0})
w = classmethod(lambda cls: {0})
__call__ = lambda self: {0}
def w(self): return {0}
class Inner: k = {0}
def __init__(self): self.k = {0}
"""
OBJECTS = """
@dataclass | class C: k: int = 0 | c = C({0}) | def score(run): return c.k
@dataclass | class C: k: int = {0} | def score(run): return C().k
@dataclass | class C: k: int = 0 | c = C() | c.more = {0} | def score(run): return c.more
@dataclass(frozen=True, slots=True) | class C: k: int = 0 | c = C({0}) | def score(run): return c.k
class C(BaseModel): k: int = {0} | def score(run): return C().k
class C(BaseModel): k: int = 0 | c = C(k={0}) | def score(run): return c.k
class C(Enum): A = {0} | def score(run): return C.A
class C(Enum): A = 0; B = {0} | c = C.A | def score(run): return list(type(c))
C = namedtuple('C', 'k') | c = C({0}) | def score(run): return c.k
C = namedtuple('C', 'k', defaults=({0},)) | def score(run): return C().k
class C(list): k = {0} | c = C() | def score(run): return c.k
class C(dict): pass | c = C() | c.k = {0} | def score(run): return c.k
class C(str): pass | c = C() | c.k = {0} | def score(run): return c.k
class M(type): k = {0} | class C(metaclass=M): pass | def score(run): return C.k
class C: __slots__ = ('k',) | c = C() | c.k = {0} | def score(run): return c.k
class C: f = lambda self: {0} | g = C().f | def score(run): return g()
K = [{0}] | g = K.count | def score(run): return g(1)
"""
HELPERS = {
    "from helping import f | def score(run): return f()": ("def f(): return {0}", "K = {0} | def f(): return K"),
    "import helping | def score(run): return helping.f()": (
        "def f(): return {0}",
        "g = lambda: {0} | def f(): return g()",
    ),
    "import helping | def score(run): return helping.K": ("K = {0}",),
    "import helping as h | def score(run): return (lambda: [h.K for _ in 'a'])()": ("K = {0}",),
    "def score(run): import helping; return helping.K": ("K = {0}",),
    "def score(run): from helping import f as g; return g()": ("def f(): return {0}",),
    "import helping | def made(m): return lambda run: m.K | score = made(helping)": ("K = {0}",),
    "import helping | class Has: m = helping | has = Has() | def score(run): return has.m.K": ("K = {0}",),
    "from helping import Base | class Own(Base): pass | def score(run): return Own().k": ("class Base: k = {0}",),
}
BY_ORDER = "K = {order} | def score(run): return next(iter(K))"


def lines(text: str) -> str:
    return text.replace(" | ", "\n")


def both(text: str) -> tuple[str, str]:
    return lines(text).replace("{0}", "1"), lines(text).replace("{0}", "2")


def changes() -> Iterator[tuple[str, str, str, str]]:
    """Two texts of a module, and two of the module beside it."""
    for text in FUNCTIONS.strip().splitlines():
        yield (*both(text), "", "")
    for text in MEMBERS.strip().splitlines():
        one, two = (OBJECT.format(member=member) for member in both(text))
        yield one, two, "", ""
    for text in OBJECTS.strip().splitlines():
        one, two = both(text)
        yield IMPORTS + one, IMPORTS + two, "", ""
    for text, helpers in HELPERS.items():
        for helper in helpers:
            yield (lines(text), lines(text), *both(helper))
    one, two = (lines(BY_ORDER.replace("{order}", str(order))) for order in ({"a": 1, "b": 2}, {"b": 2, "a": 1}))
    yield one, two, "", ""


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """A module of this text, made anew, beside another module that it may import; its `score`."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def loaded(text: str, helper: str = "") -> Any:
        sys.modules.pop("helping", None)
        (tmp_path / "helping.py").write_text(helper)
        (tmp_path / "scoring.py").write_text(text)
        invalidate_caches()
        spec = spec_from_file_location("scoring", tmp_path / "scoring.py")
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules["scoring"] = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.score

    yield loaded
    for name in ("helping", "scoring"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("first", "second", "helper", "other_helper"), [*changes()])
def test_a_change_of_code_is_another_hash(load: Load, first: str, second: str, helper: str, other_helper: str) -> None:
    before, again, after = [
        content_hash(load(*each)) for each in ((first, helper), (first, helper), (second, other_helper))
    ]

    assert before == again != after


@pytest.mark.parametrize(
    "other",
    [
        "# said otherwise\nK = 1\n\n\ndef score(run):\n    return K  # so",
        "K = 1\nL = 2\nimport json\ndef score(run): return K\ndef other(run): return L",
    ],
)
def test_what_code_does_not_name_is_not_in_its_hash(load: Load, other: str) -> None:
    assert content_hash(load("K = 1\ndef score(run): return K")) == content_hash(load(other))


def test_what_an_object_has_computed_is_not_in_its_hash(load: Load) -> None:
    code = OBJECT.format(member="w = cached_property(lambda self: 1)")
    cached = "from functools import cache\n@cache\ndef g(x): return 1\ndef score(run): return g(run)"
    scorer, function = load(code), load(cached)
    before = content_hash(scorer), content_hash(function)

    assert (scorer.w, function(3)) == (1, 1)

    assert (content_hash(scorer), content_hash(function)) == before


LOCK = "import threading\nLOCK = threading.Lock()\ndef score(run): return LOCK.locked() or {0}\n"


def test_what_has_no_content_is_named_and_a_version_takes_its_place(load: Load) -> None:
    with pytest.raises(
        WrongArgument, match=r"a lock \(global scoring.LOCK\) has no content.*give what holds it a version"
    ):
        content_hash(load(LOCK))

    hashes = [
        content_hash(load(LOCK.replace("{0}", k) + f"score.version = '{v}'")) for k, v in ("11", "11", "12", "21")
    ]

    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_an_object_with_a_version_may_hold_what_has_no_content() -> None:
    class Client:
        def __init__(self, version: Any, more: int = 0) -> None:
            self.version, self.more, self.lock = version, more, threading.Lock()

    assert content_hash(Client("1")) == content_hash(Client("1"))
    assert len({content_hash(each) for each in (Client("1"), Client("2"), Client("1", 3))}) == 3
    for version in ("", 1, None):
        with pytest.raises(WrongArgument, match="give what holds it a version"):
            content_hash(Client(version))


def test_functions_that_name_each_other_are_hashed_once_each(load: Load) -> None:
    count = 60
    names = "".join([f"f{i}, " for i in range(count)])
    code = "".join([f"def f{i}(): return ({names})\n" for i in range(count)]) + "def score(run): return f0()"

    assert content_hash(load(code)) == content_hash(load(code)) != content_hash(load(code.replace("f7()", "f7(k=1)")))
