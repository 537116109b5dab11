"""The plugin in a project of its own: what passes, what fails and in which words, and what is written."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ctxlab
from ctxlab.testing import assert_context, load_context_cases, under
from ctxlab.testing.context_assertions import no_network, snapshot_fixture, snapshot_usage

LOADED = (load_context_cases, no_network, snapshot_fixture, snapshot_usage)
"""What the projects need: pytester forgets what was first loaded inside of one, and would load it anew for each."""
assert_context(ctxlab.build(ctxlab.example("harbour"), budget_tokens=3000)).under(2999).not_.meets(under(1))
ROOT = Path(__file__).parents[2]
QUIET = ("-q", "-p", "no:cacheprovider", "-p", "ctxlab.testing.pytest_plugin", "-W", "error")
TALK = """
import ctxlab
import pytest
from ctxlab.testing import assert_context, kept, under

BUDGET = {budget}

def talk():
    session = ctxlab.Session(id="talk")
    for i in range(6):
        session = session.append(f"question {{i}}, in words", id=f"u{{i}}")
        session = session.append(f"answer {{i}}, in words", role="assistant", id=f"a{{i}}")
    return session

def built():
    place = {{"type": "depth", "depth": {depth}}}
    presets = [{{"id": "tone", "role": "system", "content": "Be brief.", "injectionStrategy": place}}]
    agent = ctxlab.Agent.model_validate({{"id": "g", "name": "Guide", "presetMessages": presets}})
    return ctxlab.build(talk(), agent, budget_tokens=BUDGET)
"""
SNAPSHOTS = """
@pytest.mark.parametrize("name", ["one", "a/b", "a_b"])
def test_prompt(context_snapshot, name):
    context_snapshot.check(built())

def test_two(context_snapshot):
    context_snapshot.check(built(), "first")
    context_snapshot.check(built(), "second")
