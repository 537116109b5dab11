"""Terms of a sentence: what two sentences share where they are about one thing."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_RUN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+(?:['’][^\W_\u3400-\u9fff]+)?")
LONGEST = 20_000
"""Characters of a sentence that are looked at; what is longer is data or code."""

ENGLISH = frozenset(
    "a about after again all also am an and any are as at back be because been before being but by can could did do "
    "does doing done down each even ever every few for from get gets getting give go goes going good got great had has "
    "have having he her here hers him his how i if im in into is it its just know let like ll look made make many may "
    "maybe me might more most much must my myself need never new nice no not now of off oh ok okay on one only or "
    "other our out over own please really right said same say see sent shall she should so some something still such "
    "sure take than thank thanks that the their them then there these they thing things think this those though to "
    "too up us very want was way we well were what when where which while who why will with would yeah yes yet you "
    "your yours".split()
)
CHINESE = frozenset(
    "的 了 是 我 你 他 她 它 们 我们 你们 他们 这 那 这个 那个 这些 那些 什么 怎么 怎样 如何 哪里 哪个 为什么 吗 呢 啊 吧 呀 哦 "
    "嗯 哈 很 非常 也 都 就 还 又 再 不 没 没有 有 在 和 与 或 或者 但 但是 因为 所以 如果 可以 可能 能 会 要 想 去 来 到 从 对 "
    "把 被 让 给 跟 比 更 最 一 一个 一些 一下 一点 有点 觉得 感觉 知道 谢谢 感谢 不客 客气 不用 用谢 好的 是的 你好 今天 最近 "
    "自己 这样 那样 这么 那么 很多 时候 事情 东西 真的 已经 比如 例如 等等 以及 而且 并且 然后 之后 之前 其实 当然 一直 还有 "
    "的建 你的 我的 了一 我会 我也 你也 我很 也很 的时 是一 有一 都是 也是 就是 还是 可是 但我 我在 我最 你有 有什 有没 么好".split()
)
"""Pairs of characters, and words, that any sentence may have."""


@lru_cache(maxsize=20_000)
def sentence_terms(sentence: str) -> tuple[str, ...]:
    """The terms of a sentence in order: words without endings, and pairs of neighbouring Chinese characters.

    Words that any sentence may have are not among them.

    >>> sentence_terms("The ferries of the harbour"), sentence_terms("我喜欢灯塔")
    (('ferry', 'harbour'), ('喜欢', '欢灯', '灯塔'))
    """
    folded = unicodedata.normalize("NFKC", sentence[:LONGEST]).casefold()
    found: list[str] = []
    for match in _RUN.finditer(folded):
        run = match[0]
        if "\u3400" <= run[0] <= "\u9fff":
            pairs = [run[i : i + 2] for i in range(len(run) - 1)] if len(run) > 1 else [run]
            found += [pair for pair in pairs if pair not in CHINESE and not _is_plain(pair)]
        elif (word := run.partition("'")[0].partition("’")[0]) not in ENGLISH and (len(word) > 1 or word.isdigit()):
            found.append(_without_ending(word))
    return tuple(found)


def _is_plain(pair: str) -> bool:
    """Whether one half of a pair is a character that binds others rather than names something."""
    return any(character in "的了是我你吗呢啊吧很也都就" for character in pair)


def _without_ending(word: str) -> str:
    """A word without the ending of its plural."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
