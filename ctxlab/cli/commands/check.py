"""`ctxlab check`: what is wrong with a recording or a conversation, for people, as JSON or as SARIF."""

from __future__ import annotations

import sys
from typing import Literal

from ctxlab.api.check import check, recording_at
from ctxlab.cli.inputs.files import load, typed_option
from ctxlab.cli.inputs.options import CommandOptions
from ctxlab.cli.inputs.read_file import is_pipe
from ctxlab.cli.output.progress import progress
from ctxlab.cli.output.terminal import Screen, complain, harmless
from ctxlab.display.short_texts import counted
from ctxlab.documents.stored import as_json
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.findings.finding import Finding, Findings, Level, levels_counted
from ctxlab.recordings.findings.registry import rules_of
from ctxlab.recordings.findings.sarif import sarif_of
from ctxlab.secrets import masked_data

FOUND = 1
"""Exit code where something of the level of `--fail-on` or worse was found."""
SHOWN = 5
"""Findings of a rule, and places of a finding, that are printed for people."""
STYLES = {"error": "bad", "warning": "warn", "note": "label"}


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Which rules are asked, what is printed and how, and from which level on the command fails."""

    rules: tuple[str, ...] | None
    ignore: tuple[str, ...]
    level: Level
    fail_on: Level | Literal["never"]
    form: Literal["text", "json", "sarif"]


def print_findings(options: CommandOptions, wanted: CheckOptions) -> int:
    """Print the findings of a file; gives 1 where the command fails, else 0."""
    rules_of(wanted.rules, wanted.ignore)
    found = _findings(options, wanted)
    failed = wanted.fail_on != "never" and bool(found.at_least(wanted.fail_on))
    shown = Findings(found.at_least(wanted.level), found.rules, found.notes, str(options.file))
    if wanted.form == "text":
        _print_text(Screen(), shown, len(found) - len(shown))
    else:
        data = sarif_of(shown, options.file.as_posix()) if wanted.form == "sarif" else shown.as_data()
        sys.stdout.buffer.write(as_json(masked_data(data), indent=2) + b"\n")
        sys.stdout.buffer.flush()
        for note in shown.notes:
            complain(note)
    return FOUND if failed else 0


def _findings(options: CommandOptions, wanted: CheckOptions) -> Findings:
    recording = None
    if not is_pipe(options.file) and options.file.exists():
        with progress(f"reading {options.file.name}", file=options.file):
            recording = recording_at(options.file, options.template)
    if recording is not None:
        with progress("asking the rules"):
            return check(recording, rules=wanted.rules, ignore=wanted.ignore)
    if options.file.is_dir() and typed_option(options) is None:
        return check(options.file, rules=wanted.rules, ignore=wanted.ignore)
    inputs = load(options)
    trace = inputs.trace()
    inputs.announce()
    with progress("asking the rules"):
        return check(trace, rules=wanted.rules, ignore=wanted.ignore)


def _print_text(screen: Screen, found: Findings, hidden: int) -> None:
    for rule, findings in found.by_rule.items():
        first = findings[0]
        screen.line((f"{first.level} ", STYLES[first.level]), (harmless(first.title), "strong"), (f"  {rule}", "label"))
        for finding in findings[:SHOWN]:
            screen.line(f"  {harmless(finding.text)}", (_cost(finding), "label"), hang=2)
            screen.line(("    " + _places(finding), "label"), hang=4)
        if len(findings) > SHOWN:
            screen.line((f"  and {len(findings) - SHOWN:,} more", "label"))
        screen.line(("  → ", "came"), harmless(first.remedy), hang=4)
        screen.blank()
    for note in found.notes:
        screen.line((f"! {harmless(note)}", "warn"), hang=2)
    more = f"; {counted(hidden, 'finding')} of lower levels" if hidden else ""
    screen.line((f"{levels_counted(found)}, {counted(len(found.rules), 'rule')} asked{more}", "strong"))


def _cost(finding: Finding) -> str:
    if not finding.tokens:
        return ""
    usd = f", US$ {finding.usd:,.4f}" if finding.usd is not None else ""
    return f"  ({counted(finding.tokens, 'token')}{usd})"


def _places(finding: Finding) -> str:
    shown = [harmless(str(place)) for place in finding.places[:SHOWN]]
    more = len(finding.places) - len(shown)
    return "at " + "; ".join(shown) + (f" and {more:,} more" if more > 0 else "") if shown else "in all of it"
