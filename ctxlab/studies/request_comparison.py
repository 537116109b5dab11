"""Two vendors' requests of one conversation, place by place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

import orjson

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.providers import JsonPath, Payload, Place, path_text
from ctxlab.studies.request_fields import FIELD_NAMES, parameter_fields
from ctxlab.studies.titled_names import TitledNames

if TYPE_CHECKING:
    import pandas as pd

DifferenceKind = Literal["moved", "renamed", "changed", "added", "dropped", "same"]
KINDS: tuple[DifferenceKind, ...] = ("moved", "renamed", "changed", "added", "dropped")
COLUMNS = ("kind", "what", "first", "second", "tokens")
CONVERSATION = ("messages", "input", "contents")
ROLES = {"model": "assistant", "developer": "system", "function": "tool"}
MOST_NAMED = 3
VALUE = 60


@dataclass(frozen=True, slots=True)
class RequestDifference:
    """A thing that two requests have at another place, under another name, or that only one of them has.

    `first` and `second` say where it is in each; `tokens` are those of the messages, 0 of a parameter.
    """

    kind: DifferenceKind
    what: str
    first: str
    second: str
    tokens: int = 0

    def as_data(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in COLUMNS}


@dataclass(frozen=True, eq=False)
class RequestComparison:
    """Two requests side by side; `differences` are what isn't the same, `same` what is.

    `messages` are all that either has, `other_texts` those of them whose words differ or that only one has.
    """

    a: Payload
    b: Payload
    differences: tuple[RequestDifference, ...]
    same: tuple[RequestDifference, ...]
    messages: int
    other_texts: int

    def __repr__(self) -> str:
        return f"RequestComparison({self.a.provider.name!r}, {self.b.provider.name!r}, {self.summary})"

    def _repr_html_(self) -> str:
        rows = ((each.kind, each.what, each.first, each.second) for each in self.differences)
        return heading(self) + html_table(("kind", "what", self.titles[0], self.titles[1]), rows, cells=120)

    @property
    def titles(self) -> tuple[str, str]:
        """Vendor and model of each, in words."""
        first, second = (f"{each.provider.title}, {each.model.name}" for each in (self.a, self.b))
        return first, second

    @cached_property
    def summary(self) -> str:
        """The number of differences by kind, and whether the words are the same, as a sentence."""
        counts = {kind: sum(each.kind == kind for each in self.differences) for kind in KINDS}
        found = ", ".join(f"{n} {kind}" for kind, n in counts.items() if n)
        differ = "place differs" if len(self.differences) == 1 else "places differ"
        first = f"{len(self.differences)} {differ}: {found}." if found else "no place differs."
        return f"{first} {self._words()}".strip()

    def _words(self) -> str:
        if not self.messages:
            return ""
        if self.messages == 1:
            return f"The text of the message {'differs' if self.other_texts else 'is the same'}."
        if self.other_texts:
            return f"The text of {self.other_texts} of {self.messages} messages differs."
        return f"The text of all {self.messages} messages is the same."

    def frame(self) -> pd.DataFrame:
        """One row a difference: what it is, and where it is in either request."""
        return frame_of((each.as_data() for each in self.differences), COLUMNS)

    def as_data(self) -> dict[str, Any]:
        return {
            "titles": [*self.titles],
            "names": [self.a.provider.title, self.b.provider.title],
            "summary": self.summary,
            "rows": [each.as_data() for each in self.differences],
            "same": [each.as_data() for each in self.same],
            "totals": [_totals(self.a), _totals(self.b)],
        }


@checked_arguments
def compare_requests(a: Payload, b: Payload) -> RequestComparison:
    """The differences of the second request from the first: moved, renamed, changed, added or dropped."""
    left, right = _forms(a), _forms(b)
    rows = [
        *_messages(a, left, right),
        *_parameters(a, b),
        *_tools(a, b),
        *_marks(a, b),
        *_losses(a, b),
    ]
    keys = list({**left, **right})
    same = [key for key in keys if key in left and key in right and left[key].words == right[key].words]
    return RequestComparison(
        a,
        b,
        tuple(row for row in rows if row.kind != "same"),
        tuple(row for row in rows if row.kind == "same"),
        len(keys),
        len(keys) - len(same),
    )


# --- messages


@dataclass(slots=True)
class _Form:
    """The form of one message in a body: its first place, in which role, alone or in the turn of another one."""

    place: Place
    role: str
    inside: bool
    joined: bool
    words: str

    @property
    def shape(self) -> tuple[str, bool]:
        return self.role, self.inside

    def __str__(self) -> str:
        role = f", role {self.role}" if self.inside and self.role else ""
        return f"{path_text(self.place.path)}{role}{', in the turn of another' if self.joined else ''}"


def _forms(payload: Payload) -> dict[str, _Form]:
    """By key of a message its form; one pass over the places."""
    found: dict[str, _Form] = {}
    first_of_turn: dict[JsonPath, str] = {}
    for place in payload.places:
        words = str(place.text) if place.text is not None else ""
        known = found.get(place.key)
        if known is not None:
            known.words += words
            continue
        inside = place.path[:1] in {(name,) for name in CONVERSATION} and len(place.path) > 1
        turn = place.path[:2] if inside else place.path[:1]
        owner = first_of_turn.setdefault(turn, place.key)
        role = _role(payload.body, place.path) if inside else "system"
        found[place.key] = _Form(place, role, inside, inside and owner != place.key, words)
    return found


def _role(body: Mapping[str, Any], path: JsonPath) -> str:
    turn: Any = body[str(path[0])][path[1]]
    if not isinstance(turn, dict):
        return ""
    members = cast("dict[str, object]", turn)
    role = members.get("role")
    if isinstance(role, str):
        return ROLES.get(role, role)
    kind = str(members.get("type", ""))
    return "tool" if kind.endswith("_output") else "assistant" if kind.endswith("_call") else ""


def _messages(a: Payload, left: Mapping[str, _Form], right: Mapping[str, _Form]) -> Iterator[RequestDifference]:
    """Rows of messages; those that differ in the same way are one row."""
    drafts = {draft.key: draft for draft in a.trace.result.drafts}
    names = TitledNames(a.trace)
    groups: dict[tuple[Any, ...], list[str]] = {}
    for key in [*left, *(key for key in right if key not in left)]:
        one, other = left.get(key), right.get(key)
        kind = _kind(one, other)
        if kind == "same" and one is not None and other is not None and one.words != other.words:
            kind = "changed"
        groups.setdefault((kind, one and one.shape, other and other.shape), []).append(key)
    for (kind, _, _), keys in groups.items():
        known = [drafts[key] for key in keys if key in drafts]
        said = [names.of(drafts[key]) if key in drafts else plain(key, VALUE) for key in keys[:MOST_NAMED]]
        more = [f"{len(keys) - MOST_NAMED:,} more"] if len(keys) > MOST_NAMED else []
        tokens = sum(map(a.trace.services.tokenizer.count_draft, known))
        where = [_where([forms[key] for key in keys if key in forms]) for forms in (left, right)]
        yield RequestDifference(kind, ", ".join([*said, *more]), where[0], where[1], tokens)


def _kind(one: _Form | None, other: _Form | None) -> DifferenceKind:
    if one is None or other is None:
        return "added" if one is None else "dropped"
    if (one.role == "tool" and other.role == "user") or (one.role == "user" and other.role == "tool"):
        return "renamed" if not one.joined and not other.joined else "moved"
    return "same" if one.shape == other.shape else "moved"


def _where(forms: list[_Form]) -> str:
    if not forms:
        return "none"
    return f"{forms[0]}{f' and {len(forms) - 1:,} more' if len(forms) > 1 else ''}"


# --- parameters, tools, marks, losses


def _parameters(a: Payload, b: Payload) -> Iterator[RequestDifference]:
    left, right = parameter_fields(a.body), parameter_fields(b.body)
    reasons = {loss.what.partition(" ")[0]: loss.reason for loss in b.losses if loss.kind == "parameter"}
    for what in [*left, *(what for what in right if what not in left)]:
        mine, theirs = left.get(what), right.get(what)
        name = FIELD_NAMES.get(what, what)
        one, other = _field(mine), _field(theirs)
        if mine is None:
            yield RequestDifference("added", name, "none", other)
        elif theirs is None:
            why = reasons.get(what, "")
            yield RequestDifference("dropped", name, one, f"dropped: {why}" if why else "none")
        else:
            kind = "renamed" if mine[0] != theirs[0] else "same" if mine[1] == theirs[1] else "changed"
            yield RequestDifference(kind, name, one, other)


def _field(found: tuple[str, object] | None) -> str:
    if found is None:
        return "none"
    path, value = found
    said = value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    return f"{path}: {plain(said, VALUE)}"


def _tools(a: Payload, b: Payload) -> Iterator[RequestDifference]:
    left, right = _tool_form(a.body.get("tools")), _tool_form(b.body.get("tools"))
    if left or right:
        kind: DifferenceKind = (
            "same" if left == right else "added" if not left else "dropped" if not right else "renamed"
        )
        yield RequestDifference(kind, "tool schema", left or "none", right or "none")


def _tool_form(tools: object) -> str:
    """The path of the first tool's schema, and how many tools there are."""
    path: list[str | int] = ["tools"]
    found: object = tools
    for _ in range(6):
        if isinstance(found, list) and found:
            path, found = [*path, 0], cast("list[object]", found)[0]
        elif isinstance(found, dict):
            members = cast("dict[str, object]", found)
            name = next((each for each in SCHEMAS if each in members), None)
            inner = next((each for each in AROUND_SCHEMA if each in members), None)
            if name is not None:
                return path_text((*path, name))
            if inner is None:
                return path_text(tuple(path))
            path, found = [*path, inner], members[inner]
        else:
            return path_text(tuple(path)) if found else ""
    return path_text(tuple(path))


