"""Presets around, into and between the history: a second assembler, slow and plain, from the decisions alone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data, Form, form_of_message
from tests.golden.materials import AGENT
from tests.golden.reference import assembler_input
from tests.golden.rules.models import fits, model_of
from tests.golden.rules.rule import Rule

HISTORY = "chat_history"
BARE_TITLES = ("", "用户档案", "user_profile", "User Profile")
PLAIN = str.maketrans("，：～０１２３４５６７８９", ",:~0123456789")

Ordered = list[tuple[float, Form]]


def ours(case: Case) -> Any:
    """What the decisions make of a case."""
    if case.file == "injection_depth":
        return [(form["text"], form["source"][0]) for form in _assembled(assembler_input(case.input), {})]
    files = {form["index"]: form["files"] for form in case.expected if "files" in form and "index" in form}
    return _assembled(case.input, files)


def _assembled(data: Data, files: dict[int, Any]) -> list[Form]:
    history = [form_of_message(message) for message in data["messages"]]
    skeleton: list[tuple[Data, Form]] = []
    inside: dict[int, list[tuple[float, float, Form]]] = defaultdict(list)
    around: dict[str, dict[bool, Ordered]] = {}
    for i, preset in enumerate(_presets(data)):
        form = {"role": preset["role"], "text": _expanded(preset.get("content") or "", data), "index": i}
        form |= {"files": files[i]} if i in files else {}
        strategy = preset.get("injectionStrategy") or {}
        kind, order = _kind(strategy), 100 if strategy.get("order") is None else strategy["order"]
        source = {"skeleton": "agent_preset", "anchor": "anchor_injection"}.get(kind, "depth_injection")
        form["source"] = (source, preset.get("id") or "")
        if not is_active(preset, data):
            skeleton += [(preset, form)] if preset.get("type") == HISTORY else []
        elif kind == "skeleton":
            skeleton.append((preset, form))
        elif kind == "anchor":
            sides = around.setdefault(strategy.get("anchorTarget") or HISTORY, {True: [], False: []})
            sides[strategy.get("anchorPosition") == "before"].append((order, form))
        else:
            for depth in _depths(strategy, kind, len(history)):
                at = len(history) if depth < 0 else max(0, int(len(history) - depth))
                inside[at].append((-depth, order, form))
    middle = [
        form for name in lost_anchors(data) for before in (True, False) for form in _in_order(around[name][before])
    ]
    for at in range(len(history) + 1):
        middle += [form for *_, form in sorted(inside[at], key=lambda point: point[:2])]
        middle += history[at : at + 1]
    return _in_skeleton(skeleton, middle, around, templates(data))


def _in_skeleton(
    skeleton: list[tuple[Data, Form]], middle: list[Form], around: dict[str, dict[bool, Ordered]], templates: set[str]
) -> list[Form]:
    out: list[Form] = []
    seen: set[str] = set()
    if not any(preset.get("type") == HISTORY for preset, _ in skeleton):
        skeleton = [*skeleton, ({"type": HISTORY}, {})]
    for preset, form in skeleton:
        name = placeholder(preset)
        if name is None:
            out.append(form)
            continue
        sides = around.get(name, {True: [], False: []}) if name not in seen else {True: [], False: []}
        own = [form] if name in templates and preset.get("content", "").strip() not in BARE_TITLES else []
        if name == HISTORY:
            own = middle if name not in seen else []
        out += [*_in_order(sides[True]), *own, *_in_order(sides[False])]
        seen.add(name)
    return out


def _in_order(side: Ordered) -> list[Form]:
    return [form for _, form in sorted(side, key=lambda pair: pair[0])]


# --- what a case says


def _presets(data: Data) -> list[Data]:
    return (data.get("agentConfig") or {}).get("presetMessages") or []


def is_active(preset: Data, data: Data) -> bool:
    return preset.get("isEnabled") is not False and fits(preset.get("modelMatch"), model_of(data))


def placeholder(preset: Data) -> str | None:
    kind = preset.get("type")
    return None if kind in (None, "", "message") else kind


def templates(data: Data) -> set[str]:
    definitions = (data.get("shared") or {}).get("anchorDefinitions") or ()
    return {anchor["id"] for anchor in definitions if anchor.get("hasTemplate")}


def _kind(strategy: Data) -> str:
    known = {"depth": "depth", "advanced_depth": "depths", "anchor": "anchor"}
    if strategy.get("type") is not None:
        return known.get(strategy["type"], "skeleton")
    if strategy.get("depthConfig"):
        return "depths"
    if strategy.get("depth") is not None:
        return "depth"
    return "anchor" if strategy.get("anchorTarget") else "skeleton"


def _depths(strategy: Data, kind: str, length: int) -> Iterable[float]:
    if kind == "depth":
        return [] if strategy.get("depth") is None else [strategy["depth"]]
    return _points(strategy.get("depthConfig") or "", length)


def _points(config: str, length: int) -> list[int]:
    found: list[int] = []
    for segment in re.sub(r"\s*([~:,])\s*", r"\1", config.translate(PLAIN)).strip().split(","):
        if cycle := re.fullmatch(r"([0-9]+)[~:]([0-9]+)", segment):
            start, every = int(cycle[1]), int(cycle[2])
            found += range(start, length + 1, every) if every else [start]
        elif number := re.match(r"[+-]?[0-9]+", segment):
            found.append(int(number[0]))
    return [depth for depth in dict.fromkeys(found) if depth <= length]


def _expanded(text: str, data: Data) -> str:
    user, agent = data.get("userProfile") or {}, data.get("agentConfig") or AGENT
    values = {
        "user": user.get("name") or "User",
        "char": agent.get("name") or "Assistant",
        "persona": user.get("content") or "",
    }
    text = re.sub(r"(?<!\\)\{\{\s*(user|char|persona)\s*(::[^{}]*)?\}\}", lambda match: values[match[1]], text)
    return text.replace("\\{{", "{{")


def _active_strategies(case: Case) -> list[tuple[str, Data]]:
    data = case_input(case)
    strategies = [preset.get("injectionStrategy") or {} for preset in _presets(data) if is_active(preset, data)]
    return [(_kind(strategy), strategy) for strategy in strategies]


def case_input(case: Case) -> Data:
    return assembler_input(case.input) if case.file == "injection_depth" else case.input


def lost_anchors(data: Data) -> list[str]:
    """Anchors that active presets are for and that no active preset is the placeholder of, in order of mention."""
    active = [preset for preset in _presets(data) if is_active(preset, data)]
    strategies = [preset.get("injectionStrategy") or {} for preset in active]
    there = {
        HISTORY,
        *(placeholder(preset) for preset in active if _kind(preset.get("injectionStrategy") or {}) == "skeleton"),
    }
    wanted = [strategy.get("anchorTarget") or HISTORY for strategy in strategies if _kind(strategy) == "anchor"]
    return [name for name in dict.fromkeys(wanted) if name not in there]


# --- the rules


def _some_are_deeper_than_the_history(case: Case) -> bool:
    length = len(case_input(case)["messages"])
    strategies = _active_strategies(case)
    depths = [s["depth"] for kind, s in strategies if kind == "depth" and s.get("depth") is not None]
    return len(strategies) > 1 and any(depth > length for depth in depths)


def _has_loose_grammar(case: Case) -> bool:
    loose = re.compile(r"[，：～０-９]|[0-9]\s+[~:]|[~:]\s+[0-9]")
    return any(kind == "depths" and loose.search(s.get("depthConfig") or "") for kind, s in _active_strategies(case))


def _loses_anchors(case: Case) -> bool:
    return bool(lost_anchors(case_input(case)))


def _repeats_a_placeholder(case: Case) -> bool:
    names = [placeholder(preset) for preset in _presets(case.input) if placeholder(preset)]
    return len(names) != len(set(names))


def _repeats_an_id(case: Case) -> bool:
    presets = _presets(case.input)
    ids = [preset.get("id") for preset in presets]
    return len(ids) != len(set(ids)) and any("{{" in preset.get("content", "") for preset in presets)


BOTH = ("injection_depth", "injection_assembler")
ASSEMBLER = ("injection_assembler",)
RULES = (
    Rule(
        "D37",
        "Depths count the history as it was and the deepest stands first, also beyond its head; "
        "the reference counts a list that grows and turns the order round.",
        BOTH,
        _some_are_deeper_than_the_history,
        ours,
    ),
    Rule(
        "decisions, Injection: grammar",
        "Full-width signs and blanks are what people type; read as the number before them, a cycle is lost unseen.",
        BOTH,
        _has_loose_grammar,
        ours,
    ),
    Rule(
        "D12",
        "What is to go to an anchor that isn't there stands just before the history, with a warning; "
        "the reference drops it unseen.",
        BOTH,
        _loses_anchors,
        ours,
    ),
    Rule(
        "decisions, Injection: repeated placeholder",
        "What was put at an anchor is sent once, however often the placeholder stands in the presets.",
        ASSEMBLER,
        _repeats_a_placeholder,
        ours,
    ),
    Rule(
        "D11",
        "Each preset is sent with its own words; the reference keeps them by id and mixes up presets of equal id.",
        ASSEMBLER,
        _repeats_an_id,
        ours,
    ),
)
