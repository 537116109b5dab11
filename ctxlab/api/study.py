"""Studies: cases under variants at budgets, scored, one row each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ctxlab.api.build import build
from ctxlab.api.sources import FilePath
from ctxlab.argument_checks import checked_arguments
from ctxlab.display.html_table import fields_table, heading
from ctxlab.display.one_line import plain
from ctxlab.display.progress import ProgressOption
from ctxlab.pipeline.services import TokenCounter
from ctxlab.studies.cases import ORACLE, RETENTION, retention_cases
from ctxlab.studies.study import StudyPlan, StudyResult, Variant, run_study
from ctxlab.studies.study.usable_strategies import UsableStrategies, embedder_lines, usable_strategies

if TYPE_CHECKING:
    from ctxlab.studies.study.study_file import StudyFile

RETENTION_BUDGETS = (512, 1_024, 2_048, 4_096, 8_192)
BUDGET_OF = "budgets are those of the history alone: no presets, and the question comes on top"


class Study:
    """A study: every case under every variant, at every budget, with every seed, one row each.

    `cases` are values of `ctxlab.Case`: a list, or a function that gives them one by one, so that a corpus needn't fit
    in memory. `variants` are names of strategies, settings by name, or values of `ctxlab.Variant`. A budget of None is
    none. `scorers` are scorers or their names. `tokenizer` counts in place of each model's own: an encoding, such as
    "o200k_base", or "chars4+4", which is max(1, ceil(characters / 4)) a message plus 4 and counts texts alone, as
    "o200k_base+4" does, or a tokenizer. With `budget_of="history"` a budget is for the history alone: the question,
    presets and tool definitions come on top. `options` are those of `ctxlab.build` for every case; options of a case or
    of a variant take their place.
    """

    @checked_arguments
    def __init__(
        self,
        cases: Iterable[Any] | Callable[[], Iterable[Any]],
        variants: str | Variant | Sequence[str | Variant | Mapping[str, Any]] | Mapping[str, Mapping[str, Any]],
        budgets: Sequence[int | None] = (None,),
        seeds: Sequence[int] = (0,),
        scorers: Sequence[Any] = (),
        *,
        tokenizer: str | TokenCounter | None = None,
        budget_of: Literal["prompt", "history"] = "prompt",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.cases = cases
        self.plan = StudyPlan.of(
            build,
            variants,
            budgets=budgets,
            seeds=seeds,
            scorers=scorers,
            tokenizer=tokenizer,
            budget_of=budget_of,
            options=options,
        )

    @classmethod
    @checked_arguments
    def from_file(cls, path: FilePath) -> Study:
        """The study of a TOML file, as `ctxlab study FILE.toml` runs it; raises ReadError for what is no study."""
        from ctxlab.studies.study.study_file import read_study_file

        return study_of(read_study_file(str(path)))

    def __repr__(self) -> str:
        variants = ", ".join([repr(plain(variant.name)) for variant in self.plan.variants[:6]])
        more = f" and {len(self.plan.variants) - 6} more" if len(self.plan.variants) > 6 else ""
        return f"Study({variants}{more}; {sum(1 for _ in self.plan.cells())} cells a case)"

    def _repr_html_(self) -> str:
        facts = {
            "budgets": ", ".join(["none" if budget is None else f"{budget:,}" for budget in self.plan.budgets]),
            "budgets are those of": f"the {self.plan.budget_of}",
            "seeds": ", ".join(map(str, self.plan.seeds)),
            "scorers": ", ".join([scorer.name for scorer in self.plan.scorers]),
            "tokenizer": self.plan.tokenizer.name if self.plan.tokenizer is not None else "each model's",
        }
        return heading(self) + fields_table(facts)

    @checked_arguments
    def run(
        self,
        path: FilePath | None = None,
        *,
        backend: Literal["local", "dask"] = "local",
        processes: int = 1,
        address: str | None = None,
        anew: bool = False,
        progress: ProgressOption = True,
    ) -> StudyResult:
        """Build and score every cell; one that fails is a row with its error.

        With `path` the cells are kept in that folder: a run that was ended goes on where it was, and a cell is built
        again only when something that it depends on has changed: a file or a folder that options name counts by what is
        in it; a function or an object of one's own by its code and by every value, function, class and name of a module
        that its code names, in turn; installed packages by their versions, those that bring strategies or rankers only
        for variants that name these. What code looks up by a text (`getattr`) or reads from a file doesn't count: it
        takes a `version`, a text on the function or the object, that is changed with it. At the end they are one file,
        `cells.parquet`, whose bytes are the same however it was run; its metadata, `result.made_of`, says what made it.
        With `anew` the cells that are in the folder go, and all are built. `processes` is the number of processes; with
        `backend="dask"` they are dask's, or those of the scheduler at `address`. `progress` shows the time left where
        it takes over a second, in a terminal and in a notebook; a function is called with the share that is done.
        """
        return run_study(
            self.plan,
            self.cases,
            path=None if path is None else str(path),
            backend=backend,
            processes=processes,
            address=address,
            anew=anew,
            progress=progress,
        )


def study_of(file: StudyFile) -> Study:
    """The study that a file describes."""
    return Study(
        file.cases,
        file.variants,
        file.budgets,
        file.seeds,
        file.scorers,
        tokenizer=file.tokenizer,
        budget_of="history" if file.budget_of == "history" else "prompt",
        options=file.options,
    )


def retention_study(
    source: FilePath,
    *,
    labels: FilePath | None = None,
    strategies: Sequence[str] = (),
    budgets: Sequence[int] = RETENTION_BUDGETS,
    tokenizer: str = "chars4+4",
    limit: int | None = None,
) -> tuple[Study, tuple[str, ...], tuple[str, ...]]:
    """The study of how much evidence each strategy keeps at budgets of the history alone.

    With it come sentences on strategies that were left out, and on the setting. `source` is a file of conversations
    with questions, `labels` one of questions. Without `strategies` it is every one that needs nothing that is not
    installed; `oracle` is what knows the evidence. `limit` takes the first so many cases of each conversation.
    """
    named = [name for name in strategies if name != ORACLE.name]
    usable = usable_strategies(build, named) if named or not strategies else UsableStrategies(())
    setting = RETENTION.with_tokenizer(tokenizer)
    cases = retention_cases(source, labels=labels)
    study = Study(
        cases if limit is None else cases.first(limit),
        [ORACLE if name == ORACLE.name else name for name in strategies or usable.names],
        budgets,
        scorers=["evidence"],
        **setting.study_options(),
    )
    return study, usable.notes, (BUDGET_OF, *embedder_lines(usable.names))
