"""What places.py and its helpers speak of: facts with their labels, fits, and facts that stand in the wrong place.

Role: the small types that runs.py, rows.py, support.py and places.py share. Nothing is decided here.
"""

from __future__ import annotations

from typing import NamedTuple

from agentkit.more.claims import Claim
from agentkit.more.layout import Passage
from agentkit.more.records import Mention, Subject, speaks_of
from agentkit.more.sources import Record, Source

__all__ = ["Fact", "Fit", "Item", "Mentions", "Misplaced", "joined", "may_speak", "overlap"]

Mentions = tuple[Mention, ...]


class Misplaced(NamedTuple):
    """A true fact in the wrong place."""

    claim: Claim
    mentions: Mentions
    passage: Passage
    instead: tuple[Source, ...]  # what the tools say of the mentions


class Fact(NamedTuple):
    """A claim in its passage, with the fields that its label allows (empty: no label)."""

    claim: Claim
    fields: frozenset[str]

    @property
    def start(self) -> int:
        return self.claim.start

    @property
    def end(self) -> int:
        return self.claim.end


class Fit(NamedTuple):
    """One way to support a fact: a record (None: belongs to no entity) and the field in it."""

    record: Record | None
    field: str


Item = Fact | Mention


def may_speak(subject: Subject, mentions: Mentions) -> bool:
    """Return whether a record with this subject is about one of the mentions, and about no other one of its kind."""
    speaks = not mentions
    for mention in mentions:
        if mention.kind in (subject.keys if mention.is_key else subject.names):
            if not speaks_of(subject, mention):
                return False
            speaks = True
    return speaks


def overlap(claim: Claim, mention: Mention) -> bool:
    """Return whether a fact stands inside a mention."""
    return claim.start < mention.end and mention.start < claim.end


def joined(before: Mentions, kept: list[Mention]) -> Mentions:
    """Return the mentions of a run: its own, and of other kinds those of the run before.

    What was said after a name that is now replaced described that name: in "Pune (showers) and Delhi" the showers.
    """
    kinds = {mention.kind for mention in kept}
    own = {mention[:2]: mention for mention in kept}
    replaced = min((mention.start for mention in before if mention.kind in kinds and not mention.is_key), default=None)
    stays = [
        mention
        for mention in before
        if mention.kind not in kinds and (mention.is_key or replaced is None or mention.start < replaced)
    ]
    return (*stays, *own.values())
