"""Two vendors' requests of one conversation, place by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Draft
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers import JsonPath, Payload, path_text
from ctxlab.studies.request_fields import FIELD_NAMES, parameter_fields
from ctxlab.studies.request_forms import Forms, MessageForm, keys_by_turn, message_forms, moved_among
from ctxlab.studies.request_json import (
    first_difference,
    place_words,
    same_json,
    value_or_missing,
    value_words,
    without_members,
)
from ctxlab.studies.titled_names import TitledNames

if TYPE_CHECKING:
    import pandas as pd

DifferenceKind = Literal["moved", "renamed", "changed", "added", "dropped", "same"]
KINDS: tuple[DifferenceKind, ...] = ("moved", "renamed", "changed", "added", "dropped")
COLUMNS = ("kind", "what", "first", "second", "tokens", "change")
MOST_NAMED = 3
MARKS = frozenset({"cache_control"})
"""Members of a turn that have a row of their own."""
VALUE = 60


@dataclass(frozen=True, slots=True)
class RequestDifference:
    """A thing that two requests have at another place, under another name, or that only one of them has.

    `first` and `second` say where it is in each. `tokens` are those of its messages with their framing, as the second
    request counts them, or the first where only that has them; 0 of a parameter. `change` is what the second has more
    of them than the first, below 0 where it has fewer.
    """

    kind: DifferenceKind
    what: str
    first: str
    second: str
    tokens: int = 0
    change: int = 0

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
        """One row a difference: what it is, where it is in either request, its tokens and what it changes of the total.

        `change` adds up to the tokens of `b` minus those of `a`, if one tokenizer counted both and no message of either
        was left out by its vendor's form.
        """
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
    """The differences of the second request from the first: moved, renamed, changed, added or dropped.

    A message is moved that is of another role, in another turn, or stands elsewhere among the others. Where nothing
    else differs and the bodies aren't the same JSON, the first place where they aren't is a row.
    """
    left, right = message_forms(a), message_forms(b)
    rows = [
        *_messages(a, b, left, right),
        *_turns(a, b, left, right),
        *field_differences(a, b),
        *_marks(a, b),
        *_losses(a, b),
    ]
    if all(row.kind == "same" for row in rows):
        rows += _anywhere(a, b)
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


def field_differences(a: Payload, b: Payload) -> Iterator[RequestDifference]:
    """Rows of what is no message: the model, parameters and tools, the same ones too."""
    yield from _model(a, b)
    yield from _parameters(a, b)
    yield from _tools(a, b)


# --- messages


def _messages(
    a: Payload, b: Payload, left: Mapping[str, MessageForm], right: Mapping[str, MessageForm]
) -> Iterator[RequestDifference]:
    """Rows of messages; those that differ in the same way are one row."""
    mine, theirs = _drafts(a), _drafts(b)
    drafts = theirs | mine
    names = TitledNames(b.trace, a.trace)
    elsewhere = moved_among(left, right)
    groups: dict[tuple[Any, ...], list[str]] = {}
    for key in [*left, *(key for key in right if key not in left)]:
        one, other = left.get(key), right.get(key)
        kind, places = _kind(one, other), elsewhere.get(key, 0)
        if kind == "same" and places:
            kind = "moved"
        elif kind == "same" and one is not None and other is not None and one.words != other.words:
            kind = "changed"
        groups.setdefault((kind, one and one.shape, other and other.shape, places), []).append(key)
    for (kind, *_), keys in groups.items():
        before = _tokens(a, [mine[key] for key in keys if key in mine and key in left])
        after = _tokens(b, [theirs[key] for key in keys if key in theirs and key in right])
        where = [_where([forms[key] for key in keys if key in forms]) for forms in (left, right)]
        named = _named(keys, names, drafts)
        yield RequestDifference(kind, named, where[0], where[1], before if kind == "dropped" else after, after - before)


def _drafts(payload: Payload) -> dict[str, Draft]:
    return {draft.key: draft for draft in payload.trace.result.drafts}


def _tokens(payload: Payload, drafts: Iterable[Draft]) -> int:
    return sum(map(payload.trace.services.tokenizer.count_draft, drafts))


def _named(keys: Sequence[str], names: TitledNames, drafts: Mapping[str, Draft]) -> str:
    said = [names.of(drafts[key]) if key in drafts else plain(key, VALUE) for key in keys[:MOST_NAMED]]
    more = [f"{len(keys) - MOST_NAMED:,} more"] if len(keys) > MOST_NAMED else []
    return ", ".join([*said, *more])


def _kind(one: MessageForm | None, other: MessageForm | None) -> DifferenceKind:
    if one is None or other is None:
        return "added" if one is None else "dropped"
    if (one.role == "tool" and other.role == "user") or (one.role == "user" and other.role == "tool"):
        return "renamed" if not one.joined and not other.joined else "moved"
    return "same" if one.shape == other.shape else "moved"


def _where(forms: list[MessageForm]) -> str:
    if not forms:
        return "none"
    return f"{forms[0]}{f' and {len(forms) - 1:,} more' if len(forms) > 1 else ''}"


def _turns(a: Payload, b: Payload, left: Forms, right: Forms) -> Iterator[RequestDifference]:
    """Rows of messages with the same words whose turns differ in something else: a name, a call, a file, a form.

    Two vendors' turns differ in all of that, so only those of one wire format are compared.
    """
    if a.provider.wire != b.provider.wire:
        return
    of_left, of_right = keys_by_turn(left), keys_by_turn(right)
    groups: dict[JsonPath, list[tuple[str, str, str]]] = {}
    for turn, keys in of_left.items():
        there = right[keys[0]].turn if keys[0] in right else None
        if there is None or of_right[there] != keys or any(left[key].words != right[key].words for key in keys):
            continue
        mine, theirs = (
            without_members(value_or_missing(body, path), MARKS) for body, path in ((a.body, turn), (b.body, there))
        )
        found = first_difference(mine, theirs)
        if found is not None:
            path, one, other = found
            rows = place_words((*turn, *path), one), place_words((*there, *path), other)
            groups.setdefault(path, []).append((keys[0], *rows))
    drafts, names = _drafts(a), TitledNames(a.trace)
    for rows in groups.values():
        more = f" and {len(rows) - 1:,} more" if len(rows) > 1 else ""
        what = _named([key for key, _, _ in rows], names, drafts)
        yield RequestDifference("changed", what, f"{rows[0][1]}{more}", f"{rows[0][2]}{more}")


# --- model, parameters, tools, marks, losses


def _anywhere(a: Payload, b: Payload) -> Iterator[RequestDifference]:
    """The first place at which the bodies differ, whatever it is."""
    found = first_difference(a.body, b.body)
    if found is not None:
        path, one, other = found
        yield RequestDifference("changed", path_text(path), value_words(one, path), value_words(other, path))


def _model(a: Payload, b: Payload) -> Iterator[RequestDifference]:
    """The model where both are sent in one wire format; two vendors' are in the titles."""
    one, other = a.body.get("model"), b.body.get("model")
    if a.provider.wire == b.provider.wire and not same_json(one, other):
        yield RequestDifference("changed", "model", value_words(one, ("model",)), value_words(other, ("model",)))


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
            kind = "renamed" if mine[0] != theirs[0] else "same" if same_json(mine[1], theirs[1]) else "changed"
            yield RequestDifference(kind, name, one, other)


