"""Whatever is given to a public function: it works, or one line names the argument and what it takes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pydantic import BaseModel

import ctxlab
import ctxlab_widgets
from ctxlab.argument_checks import kind_of
from ctxlab.errors import CtxlabError

ROOT = Path(__file__).parents[1]
SESSION = ctxlab.Session(id="s").append("Hi {{user}}", id="a").append("Hello", role="assistant", id="b")
AGENT = ctxlab.Agent(id="g", name="Guide")
BOOK = ctxlab.Worldbook.model_validate({"name": "book", "entries": {"0": {"uid": 0, "key": ["Hi"], "content": "lore"}}})
RULE = ctxlab.RegexRule(id="r", regex="a", replacement="b")
PRESET = ctxlab.RegexPreset(id="p", rules=(RULE,))
TRACE = ctxlab.build(SESSION, AGENT, books=[BOOK], budget_tokens=1000)
SCORES = pd.DataFrame(
    [
        {"case": "q", "conversation": talk, "variant": variant, "budget": 9, "tokens": 8, "all_evidence": 0.5}
        for talk in ("a", "b")
        for variant in ("one", "two")
    ]
)
SHORTER = ctxlab.compress(SESSION, compression={"protectRecentCount": 0})
LIBRARY = ctxlab.Library(sessions=(SESSION,), agents=(AGENT,), books=(BOOK,), rules=(PRESET,))


class Knobs(BaseModel):
    """Settings of a section."""

    on: bool = False


WRONG: tuple[Any, ...] = (
    None,
    3,
    "nothing of this name",
    "",
    [],
    ["x"],
    [None],
    {},
    {3: "x"},
    object(),
    int,
    b"x",
    ctxlab.Session,
    SESSION,
    SESSION.node("a"),
    AGENT,
    BOOK,
    RULE,
    PRESET,
    TRACE,
    LIBRARY,
    ctxlab.Cause("a", "b"),
)

KNOWLEDGE = ctxlab.KnowledgeBase(id="k", entries=(ctxlab.KnowledgeEntry(id="1", content="x"),))
GOOD: dict[str, Any] = {
    "session": SESSION,
    "chat": SESSION,
    "agent": AGENT,
    "preset": AGENT,
    "card": AGENT,
    "book": BOOK,
    "books": [BOOK],
    "rules": [RULE],
    "node_id": "b",
    "parent_id": "a",
    "other_id": "a",
    "content": "x",
    "text": "Hi",
    "a": TRACE,
    "b": TRACE,
    "trace": TRACE,
    "traces": {"one": TRACE},
    "step": "token-limiter",
    "key": "node:a",
    "name": "token-limiter",
    "to": "next",
    "id": "x",
    "data": [],
    "greeting_id": "x",
    "translation": {},
    "index": 0,
    "label": "x",
    "verb": ctxlab.Session.delete,
    "settings": {},
    "setting": {},
    "value": 3,
    "ctx": TRACE.start,
    "services": TRACE.services,
    "stage": None,
    "layout": [],
    "build_input": TRACE.start.input,
    "other": LIBRARY,
    "target": "token-limiter",
    "change": lambda ctx: ctx,
    "which": "0",
    "processors": (),
    "shown": TRACE,
    "run": TRACE,
    "processor": None,
    "sessions": SESSION,
    "before": {},
    "after": {},
    "keeps": "Hello",
    "what": "lore:book/0",
    "cases": [],
    "variants": ["sliding"],
    "conversation": "c",
    "bases": KNOWLEDGE,
    "action": ctxlab.QuickAction(id="q", label="Q", content="{{input}}"),
}
"""By name, an argument that does; what is asked for under each name is one thing everywhere."""

OF_METHOD: dict[str, Any] = {
    "check.what": SESSION,
    "check.rules": ["secret"],
    "check.ignore": ["secret"],
    "finding_rule.level": "note",
    "finding_rule.works_on": ("trace",),
    "Pipeline.with_setting.name": "token-limiter.enabled",
    "Pipeline.with_setting.value": True,
    "Pipeline.with_processor.step": lambda ctx: ctx,
    "Pipeline.step.stage": TRACE.pipeline.stages[0],
    "Pipeline.services_for.stage": TRACE.pipeline.stages[0],
    "Pipeline.later_tokens.stage": TRACE.pipeline.stages[0],
    "Pipeline.first_difference.other": TRACE.pipeline,
    "Pipeline.stage.id": "token-limiter",
    "Pipeline.without_processor.id": "merge-system",
    "Library.agent.name": "g",
    "run_message_action.action": ctxlab.MessageAction("m", "M", lambda session, node_id: "words"),
    "PluginSettings.values.section": "p",
    "PluginSettings.with_value.section": "p",
    "PluginSettings.with_value.name": "on",
    "PluginSettings.with_value.value": True,
    "PluginSettings.without_value.section": "p",
    "PluginSettings.without_value.name": "on",
    "QuickActionSet.action.which": "q",
    "QuickActionSet.with_action.which": "q",
    "KnowledgeBase.entry.which": "1",
    "KnowledgeBase.with_entry.which": "1",
    "Trace.table.name": "token-limiter",
    "Worldbook.with_frame.frame": BOOK.frame(),
    "Compression.with_range.first": "a",
    "Compression.with_range.last": "b",
    "LegalCuts.snap.first": "a",
    "LegalCuts.snap.last": "b",
    "write.value": SESSION,
    "load.path": ROOT / "datasets" / "coding_chat.session.json",
    "load_user.path": ROOT / "datasets" / "nobody.json",
    "load_agent.path": ROOT / "datasets" / "harbour_roleplay.agent.json",
    "read.path": ROOT / "datasets" / "harbour_lore.json",
    "mean_score.frame": SCORES,
    "paired_difference.frame": SCORES,
    "paired_difference.first": "one",
    "paired_difference.second": "two",
    "pareto_frontier.points": [(1, 2)],
    "study_table.frame": SCORES,
}
UNCHECKED = {"with_nodes", "model_copy", "model_post_init", "Text", "SearchResult"}
"""Unchecked copies, pydantic's own methods, what steps make by the thousand, and what a search alone makes."""
BAD = re.compile(
    r"has no attribute|has no len|is not (?:iterable|subscriptable|callable)|unhashable|unsupported operand"
)
"""Sentences of the interpreter about what a function did with a wrong value, not about the value."""


