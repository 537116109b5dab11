"""One placeholder carried out: is it active, which bases, which query, what was found, what is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from ctxlab.context import KnowledgeAnswer, KnowledgeBaseFacts, KnowledgeHit, QueryPart
from ctxlab.display.short_texts import counted, nearest, short
from ctxlab.documents import Agent
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import CtxlabError
from ctxlab.knowledge.policy.activation import Conversation, activation_of
from ctxlab.knowledge.policy.bases import BoundBase, bound_bases, chosen_bases
from ctxlab.knowledge.policy.candidates import Candidate, candidates_of, joined
from ctxlab.knowledge.policy.clean_query import clean_query, without_marks
from ctxlab.knowledge.policy.cuts import CutRules, decide
from ctxlab.knowledge.policy.placeholder import ENGINES, Placeholder
from ctxlab.knowledge.policy.query import SpokenText, Turn, newest_turns, query_of, query_words, turns_of
from ctxlab.knowledge.policy.report import PlaceholderResult
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Retriever
from ctxlab.processors.knowledge.settings import KnowledgeStepSettings

DEFAULT_MINIMUM = 0.3
"""Of cosines and shares of the best score, as other programs have it; fused ranks have none but the limit."""
ALL = "all"
MOST_UNKNOWN = 3
"""Unknown entries of a placeholder that are named."""


@dataclass(slots=True)
class KnowledgeSearch:
    """Carries out the placeholders of a build; equal searches are made once. `problems` are clauses by placeholder."""

    settings: KnowledgeStepSettings
    agent: Agent | None
    retriever: Retriever | None
    spoken: tuple[SpokenText, ...]
    user_messages: int
    facts: tuple[KnowledgeBaseFacts, ...] = ()
    bound: tuple[BoundBase, ...] = ()
    problems: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    _clean_turns: tuple[Turn, ...] | None = None
    _answers: dict[Any, KnowledgeAnswer] = field(default_factory=dict[Any, KnowledgeAnswer])

    def __post_init__(self) -> None:
        self.facts = tuple(self.retriever.bases()) if self.retriever is not None else ()
        self.bound = bound_bases(self.agent.knowledge_base_config if self.agent else None, self.facts)

    def result(self, found: Placeholder, where: str) -> PlaceholderResult:
        """The result of a placeholder in the message of this key."""
        over = self.settings.by_placeholder.get(found.raw)
        wanted = found if over is None else over.applied_to(found)
        self.problems += [(found.raw, problem) for problem in wanted.problems]
        texts = tuple([each.text for each in self.spoken])
        about = Conversation(texts, self.user_messages, self.settings.gate_scan_depth)
        activation = activation_of(wanted.mode, wanted.params, about)
        if activation.problem:
            self.problems.append((found.raw, activation.problem))
        if not activation.active:
            return PlaceholderResult(found.raw, where, activation)
        all_on = over is not None and over.search_disabled
        chosen = chosen_bases(wanted.base, self.bound, self.facts, all_on=all_on)
        result = PlaceholderResult(
            found.raw, where, activation, switched_off=chosen.switched_off, problem=chosen.problem
        )
        if not chosen.bases:
            self.problems.append((found.raw, chosen.problem))
            return result
        try:
            if wanted.mode == "static":
                return self._taken(wanted, chosen.bases, result)
            return self._searched(wanted, chosen.bases, result, limit_per_base=over.limit_per_base if over else None)
        except CtxlabError as error:
            self.problems.append((found.raw, str(error)))
            return replace(result, problem=str(error))

    # --- by id

    def _taken(self, wanted: Placeholder, bases: Sequence[BoundBase], result: PlaceholderResult) -> PlaceholderResult:
        """Entries by their ids, or all of them; what was disabled is not among what a base gives."""
        assert self.retriever is not None
        ids = [each for each in wanted.params or () if each]
        if not ids:
            return replace(result, problem="mode static names no entries: give their ids, or all")
        is_all = len(ids) == 1 and ids[0].lower() == ALL
        hits = [hit for base in bases for hit in self.retriever.entries(base.id, None if is_all else tuple(ids))]
        if not is_all:
            hits = self._in_order(wanted.raw, ids, bases, hits)
        found = [Candidate(hit, "", n, 1.0, 1.0, 1.0) for n, hit in enumerate(hits, start=1)]
        rules = CutRules(limit=len(found))
        problem = "" if found else f"there is no such entry in {_names(bases)}"
        return replace(result, decisions=decide(found, rules), rules=rules, is_static=True, problem=problem)

    def _in_order(
        self, raw: str, ids: Sequence[str], bases: Sequence[BoundBase], by_id: Sequence[KnowledgeHit]
    ) -> list[KnowledgeHit]:
        """The hits in the order of their ids; one that no entry has may be a title."""
        assert self.retriever is not None
        there = {hit.entry for hit in by_id}
        if all(id in there for id in ids):
            return sorted(by_id, key=lambda hit: ids.index(hit.entry))
        every = [hit for base in bases for hit in self.retriever.entries(base.id)]
        named = {id: [hit for hit in every if id == (hit.entry if id in there else hit.title)] for id in ids}
        known = dict.fromkeys(name for hit in every for name in (hit.entry, hit.title) if name)
        for id in [id for id, hits in named.items() if not hits][:MOST_UNKNOWN]:
            problem = f"there is no entry {short(id)!r} in {_names(bases)}, by id or title, or it is off"
            self.problems.append((raw, problem + nearest(id, list(known))))
        return list({(hit.base, hit.chunk): hit for hits in named.values() for hit in hits}.values())

    # --- by a query

    def _searched(
        self, wanted: Placeholder, bases: Sequence[BoundBase], result: PlaceholderResult, *, limit_per_base: int | None
    ) -> PlaceholderResult:
        settings, engine = self.settings, self._engine(wanted, bases)
        turns = self._turns()
        newest = query_of(turns, settings.query_rules)
        result = replace(result, query=query_words(newest) if newest else "")
        if not newest:
            said = bool(turns) and bool(turns[-1].user)
            weighed = "user_weight is 0, and there is nothing else to search by"
            return replace(result, problem=weighed if said else "the user has said nothing to search by")
        tags = self._tags(bases)
        answers: list[list[Candidate]] = []
        answer = KnowledgeAnswer()
        for back in range(settings.result_turns, -1, -1):
            if query := query_of(turns, settings.query_rules, back=back):
                answer = self._answer(query, bases, engine, tags, wanted)
                made = candidates_of(answer, query=query_words(query), back=back, decay=settings.result_decay)
                answers.append([each for each in made if each.hit.base in {base.id for base in bases}])
        found = joined(answers, settings.result_join)
        rules, own = self._rules(wanted, bases, answer.engine, limit_per_base)
        if settings.only_tagged:
            rules = replace(rules, required_tags=tags)
        decisions = decide(found, rules)
        self.problems += [(wanted.raw, note) for note in answer.notes]
        problem = "" if found else f"nothing matches the query among {counted(answer.searched, 'piece')}"
        return replace(
            result,
            rules=rules,
            own=own,
            engine=answer.engine,
            searched=answer.searched,
            decisions=decisions,
            problem=problem,
        )

    def _answer(
        self,
        query: tuple[QueryPart, ...],
        bases: Sequence[BoundBase],
        engine: str,
        tags: tuple[str, ...],
        wanted: Placeholder,
    ) -> KnowledgeAnswer:
        assert self.retriever is not None
        limit = max(self.settings.candidates, self.settings.limit if wanted.limit is None else wanted.limit)
        ids = tuple([base.id for base in bases])
        key = (query, ids, engine, limit, tags)
        if key not in self._answers:
            self._answers[key] = self.retriever.search(query, bases=ids, engine=engine, limit=limit, tags=tags)
        return self._answers[key]

    def _engine(self, wanted: Placeholder, bases: Sequence[BoundBase]) -> str:
        """The placeholder's engine, else the step's, else that of the bases where they agree."""
        if wanted.engine in ENGINES:
            return wanted.engine
        if self.settings.engine != "auto":
            return self.settings.engine
        engines = {base.facts.engine for base in bases if base.facts is not None}
        return engines.pop() if len(engines) == 1 else ""

    def _turns(self) -> tuple[Turn, ...]:
        """The newest turns, as many as queries are made of, the user's words clean."""
        if self._clean_turns is None:
            how, most = self.settings.clean_query, self.settings.query_rules.turns_back + self.settings.result_turns
            said = newest_turns(self.spoken, most)
            if how != "no":
                said = [replace(each, text=_clean(each.text, how)) if each.role == "user" else each for each in said]
            self._clean_turns = turns_of(said)
        return self._clean_turns

    def _tags(self, bases: Sequence[BoundBase]) -> tuple[str, ...]:
        """The tags of the bases that the user's newest words name."""
        pool = dict.fromkeys(tag for base in bases if base.facts is not None for tag in base.facts.tags)
        newest = next((each.text for each in reversed(self.spoken) if each.role == "user"), "")
        return clean_query(newest, tuple(pool)).tags if pool else ()

    def _rules(
        self, wanted: Placeholder, bases: Sequence[BoundBase], engine: str, limit_per_base: int | None
    ) -> tuple[CutRules, frozenset[str]]:
        """The rules of cutting, and the names of those values in them that the placeholder or a binding says."""
        settings = self.settings
        bindings = {base.id: base.binding for base in bases if base.binding is not None}
        limits = {id: each.limit for id, each in bindings.items() if each.limit is not None}
        minimums = {id: each.min_score for id, each in bindings.items() if each.min_score is not None}
        own = {name for name, value in (("limit", wanted.limit), ("min_score", wanted.minimum)) if value is not None}
        least = settings.min_score if wanted.minimum is None else wanted.minimum
        if least is None:
            least = 0.0 if engine == "hybrid" else DEFAULT_MINIMUM
        if wanted.minimum is None and minimums:
            own.add("min_score")
        most = settings.limit if wanted.limit is None else wanted.limit
        per_base: Mapping[str, int] = limits
        if limit_per_base is not None or (len(bases) == 1 and wanted.base and wanted.limit is not None):
            per_base = {}  # said of this placeholder itself
        if per_base or limit_per_base is not None:
            own.add("limit_per_base")
        rules = CutRules(
            minimum=least,
            limit=most,
            max_characters=settings.max_characters,
            overflow=settings.overflow,
            base_minimums=FrozenDict(minimums if wanted.minimum is None else {}),
            base_limits=FrozenDict({id: each for id, each in per_base.items() if each >= 0}),
            limit_per_base=settings.limit_per_base if limit_per_base is None else limit_per_base,
        )
        return rules, frozenset(own)


def _clean(text: str, how: str) -> str:
    return without_marks(text) if how == "marks" else clean_query(text).text


def _names(bases: Sequence[BoundBase]) -> str:
    return ", ".join([repr(short(base.name)) for base in bases[:3]]) + (" …" if len(bases) > 3 else "")
