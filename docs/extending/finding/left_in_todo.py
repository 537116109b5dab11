"""A rule for `ctxlab check`: notes to oneself, such as TODO, that stand in a prompt and go to the model."""

import re
from collections.abc import Iterator

from ctxlab import FindingPlace, finding_rule
from ctxlab.recordings.findings.checked_context import CheckedContext, quoted
from ctxlab.recordings.findings.finding_rule import Found

TODO = re.compile(r"\b(?:TODO|TBD|FIXME)\b[^\n]{0,60}")


@finding_rule(
    "left-in-todo",
    "A note left in the prompt",
    "Speaks of TODO, TBD and FIXME in system texts and system messages.",
    "warning",
)
def left_in_todo(checked: CheckedContext) -> Iterator[Found]:
    """A finding for each note, with its place; what users, models and tools write isn't looked at."""
    for head, request in checked.heads.values():
        for part in checked.parts.of_head(head):
            if part.source == "system":
                for hit in TODO.finditer(part.text):
                    tokens = checked.tokens(hit[0]) * checked.carried.of_head(head.id)
                    yield _found(hit[0], checked.head_place(request, part, hit.start(), hit.end()), tokens, None)
    for id in checked.nodes:
        node = checked.node(id)
        if node.role == "system":
            for hit in TODO.finditer(node.content):
                cost = checked.cost_of([(id, checked.tokens(hit[0]))])
                yield _found(hit[0], checked.place(id, hit.start(), hit.end()), *cost)


def _found(words: str, place: FindingPlace, tokens: int, usd: float | None) -> Found:
    return Found(
        f"The prompt has a note that was meant for its author: {quoted(words)}.",
        "Do what it says, or take it out.",
        (place,),
        tokens,
        usd,
    )
