"""`ctxlab compressions`: what the compressions of a recording kept, weakened and lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ctxlab.cli.commands.build import print_json
from ctxlab.cli.inputs.read_file import is_pipe
from ctxlab.cli.output.progress import progress
from ctxlab.cli.output.terminal import Column, Screen, columns, one_line
from ctxlab.display.short_texts import counted
from ctxlab.engines.compression import CheckedFact
from ctxlab.engines.compression.compression_report import CEILING, STATES
from ctxlab.errors import CtxlabError
from ctxlab.recordings.compressions import RecordedCompression, RecordedCompressions
from ctxlab.recordings.read import read_recording
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.recordings.recording import Recording

MOST_SHOWN = 12
SENTENCES = ("decision", "task", "error")
"""Kinds of facts that are listed, besides rules, lost and weakened; of the others the number is told."""
WIDTH = 90


def print_compressions(file: Path, before: Path | None, *, as_json: bool) -> None:
    """Each compression with its lost rules and what came of them, or all facts as JSON."""
    if any(is_pipe(each) for each in (file, before)):
        raise CtxlabError("- is standard input; a recording is read from a file, give its name")
    with progress(f"reading {file.name}", file=file):
        recording = read_recording(file)
        found = recording.compressions(read_recording(before) if before is not None else None)
    if as_json:
        print_json({"file": str(file), "compressions": [compression_json(each) for each in found], "limit": CEILING})
    else:
        _print_text(Screen(), recording, found)


def compression_json(compression: RecordedCompression) -> dict[str, Any]:
    """A compression as plain data: its row, the summary, every fact with its places, and what came of lost rules."""
    again = {each.rule.text: each for each in compression.repeats}
    broken = {each.rule.text: each for each in compression.breaches}
    rules = [
        {
            "text": rule.text,
            "node": rule.source,
            "broken": _plain(broken.get(rule.text)),
            "said_again": _plain(again.get(rule.text)),
        }
        for rule in compression.lost_rules
    ]
    facts = [] if compression.no_report else [asdict(fact) for fact in compression.report.facts]
    return {
        **compression.row(),
        "lineage": list(compression.lineage),
        "kept_nodes": list(compression.kept_messages),
        "summary": compression.summary,
        "rules_lost": rules,
        "all_facts": facts,
    }


def _plain(found: Any) -> dict[str, Any] | None:
    if found is None:
        return None
    return {name: value for name, value in asdict(found).items() if name != "rule"}


def _print_text(screen: Screen, recording: Recording, found: RecordedCompressions) -> None:
    requests = counted(len(recording.requests), "request")
    if not found:
        screen.line(f"no compression in {requests}")
        return
    by = f" of {one_line(recording.program, cells=40)}" if recording.program else ""
    screen.line((f"{counted(len(found), 'compression')} in {requests}{by}", "strong"))
    for each in found:
        screen.blank()
        _print_one(screen, each)
    screen.blank()
    screen.line((CEILING, "dim"))


def _print_one(screen: Screen, each: RecordedCompression) -> None:
    trigger = f"; trigger {one_line(each.trigger, cells=40)}" if each.trigger else ""
    screen.line((each.id, "strong"), (f" before request {one_line(each.request.id, cells=40)}", "dim"), trigger)
    screen.line("  ", (one_line(each.because), "label"), hang=4)
    for line in _about(each):
        screen.line(f"  {line}", hang=4)
    screen.line(f"  {each.sentence}", hang=4)
    if each.no_report:
        return
    screen.blank()
    titles = (Column("kind"), *(Column(state, right=True) for state in STATES))
    rows = [(f"  {kind}", *(f"{n:,}" for n in states.values())) for kind, states in each.report.counts().items()]
    columns(screen, titles, rows)
    _print_rules(screen, each)
    for kind in SENTENCES:
        _print_facts(screen, "lost", [fact for fact in each.report.lost if fact.kind == kind])
    for kind in ("rule", *SENTENCES):
        _print_facts(screen, "weakened", [fact for fact in each.report.weakened if fact.kind == kind])


def _about(each: RecordedCompression) -> list[str]:
    """Lines on tokens, the summariser and lineage, as far as they are known."""
    before, after = (f"{n:,}" if n is not None else "?" for n in (each.before_tokens, each.after_tokens))
    known = each.before_tokens is not None or each.after_tokens is not None
    lines = [f"{before} to {after} tokens of input"] if known else []
    if each.summary_request is not None:
        took = f", {each.seconds:,.0f} s" if each.seconds is not None else ""
        by = one_line(each.model, cells=40) or "a model that isn't named"
        lines.append(f"written by {by} in request {one_line(each.summary_request.id, cells=40)}{took}")
        lines += _price(each.summary_request)
    if each.lineage:
        lines.append(f"a summary of summaries: {', '.join(each.lineage)} went into it")
    return lines


def _price(request: RecordedRequest) -> list[str]:
    """A line on what the summary cost, by the usage that the log tells; none where that isn't known."""
    usd, usage = request.usd, request.usage
    if usd is None:
        return []
    said = f"{counted(usage.input or 0, 'token')} of input and {usage.output or 0:,} of output"
    return [f"this compression cost ${usd:,.4f} at list prices, by the {said} that the log tells of that request"]


def _print_rules(screen: Screen, each: RecordedCompression) -> None:
    _print_spared(screen, each)
    if not each.lost_rules:
        return
    broken = {breach.rule.text: breach for breach in each.breaches}
    again = {repeat.rule.text: repeat for repeat in each.repeats}
    screen.blank()
    screen.line((f"  lost: {counted(len(each.lost_rules), 'rule')}", "label"))
    for rule in each.lost_rules:
        _print_fact(screen, rule)
        if (breach := broken.get(rule.text)) is not None:
            words = f"later in {one_line(breach.node, cells=40)}, {one_line(breach.where, cells=40)}: "
            screen.line("      ", (words, "warn"), f"“{one_line(breach.evidence, cells=WIDTH)}”", hang=8)
        if (repeat := again.get(rule.text)) is not None:
            words = f"said again in {one_line(repeat.node, cells=40)}: "
            screen.line("      ", (words, "warn"), f"“{one_line(repeat.text, cells=WIDTH)}”", hang=8)


def _print_spared(screen: Screen, each: RecordedCompression) -> None:
    """The rules that the table counts as lost and that are there all the same, by the reason."""
    if not each.spared_rules:
        return
    screen.blank()
    of = counted(len(each.spared_rules) + len(each.lost_rules), "rule")
    reasons = Counter(why for _, why in each.spared_rules)
    why = "; ".join(f"{count:,} {reason}" for reason, count in reasons.items())
    screen.line(f"  of {of} that the summary lost, {len(each.spared_rules):,} aren't missing: {why}", hang=4)


def _print_facts(screen: Screen, state: str, facts: Sequence[CheckedFact]) -> None:
    if not facts:
        return
    screen.blank()
    screen.line((f"  {state}: {counted(len(facts), facts[0].kind)}", "label"))
    for fact in facts[:MOST_SHOWN]:
        _print_fact(screen, fact)
    if len(facts) > MOST_SHOWN:
        screen.line((f"  · and {len(facts) - MOST_SHOWN:,} more", "dim"))


def _print_fact(screen: Screen, fact: CheckedFact) -> None:
    """A fact with its place, and below it what the summary has of it all the same."""
    where = f"{one_line(fact.source or '', cells=40)}: "
    screen.line("  · ", (where, "dim"), one_line(fact.text, cells=WIDTH), hang=4)
    if fact.reason:
        screen.line("      ", (one_line(fact.reason, cells=2 * WIDTH), "dim"), hang=8)
