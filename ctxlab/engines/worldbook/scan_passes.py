"""The passes of a scan: keys and gates, groups, budget, and recursion into the content of entries that fired."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cached_property

from ctxlab.display.short_texts import counted
from ctxlab.engines.worldbook.gates import GATES, ClosedGate, closed_gates
from ctxlab.engines.worldbook.groups import Contender, resolve_groups
from ctxlab.engines.worldbook.key_matches import KeyMatches, MatchedKey
from ctxlab.engines.worldbook.key_search import Found
from ctxlab.engines.worldbook.prepared_entry import EntryPreparer, PreparedEntry
from ctxlab.engines.worldbook.scan_input import ScanInput
from ctxlab.engines.worldbook.spent_tokens import AROUND_LORE, SpentTokens
from ctxlab.engines.worldbook.timing import EntryTiming
from ctxlab.lazy_dataclass import dataclass

_RANK = {gate: n for n, gate in enumerate(GATES)}


@dataclass(slots=True, eq=False)
class FiredEntry:
    """An entry that fired, with its matched key; `left` are tokens of the budget after it."""

    lore: PreparedEntry
    made_in: int
    matched: MatchedKey | None
    tokens: int
    left: int | None
    sticky: bool = False


@dataclass(slots=True, eq=False)
class BlockedEntry:
    """The last gate that an entry reached, which blocked it."""

    gate: str
    reason: str
    made_in: int = 1
    lost_to: str | None = None
    tokens: int | None = None
    left: int | None = None


@dataclass(slots=True, eq=False)
class BudgetCandidate:
    """An entry that won its groups, in the order in which the budget is spent; `spent` is the total before it."""

    lore: PreparedEntry
    tokens: int
    spent: int
    fits: bool


@dataclass(slots=True, eq=False)
class Pass:
    """One pass over the entries. `is_beyond` marks the one that the limit of passes doesn't allow.

    One that `is_deeper` looks at messages beyond the scan depth, `more_depth` of them, and at no lore.
    """

    number: int
    recursive: bool
    level: int
    is_beyond: bool = False
    spent_before: int = 0
    is_closed_before: bool = False
    spent_by_book_before: dict[int, int] = field(default_factory=dict[int, int])
    contenders: list[Contender] = field(default_factory=list[Contender])
    entering: list[BudgetCandidate] = field(default_factory=list[BudgetCandidate])
    taken: dict[str, PreparedEntry] = field(default_factory=dict[str, PreparedEntry])
    is_deeper: bool = False
    more_depth: int = 0
    budget_before: int = 0
    """Tokens that count against the budget before it."""

    @property
    def lore_before(self) -> int:
        """The pass whose lore, and later, isn't looked through."""
        return 1 if self.is_deeper else self.number

    def depth_of(self, lore: PreparedEntry) -> int:
        """The newest messages that an entry looks at."""
        return lore.depth if lore.has_own_depth else lore.depth + self.more_depth


