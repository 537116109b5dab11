"""The table of docs/what_your_template_does.md on llama.cpp: all published templates through a real server each.

    .venv/bin/python -m tests.engines.chat_templates.llama_cpp_table

It takes about fifteen minutes on two cores. A template whose server gives no answer in 20 seconds counts as none.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ctxlab.engines.chat_templates import JinjaTemplate
from tests.engines.chat_templates.published import every_template
from tests.engines.chat_templates.real_llama_cpp import write_model
from tests.engines.chat_templates.test_llama_cpp_engine import CHATS, SERVER, ours

KINDS = ("equal", "both refuse", "another text", "only the server refuses", "only ctxlab refuses")


def of_template(template: JinjaTemplate, model: Path, folder: Path) -> dict[str, str] | None:
    """By chat how both texts compare; None where no server starts with the template."""
    path = folder / f"{template.name}.jinja"
    path.write_text(template.source, "utf-8")
    typed = [sys.executable, str(SERVER), str(model), str(path), str(folder / "chats.json")]
    try:
        theirs = json.loads(subprocess.run(typed, check=True, capture_output=True, timeout=20).stdout)
    except (subprocess.SubprocessError, ValueError):
        return None
    return {kind: compared(ours(template, chat), theirs[kind]) for kind, chat in CHATS.items()}


def compared(mine: str | None, theirs: dict[str, Any]) -> str:
    """One of KINDS."""
    if "prompt" not in theirs:
        return "both refuse" if mine is None else "only the server refuses"
    return "only ctxlab refuses" if mine is None else "equal" if mine == theirs["prompt"] else "another text"


def table() -> str:
    """The table as Markdown."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "chats.json").write_text(json.dumps(CHATS), "utf-8")
        write_model(folder / "tiny.gguf")
        with ThreadPoolExecutor(2) as pool:
            found = [*pool.map(lambda each: of_template(each, folder / "tiny.gguf", folder), every_template())]
    served = [each for each in found if each is not None]
    head = ["| chat |", *(f" {kind} |" for kind in KINDS)]
    rows = ["".join(head), "|---|" + "--:|" * len(KINDS)]
    for kind in CHATS:
        counts = Counter(each[kind] for each in served)
        rows.append(f"| {kind} |" + "".join(f" {counts[name]} |" for name in KINDS))
    return "\n".join([f"{len(served)} of {len(found)} templates let a server start.", "", *rows])


if __name__ == "__main__":
    print(table())
