"""The tools of the server: each builds, looks, and answers in JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from ctxlab import api
from ctxlab.cli.mcp_server.answers import built, decisions, differences, json_text, read_along
from ctxlab.cli.mcp_server.run_arguments import RunArguments
from ctxlab.cli.mcp_server.served_folder import ServedFolder
from ctxlab.errors import CtxlabError

Whole = Annotated[bool, Field(description="Whole texts; else the first 400 characters of each.")]
Texts = Annotated[str, Field(description="Words to look through for keys.")]
Books = Annotated[list[str], Field(description="Paths of lorebooks, or of cards with one.")]


class Tools:
    """Questions about the conversations of one folder."""

    def __init__(self, folder: ServedFolder) -> None:
        self.folder = folder

    def all(self) -> tuple[Callable[..., str], ...]:
        """Every tool, as a function whose name, parameters and docstring are what clients see."""
        return self.build, self.why, self.where, self.lore_scan, self.diff, self.check

    def build(self, run: RunArguments, whole: Whole = False) -> str:
        """Build what would be sent: messages, tokens, what each step did, and what is cut with its cause."""
        inputs = run.inputs(self.folder)
        return json_text(built(inputs, inputs.trace(), whole=whole))

    def why(
        self,
        run: RunArguments,
        message: Annotated[str | None, Field(description="A message's key or id; without it, all in short.")] = None,
        entry: Annotated[str | None, Field(description="A lore entry: its title, uid or key.")] = None,
        rule: Annotated[str | None, Field(description="A find and replace rule, by name.")] = None,
    ) -> str:
        """Say what became of a message, a lore entry or a rule, step by step, and what would keep what is cut."""
        from ctxlab.cli.output import explain_json

        if sum(each is not None for each in (message, entry, rule)) > 1:
            raise CtxlabError("why explains a message, an entry or a rule; give one of them")
        inputs = run.inputs(self.folder)
        trace = inputs.trace()
        if entry is not None:
            return json_text(explain_json.of_entry(trace, entry))
        if rule is not None:
            return json_text(explain_json.of_rule(trace, rule))
        if message is not None:
            return json_text(explain_json.of_key(trace, message))
        return json_text({"messages": explain_json.of_everything(trace), **read_along(inputs)})

    def where(
        self, run: RunArguments, words: Annotated[str, Field(description="Words, exactly as written.", min_length=1)]
    ) -> str:
        """Find words in what is sent, dropped or replaced, and say who wrote them; an empty list where they aren't."""
        from ctxlab.cli.output import explain_json

        return json_text(explain_json.of_words(run.inputs(self.folder).trace().where(words)))

    def lore_scan(self, books: Books, text: Texts) -> str:
        """Scan a text for the keys of lorebooks: each entry, whether it fires, by what, and the nearest change."""
        paths = [self.folder.path(each) for each in books]
        found = [book for path in paths for book in api.read(path).books]
        if not found:
            raise CtxlabError("there is no lorebook in the files of books; give the path of a file with one")
        return json_text(decisions(list(api.lore_scan(found, text).rows())))

    def diff(self, before: RunArguments, after: RunArguments, whole: Whole = False) -> str:
        """Compare two runs message by message: what changed, was cut or moved between them, and by what cause."""
        old, new = (run.inputs(self.folder).trace() for run in (before, after))
        return json_text(differences(api.diff(old, new), old, new, whole=whole))

    def check(
        self,
        run: RunArguments,
        rules: Annotated[list[str] | None, Field(description="Ids of rules to ask; else all that fit.")] = None,
        ignore: Annotated[list[str] | None, Field(description="Ids of rules to leave out.")] = None,
    ) -> str:
        """Say what is wrong with a recording or a conversation: findings with place, cost in tokens, and remedy."""
        from ctxlab.api.check import check, recording_at

        options = run.options(self.folder)
        asked = recording_at(options.file) or run.inputs(self.folder).trace()
        return json_text(check(asked, rules=rules, ignore=ignore or ()).as_data())
