"""Keys of vendors' forms, made when they are asked for, and what stands around them in files and shells."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
PIECE = 9
"""Characters of a key that are a part of it wherever they stand."""


def _drawn(letters: str, length: int, seed: str) -> str:
    """Characters by lot, the same each time, with a digit and a letter among them wherever one looks."""
    dice = random.Random(seed)
    drawn = [dice.choice(letters) for _ in range(length)]
    for at in range(3, length, 7):
        drawn[at] = dice.choice([each for each in letters if each.isdigit()] or letters)
        drawn[at - 1] = dice.choice([each for each in letters if each.isalpha()])
    return "".join(drawn)


def keys(seed: str = "") -> dict[str, str]:
    """A key of each form by its vendor; other ones for another seed."""

    def of(beginning: str, length: int, letters: str = LETTERS) -> str:
        return beginning + _drawn(letters, length, seed + beginning)

    upper = string.ascii_uppercase + string.digits
    return {
        "openai": of("sk" + "-", 48),
        "openai project": of("sk" + "-proj-", 60, LETTERS + "_-"),
        "anthropic": of("sk" + "-ant-api03-", 93, LETTERS + "_-"),
        "openrouter": of("sk" + "-or-v1-", 64, HEX),
        "deepseek": of("sk" + "-", 32, HEX),
        "stripe": of("sk" + "_live_", 24),
        "elevenlabs": of("sk" + "_", 48, HEX),
        "google": of("AI" + "za", 35, LETTERS + "_-"),
        "google oauth": of("ya" + "29.", 60, LETTERS + "_-"),
        "google client": of("GOC" + "SPX-", 28, LETTERS + "_-"),
        "github": of("gh" + "p_", 36),
        "github fine": of("github" + "_pat_", 82, LETTERS + "_"),
        "gitlab": of("gl" + "pat-", 20, LETTERS + "_-"),
        "slack": "xo" + "xb-123456789012-1234567890123-" + _drawn(LETTERS, 24, seed + "slack"),
        "aws": of("AK" + "IA", 16, upper),
        "hugging face": of("hf" + "_", 34),
        "groq": of("gs" + "k_", 52),
        "xai": of("xa" + "i-", 80),
        "perplexity": of("pp" + "lx-", 48),
        "replicate": of("r8" + "_", 37),
        "nvidia": of("nv" + "api-", 64, LETTERS + "_-"),
        "npm": of("np" + "m_", 36),
        "pypi": of("py" + "pi-AgEIcHlwaS5vcmc", 120, LETTERS + "_-"),
        "sendgrid": f"{of('S' + 'G.', 22)}.{_drawn(LETTERS, 43, seed + 'sendgrid')}",
        "databricks": of("da" + "pi", 32, HEX),
        "vault": of("hv" + "s.", 90, LETTERS + "_-"),
        "digitalocean": of("do" + "p_v1_", 64, HEX),
        "tavily": of("tv" + "ly-", 32),
        "linear": of("lin" + "_api_", 40),
        "token": ".".join(("ey" + "J" + _drawn(LETTERS, 30, seed + "a"), "ey" + "J" + _drawn(LETTERS, 60, seed + "b")))
        + "."
        + _drawn(LETTERS, 43, seed + "c"),
        "private": "-----BEGIN RSA PRIV" + f"ATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{_drawn(LETTERS, 400, seed)}\n"
        "-----END RSA PRIV" + "ATE KEY-----",
    }


AROUND = (
    *(
        "{}",
        " {} ",
        "key: {}",
        "key:{}",
        "'{}'",
        '"{}"',
        "`{}`",
        "“{}”",
        "（{}）",
        "密钥{}。",
        "密钥是{}，请保密",
        "({})",
    ),
    *("[{}]", "{{{}}}", "<{}>", "|{}|", "x={}", "x = {}", "OPENAI_API_KEY={}", "export OPENAI_API_KEY={}"),
    *("set KEY={}&& run", "$env:KEY='{}'", "KEY: {}", "- {}", "* {}", "1. {}", "> {}", "# {}", "// {}"),
    *("/* {} */", "<!-- {} -->", "\t{}\t", "a\n{}\nb", "a\r\n{}\r\n", "/{}", "/{}/", "a/{}"),
    *("https://h.example/{}/x", "https://h.example/a?key={}", "?key={}", "?a=1&key={}&b=2", "&token={}"),
    *("token={}&", "#access_token={}", "https://{}@h.example/", "https://u:{}@h.example/x"),
    *("redis://:{}@h.example:6379/0", "git+https://{}@h.example/r.git", "--key={}", "--key {}", "--api-key={}"),
    *("-k {}", "-H 'Authorization: Bearer {}'", "Authorization: Bearer {}", "Authorization=Bearer={}"),
    *("Bearer {}", "bearer {}", "x-api-key: {}", "X-Api-Key:{}", "Cookie: a=1; s={}; b=2", "a-{}", "a.{}"),
    *("a,{}", "a;{}", "a:{}", "a@{}", "a+{}", "a%3D{}", "%22{}%22", "a%26key%3D{}", "&quot;{}&quot;"),
    *("&#34;{}&#34;", "&amp;key={}", '{{"k":"{}"}}', '{{"k": ["{}"]}}', '{{\\"k\\":\\"{}\\"}}', '"a\\n{}\\nb"'),
    *('"a\\t{}"', '"\\u0022{}"', '"a\\\\n{}"', "a\\n{}", "\x1b[32m{}\x1b[0m", "\x1b[1;31m{}", "**{}**"),
    *("__{}__", "_{}_", "~~{}~~", "*{}*", "[key]({})", "![k](https://h.example/{})", "| key | {} |"),
    *("```\n{}\n```", "<key>{}</key>", "<a href='{}'>", 'value="{}"', "sed s/x/{}/", "s|x|{}|", "echo {}>f"),
    *("echo {}|cat", "$({})", "`echo {}`", "user:{}", "user {} pass", "{}:x-oauth-basic", "{}\\", "\\{}"),
    *("{}...", "{}!", "{}?", "{}…", "key={}\x00", "\u200b{}", "+ {}", "+KEY={}", "-KEY={}", "@@ {}", "f'{}'"),
    *("b'{}'", 'r"{}"', "env({})", "KEY := {}", "KEY => {}", "key → {}"),
)
"""A hundred surroundings and more, `{}` for the key."""


def surrounded(key: str, around: str) -> str:
    """The surroundings with the key in them; doubled braces are one."""
    return (
        around.replace("{{", "\x01").replace("}}", "\x02").replace("{}", key).replace("\x01", "{").replace("\x02", "}")
    )


def pieces_of(key: str, text: str) -> Iterator[str]:
    """The pieces of a key that a text has; its beginning, which says of what kind it is, is none."""
    beginning = re.match(r"(?:-----BEGIN [A-Z ]*-----|[A-Za-z]{2,9}[-_.](?:[a-z0-9]{2,6}[-_])*|AIza|AKIA|dapi)?", key)
    first = beginning.end() if beginning else 0
    for at in range(first, len(key) - PIECE + 1):
        piece = key[at : at + PIECE]
        if piece in text and sum(map(str.isalnum, piece)) == PIECE:
            yield piece
