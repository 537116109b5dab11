"""Rows of a form: each parameter with its values by origin, what the model takes, errors, and what would mend them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.parameters import linked
from ctxlab.providers.problem import Fix
from ctxlab.secrets import masked_beginning
from ctxlab_widgets.agent_form.form_state import FormState
from ctxlab_widgets.agent_form.parameter_fields import (
    FIELDS,
    GROUPS,
    ORIGINS,
    Origin,
    ParameterField,
    newest_origin,
    newest_value,
)
from ctxlab_widgets.agent_form.request_preview import RequestPreview


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A parameter in a form. `why_not` says why the model doesn't take it; a value that it has is kept."""

    field: ParameterField
    values: Mapping[Origin, Any]
    why_not: str = ""
    error: str = ""
    fixes: tuple[Fix, ...] = ()
    hint: str = ""
    bounds: tuple[float | None, float | None] | None = None
    bar: Mapping[str, int] | None = None
    choices: tuple[str, ...] | None = None

    @property
    def origin(self) -> Origin:
        return newest_origin(self.values)

    @property
    def value(self) -> Any:
        return self.values[self.origin]

    @property
    def is_set(self) -> bool:
        """Whether agent, session or call has a value for it."""
        return self.origin in ("agent", "session", "call")

    def as_data(self) -> dict[str, Any]:
        described = self.field.as_data()
        if self.bounds is not None:
            described |= dict(zip(("minimum", "maximum"), self.bounds, strict=True))
        if self.choices is not None:
            labels = dict(zip(described["choices"], described["labels"], strict=True))
            described |= {"choices": list(self.choices), "labels": [labels.get(each, "") for each in self.choices]}
        return {
            **described,
            "value": self.value,
            "origin": self.origin,
            "values": dict(self.values),
            "why_not": self.why_not,
            "error": self.error,
            "fixes": [fix.label for fix in self.fixes],
            "hint": self.hint,
            "bar": dict(self.bar) if self.bar else None,
        }


def shown_origins(state: FormState) -> list[Origin]:
    """The origins that the form shows; that of the session only where there is one."""
    return [origin for origin in ORIGINS if origin != "session" or state.session is not None]


def rows_of(state: FormState, preview: RequestPreview) -> list[Row]:
    """A row for each parameter."""
    return [_row(field, state, preview) for field in FIELDS]


def groups_of(rows: list[Row], preview: RequestPreview) -> list[dict[str, Any]]:
    """The rows by group, with a few words on what the model takes of each."""
    return [
        {"title": group, "note": _group_note(group, [row for row in rows if row.field.group == group], preview)}
        | {"fields": [row.as_data() for row in rows if row.field.group == group]}
        for group in GROUPS
    ]


def _row(field: ParameterField, state: FormState, preview: RequestPreview) -> Row:
    values = state.values(field.name)
    facts = preview.facts
    if field.name == "maxTokens" and facts.max_output_tokens is not None:
        values["model"] = facts.max_output_tokens
    thinks = _thinks(state, preview)
    why_not = _why_not(field, preview, thinks=thinks)
    value = values[newest_origin(values)]
    error = field.error(value)
    row = Row(field, values, why_not, "" if why_not else error, hint=_hint(field, values, preview))
    if field.name == "maxTokens":
        return _with(row, bounds=(1, facts.max_output_tokens))
    if field.name == "reasoningEffort" and facts.efforts:
        return _with(row, choices=facts.efforts)
    if field.name == "thinkingMode" and facts.known:
        return _with(row, choices=facts.thinking)
    if field.name == "thinkingBudget":
        return _budget(row, state, preview, thinks=thinks)
    return row


