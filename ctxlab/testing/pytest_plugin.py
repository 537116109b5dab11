"""Fixtures, options and a marker for prompts under test, which pytest finds by itself.

`fake_server` is a strict fake of the vendors' servers, `context_snapshot` compares a prompt with the text that was
reviewed for the test, `ctxlab_cases` loads a folder of cases, `ctxlab_no_network` lets a test reach this machine only.
pytest loads this file in every project, so nothing else is imported before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ctxlab.testing.context_assertions.case_files import ContextCase
    from ctxlab.testing.context_assertions.snapshot_fixture import ContextSnapshot
    from ctxlab.testing.context_assertions.snapshot_usage import SnapshotUsage
    from ctxlab.testing.fake_server.server import FakeServer

CASE = "context_case"
PACKAGE = Path(__file__).parents[1]
MARKER = "ctxlab_cases"
OUTPUT = "ctxlab_snapshots"
USAGE = pytest.StashKey["SnapshotUsage"]()


@pytest.fixture
def fake_server() -> Iterator[FakeServer]:
    """A strict server on this machine that speaks as the vendors do; it echoes, and keeps the requests that it got."""
    from ctxlab.testing.fake_server.server import FakeServer

    with FakeServer() as server:
        yield server


@pytest.fixture
def context_snapshot(request: pytest.FixtureRequest) -> Iterator[ContextSnapshot]:
    """`context_snapshot.check(trace)`: the prompt is as in the file of this test, or --ctxlab-update writes it."""
    from ctxlab.testing.context_assertions.snapshot_fixture import ContextSnapshot

    update = bool(request.config.getoption("ctxlab_update"))
    snapshot = ContextSnapshot(request.path, _test_name(request.node), update)
    yield snapshot
    usage = _usage(request.config)
    usage.looked_at.update(snapshot.looked_at)
    usage.written.update(snapshot.written)


@pytest.fixture
def ctxlab_cases(request: pytest.FixtureRequest) -> Callable[[str], tuple[ContextCase, ...]]:
    """`ctxlab_cases("cases")`: the cases of a folder beside the test file, one a TOML file."""
    return lambda folder: _cases(request.path, folder, request.config.rootpath)


@pytest.fixture
def ctxlab_no_network() -> Iterator[None]:
    """The test reaches this machine only; whatever else it tries to reach fails it."""
    from ctxlab.testing.context_assertions.no_network import network_refused

    with network_refused():
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ctxlab", "prompts under test")
    group.addoption(
        "--ctxlab-update", action="store_true", dest="ctxlab_update", help="write the snapshots of prompts that differ"
    )
    group.addoption(
        "--ctxlab-strict",
        action="store_true",
        dest="ctxlab_strict",
        help="fail the run when a snapshot of prompts is used by no test",
    )


def pytest_configure(config: pytest.Config) -> None:
    words = f"{MARKER}(folder): run the test for each case of a folder of TOML files, as its argument `{CASE}`"
    config.addinivalue_line("markers", words)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker(MARKER)
    if marker is None:
        return
    folder = marker.args[0] if len(marker.args) == 1 and not marker.kwargs else None
    if not isinstance(folder, str) or CASE not in metafunc.fixturenames:
        wrong = f"{MARKER} takes a folder, as in @pytest.mark.{MARKER}('cases'), and the test an argument {CASE}"
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {wrong}")
    from ctxlab.testing.context_assertions.case_files import cases_one_by_one

    test_file = metafunc.definition.path
    place = test_file.parent / folder
    cases = list(cases_one_by_one(place, _root(test_file, metafunc.config.rootpath)))
    metafunc.parametrize(CASE, cases, ids=[case.id for case in cases])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Fail the test of a case whose file can't be read; those of the others run."""
    given = getattr(pyfuncitem, "callspec", None)
    case = given.params.get(CASE) if given is not None else None
    if case is None or pyfuncitem.get_closest_marker(MARKER) is None:
        return
    from ctxlab.testing.context_assertions.case_files import BrokenContextCase

    if isinstance(case, BrokenContextCase):
        pytest.fail(case.problem, pytrace=False)


