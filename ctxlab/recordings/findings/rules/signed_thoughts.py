"""The rule on signed thoughts that go to another model than the one that gave them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ctxlab.display.short_texts import counted
from ctxlab.formats.requests.blocks import fields_of, items_of, kind_of
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.recordings.findings.checked_context import CheckedContext, quoted
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import Found, finding_rule
from ctxlab.recordings.recorded_request import RecordedRequest

PROOFS: Final = {"thinking": "signature", "redacted_thinking": "data"}
"""The field of a block of Anthropic's by which its API tells who wrote it."""
DATES: Final = lazy_pattern(r"(?:-latest|[-@]\d{8}|-v\d+(?::\d+)?|\[1m\]|(?<=-\d)-0)+$")
"""Ends of a model's name that say which day's or which cloud's it is."""


@finding_rule(
    "thoughts-of-another-model",
    "Thoughts that another model signed",
    "Speaks of whole requests to Anthropic with thoughts that another model signed in an answer of the recording.",
    "warning",
    ("recording",),
)
def thoughts_of_another_model(checked: CheckedContext) -> Iterator[Found]:
    """Signatures of answers, seen again in requests to another model."""
    signed_by: dict[str, str] = {}
    seen: dict[str, set[str]] = {}
    sent: dict[tuple[str, str], dict[str, set[str]]] = {}
    for request in checked.requests:
        if request.wire != "anthropic" or not (asked := _model(request)):
            continue
        for proof in _new_proofs(request, seen.setdefault(asked, set())) if request.whole else ():
            signer = signed_by.get(proof, asked)
            if signer != asked:
                sent.setdefault((signer, asked), {}).setdefault(request.id, set()).add(proof)
        for proof in _proofs(fields_of(request.reply).get("content")):
            signed_by.setdefault(proof, asked)
    for (signer, asked), requests in sent.items():
        count = len(set().union(*requests.values()))
        them = counted(count, "block of thoughts goes", "blocks of thoughts go")
        yield Found(
            f"{them} to {quoted(asked)} that {quoted(signer)} signed, first in {next(iter(requests))}: a signature is "
            "tied to the model that gave it, and Anthropic leaves a block out that the model asked can't read, or "
            "refuses the request with status 400.",
            "Stay with the model that signed them, or take such blocks out of the messages before the newest question.",
            tuple(FindingPlace(id) for id in requests),
        )


def _new_proofs(request: RecordedRequest, seen: set[str]) -> Iterator[str]:
    """The signatures in messages that no request to this model sent before; each message is looked at once."""
    at = request.tree.sent.get(request.leaf)
    while at is not None and at.id not in seen:
        seen.add(at.id)
        yield from (proof for item in at.items for proof in _proofs(fields_of(item).get("content")))
        at = request.tree.sent.get(at.parent)


def _proofs(content: Any) -> Iterator[str]:
    for block in items_of(content):
        proof = fields_of(block).get(PROOFS.get(kind_of(block), ""))
        if isinstance(proof, str) and proof:
            yield proof


def _model(request: RecordedRequest) -> str:
    """The name of the model that answered, or was asked, without the cloud, the gateway and the day in it."""
    named = fields_of(request.reply).get("model")
    model = named if isinstance(named, str) and named else request.model
    return DATES.sub("", model.rpartition("/")[2].rpartition("anthropic.")[2])
