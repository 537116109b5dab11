"""A study as a TOML file: cases, variants, budgets, seeds, scorers, tokenizer, and where its cells go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, cast

from ctxlab.errors import did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.scorers.registry import scorer_named
from ctxlab.studies.study.batches import CaseSource
from ctxlab.studies.study.scorer import Scorer
from ctxlab.studies.study.scorer_of_kind import ScorerOfKind
from ctxlab.studies.study.study_file_cases import cases_of_file
from ctxlab.studies.study.study_file_keys import CASES_KEYS, STUDY_KEYS
from ctxlab.studies.study.study_file_table import file_at, needed_table, options_of, settings_of
from ctxlab.studies.study.study_file_variants import variants_of_file
from ctxlab.studies.study.variant import Variant
from ctxlab.studies.toml_table import TomlTable, read_toml


@dataclass(frozen=True, slots=True, eq=False)
class StudyFile:
    """The parts of a study that a file names, and how it is run; `out` is the folder for its cells, or None."""

    cases: CaseSource
    variants: tuple[Variant, ...]
    options: Mapping[str, Any]
    budgets: tuple[int | None, ...] = (None,)
    seeds: tuple[int, ...] = (0,)
    scorers: tuple[str | Scorer, ...] = ()
    tokenizer: str | None = None
    budget_of: str = "prompt"
    out: Path | None = None
    processes: int = 1
    backend: str = "local"
    address: str | None = None


def read_study_file(path: str | Path) -> StudyFile:
    """The study of a TOML file, whose paths are relative to it; raises ReadError where the file says something else.

    `cases.kind` is "conversations" (the default: conversations as they are) or "questions" (with labelled evidence).
    `variants` is a list of strategies or a table of settings by name; in its place `grid` has axes, of which every
    combination is a variant. `presets_at` and `lore_at` put the agent's injected presets and the books' entries at the
    "top" of the history, at its "end" or at a depth, `lore = "frozen"` makes the entries constant. A scorer is a name,
    or a table of it and its settings; with `kind` it scores cases of that kind alone. A budget of 0 is none.
    `out`, `processes`, `backend` and `address` are those of `Study.run`.
    """
    file = read_toml(Path(path).expanduser(), what="study")
    file.refuse_unknown(tuple(STUDY_KEYS))
    cases = needed_table(file, "cases")
    cases.refuse_unknown(tuple(CASES_KEYS))
    options = options_of(cases)
    settings = settings_of(file.value("settings", dict, {}))
    return StudyFile(
        cases_of_file(cases),
        variants_of_file(file, options),
        {**options, **({"settings": settings} if settings else {})},
        tuple([budget or None for budget in file.row("budgets", int, [0])]),
        tuple(file.row("seeds", int, [0])),
        tuple([_scorer(each, file) for each in file.value("scorers", list, [])]),
        file.value("tokenizer", str, None),
        file.choice("budget_of", ("prompt", "history")),
        file_at(file, "out") if "out" in file.data else None,
        file.value("processes", int, 1),
        file.choice("backend", ("local", "dask")),
        file.value("address", str, None),
    )


def _scorer(source: object, file: TomlTable) -> str | Scorer:
    """A scorer by its name, or of a table with its name, its settings and the kind of cases that it scores."""
    if isinstance(source, str):
        return source
    if not isinstance(source, dict):
        raise file.wrong("scorers", f"takes a list of texts and tables, not of {source!r:.60}")
    table = file.table_of("scorers", cast("dict[str, Any]", source))
    name, kind = table.value("name", str, ""), table.value("kind", str, None)
    settings = {key: value for key, value in table.data.items() if key not in ("name", "kind")}
    scorer = _with_settings(scorer_named(name), settings, file)
    return scorer if kind is None else ScorerOfKind(scorer, kind)


def _with_settings(scorer: Any, settings: Mapping[str, Any], file: TomlTable) -> Scorer:
    if not settings:
        return scorer
    scorer_name, made = str(scorer.name), type(scorer)
    of_scorer: tuple[Any, ...] = fields(scorer) if is_dataclass(scorer) else ()
    known = [each.name for each in of_scorer if each.name not in ("name", "version")]
    wrong = next((name for name in settings if name not in known), None)
    if wrong is not None:
        raise file.wrong("scorers", f"has {scorer_name!r}, which has no setting {wrong!r}{did_you_mean(wrong, known)}")
    try:
        return made(**{**{name: getattr(scorer, name) for name in known}, **settings})
    except TypeError as problem:
        raise file.wrong("scorers", f"has {scorer_name!r}: {problem}") from None
