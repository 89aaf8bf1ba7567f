"""The Q game, as `fairplay.games.game.Game` wants it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from types import MappingProxyType

from google.protobuf.duration_pb2 import Duration

from fairplay.games.kit.settings import Setting
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
    """The Q game (q.md)."""

    name = "q"
    title = "Q"
    service = conversation.SERVICE
    methods = tuple(conversation.METHODS.values())
    turn = conversation.TAKE_TURN
    seats = range(rules.MIN_SEATS, rules.MAX_SEATS + 1)
    rules = rules.RULES
    strategies = MappingProxyType({name: entry.sentence for name, entry in strategies.STRATEGIES.items()})
    settings: Sequence[Setting] = ()
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
    showcase = q_pb2.Settings(copies_per_kind=2)

    def full_settings(self, settings: q_pb2.Settings) -> q_pb2.Settings:
        """The same settings with every default filled in."""
        return codec.settings_message(codec.settings(settings))

    def check_state(self, settings: q_pb2.Settings, state: q_pb2.State) -> int:
        """The number of players of a state from outside, those that it says are eliminated included."""
        return len(intake.initial_state(state, codec.settings(settings)).state.hands)

    def play(
        self,
        game_id: str,
        settings: q_pb2.Settings,
        players: Sequence[str],
        rng: Random,
        state: q_pb2.State | None,
    ) -> Conversation:
        """A game between these players."""
        chosen = codec.settings(settings)
        if state is not None:
            return conversation.play(game_id, intake.initial_state(state, chosen))
        return conversation.play(game_id, codec.Shown(rules.initial(chosen, len(players), rng)))

    def full_state(self, state: codec.Shown) -> q_pb2.State:
        """All of a state, hands and pile included."""
        return codec.full_message(state)

    def public_state(self, state: codec.Shown) -> q_pb2.State:
        """A state without hands and pile."""
        return codec.public_message(state)

    def player(self, strategy: str) -> StrategyPlayer:
        """A reference player."""
        return StrategyPlayer(strategy)

    def svg(self, state: q_pb2.State, players: Sequence[str]) -> str:
        """The map, the players, the pile, and the hands where the state has them."""
        return picture.svg(state, players)

    def text(self, state: q_pb2.State, players: Sequence[str]) -> str:
        """The same in rich's markup."""
        return picture.text(state, players)


GAME = Q()
