"""The bundled files, and SillyTavern's own where they are at hand."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

from tests.golden.second_opinion.books import ROLES, preset
from tests.golden.second_opinion.case import REAL, ROOT, Case, Data, entries_of, said


def bundled() -> Iterator[Case]:
    session = json.loads((ROOT / "datasets" / "harbour_roleplay.session.json").read_bytes())
    book = json.loads((ROOT / "datasets" / "harbour_lore.json").read_bytes())
    scripts = json.loads((ROOT / "datasets" / "harbour_rules.json").read_bytes())
    chat = _path_of(session)
    about = {"preset": preset(random.Random(0)), "names": {"user": "Lin", "char": "沈砚"}}
    for end in range(1, len(chat) + 1, 3):
        for depth in (1, 4):
            data = {"books": [book], "chat": chat[:end], "depth": depth, **about}
            yield Case("prompt", f"harbour lore, {end} messages, scan depth {depth}", copy.deepcopy(data))
    data = {"books": [], "chat": chat, "depth": 2, "scripts": scripts, **about}
    yield Case("prompt", "harbour rules on the chat", copy.deepcopy(data))
    texts = [
        *(one["text"] for one in chat[::3]),
        '（（场外：快一点））雨,停了.\n沈砚："Halcyon"在21:15回来',
        "*他慢慢走向那扇从来不开的第三扇窗，再没有回头，也没有说话，只是看着海面*",
    ]
    for script, (number, text) in product(scripts, enumerate(texts)):
        for stage in ("request", "render"):
            data = {"scripts": [script], "text": text, "role": "assistant", "depth": 6, "stage": stage}
            yield Case("regex", f"{script['id']}, text {number}, {stage}", {**data, "names": about["names"]})


def _path_of(session: Data) -> list[Data]:
    """Messages of the active path that are on, oldest first."""
    nodes, at, path = session["nodes"], session["activeLeafId"], list[Data]()
    while at:
        node = nodes[at]
        if node.get("content") and node.get("isEnabled") is not False and node["role"] in ROLES:
            path.append({"role": node["role"], "text": node["content"].replace("{{", "{")})
        at = node.get("parentId")
    return path[::-1]


# --- SillyTavern's own

TALK = (
    "Tell me of Eldoria, the forest.",
    "A Shadowfang? What beasts live here?",
    "这里有 magic 吗？ Is the glade safe?",
    "Nothing of this matters.",
)


def real() -> Iterator[Case]:
    from ctxlab.formats import read as read_file

    eldoria = json.loads((REAL / "Eldoria.json").read_bytes())
    default = json.loads((REAL / "openai" / "Default.json").read_bytes())
    carried = read_file(REAL / "default_Seraphina.png").agents[0].carried or {}
    card = json.loads(json.dumps(carried["sillytavern"]))
    book = card["data"]["character_book"]
    for name, holder in (("Eldoria", eldoria), ("Seraphina", book)):
        for entry in entries_of(holder):
            entry["comment"] = f"{name}: {said(entry, 'key')[0]}"
    names = {"user": "Kim", "char": "Seraphina"}
    for end, depth in product(range(1, len(TALK) + 1), (1, 3)):
        chat = [{"role": ROLES[n % 2], "text": text} for n, text in enumerate(TALK[:end])]
        common = {"chat": chat, "depth": depth, "names": names}
        about = f"{end} messages, scan depth {depth}"
        yield _copy("prompt", f"Eldoria, {about}", books=[eldoria], preset=preset(random.Random(2)), **common)
        yield _copy("prompt", f"Seraphina's book, {about}", books=[book], preset=preset(random.Random(2)), **common)
        yield _copy("prompt", f"Default preset, {about}", books=[eldoria], preset=default, **common)
        yield _copy("prompt", f"Seraphina, {about}", books=[eldoria], preset=default, card=card, **common)


def _copy(kind: str, name: str, **data: Any) -> Case:
    return Case(kind, name, copy.deepcopy(data))
