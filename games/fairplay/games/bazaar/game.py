"""Bazaar as the referee needs it: an implementation of `fairplay.games.game.Game`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from google.protobuf.duration_pb2 import Duration

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.players import strategies
from fairplay.games.bazaar.players.player import StrategyPlayer
from fairplay.games.bazaar.protocol import codec, conversation, intake
from fairplay.games.bazaar.rules import Settings
from fairplay.games.bazaar.views import picture
from fairplay.games.kit.settings import describe
from fairplay.games.kit.strategies import describe_strategies
from fairplay.games.steps import Conversation
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy


class Bazaar:
    """The game of Bazaar (bazaar.md)."""

    name = "bazaar"
    title = "Bazaar"
    service = conversation.SERVICE
    methods = tuple(conversation.METHODS.values())
    turn = conversation.REQUEST_PEBBLE_OR_EXCHANGES
    seats = rules.SEATS
    rules = rules.RULES
    strategies = describe_strategies(strategies.STRATEGIES)
    settings = describe(Settings)
    settings_type = bazaar_pb2.Settings
    state_type = bazaar_pb2.State
    time_control = TimeControl(decision_limit=Duration(seconds=6))
    sign_up = SignUpPolicy(
        min_entrant_count=seats.start,
        max_entrant_count=seats.stop - 1,
        waiting_period=Duration(seconds=20),
        period_count=2,
        age_order=AgeOrder.AGE_ORDER_SIGN_UP,
        name_pattern="[a-zA-Z0-9]{1,20}",
    )
    tournament_settings = bazaar_pb2.Settings(bonus=bazaar_pb2.BONUS_RWB)

    def full_settings(self, settings: bazaar_pb2.Settings) -> bazaar_pb2.Settings:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""
        return codec.settings_message(codec.settings(settings))

    def check_state(self, settings: bazaar_pb2.Settings, state: bazaar_pb2.State) -> int:
        """Return the number of players of a full state. Raises ValueError if no game has such a state."""
        return len(intake.initial_state(state, codec.settings(settings), Random(0)).players)

    def play(
        self,
        game_id: str,
        settings: bazaar_pb2.Settings,
        players: Sequence[str],
        rng: Random,
        state: bazaar_pb2.State | None,
        *,
        fresh: bool = False,
    ) -> Conversation:
        """Return the conversation of a game. Raises ValueError if the settings do not fit the players."""
        chosen = codec.settings(settings)
        if state is not None:
            return conversation.play(game_id, intake.initial_state(state, chosen, rng))
        return conversation.play(game_id, rules.initial(chosen, len(players), rng))

    def full_state(self, state: codec.Shown) -> bazaar_pb2.State:
        """Return all of a state, hidden things included."""
        return codec.state_message(*state)

    def public_state(self, state: codec.Shown) -> bazaar_pb2.State:
        """Return a state without wallets, pile and draw state."""
        return codec.public_message(*state)

    def player(self, strategy: str) -> StrategyPlayer:
        """Return a reference player. Raises ValueError for an unknown strategy."""
        return StrategyPlayer(strategy)

    def search_depth(self, strategy: str) -> int:
        """Return how deep a strategy is asked to search; 0 if no deeper than by default."""
        return strategies.search_depth(strategy)

    def svg(self, state: bazaar_pb2.State, players: Sequence[str]) -> str:
        """Return a picture of equations, bank, cards and players as an SVG document."""
        return picture.svg(state, players)

    def text(self, state: bazaar_pb2.State, players: Sequence[str]) -> str:
        """Return a picture for a terminal, in rich's console markup."""
        return picture.text(state, players)


GAME = Bazaar()