class Activation:
    """A whole scan with its state."""

    def __init__(
        self,
        scan_input: ScanInput,
        lores: Sequence[PreparedEntry],
        key_matches: KeyMatches,
        clock: EntryTiming,
        maker: EntryPreparer,
    ) -> None:
        self.scan_input, self.key_matches, self.clock, self.maker = scan_input, key_matches, clock, maker
        self.lores = lores
        self.reference = scan_input.rules.compat == "reference"
        self.exact = scan_input.rules.is_exact
        self.budget = SpentTokens(scan_input)
        self.refused: dict[int, list[ClosedGate]] = {}
        self.fired: dict[int, FiredEntry] = {}
        self.stopped: dict[int, BlockedEntry] = {}
        self.passes: list[Pass] = []
        self.draws: dict[str, float] = {}
        self.spent = 0
        self.spent_by_book: dict[int, int] = {}
        self.is_closed = False
        self.closed_books: set[int] = set()
        self._unlucky: set[int] = set()

    @cached_property
    def budget_can_bind(self) -> bool:
        """Whether the budget of the scan could leave an entry out; no token is shorter than a byte."""
        budget = self.scan_input.rules.budget_tokens
        if budget is None:
            return False
        words_of = self.scan_input.words_of
        most = sum(len(words_of(lore).encode("utf-8", "surrogatepass")) for lore in self.lores)
        if self.scan_input.rules.budget_count == "together":
            return most + len(self.lores) + 2 * AROUND_LORE >= budget
        return most > budget

    def run(self, shut_books: Iterable[int] = ()) -> Activation:
        """Go through all passes; `shut_books` are numbers of books that aren't meant for the model."""
        shut = set(shut_books)
        awake: list[PreparedEntry] = []
        for lore in self.lores:
            refused = closed_gates(lore, self.scan_input, self.clock)
            if refused:
                self.refused[lore.index] = refused
                self.stopped[lore.index] = BlockedEntry(refused[0].gate, refused[0].reason)
            if lore.book_index in shut:
                self.stopped[lore.index] = BlockedEntry("model", "its book is not meant for this model")
            elif not refused:
                awake.append(lore)
        self._go_through(awake)
        return self

    def _go_through(self, awake: Sequence[PreparedEntry]) -> None:
        rules = self.scan_input.rules
        levels = sorted({lore.level_of_delay for lore in self.lores if lore.level_of_delay})
        level = levels.pop(0) if levels else 0
        delayed = [lore for lore in awake if lore.level_of_delay]
        by_key: dict[int, list[PreparedEntry]] | None = None
        due: Iterable[PreparedEntry] = awake
        recursive, deeper, more_depth, limit = False, False, 0, rules.max_passes
        while True:
            beyond = bool(limit) and len(self.passes) >= limit
            this = Pass(
                len(self.passes) + 1, recursive, level, beyond, self.spent, self.is_closed, dict(self.spent_by_book)
            )
            this.is_deeper, this.more_depth, this.budget_before = deeper, more_depth, self.budget.tokens
            self.passes.append(this)
            entered = self._once(this, due)
            if beyond:  # run only to name the entries that the limit of passes keeps out
                self.spent = this.spent_before
                return
            fresh = [fired.lore for fired in entered if not fired.lore.prevents]
            # Entries that fired may call up others. Only when nothing new fires do entries of the next delay level
            # take part: SillyTavern opens one level of delayUntilRecursion after the other.
            recurs = rules.recursion and not self.is_closed
            recursive = recurs and bool(fresh or (deeper and self.key_matches.lore_passes))
            new = self._read_lore(fresh, this) if rules.recursion or self.exact else {}
            deeper = not recursive and self._looks_deeper(rules.scan_depth + more_depth)
            if deeper:
                more_depth += 1
            elif not recursive:
                may_wait = self.exact or (rules.recursion and not (self.reference and entered))
                if not levels or not may_wait:
                    return
                recursive, level = True, levels.pop(0)
            self.budget.next_pass()
            if by_key is None:
                by_key = self._by_key(awake)
            # Later passes need only look at entries whose keys are new, that wait for a level, or that lost a group.
            called = [lore for n in new for lore in by_key.get(n, ())]
            losers = [contender.lore for contender in this.contenders if contender.lore.index not in self.fired]
            due = sorted({lore.index: lore for lore in (*called, *delayed, *losers)}.values(), key=lambda e: e.index)
            if self._sees_anew or more_depth:
                due = awake

    @cached_property
    def _sees_anew(self) -> bool:
        """Whether a pass may find what an earlier one didn't, without a new word: patterns match in the whole text."""
        return self.scan_input.rules.scan_text == "joined" and self.key_matches.search.has_patterns

    def _looks_deeper(self, depth: int) -> bool:
        """Whether one message more is looked at, because too few entries fired; `depth` is what was looked at."""
        rules = self.scan_input.rules
        if self.is_closed or len(self.fired) >= rules.min_activations:
            return False
        most = rules.min_activations_depth
        return depth <= len(self.scan_input.chat.messages) and (not most or depth <= most)

    def _read_lore(self, fresh: Sequence[PreparedEntry], this: Pass) -> Found:
        """Look through what a pass brought; gives the keys that are new."""
        words_of = self.scan_input.scanned_words_of
        return self.key_matches.add_pass(this.number, [(lore, words_of(lore)) for lore in fresh])

    def _by_key(self, awake: Iterable[PreparedEntry]) -> dict[int, list[PreparedEntry]]:
        out: dict[int, list[PreparedEntry]] = {}
        for lore in awake:
            for n in (*lore.own, *lore.second):
                out.setdefault(n, []).append(lore)
        return out

    def _once(self, this: Pass, due: Iterable[PreparedEntry]) -> list[FiredEntry]:
        """One pass; gives the entries that fired in it."""
        contenders = [self._contender(lore, this) for lore in due if self._comes(lore, this)]
        if self.reference:
            contenders = [one for one in contenders if self._is_lucky(one, this)]
        else:
            contenders.sort(key=lambda one: (not one.sticky, *one.lore.sort_key))
        this.contenders = contenders
        this.taken = {
            name: fired.lore for fired in reversed(self.fired.values()) for name in self.claims_of(fired.lore)
        }
        settled = resolve_groups(contenders, this.taken, self.draw, compat=self.scan_input.rules.compat)
        if settled.lost:
            by_index = {one.lore.index: one.lore for one in contenders}
            for index, to in settled.lost.items():
                shared = next((name for name in by_index[index].groups if name in to.groups), to.groups[0])
                reason = f"it lost to “{to.entry.title}” in group “{shared}”"
                self._stop(by_index[index], BlockedEntry("group", reason, this.number, lost_to=to.key))
        winners = settled.winners
        if not self.reference:
            winners = [one for one in winners if self._is_lucky(one, this)]
        return self._within_budget(winners, this)

    def matched(self, lore: PreparedEntry, made_in: int) -> MatchedKey | None:
        """Its keys that are found in the pass of this number, and the place of the first."""
        this = self.passes[made_in - 1]
        return self.key_matches.matched(lore, self.scan_input, before=this.lore_before, depth=this.depth_of(lore))

    def claims_of(self, lore: PreparedEntry) -> Sequence[str]:
        """The groups that an entry that fired keeps for later passes."""
        return lore.groups if not self.exact or lore.groups == (lore.entry.group,) else ()

    def _contender(self, lore: PreparedEntry, this: Pass) -> Contender:
        return Contender(lore, self.score(lore, this) if lore.groups else 0, self.clock.is_sticky(lore))

    def score(self, lore: PreparedEntry, this: Pass) -> int:
        """The number of its keys that are found in a pass."""
        before, depth = this.lore_before, this.depth_of(lore)
        return self.key_matches.score(lore, before=before, depth=depth, always_second=self.exact)

    def _comes(self, lore: PreparedEntry, this: Pass) -> bool:
        """Whether this entry takes part in the pass; records the gate that blocks it if it doesn't."""
        if lore.index in self.fired or lore.index in self._unlucky:
            return False
        refusal = self.what_stops(lore, this)
        if refusal is not None:
            gate, reason = refusal
            before = self.stopped.get(lore.index)
            if gate == "not-in-recursion" and before and before.gate == "no-key" and self._is_named_by_lore(lore):
                del self.stopped[lore.index]  # that no message names it says less
            self._stop(lore, BlockedEntry(gate, reason, this.number))
        return refusal is None

    def _is_named_by_lore(self, lore: PreparedEntry) -> bool:
        """Whether one of its keys stands in what fired."""
        return any(n in self.key_matches.lore for n in lore.own)

    def what_stops(self, lore: PreparedEntry, this: Pass) -> tuple[str, str] | None:
        """The gate of recursion or of keys that keeps an entry out of a pass."""
        if self.clock.is_sticky(lore):
            return None
        if lore.level_of_delay and not this.recursive:
            return "recursion-only", "it waits for recursion"
        if lore.level_of_delay > this.level and this.recursive:
            return "recursion-only", f"it waits for recursion of level {lore.level_of_delay}"
        if lore.excluded and this.recursive and (self.scan_input.rules.recursion or not self.exact):
            return "not-in-recursion", "what other entries say doesn't call it up"
        if lore.is_certain:
            return None
        if not lore.primary:
            return "no-key", "it has no keys"
        depth = this.depth_of(lore)
        if not self.key_matches.matches(lore, before=this.lore_before, depth=depth):
            return "no-key", f"none of its keys stands in the newest {_messages(depth)}"
        if not self.key_matches.agrees(lore, before=this.lore_before, depth=depth):
            return "secondary-keys", _second_keys(lore, depth)
        return None

    def draw(self, id: str) -> float:
        """One random number per id and scan."""
        if id not in self.draws:
            self.draws[id] = self.scan_input.dice(id)
        return self.draws[id]

    def would_have_luck(self, lore: PreparedEntry) -> bool:
        """Whether an entry that a change calls up passes its probability; nobody knows that of a draw by place."""
        by_turn = self.scan_input.draws_at is None
        return not _is_drawn(lore) or (by_turn and self.draw(lore.key) * 100 <= lore.entry.probability)

    def _is_lucky(self, one: Contender, this: Pass) -> bool:
        if one.sticky or not _is_drawn(one.lore):
            return True
        drawn = self.draw(self._draw_id(one.lore, this)) * 100
        limit = one.lore.entry.probability
        if drawn <= limit:
            return True
        reason = f"{_above(drawn, limit)} was drawn, it fires up to {limit:g}"
        self._unlucky.add(one.lore.index)
        self._stop(one.lore, BlockedEntry("probability", reason, this.number))
        return False

    def _draw_id(self, lore: PreparedEntry, this: Pass) -> str:
        """The id of its draw: with draws by place one for each message that calls it up."""
        places = self.scan_input.draws_at
        if places is None:
            return lore.key
        found = self.matched(lore, this.number)
        return f"{lore.key}@{places.get(found.where, '') if found is not None else ''}"

    def _within_budget(self, winners: Sequence[Contender], this: Pass) -> list[FiredEntry]:
        out: list[FiredEntry] = []
        for one in winners:
            lore = one.lore
            tokens = self.scan_input.tokens_of(lore)
            refused = None if lore.entry.ignore_budget else self._lacks_room(lore, tokens)
            this.entering.append(BudgetCandidate(lore, tokens, self.spent, refused is None))
            if refused is not None:
                self._stop(lore, BlockedEntry("budget", refused, this.number, tokens=tokens, left=self._left()))
                continue
            self.spent += tokens
            self.budget.add(lore, tokens)
            if this.is_beyond:
                allowed = counted(this.number - 1, "pass is", "passes are")
                reason = f"it would fire in pass {this.number}, and {allowed} allowed"
                self._stop(lore, BlockedEntry("pass-limit", reason, this.number, tokens=tokens, left=self._left()))
            else:
                self.spent_by_book[lore.book_index] = self.spent_by_book.get(lore.book_index, 0) + tokens
                matched = self.matched(lore, this.number)
                out.append(FiredEntry(lore, this.number, matched, tokens, self._left(), one.sticky))
                self.fired[lore.index] = out[-1]
                self.stopped.pop(lore.index, None)
        return out

    def _lacks_room(self, lore: PreparedEntry, tokens: int) -> str | None:
        """The reason why an entry doesn't fit; after one that didn't fit none is taken, unless skipping is on."""
        rules, of_book = self.scan_input.rules, lore.book_limit
        stop = rules.overflow == "stop"
        if rules.budget_tokens is not None:
            if self.is_closed:
                return f"an entry before it didn't fit into the budget of {rules.budget_tokens:,} tokens"
            refused = self.budget.why_not(lore, tokens)
            if refused is not None:
                self.is_closed = stop
                return refused
        if of_book is not None:
            left = of_book - self.spent_by_book.get(lore.book_index, 0)
            if lore.book_index in self.closed_books:
                return f"an entry before it didn't fit into its book's budget of {of_book:,} tokens"
            if tokens > left:
                self.closed_books |= {lore.book_index} if stop else set()
                return f"it has {counted(tokens, 'token')}, {max(0, left):,} of its book's {of_book:,} are left"
        return None

    def _left(self) -> int | None:
        return self.budget.left

    def _stop(self, lore: PreparedEntry, stopped: BlockedEntry) -> None:
        """Record a gate; of several the furthest is kept."""
        before = self.stopped.get(lore.index)
        if before is None or _RANK[stopped.gate] > _RANK[before.gate]:
            self.stopped[lore.index] = stopped


def _is_drawn(lore: PreparedEntry) -> bool:
    return lore.entry.use_probability and lore.entry.probability < 100


def _messages(depth: int) -> str:
    return "message" if depth == 1 else f"{depth} messages"


def _second_keys(lore: PreparedEntry, depth: int) -> str:
    """The clause on its second keys: those that it lacks, or has and shouldn't."""
    n, one = len(lore.secondary), len(lore.secondary) == 1
    where = f" in the newest {_messages(depth)}" if depth else ""
    match lore.entry.selective_logic:
        case 1 | 2 if one:
            return "its second key was found, it fires only without"
        case 1:
            return f"all of its {n} second keys were found, it fires only while one is missing"
        case 2:
            return f"at least one of its {n} second keys was found, it fires only without them"
        case 3 if not one:
            return f"not all of its {n} second keys were found{where}"
        case _:
            return f"its second key wasn't found{where}" if one else f"none of its {n} second keys was found{where}"


def _above(drawn: float, limit: float) -> str:
    """A number that was drawn, with as many places as show that it is above the limit."""
    return next((text for places in range(1, 12) if float(text := f"{drawn:.{places}f}") > limit), repr(drawn))