def _field(found: tuple[str, object] | None) -> str:
    if found is None:
        return "none"
    path, value = found
    return f"{path}: {value_words(value, tuple(path.split('.')))}"


def _tools(a: Payload, b: Payload) -> Iterator[RequestDifference]:
    mine, theirs = a.body.get("tools"), b.body.get("tools")
    left, right = _tool_form(mine), _tool_form(theirs)
    change = b.trace.request_tokens - a.trace.request_tokens
    found = first_difference(mine, theirs, ("tools",)) if left == right and left else None
    if found is not None:
        path, one, other = found
        yield RequestDifference("changed", "tools", place_words(path, one), place_words(path, other), 0, change)
    elif left or right:
        kind: DifferenceKind = (
            "same" if left == right else "added" if not left else "dropped" if not right else "renamed"
        )
        yield RequestDifference(kind, "tool schema", left or "none", right or "none", 0, change)


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
    if left == right and _marked(a) != _marked(b):
        yield RequestDifference("changed", "cache marks", f"{left}: {_marked(a)}", f"{right}: {_marked(b)}")
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


def _marked(payload: Payload) -> str:
    """The places that are marked in the body."""
    marks = payload.marks.marks if payload.marks is not None else ()
    return ", ".join(path_text(mark.path) for mark in marks if mark.effective)


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
