"""Keys of cells: hashes of everything that a cell's values depend on, and never of a time."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import fields
from hashlib import blake2b

from ctxlab.documents import Session
from ctxlab.studies.study.case import BrokenCase, Case
from ctxlab.studies.study.content_hash import SIZE, content_hash
from ctxlab.studies.study.plan import Cell, StudyPlan


class CellKeys:
    """Makes the keys of the cells of a study; a session that several cases share is hashed once."""

    def __init__(self, plan: StudyPlan) -> None:
        self._plan = _joined(
            plan.code_version.encode(),
            content_hash((plan.tokenizer, plan.budget_of, plan.options, plan.build)),
            content_hash([(scorer.name, scorer.version, scorer) for scorer in plan.scorers]),
        )
        self._variants = {
            each.name: content_hash((each.name, each.settings, each.options, each.change, each.labels))
            for each in plan.variants
        }
        self._sessions: OrderedDict[int, tuple[Session, bytes]] = OrderedDict()

    def of_case(self, case: Case | BrokenCase) -> bytes:
        """The hash of a case; raises WrongArgument where it holds something without content to hash."""
        if isinstance(case, BrokenCase):
            return content_hash((case.id, case.conversation, case.problem, case.kind))
        rest = [(each.name, getattr(case, each.name)) for each in fields(case) if each.name != "session"]
        return _joined(self._of_session(case.session), content_hash(rest))

    def of_cell(self, case: bytes, cell: Cell) -> str:
        """The key of a cell, by the hash of its case."""
        place = json.dumps([cell.budget, cell.seed]).encode()
        return _joined(self._plan, case, self._variants[cell.variant.name], place).hex()

    def _of_session(self, session: Session) -> bytes:
        known = self._sessions.get(id(session))
        if known is None:
            known = self._sessions[id(session)] = (session, content_hash(session))  # held, so that no other has its id
            if len(self._sessions) > 4:
                self._sessions.popitem(last=False)
        return known[1]


def _joined(*parts: bytes) -> bytes:
    digest = blake2b(digest_size=SIZE)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()
