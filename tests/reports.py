"""What steps of a test left, by name."""

from __future__ import annotations

from typing import Any

from ctxlab.context import Context, Table


def left(ctx: Context, name: str) -> Any:
    """The content of the newest table of a name, or the rows of such a report; None when no step left one."""
    report = ctx.report_named(name)
    if report is None:
        return None
    return report.content if isinstance(report, Table) else tuple(report.rows())


def all_left(ctx: Context) -> dict[str, Any]:
    """Everything that steps left, by name."""
    return {report.name: left(ctx, report.name) for report in ctx.reports}
