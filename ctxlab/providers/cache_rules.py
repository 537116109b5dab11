"""Rules by which a vendor caches prompts, by itself or by marks: in which steps, and for how long."""

from __future__ import annotations

from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CacheRules:
    """`block_tokens`: a cached prefix is a whole number of blocks of so many tokens. `lifetime_seconds`: how long it is
    kept after its last use at the least, `longest_seconds` at the most; None where the vendor doesn't say. The shortest
    prefix is the model's.
    """

    block_tokens: int = 1
    lifetime_seconds: int | None = None
    source: str = ""
    as_of: str = ""
    longest_seconds: int | None = None

    def whole_blocks(self, tokens: int) -> int:
        """The tokens of a prefix that fill whole blocks."""
        return tokens - tokens % self.block_tokens


UNKNOWN_RULES = CacheRules()
"""Of a vendor that says nothing."""
OF_OPENAI = CacheRules(128, 300, "developers.openai.com, Prompt caching", "2026-10", longest_seconds=3_600)
OF_ANTHROPIC = CacheRules(1, 300, "docs.anthropic.com, Prompt caching", "2026-10", longest_seconds=300)
OF_DEEPSEEK = CacheRules(64, 7_200, "api-docs.deepseek.com, Context caching: kept for hours", "2026-10")
