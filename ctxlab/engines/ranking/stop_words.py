"""Words that stand in any text and tell none from another."""

from __future__ import annotations

ENGLISH = """
    a an the this that these those and or nor but if so than then as at by for from in into of off on onto out over
    to up with without about after again before between down during through under until while because since i me my
    mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours they
    them their theirs who whom whose which what when where why how there here am is are was were be been being do
    does did doing done have has had having will would shall should can could may might must not no yes just only
    also too very really some any each every all both either neither such own same i'm you're he's she's it's we're
    they're i've you've we've they've i'd you'd he'd she'd we'd they'd i'll you'll he'll she'll we'll they'll isn't
    aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't can't couldn't shouldn't mustn't
    that's there's what's who's where's when's how's let's im dont didnt doesnt isnt cant wont youre ive oh hey hi
    ok okay
"""
STOP_WORDS = frozenset(ENGLISH.split())
"""English ones."""

CHINESE = """
    的 了 是 在 我 你 他 她 它 们 这 那 和 与 跟 也 都 就 很 又 还 有 没 不 吗 呢 吧 啊 呀 哦 嗯 哈 着 过 地 得
    之 其 把 被 让 给 对 从 到 向 为 以 于 而 但 或 及 所 者 个 些 么 什 谁 哪 几 多 会 能 要 想 说 去 来 上 下
    里 中 最 更 太 真 才 只 再 已 曾 将 我们 你们 他们 她们 它们 自己 这个 那个 这些 那些 这样 那样 这里 那里
    什么 怎么 怎样 为什么 哪里 哪个 哪些 多少 是否 可以 因为 所以 但是 如果 而且 或者 还是 不是 没有 就是 一个
    一些 一下 有些 时候 之前 之后 曾经 现在 的话 是不是 有没有 知道
"""
CHINESE_STOP_WORDS = frozenset(CHINESE.split())
"""Chinese ones, single characters among them."""
