"""A request as one JSON value: the lines of its body with the messages behind them, problems, losses, marks, price."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.providers import Fix, JsonPath, Payload, Place, path_text
from ctxlab.secrets import without_secret_fields
from ctxlab.studies.sent_prompt import sent_prompt
from ctxlab_widgets.request_view.body_lines import Bit, Line, body_lines
from ctxlab_widgets.request_view.parts import BodyParts, Stretch

HEAD = 20_000
"""Characters of one string that go to the page."""
HEAD_OF_BYTES = 24
LEAST_BYTES = 192
"""Characters from which a string that is no message's words may be base64."""
MOST_NAMED = 2
MOST_LOSSES = 200
BASE64 = re.compile(r"[A-Za-z0-9+/=_\-\s]+")
KINDS = ("media_type", "mime_type", "mimeType", "format")
"""Fields beside the bytes that name their kind."""
ROLES = {"model": "assistant", "developer": "system", "function": "tool"}


def request_json(payload: Payload) -> dict[str, Any]:
    """All that the page shows of a request. Long strings are cut, and bytes are told by kind and size.

    `lines`: [depth, bits, lines inside, part or -1, note, path] each. A bit is [kind, text] of a key, a sign or a
    value; [string, stretches, characters left out] of a string, where a stretch is [text as JSON, part]; or
    [bytes, first characters, what they are].
    """
    lines = body_lines(without_secret_fields(payload.body))
    numbers = {line.path: number for number, line in reversed([*enumerate(lines)]) if line.path or not number}
    for number, line in enumerate(lines):
        for bit in line.bits:
            numbers.setdefault(bit.path, number)
    writer = _LineWriter(payload)
    rows = [writer.row(line) for line in lines]
    writer.describe_folds(lines, rows)
    fixes: list[Fix] = []
    marks = payload.marks
    return {
        "lines": rows,
        "parts": writer.parts.rows,
        "problems": [_problem(each, numbers, fixes) for each in payload.problems],
        "losses": _losses(payload, fixes),
        "fixes": [fix.label for fix in fixes],
        "notes": [{"level": note.level, "text": note.text} for note in payload.notes],
        "marks": [_mark(mark.as_data(), mark.path, numbers, lines) for mark in marks.marks] if marks else [],
        "breaks": [each.as_data() for each in marks.breaks] if marks else [],
        "automatic": marks.automatic if marks else False,
        "steps": _steps(payload),
        "price": _price(payload),
        "bytes": payload.size or 0,
        "estimated": payload.trace.estimated,
        "stopped_at": payload.trace.stopped_at,
    }


def fixes_of(payload: Payload) -> list[Fix]:
    """The changes that the page offers, by their numbers in `request_json`."""
    fixes: list[Fix] = []
    for problem in payload.problems:
        fixes.extend(problem.fixes)
    _losses(payload, fixes)
    return fixes


