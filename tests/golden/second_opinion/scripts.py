"""Scripts on one text, and macros in one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from tests.golden.second_opinion.books import ROLES
from tests.golden.second_opinion.case import Case, Data

TEXTS = (
    "The dragon saw the Dragon; 12 towers, 3 seas.",
    "沈砚说：“灯塔,今晚不亮.”\n阿蓉没有回答，雾更浓了。",
    'First line\nsecond line: "Halcyon" (quiet)\n\nlast 第三行 42',
    "*bows* 你好 🙂 Kim, *very slowly* 再见",
    "",
)
PATTERNS = (
    "/dragon/gi",
    "/dragon/i",
    "/([a-z]+) (line)/g",
    "/^(\\w+)/gm",
    "/[\\u4e00-\\u9fff]+/g",
    "/(?<=说：)“([^”]*)”/g",
    "/\\*([^*]+)\\*/g",
    '/"(.*?)"/gs',
    "/(\\d+)( towers)?/g",
    "/(灯塔|雾)/g",
    "/\\s*\\((.*?)\\)/g",
    "/(a)|(o)/g",
    "/,/g",
    "/$/g",
)
REPLACEMENTS = ("", "X", "[$1]", "<{{match}}>", "$1-$1", "，")
AVERAGE = {"promptOnly": True, "placement": [1, 2], "disabled": False, "substituteRegex": 0, "trimStrings": []}


def script(find: str, replace: str, **fields: Any) -> Data:
    return {"id": "s", "scriptName": "s", "findRegex": find, "replaceString": replace, **AVERAGE, **fields}


def regex(name: str, text: str, *scripts: Data, **fields: Any) -> Case:
    said = {"role": "user", "depth": 0, "stage": "request", "names": {"user": "Kim", "char": "Nova"}, **fields}
    numbered = [{**one, "id": f"s{n}"} for n, one in enumerate(scripts)]
    return Case("regex", name, {"scripts": numbered, "text": text, **said})


def regexes() -> Iterator[Case]:
    for number, (find, replace) in enumerate(product(PATTERNS, REPLACEMENTS)):
        for n in (0, 1, 2, 3) if number % 3 == 0 else (number % 5, (number + 2) % 5):
            yield regex(f"{find} to {replace!r} in text {n}", TEXTS[n], script(find, replace))
    for seed in range(60):
        rng = random.Random(seed)
        scripts = [script(rng.choice(PATTERNS), rng.choice(REPLACEMENTS), **_bounds(rng)) for _ in range(3)]
        fields = {"role": rng.choice(ROLES), "depth": rng.randrange(5), "stage": rng.choice(["request", "render"])}
        yield regex(f"three scripts {seed}", rng.choice(TEXTS), *scripts, **fields)
    yield from special_scripts()


def _bounds(rng: random.Random) -> Data:
    stages = rng.choice([{}, {"promptOnly": False, "markdownOnly": True}, {"markdownOnly": True}])
    return {
        **stages,
        "minDepth": rng.choice([None, None, 0, 2, -1]),
        "maxDepth": rng.choice([None, None, 1, 3]),
        "placement": rng.choice([[1], [2], [1, 2]]),
        "disabled": rng.random() < 0.1,
    }


def special_scripts() -> Iterator[Case]:
    here = TEXTS[0]
    yield regex("neither only, sent", here, script("/dragon/gi", "X", promptOnly=False))
    yield regex("neither only, shown", here, script("/dragon/gi", "X", promptOnly=False), stage="render")
    for find in ("dragon", "/a/", "/towers|seas/", "a.?"):
        yield regex(f"{find} without flags", here, script(find, "X"))
    for template in ("[$1]", "$1{{match}}"):
        yield regex(f"trimmed {template}", "a *b* c", script("/(\\*b\\*)/g", template, trimStrings=["*"]))
    for template in ("$& costs $$5", "$$", "$&$&", "US$&"):
        yield regex(f"dollars in {template}", "one two", script("/one/g", template))
    yield regex("whole match by number", "one two", script("/one/g", "<$0>"))
    for template in ("$2", "$10", "$1$3"):
        yield regex(f"no such group, {template}", "one two", script("/(one)/g", template))
    for template in ("hi {{user}}", "{{char}}: $1", "{{user}}{{match}}"):
        yield regex(f"macros in {template}", "one two", script("/(one)/g", template))
    for template in ("a\\nb", "\\textbf{$1}", "\\nu"):
        yield regex(f"backslashes in {template}", "one two", script("/(one)/g", template))
    for find in ("/(?<word>one)/g", "/[^]e/g", "/\\p{Script=Han}+/gu", "/(?<=o+)n/g", "/\\u{6d77}/gu"):
        yield regex(f"JavaScript's own {find}", "one 海", script(find, "X"))
    for find, text in (("/\\w+/g", "a 海 é"), ("/\\d/g", "1 ２ ٣"), ("/\\bkm\\b/g", "海km里"), ("/k/gi", "K k")):
        yield regex(f"letters of {find} in {text}", text, script(find, "X"))
    for find, text in (("/e$/g", "one\n"), ("/^t/gm", "one\rtwo"), ("/.+/g", "one\u2028two")):
        yield regex(f"lines of {find}", text, script(find, "X"))
    yield regex("half a sign", "a🙂b", script("/./g", "x"))
    yield regex("sticky", "b a a", script("/a/gy", "x"))
    yield regex("at its place", "a a b", script("/a/gy", "x"))
    for placement, role in (([3], "user"), ([], "user"), ([6], "assistant"), ([0], "user"), ([3, 1], "user")):
        yield regex(f"placement {placement}", here, script("/dragon/g", "X", placement=placement), role=role)
    for bounds in ({"maxDepth": -2}, {"minDepth": -5}):
        yield regex(f"{bounds}", here, script("/dragon/g", "X", **bounds), depth=3)
    for find in ("/dragon/x", "/dragon/gG"):
        yield regex(f"unknown flags, {find}", f"{here} {find}", script(find, "X"))
    for text in ("C:\\new", "a\\1", "\\q"):
        yield regex(f"backslash in a match, {text}", text, script("/.+/g", "<{{match}}>"))
    for text in ("$1 and $&", "$$"):
        yield regex(f"dollar in a match, {text}", text, script("/(.+)/g", "<{{match}}>"))
    yield regex("looks for nothing", here, script("", "X"))
    for mode, find in product((0, 1, 2), ("/{{user}}/g", "/{{char}}|sea/g")):
        yield regex(f"{find}, substitution {mode}", "Kim, K.M and Nova at sea", script(find, "X", substituteRegex=mode))
    fields = {"names": {"user": "K.M", "char": "Nova"}}
    for mode in (1, 2):
        yield regex(f"a name with a dot, {mode}", "K.M KxM", script("/{{user}}/g", "X", substituteRegex=mode), **fields)


# --- macros

PIECES = (
    "{{user}}",
    "{{char}}",
    "{{User}} and {{CHAR}}",
    "{{ user }}",
    "你好，{{user}}！",
    "{{setvar::hp::10}}",
    "{{getvar::hp}}",
    "{{getvar::gone}}",
    "{{setglobalvar::天气::雾}}",
    "{{getglobalvar::天气}}",
    "{{unknown_thing}}",
    "plain words\n",
    "{single} }} {{",
)
SPECIAL_MACROS = {
    "angles": ("<user> meets <BOT>", "<char>", "<<user>>", "<<getvar::hp>>"),
    "more macros": ("a{{newline}}b", "a\n{{trim}}\nb", "{{noop}}x", "{{// remark}}x", "{{reverse:abc}}"),
    "counting": ("{{setvar::n::1}}\n{{incvar::n}}{{addvar::n::5}}\n{{getvar::n}}",),
    "read before set": ("hp={{getvar::hp}}{{setvar::hp::10}}", "{{getglobalvar::g}}{{setglobalvar::g::1}}"),
    "blanks in values": ("{{setvar::a:: b }}\n[{{getvar::a}}]",),
    "numbers": ("{{setvar::a::007}}\n{{getvar::a}}", "{{setvar::a::1.50}}\n{{getvar::a}}"),
    "nested": ("{{getvar::{{getvar::k}}}}", "{{setvar::{{user}}::1}}\n{{getvar::Kim}}"),
    "values with macros": ("{{setvar::a::<user>}}", "{{getvar::greeting}}"),
    "escapes": ("\\{{user}}",),
    "colons": ("{{setvar::a::b::c}}\n{{getvar::a}}", "{{setvar::a::12:30}}\n{{getvar::a}}"),
}


def macros() -> Iterator[Case]:
    variables = {"hp": 7, "k": "hp", "greeting": "Hi {{user}}"}
    for seed in range(80):
        rng = random.Random(seed)
        text = "\n".join(" ".join(rng.sample(PIECES, rng.randint(1, 3))) for _ in range(rng.randint(1, 3)))
        yield macro(f"pieces {seed}", text, variables)
    for name, texts in SPECIAL_MACROS.items():
        for text in texts:
            yield macro(f"{name}: {text!r}", text, variables)


def macro(name: str, text: str, variables: Mapping[str, Any]) -> Case:
    return Case("macro", name, {"text": text, "variables": dict(variables), "names": {"user": "Kim", "char": "Nova"}})