SCHEMAS = ("parameters", "parametersJsonSchema", "input_schema")
AROUND_SCHEMA = ("function", "functionDeclarations", "function_declarations")


def _marks(a: Payload, b: Payload) -> Iterator[RequestDifference]:
    left, right = _mark_words(a), _mark_words(b)
    if left != right:
        kind: DifferenceKind = "added" if left == "none" else "dropped" if right == "none" else "changed"
        yield RequestDifference(kind, "cache marks", left, right)


def _mark_words(payload: Payload) -> str:
    marks = payload.marks
    if marks is None or not (marks.marks or marks.automatic):
        return "none"
    idle = sum(not mark.effective for mark in marks.marks)
    words = [f"{len(marks.marks)}" if marks.marks else "none, automatic"]
    return ", ".join([*words, *([f"{idle} without effect"] if idle else [])])


def _losses(a: Payload, b: Payload) -> Iterator[RequestDifference]:
    """Losses of only one of the two; parameters and messages in another role have their own rows."""
    of_a, of_b = (_grouped(each) for each in (a, b))
    for what, (count, reason) in of_b.items():
        if what not in of_a:
            yield RequestDifference("dropped", what[1], _times("sent", count), reason)
    for what, (count, reason) in of_a.items():
        if what not in of_b:
            yield RequestDifference("added", what[1], reason, _times("sent", count))


def _times(word: str, count: int) -> str:
    return word if count == 1 else f"{word}, {counted(count, 'time')}"


def _grouped(payload: Payload) -> dict[tuple[str, str], tuple[int, str]]:
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for loss in payload.losses:
        if loss.kind not in ("parameter", "role"):
            what = (loss.kind, plain(loss.what, VALUE))
            found[what] = (found.get(what, (0, ""))[0] + 1, loss.reason)
    return found


def _totals(payload: Payload) -> dict[str, Any]:
    cost = payload.cost()
    return {
        "tokens": cost.input_tokens,
        "bytes": payload.size,
        "input_usd": cost.input_usd,
        "cached_usd": cost.cached_usd,
        "most_usd": cost.most_usd,
    }
