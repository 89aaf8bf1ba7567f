"""The Q game as the referee sees it: an instance of `fairplay.games.game.Game`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from google.protobuf.duration_pb2 import Duration

from fairplay.games.kit.settings import describe
from fairplay.games.kit.strategies import describe_strategies
from fairplay.games.q import rules
from fairplay.games.q.players import strategies
from fairplay.games.q.players.player import StrategyPlayer
from fairplay.games.q.protocol import codec, conversation, intake
from fairplay.games.q.views import picture
from fairplay.games.steps import Conversation
from fairplay.q.v1 import q_pb2
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy


class Q:
    """The Q game: its rules, conversation, players and pictures behind one object (q.md)."""

    name = "q"
    title = "Q"
    service = conversation.SERVICE
    methods = tuple(conversation.METHODS.values())
    turn = conversation.TAKE_TURN
    seats = range(rules.MIN_SEATS, rules.MAX_SEATS + 1)
    settings = describe(rules.Settings)
    rules = rules.RULES
    strategies = describe_strategies(strategies.STRATEGIES)
    settings_type = q_pb2.Settings
    state_type = q_pb2.State
    time_control = TimeControl(decision_limit=Duration(seconds=6))
    sign_up = SignUpPolicy(
        min_entrant_count=2,
        max_entrant_count=4,
        waiting_period=Duration(seconds=20),
        period_count=2,
        age_order=AgeOrder.AGE_ORDER_SIGN_UP,
        name_pattern="[a-zA-Z0-9]{1,20}",
    )
    tournament_settings = q_pb2.Settings(copies_per_kind=2)

    def full_settings(self, settings: q_pb2.Settings) -> q_pb2.Settings:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""
        return codec.settings_message(codec.settings(settings))

    def check_state(self, settings: q_pb2.Settings, state: q_pb2.State) -> int:
        """Return the number of players of a state from outside, the eliminated ones too.

        Raises ValueError if no game has such a state.
        """
        return len(intake.initial_state(state, codec.settings(settings)).state.hands)

    def play(
        self,
        game_id: str,
        settings: q_pb2.Settings,
        players: Sequence[str],
        rng: Random,
        state: q_pb2.State | None,
        *,
        fresh: bool = False,
    ) -> Conversation:
        """Return a game between these players. Raises ValueError if settings, players and state do not fit."""
        chosen = codec.settings(settings)
        if state is not None:
            return conversation.play(game_id, intake.initial_state(state, chosen))
        return conversation.play(game_id, codec.Shown(rules.initial(chosen, len(players), rng)))

    def full_state(self, state: codec.Shown) -> q_pb2.State:
        """Return all of a state, with hands and pile."""
        return codec.full_message(state)

    def public_state(self, state: codec.Shown) -> q_pb2.State:
        """Return a state without hands and pile."""
        return codec.public_message(state)

    def player(self, strategy: str) -> StrategyPlayer:
        """Return a reference player. Raises ValueError for an unknown strategy."""
        return StrategyPlayer(strategy)

    def svg(self, state: q_pb2.State, players: Sequence[str]) -> str:
        """Return a picture of the map, the players, the pile, and the hands if the state has them."""
        return picture.svg(state, players)

    def text(self, state: q_pb2.State, players: Sequence[str]) -> str:
        """Return the map, the players, the pile, and the hands if the state has them, in rich's markup."""
        return picture.text(state, players)


GAME = Q()
