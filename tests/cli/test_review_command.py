"""`ctxlab review` in a made checkout, and the steps of the action run as a runner would, with nobody to ask."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ctxlab import api
from tests.cli.conftest import DATASETS, Run

ROOT = DATASETS.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
KEY = "sk-" + "proj-4fT9aZ1bQ7cX2dW8eV3gU5hS"
NOBODY = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@b.c",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@b.c",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, env={**os.environ, **NOBODY}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def messages(path: Path, *texts: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([{"role": "user", "content": text} for text in texts]), encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with three conversations, one of them with an agent beside it, all committed."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    for name in ("session", "agent", "user"):
        source = DATASETS / f"harbour_roleplay.{name}.json"
        (folder / f"harbour.{name}.json").write_bytes(source.read_bytes())
    messages(folder / "same.openai.json", "Hi")
    messages(folder / "sub/plain.openai.json", "Where is the ferry?", "And the bell?")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "first")
    monkeypatch.chdir(folder)
    return folder


def test_nothing_changed_is_said(checkout: Path, run: Run) -> None:
    result = run("review")

    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-1] == "No conversation changed."


def test_a_changed_message_is_told_by_what_changed(checkout: Path, run: Run) -> None:
    messages(checkout / "sub/plain.openai.json", "Where is the ferry?", "And the `bell`?\n```\n# not a heading @all")

    result = run("review", "--fail-on", "never")

    assert "| `sub/plain.openai.json` |" in result.out and "same.openai.json" not in result.out
    assert re.search(r"^\+ .*bell", result.out, re.MULTILINE)
    fenced = re.search(r"^(````+)diff\n(.*?)^\1$", result.out, re.MULTILINE | re.DOTALL)
    assert fenced is not None and "# not a heading @all" in fenced[2]
    assert not re.search(r"^# not a heading", result.out, re.MULTILINE)


def test_a_conversation_counts_as_changed_where_its_agent_did(checkout: Path, run: Run) -> None:
    path = checkout / "harbour.agent.json"
    agent = api.load_agent(path)
    api.write(agent.with_(name="Someone else", profile_name="Someone else"), path)

    result = run("review", "--fail-on", "never", "--budget", 1800)

    assert "`harbour.session.json`" in result.out and "The messages are the same." not in result.out


def test_new_removed_and_broken_conversations_each_have_a_row(checkout: Path, run: Run) -> None:
    (checkout / "same.openai.json").unlink()
    (checkout / "sub/plain.openai.json").write_text("[")
    messages(checkout / "new|one`.openai.json", "Hello")

    result = run("review")

    assert result.code == 1
    assert "| `same.openai.json` | removed |" in result.out
    assert "| `sub/plain.openai.json` | can't be built |" in result.out
    assert re.search(r"^\| `new¦one'\.openai\.json` \| \d+, new \|", result.out, re.MULTILINE)
    assert str(checkout) not in result.out


def test_findings_decide_and_go_to_sarif_and_keys_are_hidden(checkout: Path, run: Run) -> None:
    messages(checkout / "same.openai.json", f"My key is {KEY}")
    messages(checkout / "sub/plain.openai.json", f"{KEY} too")

    result = run("review", "--sarif", "out.sarif", "--out", "review.md")
    text, sarif = Path("review.md").read_text(encoding="utf-8"), json.loads(Path("out.sarif").read_bytes())

    assert (result.code, result.out) == (1, "")
    assert run("review", "--fail-on", "never").code == 0
    assert "error secret" in text and "sk-***" in text and KEY not in text
    assert len(sarif["runs"]) == 1 and KEY not in json.dumps(sarif)
    results = sarif["runs"][0]["results"]
    uris = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in results}
    assert uris == {"same.openai.json", "sub/plain.openai.json"}
    rules = sarif["runs"][0]["tool"]["driver"]["rules"]
    assert all(rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in results)


def test_a_link_out_of_the_checkout_is_not_followed(checkout: Path, run: Run, tmp_path: Path) -> None:
    messages(tmp_path / "secret.openai.json", "the word is heron")
    (checkout / "link.openai.json").symlink_to(tmp_path / "secret.openai.json")

    result = run("review")

    assert result.code == 1 and "outside the folder" in result.out and "heron" not in result.out


def test_a_name_that_is_no_text_is_shown_all_the_same(checkout: Path, run: Run) -> None:
    name = os.fsdecode(b"bad\xff.openai.json")
    try:
        messages(checkout / name, f"My key is {KEY}")
    except OSError:
        pytest.skip("this file system has no such names")

    result = run("review", "--sarif", "out.sarif")

    assert result.code == 1 and "bad" in result.out
    assert "bad%FF.openai.json" in Path("out.sarif").read_text(encoding="utf-8")


def test_a_long_review_fits_in_a_comment(checkout: Path, run: Run) -> None:
    for number in range(8):
        messages(checkout / f"long{number}.openai.json", *(f"{n} " + "`" * 200 for n in range(2)))
    git(checkout, "add", "--all")
    git(checkout, "commit", "--quiet", "--message", "second")
    for number in range(8):
        messages(checkout / f"long{number}.openai.json", *(f"{n} " + "字" * 230 for n in range(50)))

    out = run("review", "--fail-on", "never").out

    assert len(out) < 65_000 and "There was no room for" in out


@pytest.mark.parametrize("base", ["nothing", "--output=x", "", "0" * 40])
def test_a_commit_that_is_not_there_is_refused(checkout: Path, run: Run, base: str) -> None:
    result = run("review", f"--base={base}")

    assert result.code == 2 and "there is no commit" in result.err
    assert not Path("x").exists()


def test_a_folder_without_git_is_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    assert run("review").code == 2


# --- the action


class Runner:
    """A runner of the action's own steps: its files, its environment and a `gh` that writes down what it is asked."""

    def __init__(self, folder: Path, checkout: Path) -> None:
        self.folder, self.checkout = folder, checkout
        self.outputs: dict[str, dict[str, str]] = {}
        self.event = {"github.event.pull_request.number": "7", "github.repository": "a/b", "github.token": "t"}
        tools = folder / "bin"
        tools.mkdir(parents=True)
        (tools / "ctxlab").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ctxlab.cli "$@"\n')
        (tools / "gh").write_text(
            f'#!/bin/sh\necho "$@" >> "{folder}/asked"\ncat "{folder}/known" 2> /dev/null\nexit 0\n'
        )
        for tool in tools.iterdir():
            tool.chmod(0o755)
        self.path = os.pathsep.join([str(tools), os.environ["PATH"]])

    @property
    def asked(self) -> list[str]:
        return (self.folder / "asked").read_text().splitlines()

    def step(self, id: str, **inputs: str) -> int:
        """Run a step's script as bash is run by a runner; gives its exit code."""
        step = next(each for each in STEPS if each.get("id") == id)
        output = self.folder / f"{id}.output"
        output.touch()
        env = {
            **os.environ,
            **NOBODY,
            "PATH": self.path,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "widgets")]),
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
            "GITHUB_PATH": str(self.folder / "path"),
            **{name: self.value(text, inputs) for name, text in step["env"].items()},
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=self.checkout, env=env, capture_output=True, text=True, check=False)
        self.outputs[id] = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return done.returncode

    def value(self, text: str, inputs: dict[str, str]) -> str:
        """The value of an expression that the action uses: an input, an output of a step, or the event's."""
        name = text.removeprefix("${{").removesuffix("}}").strip()
        if name.startswith("inputs."):
            key = name.removeprefix("inputs.")
            return inputs.get(key.replace("-", "_"), ACTION["inputs"][key]["default"])
        if name.startswith("steps."):
            _, step, _, output = name.split(".")
            return self.outputs[step][output]
        return self.event[name]