class _LineWriter:
    """Lines as the page gets them, with the messages that they are of."""

    def __init__(self, payload: Payload) -> None:
        self.payload = payload
        self.parts = BodyParts(sent_prompt(payload.trace), payload.trace)
        self._places: dict[JsonPath, Place] = {place.path: place for place in payload.places}
        self._around: list[tuple[int, int]] = []

    def row(self, line: Line) -> list[Any]:
        """[depth, bits, lines inside, part, note, path]; lines inside is filled later."""
        while self._around and self._around[-1][0] >= line.depth + line.closes:
            self._around.pop()
        found: list[int] = []
        bits = [self._bit(bit, line, found) for bit in line.bits]
        own = self._places.get(line.path) if line.path and not line.closes else None
        if line.path == ("tools",) and not line.closes:
            found = [self.parts.tools(tool_names(self.payload.body["tools"]))]
            self._around.append((line.depth, found[0]))
        elif not found and own is not None and own.text is None:
            number = self.parts.part(own, _value(self.payload.body, line.path))
            found = [number]
            self._around.append((line.depth, number))
        inherited = self._around[-1][1] if self._around else -1
        parts = list(dict.fromkeys(found))
        note = [self._was(line.path, parts), parts[:MOST_NAMED], len(parts)] if parts else None
        return [line.depth, bits, 0, parts[0] if parts else inherited, note, path_text(line.path)]

    def describe_folds(self, lines: Sequence[Line], rows: list[list[Any]]) -> None:
        """Say of each line that opens something how many lines are inside and whose words."""
        around: list[tuple[int, list[int]]] = []
        for number, (line, row) in enumerate(zip(lines, rows, strict=True), start=1):
            while around and around[-1][0] < number:
                around.pop()
            for _, inside in around:
                if row[4] is not None and row[3] not in inside[-1:]:
                    inside.append(row[3])
            if line.end > number:
                inside: list[int] = []
                row[2] = line.end - number
                row.append(inside)
                around.append((line.end, inside))
        for row in rows:
            if len(row) > 6:
                row[6] = self._fold_words(row[2] + 1, cast("list[int]", row[6]))

    def _fold_words(self, lines: int, inside: list[int]) -> list[Any]:
        """[words, parts, number of parts, tokens] of what a fold hides."""
        numbers = list(dict.fromkeys(inside))
        names = [self.parts.rows[number]["name"] for number in numbers[:MOST_NAMED]]
        more = len(numbers) - len(names)
        words = ", ".join([*names, *([f"{more:,} more"] if more else []), counted(lines, "line")])
        tokens = sum(self.parts.rows[number]["tokens"] for number in numbers)
        return [words, numbers[:MOST_NAMED], len(numbers), tokens]

    def _bit(self, bit: Bit, line: Line, found: list[int]) -> list[Any]:
        if bit.kind != "string":
            place = self._places.get(bit.path) if bit.path != line.path and bit.kind == "sign" else None
            if place is not None and place.text is None:
                found.append(self.parts.part(place, _value(self.payload.body, bit.path)))
            return [bit.kind, str(bit), path_text(bit.path)] if bit.kind == "value" else [bit.kind, str(bit)]
        place = self._places.get(bit.path)
        if place is not None and place.text is not None:
            stretches = self.parts.stretches(place, place.text)
            found.extend(number for _, number in stretches if number >= 0)
        else:
            if place is not None:
                found.append(self.parts.part(place, bit.text))
            told = self._bytes(bit)
            if told:
                return ["bytes", str(Bit("string", bit.text[:HEAD_OF_BYTES]))[1:-1], told, path_text(bit.path)]
            stretches = [(bit.text, found[-1] if place is not None else -1)]
        shown, left_out = _cut(stretches)
        return ["string", shown, left_out, path_text(bit.path)]

    def _bytes(self, bit: Bit) -> str:
        """Kind and size of a string of base64, "image/png, 36 kB"; empty for any other string."""
        head, _, body = bit.text.partition(";base64,") if bit.text.startswith("data:") else ("", "", bit.text)
        if len(body) < LEAST_BYTES or BASE64.fullmatch(body[:LEAST_BYTES]) is None or " " in body[:LEAST_BYTES].strip():
            return ""
        beside = _value(self.payload.body, bit.path[:-1])
        kinds = [str(each) for name in KINDS if isinstance(beside, dict) and (each := beside.get(name))]
        kind = head.removeprefix("data:").partition(";")[0] or next(iter(kinds), "base64")
        return f"{plain(kind, 40)}, {size_words(len(body) * 3 // 4)}"

    def _was(self, path: JsonPath, parts: list[int]) -> str:
        """The role that a message had where the vendor gets its words in another one; else empty."""
        if not parts:
            return ""
        place = next((self._places[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self._places), None)
        place = place or next((self._places[each] for each in _inside(path, self._places)), None)
        draft = self.parts.draft(place) if place is not None else None
        if place is None or draft is None or draft.role not in ("system", "user", "assistant"):
            return ""
        role = _role_around(self.payload.body, place.path)
        return f"was a{'n' if draft.role[0] in 'aeiou' and draft.role != 'user' else ''} {draft.role} message" * bool(
            role and role != draft.role and role != "tool"
        )


def _inside(path: JsonPath, places: Mapping[JsonPath, Place]) -> Iterator[JsonPath]:
    """Paths of the places on one line: those of the few values that a line holds."""
    for name in ("content", "text", "output"):
        if (*path, name) in places:
            yield (*path, name)


def _role_around(body: Mapping[str, Any], path: JsonPath) -> str:
    """The role of the message in which a value stands; "system" beside the messages; empty where none is named."""
    found: object = body
    role = ""
    for step in path:
        found = _value(found, (step,))
        if isinstance(found, dict) and isinstance(named := cast("dict[str, object]", found).get("role"), str):
            role = ROLES.get(named, named)
    inside = path[:1] in (("messages",), ("input",), ("contents",))
    return role or ("" if inside else "system")


def _value(body: object, path: JsonPath) -> Any:
    found: Any = body
    for step in path:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            return None
    return found


def _cut(stretches: Sequence[Stretch]) -> tuple[list[list[Any]], int]:
    """Stretches as JSON writes them, up to so many characters, and how many are left out."""
    shown: list[list[Any]] = []
    room = HEAD
    left_out = 0
    for words, number in stretches:
        kept = words[:room]
        left_out += len(words) - len(kept)
        room -= len(kept)
        if kept:
            shown.append([str(Bit("string", kept))[1:-1], number])
    return shown, left_out


def tool_names(tools: object) -> list[str]:
    """The names of the tools of a body, in any vendor's form."""
    found: list[str] = []
    for tool in cast("list[object]", tools) if isinstance(tools, list) else []:
        members = cast("dict[str, object]", tool) if isinstance(tool, dict) else {}
        declared = members.get("functionDeclarations")
        if isinstance(declared, list):
            found += tool_names(cast("list[object]", declared))
            continue
        inner = members.get("function")
        name = cast("dict[str, object]", inner).get("name") if isinstance(inner, dict) else members.get("name")
        found.append(plain(str(name or members.get("type") or next(iter(members), "tool")), 48))
    return found


def size_words(size_bytes: int) -> str:
    """A size as people say it: "36 kB"."""
    if size_bytes < 1000:
        return counted(size_bytes, "byte")
    for unit, factor in (("kB", 1000), ("MB", 1_000_000)):
        if size_bytes < factor * 1000 or unit == "MB":
            value = size_bytes / factor
            return f"{value:,.1f} {unit}" if value < 10 else f"{value:,.0f} {unit}"
    return ""


# --- what is said about the lines


def line_of(path: JsonPath, numbers: Mapping[JsonPath, int]) -> int:
    """The number from 0 of the line that shows a value, or the nearest value around it."""
    return next((numbers[path[:end]] for end in range(len(path), -1, -1) if path[:end] in numbers), 0)


def _problem(problem: Any, numbers: Mapping[JsonPath, int], fixes: list[Fix]) -> dict[str, Any]:
    first = len(fixes)
    fixes.extend(problem.fixes)
    return {
        "line": line_of(problem.path, numbers),
        "place": problem.place,
        "rule": problem.rule,
        "reason": problem.reason,
        "mend": problem.mend,
        "level": problem.level,
        "fixes": list(range(first, len(fixes))),
    }


def _losses(payload: Payload, fixes: list[Fix]) -> list[dict[str, Any]]:
    """Losses of one kind and reason together, with how often; each fix once."""
    groups = Counter((each.kind, each.what, each.reason) for each in payload.losses)
    by_label: dict[tuple[str, str, str], Fix] = {}
    for each in payload.losses:
        if each.fix is not None:
            by_label.setdefault((each.kind, each.what, each.reason), each.fix)
    rows: list[dict[str, Any]] = []
    for (kind, what, reason), count in list(groups.items())[:MOST_LOSSES]:
        fix = by_label.get((kind, what, reason))
        known = next((n for n, old in enumerate(fixes) if old is fix or old == fix), None) if fix is not None else None
        if fix is not None and known is None:
            known = len(fixes)
            fixes.append(fix)
        rows.append({"kind": kind, "what": plain(what, 120), "reason": reason, "count": count, "fix": known})
    return rows


def _mark(
    data: dict[str, Any], path: JsonPath, numbers: Mapping[JsonPath, int], lines: Sequence[Line]
) -> dict[str, Any]:
    """A mark stands below the last line of its value."""
    at = line_of(path, numbers)
    return {**data, "line": lines[at].end - 1}


def _steps(payload: Payload) -> list[dict[str, str]]:
    trace = payload.trace
    rows = [{"id": step.id, "did": plain(trace.changes(n).summary, 160)} for n, step in enumerate(trace.steps)]
    found = [counted(len(payload.losses), "loss", "losses")] if payload.losses else []
    found += [counted(len(payload.problems), "problem")] if payload.problems else []
    said = ", ".join([f"{counted(len(trace.result.drafts), 'message')} put into the body", *found])
    return [*rows, {"id": payload.provider.name, "did": said}]


def _price(payload: Payload) -> dict[str, Any]:
    cost = payload.cost()
    names = ("input_tokens", "cached_tokens", "written_tokens", "output_tokens")
    prices = ("input_usd", "cached_usd", "output_usd", "most_usd", "source", "as_of")
    return {name: getattr(cost, name) for name in (*names, *prices)}
