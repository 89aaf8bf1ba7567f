"""A player of Webset. It calls every set that it sees, and asks for more cards where there is none."""

from __future__ import annotations

from itertools import combinations

from fairplay.player.command import run_player
from fairplay.webset.v1.webset_pb2 import State
from fairplay.webset.v1.webset_player_pb2 import (
    ACTION_CALL_SET,
    ACTION_MORE_CARDS,
    ACTION_NOTHING,
    ActRequest,
    ActResponse,
    DealRequest,
    GameOverRequest,
    PickCardsRequest,
    PickCardsResponse,
    ReportRequest,
)

EMPTY = 81


class Player:
    """One method for each call of the game. It remembers nothing: each request says all that is needed."""

    game = "webset"

    def deal(self, request: DealRequest) -> None:
        """Hear the first table."""

    def act(self, request: ActRequest) -> ActResponse:
        """Call a set, ask for more cards, or do nothing. What was just refused is not tried again."""
        me = request.state.players[request.seat]
        if request.rule_id:
            return ActResponse(action=ACTION_NOTHING)
        if find_set(request.state) and ACTION_CALL_SET in request.actions and not me.locked:
            return ActResponse(action=ACTION_CALL_SET)
        if not find_set(request.state) and ACTION_MORE_CARDS in request.actions and not me.voted:
            return ActResponse(action=ACTION_MORE_CARDS)
        return ActResponse(action=ACTION_NOTHING)

    def pick_cards(self, request: PickCardsRequest) -> PickCardsResponse:
        """Name the three cards of a set."""
        return PickCardsResponse(cards=find_set(request.state))

    def report(self, request: ReportRequest) -> None:
        """Hear what has happened."""

    def game_over(self, request: GameOverRequest) -> None:
        """Hear how the game has ended."""


def find_set(state: State) -> tuple[int, ...]:
    """Return the first set on the table; nothing if there is none."""
    cards = [card for card in state.slots if card != EMPTY]
    return next((three for three in combinations(cards, 3) if is_set(three)), ())


def is_set(cards: tuple[int, ...]) -> bool:
    """Return whether in each aspect the cards are all equal or all different: three digits with a sum of 0, 3 or 6."""
    return all(sum(card // place % 3 for card in cards) % 3 == 0 for place in (1, 3, 9, 27))


if __name__ == "__main__":
    run_player(Player())
