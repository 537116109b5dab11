"""`ctxlab prefix`: where the prefixes of a recording's requests end, and why."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from ctxlab.cli.commands.build import print_json
from ctxlab.cli.inputs.recording_file import read_recording_file
from ctxlab.cli.output.terminal import Column, Screen, columns, one_line
from ctxlab.display.short_texts import counted
from ctxlab.recordings.prefix import PrefixReport, RequestPrefix
from ctxlab.secrets import masked

MOST_SHOWN = 40
"""Breaks that are listed; the others are counted."""


def print_prefix(file: Path, frozen: Sequence[Any], *, form: Literal["text", "json", "csv"]) -> None:
    """The breaks of a recording's prefixes, or a row for each of its requests."""
    report = read_recording_file(file).prefix(frozen=frozen)
    if form == "json":
        print_json(report_json(report, file))
    elif form == "csv":
        sys.stdout.write(masked(report.frame().to_csv(index=False)))
    else:
        _print_text(Screen(), report)


def report_json(report: PrefixReport, file: Path) -> dict[str, Any]:
    """A report as plain data: its sums, a row a request, and the what-if that was asked for."""
    right, known = report.agreement
    usd, priced = _price_of_all(report)
    frozen = report.frozen
    return {
        "file": str(file),
        "states": dict(report.states),
        "common_tokens": report.common_tokens,
        "total_tokens": report.total_tokens,
        "lost_tokens": report.lost_tokens,
        "cost_usd": report.cost_usd,
        "usd": usd,
        "priced": priced,
        "unknown_losses": len(report.unknown_losses),
        "unexplained": {
            "requests": len(report.unexplained),
            "tokens": report.unexplained_tokens,
            "usd": report.unexplained_usd if report.unexplained else None,
        },
        "agreement": {"alike": right, "of": known},
        "frozen": None
        if frozen is None
        else {
            "what": list(frozen.what),
            "sentence": frozen.sentence,
            "read_tokens": frozen.read_tokens,
            "more_tokens": frozen.more_tokens,
            "saved_usd": frozen.saved_usd,
        },
        "requests": [each.row() for each in report],
    }


def _price_of_all(report: PrefixReport) -> tuple[float | None, int]:
    """Dollars for the requests whose price is known, None for none, and how many they are."""
    prices = [usd for each in report if (usd := each.request.usd) is not None]
    return sum(prices) if prices else None, len(prices)


def _print_text(screen: Screen, report: PrefixReport) -> None:
    states = ", ".join(f"{count:,} {state}" for state, count in report.states.items())
    screen.line((counted(len(report.requests), "request"), "strong"), f": {states}")
    usd, priced = _price_of_all(report)
    if usd is not None:
        all_of = "all of them" if priced == len(report.requests) else f"the {priced:,} whose price is known"
        screen.line(f"{_usd(usd)} at list prices for {all_of}, replies included")
    if report.lost_tokens:
        of = "for causes that the log tells"
        screen.line(f"{_anew(report.lost_tokens, report.cost_usd)}, {of}", hang=2)
    if report.unknown_losses:
        of = counted(len(report.unknown_losses), "break")
        screen.line(f"of {of} it isn't known how much was read anew: the log lacks the parts that would tell", hang=2)
    if report.unexplained:
        it = "it" if len(report.unexplained) == 1 else "them"
        of = f"in {counted(len(report.unexplained), 'request')}: the vendor reports {it}, and the log doesn't say why"
        screen.line(f"{_anew(report.unexplained_tokens, report.unexplained_usd)}, {of}", hang=2)
    right, known = report.agreement
    if known:
        screen.line(f"the vendor's usage tells the same of {right:,} of {counted(known, 'request')}")
    if report.frozen is not None:
        saved = report.frozen.saved_usd
        screen.line(report.frozen.sentence + (f" That is {_usd(saved)}." if saved else ""), hang=2)
    if report.breaks:
        screen.blank()
        screen.line(("breaks that the log explains", "label"))
        _print_breaks(screen, report.breaks)
    if report.unexplained:
        screen.blank()
        screen.line(("breaks that the vendor reports and the log doesn't explain", "label"))
        _print_unexplained(screen, report.unexplained)


def _anew(tokens: int, usd: float | None) -> str:
    price = f"{_usd(usd)}" if usd is not None else "no price is known"
    were = "was" if tokens == 1 else "were"
    return f"{counted(tokens, 'token')} that stood in the request before {were} read anew ({price})"


def _print_unexplained(screen: Screen, found: Sequence[RequestPrefix]) -> None:
    titles = (
        Column("request", right=True),
        Column("could be read", right=True),
        Column("cached", right=True),
        Column("unexplained", right=True),
        Column("price", right=True),
    )
    shown = sorted(found, key=lambda each: -each.unexplained_tokens)[:MOST_SHOWN]
    rows = [
        (
            f"{each.request.number:,}",
            f"{(each.reported.cached or 0) + each.unexplained_tokens:,}",
            _count(each.reported.cached),
            f"{each.unexplained_tokens:,}",
            _usd(each.unexplained_usd),
        )
        for each in sorted(shown, key=lambda each: each.request.number)
    ]
    columns(screen, titles, rows)
    if len(found) > MOST_SHOWN:
        screen.line((f"and {len(found) - MOST_SHOWN:,} more, each of fewer tokens", "dim"))


def _print_breaks(screen: Screen, breaks: Sequence[RequestPrefix]) -> None:
    titles = (Column("request", right=True), Column("state"), Column("lost", right=True), Column("cached", right=True))
    rows = [
        (
            f"{each.request.number:,}",
            each.state,
            "not known" if each.lost_tokens is None else f"{each.lost_tokens:,}",
            _count(each.reported.cached),
        )
        for each in breaks[:MOST_SHOWN]
    ]
    columns(screen, titles, rows)
    screen.blank()
    for each in breaks[:MOST_SHOWN]:
        agent = f" ({one_line(each.request.agent, cells=30)})" if each.request.agent else ""
        screen.line((f"{each.request.number:,}{agent} ", "strong"), one_line(each.explained, cells=300), hang=4)
    if len(breaks) > MOST_SHOWN:
        screen.line((f"and {len(breaks) - MOST_SHOWN:,} more", "dim"))


def _count(tokens: int | None) -> str:
    return "" if tokens is None else f"{tokens:,}"


def _usd(price: float | None) -> str:
    return "" if price is None else f"{'-' if price < 0 else ''}${abs(price):,.4f}"