def made() -> dict[str, Any]:
    """The classes whose methods are public, each with a way to a fresh value."""
    return {
        "Session": SESSION,
        "Trace": TRACE,
        "Debugger": ctxlab.Debugger(TRACE),
        "Pipeline": TRACE.pipeline,
        "History": ctxlab.History(SESSION),
        "Library": LIBRARY,
        "Worldbook": BOOK,
        "RegexPreset": PRESET,
        "QuickActionSet": ctxlab.QuickActionSet(id="s", actions=(GOOD["action"],)),
        "KnowledgeBase": KNOWLEDGE,
        "PluginSettings": ctxlab.plugin_settings(sections=[ctxlab.SettingsSection("p", "P", Knobs)]),
        "Comparison": ctxlab.compare({"one": TRACE}),
        "StudyTable": ctxlab.study_table(SCORES),
        "Compression": SHORTER,
        "LegalCuts": ctxlab.legal_cuts(SESSION),
        "SessionCompressions": ctxlab.compressions(SHORTER.session),
    }


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in ctxlab.__all__:
        value = getattr(ctxlab, name)
        if inspect.isfunction(value) or (
            isinstance(value, type) and not issubclass(value, BaseException) and not getattr(value, "_is_protocol", 0)
        ):
            yield name, value
    for name in ctxlab_widgets.__all__:
        yield name, getattr(ctxlab_widgets, name)
    for owner, value in made().items():
        for name, member in inspect.getmembers(type(value), callable):
            own = vars(type(value)).get(name)
            if not name.startswith("_") and own is not None and not isinstance(own, type):
                yield f"{owner}.{name}", member


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    found = inspect.signature(function).parameters.values()
    return [each for each in found if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)]


def the_method(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    owner, dot, method = name.partition(".")
    return getattr(made()[owner], method) if dot else function


ALL = [(name, function) for name, function in functions()]
ROWS = [
    (name, each.name)
    for name, function in ALL
    for each in parameters(the_method(name, function))
    if name.rpartition(".")[2] not in UNCHECKED
]


def arguments_for(name: str, function: Callable[..., Any]) -> dict[str, Any]:
    """An argument for each parameter that must be given."""
    needed = [each.name for each in parameters(function) if each.default is inspect.Parameter.empty]
    return {each: OF_METHOD.get(f"{name}.{each}", GOOD.get(each)) for each in needed}


def one_line(error: BaseException) -> None:
    text = str(error)
    assert text and "\n" not in text and len(text) < 1000, text
    assert not BAD.search(text), text
    assert "Value error" not in text, text


@pytest.mark.parametrize(("name", "argument"), ROWS, ids=[f"{name}-{argument}" for name, argument in ROWS])
def test_a_wrong_argument_works_or_is_named_in_one_line(
    name: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for wrong in WRONG:
        function = the_method(name, dict(ALL)[name])
        given = {**arguments_for(name, function), argument: wrong}
        positional = [
            given.pop(each.name)
            for each in parameters(function)
            if each.kind is each.POSITIONAL_ONLY and each.name in given
        ]
        try:
            function(*positional, **given)
        except CtxlabError as error:
            one_line(error)
        except TypeError as error:
            pytest.fail(f"{name}({argument}={wrong!r}): TypeError: {error}")
        except Exception as error:
            pytest.fail(f"{name}({argument}={wrong!r}): {type(error).__name__}: {error}")


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, function in ALL
        if not isinstance(function, type) and name.rpartition(".")[2] not in UNCHECKED | {"node", "children"}
    ],
)
def test_a_misspelt_argument_is_refused_with_the_right_name(name: str) -> None:
    function = the_method(name, dict(ALL)[name])
    known = [each.name for each in parameters(function) if len(each.name) > 4]
    if not known:
        pytest.skip("it has no argument with a name that can be misspelt")

    with pytest.raises(TypeError, match=f"no argument is called .*did you mean '{known[-1]}'"):
        function(**{**arguments_for(name, function), f"{known[-1][:-1]}z{known[-1][-1]}": 3})


@pytest.mark.parametrize("name", [name for name, function in ALL if hasattr(function, "__wrapped__")])
def test_each_checked_argument_has_an_annotation_that_can_be_looked_up(name: str) -> None:
    function = dict(ALL)[name]
    for each in parameters(the_method(name, function)):
        free = ("Any", "object")
        assert (
            each.annotation in free
            or "Any]" in str(each.annotation)
            or kind_of(each.annotation, inspect.unwrap(function).__globals__ | vars(ctxlab.api.options))
        ), f"{name}({each.name}: {each.annotation})"
