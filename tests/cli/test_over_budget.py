"""The command line refuses a run that turns out larger than its budget, in the words of `build`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run, Written

EARLY = ("--set", "token-limiter.priority=250")


def test_a8_build_step_and_compare_refuse_alike(run: Run, tmp_path: Path, written: Written) -> None:
    file = written(("user", "hello there"))
    agent = tmp_path / "agent.json"
    agent.write_text(json.dumps({"id": "a", "presetMessages": [{"role": "system", "content": "word " * 100}]}))
    asked = (file, "--agent", agent, *EARLY)

    built = run("build", *asked, "--budget", 60)
    stepped = run("step", *asked, "--budget", 60, stdin="r\nn\nq\n")
    compared = run("compare", *asked, "--budgets", "60,400")

    told = "injection-assembler added"
    assert built.code != 0 and told in " ".join(built.err.split())
    assert " ".join(stepped.out.split()).count(told) == 2
    assert "asset-resolver>" in stepped.out
    assert compared.code == 0 and told in " ".join(compared.out.split())
