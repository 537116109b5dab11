"""Findings as SARIF 2.1.0, which code hosts and editors show."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final
from urllib.parse import quote

from ctxlab.formats.requests.blocks import Data
from ctxlab.recordings.findings.finding import Finding, FindingPlace, Findings
from ctxlab.recordings.findings.finding_rule import FindingRule
from ctxlab.recordings.findings.registry import finding_rules

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION: Final = "2.1.0"


def sarif_of(findings: Findings, file: str = "") -> Data:
    """One run of ctxlab with its rules and results; `file` is the file that was checked.

    A place is a request, a message or a tool, not a line of the file: it is a logical location, and each result is of
    the whole file. Offsets within messages, tokens and dollars are among the properties.
    """
    return sarif_of_files([(file, findings)])


def sarif_of_files(checked: Sequence[tuple[str, Findings]]) -> Data:
    """One run with the findings of several files, each with its name."""
    from ctxlab import __version__

    known = finding_rules().by_id
    asked = dict.fromkeys(id for _, findings in checked for id in findings.rules)
    rules = [known[id] for id in asked if id in known]
    driver = {"name": "ctxlab", "version": __version__, "rules": [_rule(rule) for rule in rules]}
    number = {rule.id: place for place, rule in enumerate(rules)}
    results = [_result(finding, number, file or findings.source) for file, findings in checked for finding in findings]
    told = [{"level": "warning", "message": {"text": note}} for _, findings in checked for note in findings.notes]
    invocation = {"executionSuccessful": True, **({"toolExecutionNotifications": told} if told else {})}
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def _rule(rule: FindingRule) -> Data:
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.id.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.description},
        "defaultConfiguration": {"level": rule.level},
    }


def _result(finding: Finding, number: dict[str, int], file: str) -> Data:
    places = finding.places or (FindingPlace(),)
    index = {"ruleIndex": number[finding.rule]} if finding.rule in number else {}
    return {
        "ruleId": finding.rule,
        **index,
        "level": finding.level,
        "message": {"text": f"{finding.text} {finding.remedy}".strip()},
        "locations": [_location(places[0], file)],
        **({"relatedLocations": [_location(place, file) for place in places[1:]]} if places[1:] else {}),
        "partialFingerprints": {"ctxlabFinding/v1": _fingerprint(finding)},
        "properties": {
            "tokens": finding.tokens,
            "usd": finding.usd,
            "remedy": finding.remedy,
            "places": [place.row() for place in places],
        },
    }


def _location(place: FindingPlace, file: str) -> Data:
    names = [name for name in (place.request, place.node, place.name) if name]
    physical = {
        "artifactLocation": {
            "uri": quote("/".join(filter(None, (file, place.file))) or "conversation", errors="surrogateescape")
        },
        "region": {"startLine": 1},
    }
    return {
        "physicalLocation": physical,
        **({"logicalLocations": [{"name": names[-1], "fullyQualifiedName": "/".join(names)}]} if names else {}),
    }


def _fingerprint(finding: Finding) -> str:
    """A digest of the rule and its places, whatever it costs by now."""
    said = [finding.rule, *(str(place) for place in finding.places)]
    return blake2b("\n".join(said).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
