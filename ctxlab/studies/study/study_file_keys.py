"""Keys of a study's file: those that are known, and what each takes and means; the reference page is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class FileKey(NamedTuple):
    """A key of a table: the values that it takes, the one without it, and its meaning in a sentence."""

    takes: str
    default: str
    meaning: str


PARTICIPANTS: Mapping[str, FileKey] = {
    "agent": FileKey("a path", "", "The agent, whose presets and tools go along."),
    "user": FileKey("a path", "", "The user profile."),
    "model": FileKey("a model's name", "", "The model: its window, its tokenizer, its settings."),
    "books": FileKey("a path or several", "", "Lorebooks in force."),
    "rules": FileKey("a path or several", "", "Rules of find and replace in force."),
}
STUDY_KEYS: Mapping[str, FileKey] = {
    "cases": FileKey("a table", "needed", "The conversations or questions: `[cases]`, below."),
    "variants": FileKey(
        "a list of strategies, or tables",
        "this or `grid`",
        'Ways of building: `["sliding", "bm25"]`, or `[variants.NAME]`.',
    ),
    "grid": FileKey(
        "tables of tables",
        "this or `variants`",
        "Axes of variants, `[grid.AXIS.ROW]`: each combination of one row of each axis is a variant, each row takes "
        "the keys of a variant, and each axis is a column of the frame.",
    ),
    "budgets": FileKey("whole numbers", "`[0]`", "Budgets in tokens; 0 is none."),
    "budget_of": FileKey(
        '`"prompt"` or `"history"`',
        '`"prompt"`',
        "What a budget is for: the whole prompt, or the history alone, with question, presets and tools on top.",
    ),
    "seeds": FileKey("whole numbers", "`[0]`", "Seeds of the dice that macros and lore roll."),
    "scorers": FileKey(
        "names, or tables with a `name`",
        "`[]`",
        "What each build is scored by. A table takes the scorer's settings too, and with `kind` it scores cases of "
        "that kind alone.",
    ),
    "tokenizer": FileKey(
        "a text", "each model's own", 'An encoding such as `"o200k_base"`, or `"chars4+4"`, which counts texts alone.'
    ),
    "settings": FileKey(
        "a table",
        "",
        "Settings of every variant: `step.setting = value`, or `[settings.STEP]` with the settings of a step.",
    ),
    "out": FileKey("a path", "", "The folder in which the cells are kept, as with `--out`."),
    "processes": FileKey("a whole number", "`1`", "Processes that build."),
    "backend": FileKey('`"local"` or `"dask"`', '`"local"`', "What runs these processes."),
    "address": FileKey("a text", "", "The address of a dask scheduler."),
}
CASES_KEYS: Mapping[str, FileKey] = {
    "kind": FileKey(
        '`"conversations"` or `"questions"`',
        '`"conversations"`',
        "Conversations as they are, a case each; or questions with the messages that their answers need.",
    ),
    "files": FileKey("a path or several", "needed", "Conversations: any file or folder that `ctxlab.read` reads."),
    **PARTICIPANTS,
    "group": FileKey(
        "a pattern with one group",
        "what the file's format knows",
        "Of conversations: what this finds in the name of a case is what the case belongs to, so that several runs of "
        "one task count as one: `group = '(.+)-run'`. A name without it is a group of its own.",
    ),
    "labels": FileKey(
        "a path",
        "",
        "Of questions: a JSON list of objects with `session`, `question`, `evidence` (ids of messages), and if you "
        "like `must_keep` (texts or `re:` patterns, for the scorer `must-keep`), `kind`, `leaf`, `id`.",
    ),
    "conversations": FileKey("texts", "all", "Of questions: the conversations that are taken, by name."),
    "every": FileKey("a whole number", "`1`", "Of questions: every so many of each conversation."),
    "whole_conversations": FileKey(
        "true or false", "`false`", "Of questions: each conversation is a case of its own too, of kind `conversation`."
    ),
}
PLACES: Mapping[str, FileKey] = {
    "presets_at": FileKey('`"top"`, `"end"` or a depth', "where they are", "Where the agent's injected presets go."),
    "lore_at": FileKey('`"top"`, `"end"` or a depth', "where they are", "Where the books' entries go."),
    "lore": FileKey('`"moving"` or `"frozen"`', '`"moving"`', "Whether entries fire by their keys, or are constant."),
}
VARIANT_KEYS: Mapping[str, FileKey] = {
    "strategy": FileKey("a text", "`sliding`", "The strategy of truncation: `token-limiter.strategy`."),
    "settings": FileKey("a table", "", "Settings of steps, in place of those of every variant."),
    **PARTICIPANTS,
    **PLACES,
}
OTHER_KEYS = (
    "Any other key is a setting of a step: `token-limiter.head_share = 0.5`, or a table with the name of a step."
)
