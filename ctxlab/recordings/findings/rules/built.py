"""Rules on what was built here: lore, presets, files, cuts and macros."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ctxlab.context import Draft
from ctxlab.display.short_texts import counted
from ctxlab.engines.truncation.budget_report import BudgetReport
from ctxlab.engines.worldbook import Decision, LoreScan
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.pipeline.explain.prompt_of_trace import parts_alone
from ctxlab.processors.files.report import AttachmentReport
from ctxlab.processors.injection.presets import Preset, presets_of
from ctxlab.recordings.findings.checked_context import CheckedContext, listed_names, quoted, quoted_name
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import BUILT, Found, finding_rule

FEWEST_MESSAGES: Final = 5
"""Messages of a path from which on lore that never or always fires is spoken of."""
FEWEST_CHARACTERS: Final = 20
NOT_SENT: Final = {"description": "only described to the model", "unknown": "no more than a name for the model"}
_MACRO: Final = lazy_pattern(r"\{\{\s*[A-Za-z_][A-Za-z0-9_]*(?:::?[^{}\n]{0,80}|\s[^{}\n]{0,80})?\s*\}\}")
_CODE: Final = lazy_pattern(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


@finding_rule(
    "lore-never-fires",
    "Lore that never fires",
    "Speaks of lore entries of which no key was seen at any message of a path of five or more.",
    "note",
    BUILT,
)
def lore_never_fires(checked: CheckedContext) -> Iterator[Found]:
    """Entries whose keys the conversation never has."""
    by_entry, messages = _decisions(checked)
    if messages < FEWEST_MESSAGES:
        return
    silent = {key: all(one.gate == "no-key" for one in each) for key, each in by_entry.items()}
    never = [by_entry[key][0] for key, is_silent in silent.items() if is_silent]
    if never:
        yield Found(
            f"{len(never)} of {counted(len(by_entry), 'lore entry', 'lore entries')} fire at none of the "
            f"{messages} messages, since none of their keys is seen: {listed_names(one.title for one in never)}.",
            "Give them keys that the conversation uses, or take them out.",
            tuple(FindingPlace(node=one.key, name=quoted_name(one.title)) for one in never),
        )


@finding_rule(
    "lore-always-fires",
    "Lore that always fires",
    "Speaks of a lore entry with keys that fires at each message of a path of five or more.",
    "note",
    BUILT,
)
def lore_always_fires(checked: CheckedContext) -> Iterator[Found]:
    """Entries whose keys choose nothing."""
    by_entry, messages = _decisions(checked)
    for each in by_entry.values():
        last = each[-1]
        if len(each) >= FEWEST_MESSAGES and all(one.fired for one in each) and not last.lore.is_certain:
            yield Found(
                f"The lore entry {quoted_name(last.title)} fires at each of the {messages} messages, and its "
                "keys choose nothing.",
                "Make a preset or a constant entry of it, which stays at its place, or give it rarer keys.",
                (FindingPlace(node=last.key, name=quoted_name(last.title)),),
                last.tokens or 0,
            )


def _decisions(checked: CheckedContext) -> tuple[dict[str, list[Decision]], int]:
    """The decisions on each entry that is on, message by message, and how many messages there are."""
    timeline = checked.lore_timeline() if checked.lore_timeline is not None else None
    by_entry: dict[str, list[Decision]] = {}
    for scan in timeline.scans.values() if timeline is not None else ():
        for one in scan.decisions:
            if one.gate != "disabled":
                by_entry.setdefault(one.key, []).append(one)
    return by_entry, len(timeline) if timeline is not None else 0


@finding_rule(
    "lore-over-budget",
    "Lore that didn't fit",
    "Speaks of lore entries that were called up and left out for their budget.",
    "warning",
    BUILT,
)
def lore_over_budget(checked: CheckedContext) -> Iterator[Found]:
    """Entries that their keys called up in vain."""
    scan = checked.trace.result.report(LoreScan) if checked.trace is not None else None
    blocked = [one for one in scan.decisions if one.gate == "budget"] if scan is not None else []
    if blocked:
        yield Found(
            f"{counted(len(blocked), 'lore entry', 'lore entries')} were called up and left out for the budget of "
            f"lore, {quoted_name(blocked[0].title)} since {quoted_name(blocked[0].reason, 160)}.",
            "Give lore a larger budget, or shorten the entries that come first.",
            tuple(FindingPlace(node=one.key, name=quoted_name(one.title)) for one in blocked),
            sum(one.tokens or 0 for one in blocked),
        )


@finding_rule(
    "presets-contradict",
    "Presets that contradict each other",
    "Speaks of two presets that are on, with the same words and another role or another place.",
    "warning",
    BUILT,
)
def presets_contradict(checked: CheckedContext) -> Iterator[Found]:
    """Words that are asked for in two ways."""
    if checked.trace is None:
        return
    sent = {part.key: draft.key for draft in checked.trace.result.drafts for part in draft.parts}
    alone = parts_alone(checked.trace)
    alone |= {draft.key: draft for draft in checked.trace.result.drafts if not draft.merged}
    by_words: dict[str, list[Preset]] = {}
    for preset in presets_of(checked.trace.start.input):
        words = " ".join(preset.node.content.split())
        if preset.node.enabled and preset.key in sent and len(words) >= FEWEST_CHARACTERS:
            by_words.setdefault(words, []).append(preset)
    for words, presets in by_words.items():
        first = presets[0]
        asked = [_asked(alone.get(preset.key), preset) for preset in presets]
        number = next((n for n, each in enumerate(asked) if each != asked[0]), None)
        if number is not None:
            other = presets[number]
            tokens = [(sent[preset.key], checked.tokens(preset.node.content)) for preset in presets[1:]]
            yield Found(
                f"{first.place.capitalize()} and {other.place} say the same, {quoted(words)}, "
                f"{asked[0]} and {asked[number]}.",
                "Keep one of them, at the place that is meant.",
                tuple(
                    FindingPlace(node=sent[preset.key], name=quoted_name(preset.node.name or "")) for preset in presets
                ),
                *checked.cost_of(tokens),
            )


def _asked(draft: Draft | None, preset: Preset) -> str:
    """The role and the place that a preset asks for, in words."""
    placement = draft.placement if draft is not None else None
    return f"as {preset.node.role} {placement}".rstrip() if placement is not None else f"as {preset.node.role}"


@finding_rule(
    "messages-cut",
    "History that was cut",
    "Speaks of a run whose budget left out messages of the history.",
    "note",
    BUILT,
)
def messages_cut(checked: CheckedContext) -> Iterator[Found]:
    """Messages that the model doesn't get, without a word to it."""
    report = checked.trace.result.report(BudgetReport) if checked.trace is not None else None
    if report is not None and report.cut:
        said = "a summary says what they were" if report.summary_tokens else "nothing says so to the model"
        yield Found(
            f"{report.cut:,} of {counted(report.history, 'message')} of the history are left out for a budget of "
            f"{counted(report.budget_tokens, 'token')}, and {said}.",
            "Compress them into a summary, or give the prompt more room.",
        )


