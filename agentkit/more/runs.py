"""Runs: an explanation of a sentence's facts by the names in it.

Role: `explains(items, context, support, answer)` says whether the facts and mentions of a passage can be told apart
into runs, each about its own names, or be dealt out to the names in order (places.py says what counts).
Not here: tables (rows.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from agentkit.more.facts import Fact, Fit, Item, Mentions, joined
from agentkit.more.records import Mention
from agentkit.more.support import Support
from agentkit.more.words import WORD

__all__ = ["explains"]

# the words before somebody whom something happened to
_OBJECT_WORDS = (
    "against ahead at beat beaten beating beats behind between by defeated defeating for from met of on over played "
    "than to v versus vs with"
)
OBJECT_WORDS = frozenset(_OBJECT_WORDS.split())
MOST_TRIES = 2_000  # a sentence that is not explained within so many runs is left alone


def explains(items: list[Item], context: Mentions, support: Support, answer: str) -> bool:
    """Return whether there is an explanation of the items of a passage, in order; `context` is said above it."""
    return _Search(items, context, support, answer).explains()


class _Search:
    """Looks for an explanation of the items of one passage."""

    def __init__(self, items: list[Item], context: Mentions, support: Support, answer: str) -> None:
        self.support = support
        self.answer = answer
        self.items = items
        self.context = context
        self.mentioned = bool(context) or any(isinstance(item, Mention) for item in items)
        self.closed = {i for i in range(1, len(items)) if self._opens_bracket(items[i - 1].end, items[i].start)}
        self.tries = 0
        self.last_fact = max((i for i, item in enumerate(items) if isinstance(item, Fact)), default=-1)

    def _opens_bracket(self, end: int, start: int) -> bool:
        """Return whether a bracket opens between two items: what is in it belongs to what stands before it."""
        between = self.answer[end:start]
        return "(" in between[between.rfind(")") + 1 :]

    def explains(self) -> bool:
        return self._from(0, self.context, frozenset()) or self._in_order() or self.tries > MOST_TRIES

    def _from(self, start: int, before: Mentions, told: frozenset[str]) -> bool:
        """Return whether the items from `start` on fall into runs, after one about `before` that told `told`."""
        if start > self.last_fact:
            return True
        for end in range(len(self.items), start, -1):
            if end in self.closed:
                continue
            run = self.items[start:end]
            own = [item for item in run if isinstance(item, Mention)]
            if not any(isinstance(item, Fact) for item in run):
                continue
            for dropped in self._droppable(start, end, own):
                self.tries += 1
                if self.tries > MOST_TRIES:
                    return False
                kept = [mention for mention in own if mention not in dropped]
                fields = self._run_fields(run, kept, before, told)
                if fields is not None and self._from(end, joined(before, kept), fields):
                    return True
        return False

    def _droppable(self, start: int, end: int, own: list[Mention]) -> Iterator[tuple[Mention, ...]]:
        """Return the ways to pass over mentions, fewest first."""
        may = [mention for mention in own if self._may_drop(mention)]
        for size in range(len(may) + 1):
            yield from combinations(may, size)

    def _may_drop(self, mention: Mention) -> bool:
        """Return whether a mention may have no facts of its own: no fact comes before the next name of its kind."""
        if mention.is_key:
            return False
        position = self.items.index(mention)
        for item in self.items[position + 1 :]:
            if isinstance(item, Fact):
                return self._is_object(position)
            if item.kind == mention.kind:
                return True
        return True

    def _is_object(self, position: int) -> bool:
        """Return whether a mention is what something happened to, as in "against easy" or "beat easy and hard"."""
        mention = self.items[position]
        assert isinstance(mention, Mention)
        words = WORD.findall(self.answer[max(0, mention.start - 30) : mention.start])
        last = words[-1].casefold() if words else ""
        if last in OBJECT_WORDS:
            return True
        earlier = self.items[position - 1] if position else None
        return last == "and" and isinstance(earlier, Mention) and self._is_object(position - 1)

    def _run_fields(
        self, run: list[Item], kept: list[Mention], before: Mentions, told: frozenset[str]
    ) -> frozenset[str] | None:
        """Return the fields that a run tells, or None if its facts cannot all come from records about its mentions."""
        about = joined(before, kept)
        facts = [item for item in run if isinstance(item, Fact)]
        if not about and self.mentioned:
            facts_fit = all(any(fit.record is None for fit in self.support.fits(fact, ())) for fact in facts)
            return frozenset() if facts_fit else None
        fits = [self.support.fits(fact, about) for fact in facts]
        if not all(fits) or not _share_records(facts, fits, bool(about)):
            return None
        fields = frozenset(fit.field for found in fits for fit in found if fit.record is not None)
        replaces = {mention.kind for mention in before} & {mention.kind for mention in kept}
        if told and not replaces and fields and 2 * len(fields & told) < max(len(fields), len(told)):
            return None
        return fields

    def _in_order(self) -> bool:
        """Return whether the facts are dealt out to the names in their order, field by field."""
        names = [item for item in self.items if isinstance(item, Mention) and not item.is_key]
        keys = tuple(item for item in self.items if isinstance(item, Mention) and item.is_key)
        names = [name for i, name in enumerate(names) if name.name not in {other.name for other in names[:i]}]
        listed = [one._replace(name=name, others=()) for one in keys for name in (one.name, *one.others)]
        facts = [item for item in self.items if isinstance(item, Fact)]
        bound = [fact for fact in facts if not any(fit.record is None for fit in self.support.fits(fact, ()))]
        return any(self._dealt(names, keys if len(keys) == 1 else (), dealt) for dealt in (facts, bound)) or (
            len(listed) > 1 and any(self._dealt(listed, (), dealt) for dealt in (facts, bound))
        )

    def _dealt(self, names: list[Mention], keys: Mentions, facts: list[Fact]) -> bool:
        if len(names) < 2 or not facts or len(facts) % len(names):
            return False
        for low in range(0, len(facts), len(names)):
            round_of = facts[low : low + len(names)]
            fits = [self.support.fits(fact, (name, *keys)) for fact, name in zip(round_of, names, strict=True)]
            shared = set.intersection(*({fit.field for fit in found} for found in fits))
            if not shared:
                return False
        return True


def _share_records(facts: list[Fact], fits: list[list[Fit]], about: bool) -> bool:
    """Return whether the facts of each list can come from one of its records.

    Without a mention this holds only for lists whose facts include a move: other numbers are compared across records.
    """
    by_group: dict[str, list[tuple[Fact, set[int]]]] = {}
    for fact, found in zip(facts, fits, strict=True):
        groups = {f"{fit.record.call}:{fit.record.group}" for fit in found if fit.record is not None}
        if len(groups) == 1 and all(fit.record is not None for fit in found):
            records = {id(fit.record) for fit in found}
            by_group.setdefault(groups.pop(), []).append((fact, records))
    for members in by_group.values():
        if (about or any(fact.claim.kind == "move" for fact, _ in members)) and not set.intersection(
            *(records for _, records in members)
        ):
            return False
    return True
