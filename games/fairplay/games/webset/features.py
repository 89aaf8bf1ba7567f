"""Features of decisions in Webset: on both sides of the borders of its rules."""

from __future__ import annotations

from typing import Any, NamedTuple

from fairplay.games.conformance import Features
from fairplay.games.webset.rules.cards import EMPTY, sets_among
from fairplay.webset.v1 import webset_pb2


class Seen(NamedTuple):
    """What a request shows."""

    request: Any
    set_count: int

    @property
    def state(self) -> webset_pb2.State:
        """Return the state."""
        state: webset_pb2.State = self.request.state
        return state

    @property
    def own(self) -> webset_pb2.Player:
        """Return the player itself."""
        player: webset_pb2.Player = self.state.players[self.request.seat]
        return player

    @property
    def others(self) -> list[webset_pb2.Player]:
        """Return the others, eliminated ones as well."""
        return [player for seat, player in enumerate(self.state.players) if seat != self.request.seat]

    @property
    def lying(self) -> int:
        """Return how many cards lie on the table."""
        return sum(slot != EMPTY for slot in self.state.slots)


def read(request: Any) -> Seen:
    """Return what a request shows."""
    return Seen(request, len(sets_among(tuple([card for card in request.state.slots if card != EMPTY]))))


FEATURES = Features(
    read,
    {
        "no-set: There is no set on the table.": lambda seen: seen.set_count == 0,
        "one-set: There is one set on the table.": lambda seen: seen.set_count == 1,
        "many-sets: There are six sets or more on the table.": lambda seen: seen.set_count >= 6,
        "few-cards: Fewer than nine cards lie on the table.": lambda seen: seen.lying < 9,
        "more-cards: More cards lie on the table than at the beginning.": lambda seen: seen.lying > 12,
        "hole: An empty slot lies before a card.": lambda seen: EMPTY in seen.state.slots,
        "card-zero: Card 0 lies on the table.": lambda seen: 0 in seen.state.slots,
        "last-cards: The deck has fewer than four cards left.": lambda seen: 0 < seen.state.deck_left < 4,
        "deck-empty: The deck is empty.": lambda seen: not seen.state.deck_left,
        "locked: The player cannot call until the table changes.": lambda seen: seen.own.locked,
        "other-locked: Somebody else cannot call until the table changes.": lambda seen: any(
            player.locked for player in seen.others
        ),
        "below-zero: The player has less than no points.": lambda seen: seen.own.points < 0,
        "ahead: The player has more points than all others.": lambda seen: (
            bool(seen.others) and seen.own.points > max(player.points for player in seen.others)
        ),
        "tied: The player has as many points as the best of the others, more than none.": lambda seen: (
            bool(seen.others) and 0 < seen.own.points == max(player.points for player in seen.others)
        ),
        "other-voted: Somebody else has asked for more cards.": lambda seen: any(
            player.voted for player in seen.others
        ),
        "somebody-out: Somebody is eliminated.": lambda seen: any(
            player.standing != webset_pb2.STANDING_PLAYING for player in seen.others
        ),
        "showing: Solutions are shown.": lambda seen: seen.state.phase == webset_pb2.PHASE_SHOWING,
        "all-sets: All sets of the table are asked for, and there are several.": lambda seen: (
            getattr(seen.request, "all_sets", False) and seen.set_count > 1
        ),
        "discarded: Cards were taken away without a winner.": lambda seen: bool(seen.state.discarded),
        "level: All players have the same number of points, and it is not 0.": lambda seen: (
            bool(seen.others) and seen.own.points != 0 and {seen.own.points} == {each.points for each in seen.others}
        ),
    },
)
