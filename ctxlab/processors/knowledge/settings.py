"""Settings of the knowledge step."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from ctxlab.errors import WrongArgument
from ctxlab.knowledge.policy.overrides import PlaceholderOverride, read_overrides
from ctxlab.knowledge.policy.query import QueryRules
from ctxlab.knowledge.policy.result_text import Templates
from ctxlab.pipeline import ProcessorSettings, form_hints


class KnowledgeStepSettings(ProcessorSettings):
    """The settings of the step; an agent's `knowledgeSettings` are read into them."""

    read_with: ClassVar[Mapping[str, tuple[str, tuple[Any, ...]]]] = {}

    engine: Literal["auto", "vector", "keyword", "hybrid", "tags"] = Field(
        "auto",
        title="Engine",
        description="How a search finds pieces, where the placeholder doesn't say it; auto is the base's own.",
    )
    limit: int = Field(5, ge=0, title="Limit", description="Most pieces for a placeholder; 0 sends none.")
    limit_per_base: int | None = Field(
        None, ge=0, title="Limit per base", description="Most pieces of one base for a placeholder."
    )
    min_score: float | None = Field(
        None,
        ge=-1,
        le=1,
        title="Minimum",
        description="Least cosine by vectors, least share of the best score by keywords and tags, least 1 / rank for"
        " fused ranks (0.1 is the first ten); none is 0.3, and 0 for fused ranks.",
    )
    max_characters: int = Field(
        0, ge=0, title="Most characters", description="Of all pieces for a placeholder together; 0 is no limit."
    )
    overflow: Literal["stop", "skip"] = Field(
        "stop",
        title="When one doesn't fit",
        description="Stop there, or skip it and try the shorter ones after it.",
        json_schema_extra=form_hints(labels={"stop": "stop there", "skip": "skip it"}),
    )
    only_tagged: bool = Field(
        False, title="Only with its tags", description="Send only pieces that have a tag which the user's words name."
    )
    gate_scan_depth: int = Field(
        3, ge=0, title="Messages for a gate", description="Newest messages of the conversation that a gate looks at."
    )
    clean_query: Literal["no", "marks", "words"] = Field(
        "marks",
        title="Clean the query",
        description="marks takes out HTML, Markdown and placeholders; words also words that tell nothing.",
    )
    query_turns: int = Field(1, ge=1, title="Turns of the query", description="Newest turns that are searched by.")
    user_weight: float = Field(0.7, ge=0, title="Weight of the user", description="Of the user's words in a query.")
    assistant_weight: float = Field(
        0.3, ge=0, title="Weight of replies", description="Of replies, and of tools' results, in a query."
    )
    query_tools: bool = Field(False, title="Results too", description="Search by the results of tools as well.")
    projection_turns: int = Field(
        0, ge=0, title="Earlier questions", description="Turns before those whose questions are searched by as well."
    )
    projection: float = Field(
        0.5, ge=0, le=1, title="Weight of earlier turns", description="Of a turn in a query, as a share of the next's."
    )
    result_turns: int = Field(
        0,
        ge=0,
        title="Earlier searches",
        description="Turns ago whose searches are made again and joined with the new.",
    )
    result_decay: float = Field(
        0.7, ge=0, le=1, title="Fading", description="Score that a piece keeps per turn since its search."
    )
    result_join: Literal["best", "sum"] = Field(
        "best",
        title="Found by several",
        description="A piece that several searches found has its best score, or their sum.",
    )
    candidates: int = Field(
        50, ge=1, title="Candidates", description="Pieces that a search is asked for, to say of each why it isn't sent."
    )
    template: str = Field(
        "[knowledge: {count}]\n\n{items}\n\n[end of knowledge]",
        title="Template",
        description="Words around all pieces: {count}, {items}. With only an item's fields it is that of an item.",
    )
    item_template: str = Field(
        "{kbName}: {key} ({score})\n> {content}",
        title="Template of a piece",
        description="Words around one: {kbName}, {key}, {content}, {score}, {tags}, {rank}, {place}.",
    )
    empty_text: str = Field(
        "(no knowledge found)", title="Nothing found", description="Text where a placeholder finds nothing."
    )
    untitled: str = Field("untitled", title="Without a title", description="Title of a piece that has none.")
    inserted_template: str = Field(
        "[knowledge for this conversation]\n{text}\n[end]",
        title="Message of its own",
        description="Words around knowledge that comes by itself where no system message takes it: {text}.",
    )
    overrides: str = Field(
        "",
        title="Single placeholders",
        description="Lines with values that beat what a placeholder says, as in 【kb::name】 limit=7; min_score=0.2:"
        " limit, limit_per_base, min_score, mode, params, search_disabled.",
        json_schema_extra=form_hints(kind="lines"),
    )

    @field_validator("overrides")
    @classmethod
    def _readable(cls, text: str) -> str:
        try:
            read_overrides(text)
        except WrongArgument as error:
            raise ValueError(str(error)) from None
        return text

    @cached_property
    def by_placeholder(self) -> Mapping[str, PlaceholderOverride]:
        """The overrides by placeholder."""
        return read_overrides(self.overrides)

    @property
    def query_rules(self) -> QueryRules:
        return QueryRules(
            self.query_turns,
            self.user_weight,
            self.assistant_weight,
            self.query_tools,
            self.projection_turns,
            self.projection,
        )

    @property
    def templates(self) -> Templates:
        return Templates(self.template, self.item_template, self.empty_text, self.untitled)
