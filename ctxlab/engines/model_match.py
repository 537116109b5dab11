"""Matching of models by name patterns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxlab.documents import ModelMatch, ModelProfile
from ctxlab.engines.regexes import BadPattern, found
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """`fits` says whether the rule is met by the model, `problems` which patterns were left out and why."""

    fits: bool
    problems: tuple[str, ...] = ()


def model_fits(rule: ModelMatch | None, model: ModelProfile | None) -> ModelVerdict:
    """Patterns are regular expressions, unanchored, upper and lower case alike.

    A side without patterns doesn't vote: `mode` any needs one of the sides that vote, all needs each of them. With no
    pattern at all the message is for every model. `exclude` turns the verdict round.
    """
    if rule is None or not rule.enabled:
        return ModelVerdict(True)
    problems: list[str] = []
    votes: list[bool] = []
    if rule.patterns:
        votes.append(_any_hit(rule.patterns, model_names(model), problems))
    profile_patterns = (*rule.profile_patterns, *(rule.patterns if rule.match_profile_name else ()))
    if profile_patterns:
        profile = [model.profile_name] if model is not None and model.profile_name else []
        votes.append(_any_hit(profile_patterns, profile, problems))
    if not votes:
        return ModelVerdict(True, tuple(problems))
    fits = all(votes) if rule.mode == "all" else any(votes)
    return ModelVerdict(fits != rule.exclude, tuple(dict.fromkeys(problems)))


def model_names(model: ModelProfile | None) -> list[str]:
    """Names that a pattern can match: shown name, id, id without its profile (up to `:`), and its last part."""
    if model is None:
        return []
    bare = model.id.partition(":")[2] or model.id
    names = [model.name or "", model.id, bare, bare.rpartition("/")[2]]
    return [name for name in dict.fromkeys(names) if name]


def _any_hit(patterns: Sequence[str], names: Iterable[str], problems: list[str]) -> bool:
    texts = list(names)
    hit = False
    for pattern in patterns:
        try:
            hit = any(found(pattern, text) for text in texts) or hit
        except BadPattern as problem:
            problems.append(str(problem))
    return hit
