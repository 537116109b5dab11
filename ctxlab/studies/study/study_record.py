"""The record of what made a study, as JSON that is kept with its cells: versions, settings, and hashes of the data."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from typing import Any, cast

from ctxlab.display.one_line import plain
from ctxlab.studies.study.cell_rows import sound_text
from ctxlab.studies.study.code_version import records_of, whole_code_version
from ctxlab.studies.study.content_hash import SIZE, content_hash
from ctxlab.studies.study.files_read import FilesRead
from ctxlab.studies.study.plan import StudyPlan
from ctxlab.studies.study.plugins_used import plugins_of
from ctxlab.studies.study.settings_given import as_json, not_default, settings_in

SHOWN = 12
"""Characters of a hash that a sentence shows."""


def study_record(plan: StudyPlan, files: FilesRead, data: str) -> dict[str, Any]:
    """Versions of ctxlab and of plugins with hashes of their code, hash of all cases, and what was set, for all and for
    each variant.

    Settings are those that aren't the defaults; other options (an agent, books) are named with a hash of what is in
    them. `data` is the hash of the cases, `functions` that of what does the work of scorers, changes and tokenizer.
    """
    plugins = plugins_of(plan)
    variants = {
        sound_text(each.name): _way(files, {**settings_in(each.options), **each.settings}, each.options)
        | ({"change": getattr(each.change, "__qualname__", "a function")} if each.change is not None else {})
        for each in plan.variants
    }
    return {
        "ctxlab": ctxlab_version(),
        "python": ".".join(map(str, sys.version_info[:2])),
        "code": whole_code_version() if plugins else plan.code_version,
        **({"plugins": records_of(plugins)} if plugins else {}),
        "data": data,
        "all_variants": _way(files, settings_in(plan.options), plan.options),
        "variants": variants,
        "budgets": list(plan.budgets),
        "budget_of": plan.budget_of,
        "seeds": list(plan.seeds),
        "scorers": {scorer.name: scorer.version for scorer in plan.scorers},
        "functions": _functions(plan),
    }


def _functions(plan: StudyPlan) -> str:
    """The hash of functions and objects that the study was given, in which one's own count by their code."""
    scorers = [(scorer.name, scorer.version, scorer) for scorer in plan.scorers]
    return content_hash((plan.build, plan.tokenizer, scorers, [each.change for each in plan.variants])).hex()


def hash_of_cases(hashes: Iterable[bytes]) -> str:
    """One hash of all cases, in whatever order they came."""
    digest = blake2b(digest_size=SIZE)
    for each in sorted(hashes):
        digest.update(each)
    return digest.hexdigest()


def record_line(record: Mapping[str, Any]) -> str:
    """The record in a sentence; empty where there is none.

    >>> record_line({"ctxlab": "0.1.0", "code": "ab" * 16, "data": "cd" * 16})
    'Made with ctxlab 0.1.0 (code abababababab) from data cdcdcdcdcdcd.'
    """
    if not record:
        return ""
    known, code, data = (plain(str(record.get(name, "")), 40) for name in ("ctxlab", "code", "data"))
    made = ", ".join([f"ctxlab {known} (code {code[:SHOWN]})", *_plugins(record.get("plugins"))])
    return f"Made with {made} from data {data[:SHOWN]}."


def _plugins(found: object) -> list[str]:
    """The packages of plugins in a record; none where it has none, or what a file says is no record of them."""
    packages = cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}
    texts = {name: each for name, each in packages.items() if isinstance(each, Mapping)}
    told = {name: [plain(str(each.get(key, "")), 40) for key in ("version", "code")] for name, each in texts.items()}
    return [f"{plain(name)} {version} (code {code[:SHOWN]})" for name, (version, code) in told.items()]


@cache
def ctxlab_version() -> str:
    """The version of the package that runs; empty where it isn't installed."""
    try:
        return version("ctxlab")
    except PackageNotFoundError:
        return ""


def _way(files: FilesRead, settings: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that aren't the defaults, and hashes of the other options."""
    others = {name: value for name, value in options.items() if name != "settings"}
    hashes = {name: files.hash_of_options({name: value}).hex() for name, value in others.items()}
    found = {"settings": {name: as_json(value) for name, value in not_default(settings).items()}, "options": hashes}
    return {name: value for name, value in found.items() if value}