"""


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking through what is installed takes longer than the tests; that pytest finds the plugin, others show."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def project(pytester: pytest.Pytester, tests: str, *, budget: int = 2000, depth: int = 2) -> Path:
    return pytester.makepyfile(test_prompts=TALK.format(budget=budget, depth=depth) + tests)


def run(pytester: pytest.Pytester, *args: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(*QUIET, *args)


def stored(pytester: pytest.Pytester) -> dict[str, str]:
    folder = pytester.path / "__ctxlab__" / "test_prompts"
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*"))}


def test_a_project_passes_and_fails_with_the_life_of_the_message(pytester: pytest.Pytester) -> None:
    tests = "def test_kept():\n    assert_context(built()).kept('u0').before('u0', 'a0').under(2000)\n"
    project(pytester, tests)
    run(pytester).assert_outcomes(passed=1)

    project(pytester, tests, budget=80)
    result = run(pytester)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*kept('u0'): it is not sent*", "*token-limiter: dropped*", "*a budget of * or more*"])
    assert "context_assertions/" not in result.stdout.str()


@pytest.mark.parametrize("call", ["built()", "talk().node('u9')"])
def test_an_error_of_ctxlab_ends_at_the_line_of_the_test(pytester: pytest.Pytester, call: str) -> None:
    project(pytester, f"def test_it():\n    {call}\n", budget=4)

    lines = run(pytester).stdout.lines
    errors = [line for line in lines if line.startswith("E ")]

    assert len(errors) == 1 and ("tone (6). Raise budget_tokens" in errors[0] or "the last is 'a5'" in errors[0])
    assert not any("ctxlab/" in line and ".py:" in line for line in lines)
    assert any("pipeline.py" in line or "session.py" in line for line in run(pytester, "--full-trace").stdout.lines)


def test_a_snapshot_of_another_form_says_so(pytester: pytest.Pytester) -> None:
    project(pytester, SNAPSHOTS)
    run(pytester, "--ctxlab-update")
    for path in (pytester.path / "__ctxlab__" / "test_prompts").glob("*"):
        path.write_text(path.read_text(encoding="utf-8").replace("snapshot 2", "snapshot 1"), encoding="utf-8")

    result = run(pytester)

    result.stdout.fnmatch_lines(["*was written in another form than 'ctxlab snapshot 2'*--ctxlab-update*"])


def test_a_snapshot_is_missing_then_written_then_held_then_updated(pytester: pytest.Pytester) -> None:
    project(pytester, SNAPSHOTS)
    result = run(pytester)
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(["*there is no snapshot __ctxlab__/test_prompts/test_prompt?one?.txt yet*"])
    assert stored(pytester) == {}

    run(pytester, "--ctxlab-update").assert_outcomes(passed=4)
    first = stored(pytester)
    assert len(first) == 5
    run(pytester).assert_outcomes(passed=4)

    project(pytester, SNAPSHOTS, depth=4)
    result = run(pytester)
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(["*--ctxlab-update*", "*moved: preset:tone*", "*-  system    preset:tone*"])
    assert stored(pytester) == first

    run(pytester, "--ctxlab-update").assert_outcomes(passed=4)
    assert stored(pytester) != first
    run(pytester).assert_outcomes(passed=4)


def test_a_snapshot_of_no_test_is_named_where_the_whole_file_ran(pytester: pytest.Pytester) -> None:
    project(pytester, SNAPSHOTS)
    run(pytester, "--ctxlab-update")
    project(pytester, SNAPSHOTS.replace('["one", ', "[").replace(', "second"', ', "third"'))
    run(pytester, "--ctxlab-update", "-k", "two")

    whole, chosen, named = run(pytester), run(pytester, "-k", "a_b"), run(pytester, "test_prompts.py::test_two")

    unused = [line for line in whole.outlines if line.startswith("used by no test")]
    assert [line.rpartition("/")[2] for line in unused] == ["test_prompt[one].txt", "test_two.second.txt"]
    assert whole.ret == 0
    assert [line.rpartition("/")[2] for line in chosen.outlines if "used by no" in line] == ["test_prompt[one].txt"]
    assert "used by no test" not in named.stdout.str()
    assert run(pytester, "--ctxlab-strict").ret == 1


def test_workers_of_xdist_write_and_name_the_same(pytester: pytest.Pytester) -> None:
    project(pytester, SNAPSHOTS)
    run(pytester, "--ctxlab-update")
    alone = stored(pytester)
    shutil.rmtree(pytester.path / "__ctxlab__")
    folder = pytester.path / "__ctxlab__" / "test_prompts"

    folder.mkdir(parents=True)
    (folder / "test_gone.txt").write_text("old")
    spread = pytester.runpytest_subprocess(*QUIET, "-p", "xdist", "-n", "2", "--ctxlab-update", "--ctxlab-strict")

    spread.assert_outcomes(passed=4)
    spread.stdout.fnmatch_lines(["*written: __ctxlab__/test_prompts/test_two.first.txt"])
    spread.stdout.fnmatch_lines(["*used by no test, delete it: __ctxlab__/test_prompts/test_gone.txt"])
    assert spread.ret == 1
    assert stored(pytester) == {**alone, "test_gone.txt": "old"}


def test_a_link_in_the_place_of_the_folder_is_not_followed(pytester: pytest.Pytester) -> None:
    outside = pytester.mkdir("outside")
    (pytester.path / "__ctxlab__").mkdir()
    (pytester.path / "__ctxlab__" / "test_prompts").symlink_to(outside)
    project(pytester, SNAPSHOTS)

    result = run(pytester, "--ctxlab-update")

    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(["*test_prompts beside test_prompts.py is a link*"])
    assert list(outside.iterdir()) == []


def test_a_folder_of_cases_runs_a_test_for_each(pytester: pytest.Pytester) -> None:
    pytester.mkdir("cases")
    shutil.copy(ROOT / "datasets/coding_chat.session.json", pytester.path / "cases")
    case = "session = 'coding_chat.session.json'\n[expect]\nunder = {}\nsound_pairs = true\n"
    (pytester.path / "cases/fits.toml").write_text(case.format(1_000_000))
    (pytester.path / "cases/too_long.toml").write_text(case.format(10))
    project(
        pytester,
        """
@pytest.mark.ctxlab_cases("cases")
def test_case(context_case):
    context_case.check()

def test_all(ctxlab_cases):
    assert [case.id for case in ctxlab_cases("cases")] == ["fits", "too_long"]
