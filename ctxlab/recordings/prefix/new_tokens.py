"""The tokens of a prompt that stood nowhere in the prompt before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ctxlab.context.equal_stretch import equal_after, equal_before
from ctxlab.prompt import PromptPart
from ctxlab.recordings.prefix.causes import Prompt
from ctxlab.recordings.prefix.prompt_tree import PromptTree, TreeMessage, texts_of


def new_tokens(old: Prompt, new: Prompt, tree: PromptTree, count: Callable[[str], int]) -> int:
    """Tokens of the new prompt's parts that the old one has at no place; of a changed text what lies between the ends.

    Messages at the beginning of both are not looked at, so where one prompt goes on from another this costs little.
    """
    place = tree.common(old.place, new.place)
    if old.head.key == new.head.key and place == old.place:
        return tree.tokens[new.place] - tree.tokens[place]
    was, now = (_messages_behind(place, prompt.place, tree) for prompt in (old, new))
    before: list[PromptPart] = [*old.head.parts] if old.head.key != new.head.key else []
    after: list[PromptPart] = [*new.head.parts] if old.head.key != new.head.key else []
    gone, come = _without_shared(was, now)
    return _new_of_parts([*before, *_parts(gone)], [*after, *_parts(come)], count)


def _messages_behind(place: int, leaf: int, tree: PromptTree) -> list[TreeMessage]:
    return tree.behind(place, leaf, tree.depth[leaf] - tree.depth[place])


def _without_shared(was: Sequence[TreeMessage], now: Sequence[TreeMessage]) -> tuple[list[TreeMessage], ...]:
    """The messages of both without those that both have, each as often as both have it."""
    shared = Counter(each.digest for each in was) & Counter(each.digest for each in now)
    return _without(was, shared.copy()), _without(now, shared.copy())


def _without(messages: Sequence[TreeMessage], shared: Counter[bytes]) -> list[TreeMessage]:
    kept: list[TreeMessage] = []
    for each in messages:
        if shared[each.digest]:
            shared[each.digest] -= 1
        else:
            kept.append(each)
    return kept


def _parts(messages: Iterable[TreeMessage]) -> Iterable[PromptPart]:
    return (part for each in messages for part in each.parts)


def _new_of_parts(was: Sequence[PromptPart], now: Sequence[PromptPart], count: Callable[[str], int]) -> int:
    known = {(part.source, *texts_of([part])[0]) for part in was}
    shown = {(part.source, *texts_of([part])[0]) for part in now}
    changed: dict[tuple[str, str, str], list[str]] = {}
    for part in was:
        if (part.source, *texts_of([part])[0]) not in shown:
            changed.setdefault((part.source, part.role, part.name), []).append(part.text)
    tokens = 0
    for part in now:
        if (part.source, *texts_of([part])[0]) in known:
            continue
        texts = changed.get((part.source, part.role, part.name))
        tokens += min(part.tokens, count(_between(texts.pop(0), part.text))) if texts else part.tokens
    return tokens


def _between(old: str, new: str) -> str:
    """The characters of a new text between the beginning and the end that it shares with the old one."""
    start = equal_after(old, new)
    end = equal_before(old, new[start:], len(old), len(new) - start, start)
    return new[start : len(new) - end]
