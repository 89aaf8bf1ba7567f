"""Webset: what a person may choose in each question. A reply is sent as soon as it is complete: this is a race."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fairplay.games.frontends import Choice, IllegalChoiceError
from fairplay.games.webset.rules import RULES
from fairplay.games.webset.rules.cards import CARDS, card_name
from fairplay.games.webset.views.board import ROWS
from fairplay.webset.v1 import webset_player_pb2 as messages

ACTIONS = {
    "call-set": (messages.ACTION_CALL_SET, "SET!"),
    "more-cards": (messages.ACTION_MORE_CARDS, "more cards"),
    "show-solutions": (messages.ACTION_SHOW_SOLUTIONS, "solutions"),
    "end-solutions": (messages.ACTION_END_SOLUTIONS, "remove them"),
}
"""What can be done with an open table, by its part in pictures: the action, and its name."""
PASS = "pass"
TRIPLE = 3


class Acting(NamedTuple):
    """The reply to Act."""

    actions: frozenset[int]
    """Those that may be tried."""
    part: str = ""

    @property
    def prompt(self) -> str:
        """Return what to do."""
        return "Say SET! as soon as you see a set."

    @property
    def choices(self) -> Sequence[Choice]:
        """Return the actions that may be tried."""
        return () if self.part else action_choices(self.actions)

    @property
    def chosen(self) -> frozenset[str]:
        """Return the action, if it is chosen."""
        return frozenset([self.part] if self.part else [])

    @property
    def reply(self) -> messages.ActResponse | None:
        """Return the action, if it is chosen."""
        return messages.ActResponse(action=ACTIONS[self.part][0]) if self.part else None

    def choose(self, part: str) -> Acting:
        """Choose an action. Raises IllegalChoiceError if it may not be tried."""
        if part not in ACTIONS:
            raise IllegalChoiceError("Call SET! first, then pick three cards.")
        if ACTIONS[part][0] not in self.actions:
            raise IllegalChoiceError("That is not possible at the moment.")
        return self._replace(part=part)


def action_choices(actions: frozenset[int]) -> list[Choice]:
    """Return these actions as choices."""
    offered = [(part, label) for part, (action, label) in ACTIONS.items() if action in actions]
    return [Choice(part, label, float(place), ROWS) for place, (part, label) in enumerate(offered)]


class Picking(NamedTuple):
    """The reply to PickCards: three cards, or none where a player may pass.

    With `one_by_one` each card that is picked or put back is a reply, too: everybody sees it, as they see `known`. With
    `all_sets`, in a puzzle, any number of sets is named, one after the other.
    """

    slots: Sequence[int]
    """The table."""
    may_skip: bool = False
    picked: tuple[int, ...] = ()
    """Slots, in the order in which they were picked."""
    passed: bool = False
    one_by_one: bool = False
    known: frozenset[int] = frozenset()
    """The slots of the cards of which the referee knows that they are picked."""
    all_sets: bool = False
    named: tuple[tuple[int, ...], ...] = ()
    """The slots of the sets that are named, each sorted."""

    @property
    def complete(self) -> bool:
        """Return whether nothing more can be chosen."""
        return self.passed or (not self.all_sets and len(self.picked) == TRIPLE)

    @property
    def prompt(self) -> str:
        """Return what to pick."""
        if self.all_sets:
            return f"All sets, {len(self.named)} named. Three cards of another one, or done:"
        return "Three cards, or pass:" if self.may_skip else "SET! Three cards:"

    @property
    def choices(self) -> Sequence[Choice]:
        """Return the cards that are not picked, and passing."""
        if self.complete:
            return ()
        cards = [
            Choice(slot_part(slot), card_name(card), float(slot // ROWS), float(slot % ROWS))
            for slot, card in enumerate(self.slots)
            if card < CARDS and slot not in self.picked
        ]
        return [*cards, *([Choice(PASS, self.way_out, 0.0, ROWS)] if self.may_skip else [])]

    @property
    def way_out(self) -> str:
        """Return the name of what ends the question without another card."""
        return "done" if self.all_sets else "pass"

    @property
    def chosen(self) -> frozenset[str]:
        """Return the cards that are picked, or that the person passes."""
        return frozenset([*map(slot_part, self.picked), *([PASS] if self.passed else [])])

    @property
    def cards(self) -> list[int]:
        """Return the cards that are picked."""
        return [self.slots[slot] for slot in self.picked]

    @property
    def reply(self) -> messages.PickCardsResponse | None:
        """Return the cards, if there are three of them, the person passes, or each card is to be told."""
        if self.passed:
            return messages.PickCardsResponse(cards=[self.slots[slot] for triple in self.named for slot in triple])
        news = self.one_by_one and frozenset(self.picked) != self.known
        return messages.PickCardsResponse(cards=self.cards) if self.complete or news else None

    def choose(self, part: str) -> Picking:
        """Pick a card, or put one back that is picked; or pass. Raises IllegalChoiceError if that is impossible."""
        if self.complete:
            return self
        if part == PASS and self.may_skip:
            return self._replace(passed=True, picked=())
        slot = next((slot for slot, card in enumerate(self.slots) if card < CARDS and slot_part(slot) == part), None)
        if slot is None:
            raise IllegalChoiceError(RULES["webset.take.on-table"])
        if slot in self.picked:
            return self._replace(picked=tuple(other for other in self.picked if other != slot))
        picked = (*self.picked, slot)
        return (
            self._with_named(tuple(sorted(picked)))
            if self.all_sets and len(picked) == TRIPLE
            else self._replace(picked=picked)
        )

    def _with_named(self, triple: tuple[int, ...]) -> Picking:
        """Name a set, right or wrong. Raises IllegalChoiceError if it is named already."""
        if triple in self.named:
            raise IllegalChoiceError(RULES["webset.take.once"])
        return self._replace(picked=(), named=(*self.named, triple))


def slot_part(slot: int) -> str:
    """Return the id of a slot in pictures."""
    return f"slot-{slot}"
