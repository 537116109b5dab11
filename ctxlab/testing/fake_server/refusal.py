"""Rules of the fake vendors, refusals by them, and the report that collects refusals while a body is checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Literal, NamedTuple, get_args

from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.lazy_dataclass import dataclass

Vendor = Literal["openai", "openai-responses", "anthropic", "gemini", "deepseek", "openai-compatible"]
VENDORS: tuple[Vendor, ...] = get_args(Vendor)
Path = tuple[str | int, ...]

Source = Literal["documentation", "recording", "report", "types"]
"""A vendor's documentation, a recorded reply, an error that users reported, or the request types of its SDK."""


class Rule(NamedTuple):
    """Something that a vendor refuses: since when it is known, and where that stands."""

    id: str
    says: str
    source: str
    date: str
    kind: Source = "documentation"


Rules = Mapping[str, Rule]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason for which a vendor would refuse a request; `path` leads to the place in the body."""

    vendor: Vendor
    rule: str
    path: Path
    message: str
    status: int = 400

    @property
    def place(self) -> str:
        """The path as this vendor writes it.

        >>> Refusal("anthropic", "empty-text", ("messages", 0, "content"), "").place
        'messages.0.content'
        >>> Refusal("openai", "empty-text", ("messages", 0, "content"), "").place
        'messages[0].content'
        """
        if self.vendor == "anthropic":
            return ".".join(map(str, self.path))
        written = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        return written.removeprefix(".")


def rules(*rows: Rule | Iterable[Rule]) -> dict[str, Rule]:
    """A table of rules by their ids; two rules of one id are an error of ours."""
    flat = [rule for row in rows for rule in ([row] if isinstance(row, Rule) else row)]
    table = {rule.id: rule for rule in flat}
    if len(table) != len(flat):
        raise CtxlabError(f"two rules have one id: {sorted(rule.id for rule in flat)}")
    return table


def shape_rules(source: str, date: str) -> tuple[Rule, ...]:
    """The rules that follow from the types of a request: one row for each way in which a value can be another shape."""
    return tuple(
        Rule(f"shape.{name}", says, source, date, "types")
        for name, says in (
            ("json", "A body is one JSON object."),
            ("type", "A value has the type of its field."),
            ("missing", "Required fields are there."),
            ("unknown", "Fields that the vendor doesn't list are refused."),
            ("choice", "A value is one of those that the vendor lists."),
            ("range", "Numbers are within their limits."),
            ("length", "Texts and lists are within their limits."),
            ("pattern", "Names and ids have the letters that the vendor takes."),
        )
    )


@dataclass(slots=True)
class Report:
    """Refusals collected in the order in which they are found; a rule that isn't in the table is an error of ours."""

    vendor: Vendor
    rules: Rules
    open: bool = False
    """Whether fields that nobody lists pass."""
    refusals: list[Refusal] = field(default_factory=list[Refusal])

    def refuse(self, rule: str, path: Path, message: str, *, status: int = 400) -> None:
        if rule not in self.rules:
            raise CtxlabError(f"{self.vendor} has no rule {rule!r}; {did_you_mean(rule, [*self.rules])}")
        self.refusals.append(Refusal(self.vendor, rule, path, message, status))


class SentSignatures(NamedTuple):
    """Signatures that a server gave out, each with its thinking; and whether it trusts those that it didn't give."""

    thinking: Mapping[str, str] = {}
    trust_others: bool = True


NOTHING_SENT = SentSignatures()
Body = Mapping[str, Any]