@finding_rule(
    "unsent-file",
    "A file that is not sent",
    "Speaks of files of messages of which the model gets no more than a name or a description, or which were cut.",
    "warning",
    BUILT,
)
def unsent_file(checked: CheckedContext) -> Iterator[Found]:
    """Files that the model of the run can't read, or that aren't at hand."""
    report = checked.trace.result.report(AttachmentReport) if checked.trace is not None else None
    for row in report.files if report is not None else ():
        became = "cut" if row["state"] == "cut" else NOT_SENT.get(str(row["sent_as"]))
        if became is not None:
            name = quoted_name(str(row.get("name") or row["file"]))
            why = f": {quoted_name(str(row['reason']), 160).rstrip('.')}" if row.get("reason") else ""
            yield Found(
                f"The file {name} is {became}{why}.",
                "Take a model that reads it, bring its bytes along, or leave it out.",
                (FindingPlace(node=str(row["key"]), name=name),),
            )


@finding_rule(
    "unresolved-macro",
    "A macro that was not resolved",
    "Speaks of {{name}} in a system text, a preset or lore as it is sent, outside of code.",
    "warning",
)
def unresolved_macro(checked: CheckedContext) -> Iterator[Found]:
    """Placeholders that no program has filled."""
    for head, request in checked.heads.values():
        for part in checked.parts.of_head(head):
            if part.source == "system":
                found = _macros(part.text)
                places = tuple(checked.head_place(request, part, hit.start(), hit.end()) for hit in found)
                if found:
                    tokens = checked.tokens("".join(hit[0] for hit in found)) * checked.carried.of_head(head.id)
                    yield _unresolved(found, places, "a system text", tokens, None)
    for id in checked.nodes:
        node = checked.node(id)
        whole = [(0, len(node.content))] if node.role == "system" else checked.put_in.get(id, ())
        found = [hit for hit in _macros(node.content) if any(a <= hit.start() and hit.end() <= b for a, b in whole)]
        if found:
            tokens, usd = checked.cost_of([(id, checked.tokens("".join(hit[0] for hit in found)))])
            places = tuple(checked.place(id, hit.start(), hit.end()) for hit in found)
            named = quoted_name(id) if checked.trace is not None else "a system message"
            yield _unresolved(found, places, named, tokens, usd)


def _macros(text: str) -> list[re.Match[str]]:
    plain = _CODE.sub(lambda hit: " " * len(hit[0]), text) if "{{" in text else ""
    return [*_MACRO.finditer(plain)]


def _unresolved(
    found: list[re.Match[str]], places: tuple[FindingPlace, ...], where: str, tokens: int, usd: float | None
) -> Found:
    names = listed_names(dict.fromkeys(hit[0] for hit in found))
    return Found(
        f"{names} {'stands' if len(found) == 1 else 'stand'} in {where} as it is sent.",
        "Give the macro a value, or take it out.",
        places,
        tokens,
        usd,
    )