""",
    )

    result = run(pytester, "--strict-markers")

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*test_case?too_long?*", "*under(10): the prompt has*too many*"])


def test_a_case_that_cannot_be_read_fails_alone_and_a_failure_shows_the_test_only(pytester: pytest.Pytester) -> None:
    pytester.mkdir("cases")
    shutil.copy(ROOT / "datasets/coding_chat.session.json", pytester.path / "cases")
    case = "session = 'coding_chat.session.json'\n[expect]\n{} = 1000000\n"
    (pytester.path / "cases/fits.toml").write_text(case.format("under"))
    (pytester.path / "cases/typo.toml").write_text(case.format("undr"))
    project(
        pytester,
        """
@pytest.mark.ctxlab_cases("cases")
def test_case(context_case):
    context_case.check()

def test_plain():
    assert_context(built()).kept("question 0").kept("nobody said so")

def test_wrong_call():
    assert_context(built()).kept(3)
""",
    )

    result = run(pytester)

    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(["*test_case?typo?*", "*expect.undr is not known; did you mean 'under'?*"])
    result.stdout.no_fnmatch_line("*argument_checks*")


def test_a_marker_without_its_folder_is_an_error_of_the_call(pytester: pytest.Pytester) -> None:
    project(pytester, "@pytest.mark.ctxlab_cases\ndef test_case(context_case):\n    pass\n")

    result = run(pytester)

    assert result.ret != 0
    result.stdout.fnmatch_lines(["*ctxlab_cases takes a folder*"])


def test_a_test_without_network_reaches_this_machine_only(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
import socket
import pytest

def send(data, address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.sendto(data, address)

@pytest.mark.usefixtures("ctxlab_no_network")
@pytest.mark.parametrize("reach", [
    lambda: socket.create_connection(("192.0.2.1", 80), timeout=0.01),
    lambda: socket.getaddrinfo("example.invalid", 80),
    lambda: socket.gethostbyname("example.invalid"),
    lambda: socket.gethostbyaddr("192.0.2.1"),
    lambda: socket.getnameinfo(("192.0.2.1", 80), 0),
    lambda: socket.getfqdn("example.invalid"),
    lambda: send(b"x", ("192.0.2.1", 9)),
])
def test_far(reach):
    try:
        reach()
    except Exception:
        pass

def test_near(ctxlab_no_network):
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
        assert socket.getaddrinfo("localhost", 80)
    assert socket.getnameinfo(("192.0.2.1", 80), socket.NI_NUMERICHOST | socket.NI_NUMERICSERV) == ("192.0.2.1", "80")
    assert socket.getfqdn() == socket.getfqdn("0.0.0.0") == socket.getfqdn(socket.gethostname()) == socket.gethostname()
    assert socket.getfqdn("127.0.0.1") == "127.0.0.1"

def test_after():
    assert "connect" not in vars(socket.socket)
    for lookup in (socket.getaddrinfo, socket.getfqdn):
        assert lookup.__module__ == "socket"
    for lookup in (socket.getnameinfo, socket.gethostbyaddr):
        assert lookup.__module__ == "_socket"
"""
    )

    result = run(pytester)

    result.assert_outcomes(passed=2, failed=7)
    result.stdout.fnmatch_lines(["*this machine only, and tried '192.0.2.1'*"])


def test_loading_the_plugin_loads_nothing_else() -> None:
    code = "import sys, pytest; before = set(sys.modules); import ctxlab.testing.pytest_plugin; "
    code += "print(*sorted(set(sys.modules) - before))"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert {name for name in loaded if not name.startswith("ctxlab")} <= {"__future__"}
    assert {name for name in loaded if name.startswith("ctxlab")} <= {
        "ctxlab",
        "ctxlab.public_names",
        "ctxlab.testing",
        "ctxlab.testing.pytest_plugin",
    }


def test_the_project_in_the_documentation_passes_as_it_is(pytester: pytest.Pytester) -> None:
    shutil.copytree(ROOT / "docs/prompts_under_test", pytester.path, dirs_exist_ok=True)

    result = run(pytester, "--ctxlab-strict", "--strict-markers")

    result.assert_outcomes(passed=5)
    assert "ctxlab snapshots" not in result.stdout.str()
