"""Code of one's own counts in a cell's key by what it does: every change of it makes another hash, nothing else does."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from importlib import invalidate_caches
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from textwrap import dedent
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
CLASS = """
from dataclasses import dataclass
from enum import Enum
from collections import namedtuple
from pydantic import BaseModel
{what}
def score(run): return {use}
"""
HELPERS = {
    "from helping import f\ndef score(run): return f()": ("def f(): return {0}", "K = {0}\ndef f(): return K"),
    "import helping\ndef score(run): return helping.f()": (
        "def f(): return {0}",
        "def g(): return {0}\ndef f(): return g()",
    ),
    "import helping\ndef score(run): return helping.K": ("K = {0}",),
    "import helping as h\ndef score(run):\n    def inner(): return [h.K for _ in 'a']\n    return inner()": (
        "K = {0}",
    ),
    "def score(run):\n    import helping\n    return helping.K": ("K = {0}",),
    "def score(run):\n    from helping import f as g\n    return g()": ("def f(): return {0}",),
    "import helping\ndef made(m): return lambda run: m.K\nscore = made(helping)": ("K = {0}",),
    "import helping\nclass Has:\n    def __init__(self): self.m = helping\nhas = Has()\ndef score(run): return has.m.K": (
        "K = {0}",
    ),
    "from helping import Base\nclass Own(Base): pass\ndef score(run): return Own().k": ("class Base: k = {0}",),
}
CHANGES = [
    *[(dedent(code).replace("{0}", "1"), dedent(code).replace("{0}", "2"), "", "") for code in (
        "K = {0}\ndef score(run): return K",
        "K = [0, {'a': {0}}]\ndef score(run): return K",
        "K = {'a': {0}, 'b': 2}\ndef score(run): return K",
        "import re\nP = re.compile('a{0}')\ndef score(run): return P.search('')",
        "import re\nP = [re.compile('a{0}')]\ndef score(run): return P[0].search('')",
        "import regex\nP = {'a': regex.compile('a{0}')}\ndef score(run): return P['a'].search('')",
        "from functools import cache\n@cache\ndef g(x): return {0}\ndef score(run): return g(0)",
        "from functools import lru_cache\n@lru_cache(3)\ndef g(x): return h(x)\ndef h(x): return {0}\ndef score(run): return g(0)",
        "from functools import partial\ndef h(a): return a\ng = partial(h, {0})\ndef score(run): return g()",
        "from functools import wraps\ndef deco(f):\n    @wraps(f)\n    def run_it(run): return f(run)\n    return run_it\n"
        "@deco\ndef score(run): return {0}",
        "def score(run, k={0}): return k",
        "def score(run, *, k={0}): return k",
        "def score(run): return [k + {0} for k in ()]",
        "def made(k): return lambda run: k\nscore = made({0})",
        "def score(run): return 0\nscore.k = {0}",
        "def even(n): return n == 0 or odd(n - 1)\ndef odd(n): return n == {0} or even(n - 1)\ndef score(run): return even(3)",
        "from numpy import array\nK = array([{0}, 2])\ndef score(run): return K.sum()",
    )],
    *[(OBJECT.format(member=one), OBJECT.format(member=one.replace("1", "2")), "", "") for one in (
        "W = {'1'}", "W = ['1']", "W = {'1': 0}", "W = frozenset('1')", "W = ('1',)", "W = None or 1", "W = 'abc1'.upper",
        "w = cached_property(lambda self: 1)", "w = property(lambda self: 1)", "w = staticmethod(lambda: 1)",
        "w = classmethod(lambda cls: 1)", "__call__ = lambda self: 1", "def w(self): return 1",
        "class Inner: k = 1", "def __init__(self): self.k = 1",
    )],
    *[(CLASS.format(what=what, use=use), CLASS.format(what=what.replace("1", "2"), use=use), "", "") for what, use in (
        ("@dataclass\nclass C:\n    k: int = 0\nc = C(1)", "c.k"),
        ("@dataclass\nclass C:\n    k: int = 1", "C().k"),
        ("@dataclass\nclass C:\n    k: int = 0\nc = C()\nc.more = 1", "c.more"),
        ("@dataclass(frozen=True, slots=True)\nclass C:\n    k: int = 0\nc = C(1)", "c.k"),
        ("class C(BaseModel):\n    k: int = 1", "C().k"),
        ("class C(BaseModel):\n    k: int = 0\nc = C(k=1)", "c.k"),
        ("class C(Enum):\n    A = 1", "C.A"),
        ("class C(Enum):\n    A = 0\n    def f(self): return 1\nc = C.A", "c.f()"),
        ("C = namedtuple('C', 'k')\nc = C(1)", "c.k"),
        ("C = namedtuple('C', 'k', defaults=(1,))", "C().k"),
        ("class C(list):\n    def f(self): return 1\nc = C()", "c.f()"),
        ("class C(dict): pass\nc = C()\nc.k = 1", "c.k"),
        ("class M(type):\n    def f(cls): return 1\nclass C(metaclass=M): pass", "C.f()"),
        ("class C:\n    __slots__ = ('k',)\nc = C()\nc.k = 1", "c.k"),
        ("class C:\n    def f(self): return 1\ng = C().f", "g()"),
        ("K = [1]\ng = K.count", "g(1)"),
    )],
    *[(code, code, helper.replace("{0}", "1"), helper.replace("{0}", "2")) for code, all_ in HELPERS.items() for helper in all_],
    ("K = {'a': 1, 'b': 2}\ndef score(run): return next(iter(K))", "K = {'b': 2, 'a': 1}\ndef score(run): return next(iter(K))", "", ""),
    ("def score(run): return max(1, 2)", "def score(run): return min(1, 2)", "", ""),
]  # fmt: skip


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


@pytest.mark.parametrize(("first", "second", "helper", "other_helper"), CHANGES)
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
