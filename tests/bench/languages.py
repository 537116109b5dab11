"""What the small languages cost."""

from __future__ import annotations

import ctxlab
from ctxlab.documents.rules import AppliesTo
from ctxlab.testing import generated_session
from tests.bench.timing import Work, ms, timed
from tests.reports import left

RULES = 50
MESSAGES = 1_000
PATTERNS = (
    (r"/\*([^*\n]+)\*/g", "<em>$1</em>"),
    (r"/\(OOC:[^)]*\)/gi", ""),
    (r"/(\w+)'s\b/g", "$1 his"),
    (r"/^\s+|\s+$/gm", ""),
    (r"/(?<=the )(?<word>\w{4,})/g", "[$<word>]"),
    (r"/[“”]/g", '"'),
    (r"/\n{3,}/g", "\n\n"),
    (r"/<(think|plan)>[\s\S]*?<\/\1>/gi", ""),
    (r"/(\d+)\s*(?:km|miles)\b/gi", "$1 leagues"),
    (r"/！{2,}/gu", "！"),
)


def regex_rules() -> list[ctxlab.RegexRule]:
    """Fifty rules as people write them; most find nothing in most messages."""
    return [
        ctxlab.RegexRule(
            id=f"rule-{i}",
            regex=PATTERNS[i % len(PATTERNS)][0].replace("OOC", f"OOC{i}"),
            replacement=PATTERNS[i % len(PATTERNS)][1],
            apply_to=AppliesTo(request=True),
            order=i,
        )
        for i in range(RULES)
    ]


def regex_rows() -> list[tuple[str, str]]:
    """Fifty rules on a thousand messages through the step, spans included; and patterns that never end."""
    session = ctxlab.read_data(generated_session(MESSAGES, seed=1)).pick()
    trace = ctxlab.build(session, rules=regex_rules())
    step, ctx = trace.pipeline.stage("regex-processor").processor, trace.step("regex-processor").before
    hits = len(left(trace.result, "regex-processor"))
    endless = ctxlab.RegexRule(regex=r"/(a+)+\1$/")
    text = "a" * 40 + "!"
    times = timed(
        {
            "rules": Work(lambda: step(ctx, trace.services)),
            "fallback": Work(lambda: ctxlab.regex_steps(text, endless.with_(regex="(a+)+$"), stage="render")),
            "endless": Work(lambda: ctxlab.regex_steps(text, endless, stage="render")),
        }
    )
    return [
        (f"{RULES} regex rules, {len(ctx.drafts):,} messages, {hits:,} times changed", ms(times["rules"])),
        ("(a+)+$ on forty a and a !", ms(times["fallback"])),
        ("the same with a back reference, left out at the limit of backtracks", ms(times["endless"])),
    ]
