"""Examples at the end of each command's help."""

EXAMPLES = """\b
Examples:
  ctxlab demo
  ctxlab build datasets/harbour_roleplay.session.json --budget 1800
  ctxlab explain datasets/harbour_roleplay.session.json --text "compass"
  ctxlab lab datasets/harbour_roleplay.session.json
"""

BUILD = """\b
Examples:
  ctxlab build datasets/coding_chat.session.json --budget 2000
  ctxlab build datasets/harbour_roleplay.session.json --book datasets/harbour_lore.json --pending "{{weekday}}?"
  ctxlab build datasets/harbour_roleplay.session.json --knowledge datasets/harbour_papers.knowledge.json \\
    --pending "When was the lamp dark? 【kb::harbour papers::3】"
  ctxlab build datasets/harbour_roleplay.session.json --note "Keep it short.@4"
  ctxlab build datasets/coding_chat.session.json --set token-limiter.retain=each --format json
"""

EXPLAIN = """\b
Examples:
  ctxlab explain datasets/harbour_roleplay.session.json --budget 1800 --key u5
  ctxlab explain datasets/harbour_roleplay.session.json --text "compass"
  ctxlab explain datasets/harbour_roleplay.session.json --book datasets/harbour_lore.json --entry "The compass"
  ctxlab explain datasets/harbour_roleplay.session.json --knowledge datasets/harbour_papers.knowledge.json \\
    --pending "When was the lamp dark? 【kb::harbour papers::3】" --piece "harbour papers"
"""

STEP = """\b
Examples:
  ctxlab step datasets/harbour_roleplay.session.json --budget 1800 --until token-limiter
"""

TREE = """\b
Examples:
  ctxlab tree datasets/research_tree.session.json
"""

REPORT = """\b
Examples:
  ctxlab report datasets/harbour_roleplay.session.json --budget 1800 --out harbour.html
"""

LEDGER = """\b
Examples:
  ctxlab ledger datasets/coding_chat.session.json --budget 2000
"""

CHAT = """\b
Examples:
  ctxlab chat datasets/harbour_roleplay.session.json --model echo
  ctxlab chat datasets/coding_chat.session.json --model gpt-4o --out further.session.json
"""

COMPARE = """\b
Examples:
  ctxlab compare datasets/coding_chat.session.json --strategies sliding,middle-out --budgets 2000,4000
"""

COMPRESS = """\b
Examples:
  ctxlab compress datasets/coding_chat.session.json --protect 4 --out shorter.session.json
"""

LORE = """\b
Examples:
  ctxlab lore datasets/harbour_roleplay.session.json --book datasets/harbour_lore.json
  ctxlab lore --text "The old lighthouse" --book datasets/harbour_lore.json
"""

CONVERT = """\b
Examples:
  ctxlab convert datasets/coding_chat.session.json chat.openai.json
"""

REQUEST = """\b
Examples:
  ctxlab request datasets/harbour_roleplay.session.json --provider anthropic --budget 1800
  ctxlab request datasets/coding_chat.session.json --provider openai --format json
"""


ASSETS = """\b
Examples:
  ctxlab assets datasets/harbour_files
  ctxlab assets datasets/harbour_files --model gpt-4o --format json
"""

DEMO = """\b
Examples:
  ctxlab demo
  ctxlab demo --notebook
"""

LAB = """\b
Examples:
  ctxlab lab
  ctxlab lab datasets/harbour_roleplay.session.json
"""

MINIMISE = """\b
Examples:
  ctxlab minimise datasets/coding_chat.session.json --budget 2000 --keeps node:a14
  ctxlab minimise datasets/harbour_roleplay.session.json --budget 2000 --keeps compass --keeps "re:lamp|lantern"
"""

ABLATE = """\b
Examples:
  ctxlab ablate datasets/coding_chat.session.json --budget 2000 --only step,preset
  ctxlab ablate datasets/coding_chat.session.json --budget 2000 --only step --format json
"""

STUDY = """\b
Examples:
  ctxlab study datasets/harbour_study.toml
  ctxlab study retention datasets/harbour_roleplay.session.json --labels datasets/studies/bundled_questions.json \\
    --strategies sliding,bm25,oracle --budgets 512,1024
"""

SURVEY = """\b
Examples:
  ctxlab survey datasets/coding_chat.session.json datasets/research_tree.session.json --budgets 1000,4000
  ctxlab survey datasets/harbour_roleplay.session.json --strategies sliding,block --figure survey.html
"""
