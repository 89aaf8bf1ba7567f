"""The reference player of Webset: a strategy behind the methods of the service."""

from __future__ import annotations

import asyncio

from fairplay.games.webset.players.strategies import Position, Strategy, make_strategy
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules.cards import EMPTY, Cards
from fairplay.webset.v1.webset_pb2 import State
from fairplay.webset.v1.webset_player_pb2 import (
    ActRequest,
    ActResponse,
    DealRequest,
    GameOverRequest,
    PickCardsRequest,
    PickCardsResponse,
    ReportRequest,
)


def player(spec: str) -> StrategyPlayer | PausingPlayer:
    """Return the player with the strategy that a text names. Raises ValueError if there is none."""
    chosen = make_strategy(spec)
    return PausingPlayer(spec, chosen) if chosen.pauses else StrategyPlayer(spec, chosen)


class StrategyPlayer:
    """Answers at once. It keeps nothing between calls, so that it may be in any number of games."""

    game = "webset"
    quick = True

    def __init__(self, spec: str, chosen: Strategy) -> None:
        self.name = spec
        self._strategy = chosen

    def deal(self, request: DealRequest) -> None:
        """Do nothing: every request has the table."""

    def act(self, request: ActRequest) -> ActResponse:
        """Return what the strategy does."""
        return codec.act_message(self._strategy.act(position_to_act(request)))

    def pick_cards(self, request: PickCardsRequest) -> PickCardsResponse:
        """Return the cards that the strategy picks."""
        return PickCardsResponse(cards=self._strategy.pick(position_to_pick(request)))

    def report(self, request: ReportRequest) -> None:
        """Do nothing: every request has the state."""

    def game_over(self, request: GameOverRequest) -> None:
        """Do nothing: the game is over."""


class PausingPlayer:
    """Answers after a reaction time. It waits in the event loop, so that a cancelled question ends the wait."""

    game = "webset"
    quick = True

    def __init__(self, spec: str, chosen: Strategy) -> None:
        self.name = spec
        self._strategy = chosen
        self._at_once = StrategyPlayer(spec, chosen)
        self.deal = self._at_once.deal
        self.report = self._at_once.report
        self.game_over = self._at_once.game_over

    async def act(self, request: ActRequest) -> ActResponse:
        """Return what the strategy does, after its reaction time."""
        await asyncio.sleep(self._strategy.pause_s(position_to_act(request)))
        return self._at_once.act(request)

    async def pick_cards(self, request: PickCardsRequest) -> PickCardsResponse:
        """Return the cards: at once after a call, as they were found before it; in a round after the reaction time."""
        if request.may_skip:
            await asyncio.sleep(self._strategy.pause_s(position_to_pick(request)))
        return self._at_once.pick_cards(request)


def position_to_act(request: ActRequest) -> Position:
    """Return what a strategy is shown that is to act."""
    return Position(
        game_id=request.game_id,
        seat=request.seat,
        cards=_cards(request.state),
        words=codec.parse_words(request.actions),
        refused=codec.is_refused(request),
        may_skip=False,
        all_sets=False,
        revision=request.state.revision,
        idle_count=request.idle_count,
    )


def position_to_pick(request: PickCardsRequest) -> Position:
    """Return what a strategy is shown that is to pick cards."""
    return Position(
        game_id=request.game_id,
        seat=request.seat,
        cards=_cards(request.state),
        words=(),
        refused=False,
        may_skip=request.may_skip,
        all_sets=request.all_sets,
        revision=request.state.revision,
        idle_count=request.idle_count,
        one_by_one=request.one_by_one,
        picked=tuple(request.state.picked),
    )


def _cards(state: State) -> Cards:
    return tuple([card for card in state.slots if card != EMPTY])