def _cases(test_file: Path, folder: str, root: Path) -> tuple[ContextCase, ...]:
    from ctxlab.testing.context_assertions.case_files import load_context_cases

    return load_context_cases(test_file.parent / folder, inside=_root(test_file, root))


def _root(test_file: Path, root: Path) -> Path:
    """The folder below which the files of cases lie: pytest's root, or that of a test file outside of it."""
    beside = test_file.parent
    return root if beside.is_relative_to(root) else beside


# --- snapshots that no test looks at


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not _is_whole(config) or not any(CONTEXT in item.__dict__.get("fixturenames", ()) for item in items):
        return
    usage = _usage(config)
    for item in items:
        usage.collected.setdefault(str(item.path), set()).add(_test_name(item))


CONTEXT = "context_snapshot"


def _is_whole(config: pytest.Config) -> bool:
    """Whether files were collected whole: no test was named, and none left out because it passed before."""
    return not any("::" in arg for arg in config.args) and not getattr(config.option, "lf", False)


def _test_name(item: Any) -> str:
    """The name of a test in its file, with its classes."""
    return str(item.nodeid).partition("::")[2] or str(item.name)


def _usage(config: pytest.Config) -> SnapshotUsage:
    from ctxlab.testing.context_assertions.snapshot_usage import SnapshotUsage

    return config.stash.setdefault(USAGE, SnapshotUsage())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
    if call.excinfo is not None and not item.config.getoption("fulltrace", False):
        _end_at_the_test(call.excinfo, item.path)
    report = yield
    if report.when == "call" and report.passed and USAGE in item.config.stash:
        item.config.stash[USAGE].passed.add((str(item.path), _test_name(item)))
    return report


def _end_at_the_test(error: pytest.ExceptionInfo[BaseException], test_file: Path) -> None:
    """An error that ctxlab raised on purpose ends at the line of the test that called it: its sentence says the rest.

    `--full-trace` shows all of it, and ctxlab's own tests do.
    """
    if any(kind.__module__ == "ctxlab.errors" and kind.__name__ == "CtxlabError" for kind in type(error.value).__mro__):
        if test_file.is_relative_to(PACKAGE.parent):
            return
        kept = _outside_of_ctxlab(error.tb)
        if kept is not None:
            error.traceback = type(error.traceback)(kept)


def _outside_of_ctxlab(at: TracebackType | None) -> TracebackType | None:
    """The calls of a traceback that are no code of ctxlab; a chain of its own, since pytest goes along it."""
    calls: list[TracebackType] = []
    while at is not None:
        if not Path(at.tb_frame.f_code.co_filename).is_relative_to(PACKAGE):
            calls.append(at)
        at = at.tb_next
    kept: TracebackType | None = None
    for call in reversed(calls):
        kept = TracebackType(kept, call.tb_frame, call.tb_lasti, call.tb_lineno)
    return kept


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    usage = session.config.stash.get(USAGE, None)
    if usage is None:
        return
    worker_output = getattr(session.config, "workeroutput", None)
    if worker_output is not None:
        worker_output[OUTPUT] = usage.as_data()
    elif session.config.getoption("ctxlab_strict") and session.exitstatus == pytest.ExitCode.OK and usage.unused():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker of xdist saw."""
    data = getattr(node, "workeroutput", {}).get(OUTPUT)
    if data is not None:
        from ctxlab.testing.context_assertions.snapshot_usage import SnapshotUsage

        _usage(node.config).add(SnapshotUsage.from_data(data))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    usage = config.stash.get(USAGE, None)
    if usage is None:
        return
    unused = usage.unused()
    if not usage.written and not unused:
        return
    terminalreporter.section("ctxlab snapshots")
    for path in sorted(usage.written):
        terminalreporter.line(f"written: {_shown(path, config)}")
    for path in unused:
        terminalreporter.line(f"used by no test, delete it: {_shown(path, config)}")


def _shown(path: str, config: pytest.Config) -> str:
    found = Path(path)
    return found.relative_to(config.rootpath).as_posix() if found.is_relative_to(config.rootpath) else path
