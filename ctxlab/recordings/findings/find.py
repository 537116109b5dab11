"""Ask rules about a recording or a run; a rule that raises is told in a note, and the others go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.plugins import raised
from ctxlab.recordings.findings.checked_context import CheckedContext
from ctxlab.recordings.findings.finding import Finding, Findings
from ctxlab.recordings.findings.finding_rule import FindingRule, Found
from ctxlab.recordings.findings.registry import rules_of
from ctxlab.secrets import masked

if TYPE_CHECKING:
    from ctxlab.local_models.template_source import TemplateSource
    from ctxlab.pipeline import Trace
    from ctxlab.recordings.recording import Recording
    from ctxlab.studies import LoreTimeline


def findings_of_recording(
    recording: Recording, rules: Sequence[str | FindingRule] | None = None, ignore: Iterable[str] = ()
) -> Findings:
    """The findings of rules, by default all, in a recording."""
    return findings_in(CheckedContext(recording), rules, ignore)


def findings_of_trace(
    trace: Trace,
    rules: Sequence[str | FindingRule] | None = None,
    ignore: Iterable[str] = (),
    *,
    lore_timeline: Callable[[], LoreTimeline] | None = None,
    of_session: bool = False,
    model: TemplateSource | None = None,
) -> Findings:
    """The findings of rules in a run; `lore_timeline` gives its lore message by message, where it has any.

    `model` has the chat template whose text is asked about; by default it is that for which the run was built.
    """
    from ctxlab.recordings.findings.recording_of_trace import recording_of_trace

    kind = "session" if of_session else "trace"
    return findings_in(CheckedContext(recording_of_trace(trace), kind, trace, lore_timeline, model), rules, ignore)


def findings_in(checked: CheckedContext, rules: Sequence[str | FindingRule] | None, ignore: Iterable[str]) -> Findings:
    """The findings of rules in a context."""
    chosen, problems = rules_of(rules, ignore)
    kinds = {checked.kind, *(("rendered",) if checked.is_rendered else ())}
    chosen = tuple(rule for rule in chosen if kinds & {*rule.works_on})
    notes, found = [*problems], list[Finding]()
    for rule in chosen:
        try:
            found += _found(rule, checked)
        except Exception as error:  # somebody else's rule may raise anything
            notes.append(f"rule {rule.id!r} could not be asked: {masked(raised(error))}")
    found.sort(key=lambda finding: finding.order)
    return Findings(tuple(found), tuple(rule.id for rule in chosen), tuple(notes), checked.recording.source)


def _found(rule: FindingRule, checked: CheckedContext) -> Iterator[Finding]:
    results: Iterable[Any] = rule.find(checked)
    for one in results:
        if not isinstance(one, Found):
            raise TypeError(f"it gave {type(one).__name__}, not Found")
        yield Finding(
            rule.id, rule.level, rule.title, _sentence(one.text), one.places, one.tokens, one.usd, _sentence(one.remedy)
        )


def _sentence(text: str) -> str:
    """The sentence on one line, with keys masked."""
    return masked(" ".join(text.split()))
