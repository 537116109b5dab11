"""Where fast-tavern and ctxlab part, and who does as SillyTavern does.

Told in full, with examples, in second_opinion.md.
"""

from tests.golden.second_opinion.book_rules import BOOKS
from tests.golden.second_opinion.macro_rules import MACROS
from tests.golden.second_opinion.prompt_rules import CHATS, PROMPTS
from tests.golden.second_opinion.rule import Rule
from tests.golden.second_opinion.script_rules import REGEXES

RULES: tuple[Rule, ...] = (*BOOKS, *PROMPTS, *CHATS, *REGEXES, *MACROS)
