"""A note on a request for a model whose tokens are counted otherwise than those of the run were."""

from __future__ import annotations

from ctxlab.display.short_texts import short
from ctxlab.documents import Note
from ctxlab.engines.truncation import BudgetReport
from ctxlab.engines.worldbook import LoreScan
from ctxlab.pipeline import Trace
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.models import name_of
from ctxlab.providers.tokenizers import tokenizer_for


def counted_otherwise(trace: Trace, model: ModelInfo) -> tuple[Note, ...]:
    """A note where a budget chose messages or lore by another tokenizer than that of the request's model.

    None where the run was built for this very model, and where nothing was chosen by its tokens.
    """
    of_run = trace.start.input.model
    if of_run is not None and name_of(of_run) == model.name:
        return ()
    budget, lore = trace.result.report(BudgetReport), trace.result.report(LoreScan)
    for_lore = lore is not None and lore.scan_input.rules.budget_tokens is not None
    used, own = trace.services.tokenizer.name, tokenizer_for(model).name
    if used == own or (budget is None and not for_lore):
        return ()
    chosen = " and ".join([*(["messages"] if budget is not None else []), *(["lore"] if for_lore else [])])
    text = (
        f"the budget chose {chosen} by counts of {used}; a build for {short(model.name)!r} counts with {own} and may "
        "choose others"
    )
    return (Note("info", text),)
