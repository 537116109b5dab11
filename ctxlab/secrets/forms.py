"""The forms of vendors' keys: the characters that one begins with, what follows, and how it is told from a word.

A form is decided by its first few hundred characters, so that a text can be cut some way behind a place and what begins
before the place is still known.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ctxlab.lazy_pattern import lazy_pattern

_WORD: Final = "[A-Za-z0-9_-]"
_TOKEN: Final = "[A-Za-z0-9_.~+/-]"
LONGEST: Final = 400
"""Characters behind an anchor by which a form is decided; the rest of a longer key belongs to it too."""


class Form(NamedTuple):
    """A form of keys: `anchor` as it is written, `pattern` for what begins there, `shown` of it in a mask.

    `mixed`: what follows must look drawn by lot, since names of things begin with this anchor too (`sk-circle`).
    `free`: it is known even behind a letter, since no word and no base64 holds the anchor.
    """

    anchor: str
    pattern: re.Pattern[str]
    shown: str
    mixed: bool = False
    free: bool = False


def _forms(anchors: str, rest: str, *, mixed: bool = False, free: bool = False, shown: bool = True) -> list[Form]:
    return [
        Form(each, lazy_pattern(re.escape(each) + rest), each if shown else "", mixed, free) for each in anchors.split()
    ]


FORMS: Final[tuple[Form, ...]] = (
    *_forms("sk- sk_ rk- rk_ pk- pk_ ek- ek_", f"{_WORD}{{16,{LONGEST}}}", mixed=True),
    *_forms("sk-proj- sk-svcacct- sk-admin- sk-ant- sk-or-v1-", f"{_WORD}{{16,{LONGEST}}}", mixed=True, free=True),
    *_forms("sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_", "[A-Za-z0-9]{16,}", free=True),
    *_forms("AIza", f"{_WORD}{{30,}}"),
    *_forms("AQ.", f"{_WORD}{{40,}}"),
    *_forms("ya29.", "[A-Za-z0-9_.-]{20,}"),
    *_forms("1//0", f"{_WORD}{{30,}}"),
    *_forms("GOCSPX-", f"{_WORD}{{20,}}"),
    *_forms("ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9_]{20,}"),
    *_forms("github_pat_", "[A-Za-z0-9_]{20,}", free=True),
    *_forms("glpat- gldt- glrt- glcbt- glptt- glft- glsoat-", "[A-Za-z0-9_.-]{16,}"),
    *_forms(
        "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", "(?=[A-Za-z0-9%_-]{0,99}\\d)[A-Za-z0-9%_-]{10,}"
    ),
    *_forms("xoxe.", "[A-Za-z0-9.-]{20,}"),
    *_forms("AKIA ASIA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    *_forms("ABSK", "[A-Za-z0-9+/]{60,}={0,2}"),
    *_forms(
        "hf_ gsk_ xai- pplx- r8_ nvapi- npm_ pypi- tgp_v1_ fw_ jina_ tvly- csk- pcsk_ rpa_ ntn_ figd_ sbp_ glsa_ glc_ "
        "whsec_ lsv2_pt_ lsv2_sk_ dckr_pat_ dckr_oat_ dop_v1_ doo_v1_ dor_v1_ lin_api_ lin_oauth_ pscale_tkn_ "
        "pscale_pw_ pscale_oauth_ sntrys_ sntryu_ shpat_ shpss_ shpca_ shppa_ sq0atp- sq0csp- NRAK- PMAK- esecret_ "
        "bedrock-api-key- HRKU- hvs. hvb. hvr. dp.pt. AGE-SECRET-KEY-1",
        f"{_WORD}{{20,{LONGEST}}}",
        mixed=True,
    ),
    *_forms("ATATT3x", f"{_WORD}{{40,}}(?:=[A-F0-9]{{8}})?"),
    *_forms("pa-", f"{_WORD}{{40,{LONGEST}}}", mixed=True),
    *_forms("fc- key-", "[0-9a-f]{32}(?![A-Za-z0-9])"),
    *_forms("dapi", "[0-9a-f]{32}(?![A-Za-z0-9])"),
    *_forms("SK", "[0-9a-f]{32}(?![A-Za-z0-9])"),
    *_forms("SG.", f"{_WORD}{{16,80}}\\.{_WORD}{{16,}}"),
    *_forms("AccountKey= SharedAccessKey=", "[A-Za-z0-9+/]{40,}={0,2}", free=True),
    *_forms("hooks.slack.com/services/", "[A-Za-z0-9/]{20,}", free=True),
    *_forms("/api/webhooks/", f"\\d{{15,22}}/{_WORD}{{40,}}", free=True),
    *(
        Form(each, lazy_pattern(f"{each}{_TOKEN}{{20,{LONGEST}}}=*"), each, mixed=True)
        for each in ("Bearer ", "bearer ", "BEARER ", "Bearer%20", "bearer%20")
    ),
    *_forms(
        "-----BEGIN",
        "[ ][A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){16,}(?:-----END [A-Z0-9 ]{0,40}-----)?",
        free=True,
        shown=False,
    ),
)
"""Vendors' forms as their pages and public scanners describe them; digits in `mixed` ones keep names out."""
RUN: Final = lazy_pattern(_WORD + "*")