def _budget(row: Row, state: FormState, preview: RequestPreview, *, thinks: bool) -> Row:
    """The budget of thoughts beside the reply limit that it is a part of."""
    facts, budget = preview.facts, row.value
    limit = _newest(state, "maxTokens") or facts.max_output_tokens
    least, most = facts.min_thinking_budget or 1, facts.max_thinking_budget or facts.max_output_tokens
    row = _with(row, bounds=(least, most))
    if row.why_not or not thinks or not _is_count(budget) or not _is_count(limit):
        return row
    if row.error:
        return row
    bar = {"thinking": budget, "limit": limit}
    if budget < limit:
        return _with(row, bar=bar)
    values = {"thinking_enabled": True, "thinking_budget": budget, "max_tokens": limit}
    longer = linked(values, "thinking_budget", facts)["max_tokens"]
    lower = linked(values, "max_tokens", facts)["thinking_budget"]
    fixes: list[Fix] = []
    if longer > budget:
        fixes.append(Fix(f"Reply {longer:,}", {"maxTokens": longer}))
    if lower < limit:
        fixes.append(Fix(f"Thinking {lower:,}", {"thinkingBudget": lower}))
    text = f"{budget:,} must be below the reply limit {limit:,}."
    return _with(row, error=text, fixes=tuple(fixes), bar=bar)


def _why_not(field: ParameterField, preview: RequestPreview, *, thinks: bool) -> str:
    facts = preview.facts
    if field.name == "thinkingEnabled":
        return "this model always thinks" if facts.thinks_always else _unless(set(facts.thinking) - {"off"})
    if field.name == "thinkingBudget":
        return _unless("budget" in facts.thinking) or ("" if thinks else "thinking is off")
    if field.name == "reasoningEffort":
        return _unless("effort" in facts.thinking)
    if field.name == "includeThoughts":
        return _unless(set(facts.thinking) - {"off"})
    if field.sent_as in facts.without:
        return "not for this model"
    if not preview.takes(field):
        return f"no place in {preview.provider.title}'s request"
    return "not while thinking" if thinks and field.sent_as in facts.without_while_thinking else ""


def _unless(able: object) -> str:
    return "" if able else "not for this model"


def _thinks(state: FormState, preview: RequestPreview) -> bool:
    return preview.facts.thinks_always or _newest(state, "thinkingEnabled") is True


def _newest(state: FormState, name: str) -> Any:
    return newest_value(state.values(name))


def _hint(field: ParameterField, values: Mapping[Origin, Any], preview: RequestPreview) -> str:
    """Words on what others say of the value, and on what is sent where that is another one."""
    words = [
        f"{origin} says {value_in_words(value)}"
        for origin, value in values.items()
        if origin in ("agent", "session") and origin != newest_origin(values)
    ]
    value = values[newest_origin(values)]
    sent = getattr(preview.parameters, field.sent_as) if field.sent_as and field.sent_as != "thinking" else None
    if sent not in (None, (), value) and value is not None and list(_listed(sent)) != list(_listed(value)):
        words.append(f"{value_in_words(sent)} is sent")
    most = preview.facts.max_output_tokens
    if field.name == "maxTokens" and most is not None:
        words.append(f"the model allows {most:,}")
    window = preview.facts.context_window
    if field.name == "contextManagement.maxContextTokens" and window is not None:
        words.append(f"the model's window is {window:,}")
    return "; ".join(words)


def _group_note(group: str, rows: list[Row], preview: RequestPreview) -> str:
    name = preview.facts.name or preview.provider.title
    if group == "Thinking":
        modes = [mode for mode in ("budget", "effort", "adaptive") if mode in preview.facts.thinking]
        if not preview.facts.known:
            return f"what {name} takes is not known"
        return f"{name} takes {_or(modes)}" if modes else f"{name} does not think when asked to"
    able = [row for row in rows if not row.why_not]
    return f"{len(able)} of {len(rows)} for this model" if len(able) < len(rows) else ""


def _or(words: list[str]) -> str:
    articles = {"budget": "a budget", "effort": "an effort", "adaptive": "adaptive thinking"}
    named = [articles[word] for word in words]
    return " or ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)


def value_in_words(value: object) -> str:
    """A value in a few characters."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    text = f"{value:,}" if isinstance(value, int | float) else value if isinstance(value, str) else repr(value)
    text = masked_beginning(text, 41)
    return text if len(text) <= 40 else f"{text[:37]}\u2026"


def _listed(value: object) -> Iterator[object]:
    return iter(value) if isinstance(value, list | tuple) else iter((value,))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _with(row: Row, **changes: Any) -> Row:
    return replace(row, **changes)
