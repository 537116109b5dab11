"""Keys of cells: hashes of everything that a cell's values depend on, and never of a time."""

from __future__ import annotations

import json
from dataclasses import fields
from hashlib import blake2b

from ctxlab.studies.study.case import BrokenCase, Case
from ctxlab.studies.study.code_version import code_of
from ctxlab.studies.study.content_hash import SIZE, content_hash
from ctxlab.studies.study.files_read import FilesRead
from ctxlab.studies.study.plan import Cell, StudyPlan
from ctxlab.studies.study.plugins_used import plugins_of_scorers, plugins_of_variant

_OF_CASE = tuple([each.name for each in fields(Case) if each.name not in ("session", "options")])


class CellKeys:
    """Makes the keys of the cells of a study; a session that several cases share is hashed once.

    Of plugins those count that may be in every build, those that a variant's own settings name, and those with scorers
    of the study: each by its version and by the text of its Python files.

    A file or a folder that options name counts by what is in it: plan and cases are as `files` read them.
    """

    def __init__(self, plan: StudyPlan, files: FilesRead | None = None) -> None:
        self._files = files or FilesRead()
        self._plan = _joined(
            plan.code_version.encode(),
            content_hash((plan.tokenizer, plan.budget_of, plan.build)),
            self._files.hash_of_options(plan.options),
            content_hash([(scorer.name, scorer.version, scorer) for scorer in plan.scorers]),
            code_of(plugins_of_scorers(plan.scorers)).encode(),
        )
        self._variants = {
            each.name: _joined(
                content_hash((each.name, each.settings, each.change, each.labels)),
                self._files.hash_of_options(each.options),
                code_of(plugins_of_variant(each)).encode(),
            )
            for each in plan.variants
        }

    def of_case(self, case: Case | BrokenCase) -> bytes:
        """The hash of a case; raises WrongArgument where it holds something without content to hash."""
        if isinstance(case, BrokenCase):
            return content_hash((case.id, case.conversation, case.problem, case.kind))
        rest = [(name, getattr(case, name)) for name in _OF_CASE]
        options = self._files.hash_of_options(case.options)
        return _joined(self._files.hash_of(case.session), content_hash(rest), options)

    def of_cell(self, case: bytes, cell: Cell) -> str:
        """The key of a cell, by the hash of its case."""
        place = json.dumps([cell.budget, cell.seed]).encode()
        return _joined(self._plan, case, self._variants[cell.variant.name], place).hex()


def _joined(*parts: bytes) -> bytes:
    digest = blake2b(digest_size=SIZE)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()
