"""Write the cases of the suite to `cases/`, a file a topic; with `--check` say whether they are as it would write them.

Nothing here asks ctxlab: what is expected is written down or reckoned by the rules of the README.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TOPICS = ("messages", "drops", "budgets", "lore", "rules", "macros", "payloads")


def files() -> dict[Path, str]:
    """The text of each file of cases, by its path."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    return {FOLDER / "cases" / f"{name}.json": _text(name) for name in TOPICS}


def _text(name: str) -> str:
    cases = import_module(f"builders.{name}").build().cases
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    return f'{{"suite": "ctxlab-conformance", "version": 1, "topic": "{name}", "cases": [\n{lines}\n]}}\n'


def main(arguments: list[str]) -> int:
    made = files()
    if "--check" in arguments:
        stale = [path.name for path, text in made.items() if not path.exists() or path.read_text("utf-8") != text]
        print(f"not as make.py writes them: {', '.join(stale)}" if stale else "the cases are as make.py writes them")
        return 1 if stale else 0
    for path, text in made.items():
        path.write_text(text, "utf-8")
        print(f"{path.stem}: {text.count(chr(10)) - 2} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
