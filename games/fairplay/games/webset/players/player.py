"""A strategy behind the methods of the diagram: the reference player of Webset."""

from __future__ import annotations

import asyncio

from fairplay.games.webset.players.strategies import Strategy, View, strategy
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import EMPTY, Cards
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
    """The player that a spec names. ValueError: there is no such strategy."""
    chosen = strategy(spec)
    return PausingPlayer(spec, chosen) if chosen.pauses else StrategyPlayer(spec, chosen)


class StrategyPlayer:
    """Plays as its strategy says, at once. Keeps nothing between calls, so it may be in any number of games."""

    game = "webset"
    quick = True

    def __init__(self, spec: str, chosen: Strategy) -> None:
        self.name = spec
        self._strategy = chosen

    def deal(self, request: DealRequest) -> None:
        """The table is said again in every request."""

    def act(self, request: ActRequest) -> ActResponse:
        """What the strategy does."""
        return codec.act_message(self._strategy.act(view_to_act(request)))

    def pick_cards(self, request: PickCardsRequest) -> PickCardsResponse:
        """The cards that the strategy picks."""
        return PickCardsResponse(cards=self._strategy.pick(view_to_pick(request)))

    def report(self, request: ReportRequest) -> None:
        """What has happened can be seen in the next state."""

    def game_over(self, request: GameOverRequest) -> None:
        """It is a good loser."""


class PausingPlayer:
    """The same with a reaction time, in an event loop.

    It waits in the loop and in no thread: it holds nobody up, and a question that is cancelled ends the wait.
    """

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
        """What the strategy does, after its reaction time."""
        await asyncio.sleep(self._strategy.pause_s(view_to_act(request)))
        return self._at_once.act(request)

    async def pick_cards(self, request: PickCardsRequest) -> PickCardsResponse:
        """The cards: it has found them before it called, but in a round it must find them now."""
        if request.may_skip:
            await asyncio.sleep(self._strategy.pause_s(view_to_pick(request)))
        return self._at_once.pick_cards(request)


def view_to_act(request: ActRequest) -> View:
    """What a player is shown that is to act."""
    return View(
        game_id=request.game_id,
        seat=request.seat,
        cards=_cards(request.state),
        words=codec.parse_words(request.actions),
        refused=codec.is_refused(request),
        may_skip=False,
        revision=request.state.revision,
        idle_count=request.idle_count,
    )


def view_to_pick(request: PickCardsRequest) -> View:
    """What a player is shown that is to pick cards."""
    return View(
        game_id=request.game_id,
        seat=request.seat,
        cards=_cards(request.state),
        words=(),
        refused=False,
        may_skip=request.may_skip,
        revision=request.state.revision,
        idle_count=request.idle_count,
    )


def _cards(state: State) -> Cards:
    return tuple([card for card in state.slots if card != EMPTY])