@pytest.fixture
def runner(checkout: Path, tmp_path: Path) -> Runner:
    return Runner(tmp_path / "runner", checkout)


@pytest.fixture
def first(checkout: Path) -> Callable[..., str]:
    """Change a conversation in a second commit; gives the first."""

    def change(*texts: str) -> str:
        base = git(checkout, "rev-parse", "HEAD")
        messages(checkout / "sub/plain.openai.json", *texts)
        git(checkout, "commit", "--quiet", "--all", "--message", "second")
        return base

    return change


def test_the_action_writes_a_review_a_summary_and_a_comment(runner: Runner, first: Callable[..., str]) -> None:
    assert runner.step("review", base=first("Where is the boat?", "And the bell?")) == 0
    assert runner.outputs["review"]["failed"] == "false"
    review = Path(runner.outputs["review"]["review"])
    assert "boat" in review.read_text(encoding="utf-8")
    assert (runner.folder / "summary.md").read_bytes() == review.read_bytes()
    assert json.loads(Path(runner.outputs["review"]["sarif"]).read_bytes())["version"] == "2.1.0"

    assert runner.step("comment") == 0
    assert f"--method POST repos/a/b/issues/7/comments -F body=@{review}" in runner.asked[-1]
    (runner.folder / "known").write_text("41\n42\n")
    assert runner.step("comment") == 0
    assert f"--method PATCH repos/a/b/issues/comments/42 -F body=@{review}" in runner.asked[-1]
    assert runner.step("verdict") == 0


def test_the_action_fails_at_its_end_by_the_level_that_is_asked_for(runner: Runner, first: Callable[..., str]) -> None:
    base = first(f"My key is {KEY}")

    assert runner.step("review", base=base) == 0 and runner.step("verdict") == 1
    assert runner.step("review", base=base, fail_on="never") == 0 and runner.step("verdict") == 0


def test_the_action_takes_patterns_line_by_line_and_refuses_what_it_is_told_wrongly(
    runner: Runner, first: Callable[..., str]
) -> None:
    base = first("Where is the boat?")
    hostile = "*.txt\n\n$(touch pwned)\n--out=x\n"

    assert runner.step("review", base=base, files=hostile) == 0
    assert "No conversation changed." in (runner.folder / "ctxlab-review.md").read_text()
    assert not (runner.checkout / "pwned").exists() and not (runner.checkout / "x").exists()
    assert runner.step("review", base=base, budget="many") == 2
    assert runner.step("review", base="nothing") == 2


def test_the_action_uses_github_s_own_actions_alone_and_puts_no_value_into_a_script() -> None:
    used = [step["uses"] for step in STEPS if "uses" in step]

    assert used and all(re.fullmatch(r"(actions|github)/[\w/-]+@v\d+", each) for each in used)
    assert all("${{" not in step.get("run", "") for step in STEPS)
    assert all(step.get("shell") == "bash" for step in STEPS if "run" in step)
    assert all(each.get("description") for each in (*ACTION["inputs"].values(), *ACTION["outputs"].values()))
