"""Eriantys as the referee needs it: an implementation of `fairplay.games.game.Game`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from google.protobuf.duration_pb2 import Duration

from fairplay.eriantys.v1 import eriantys_pb2, eriantys_settings_pb2
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.players import STRATEGIES, StrategyPlayer
from fairplay.games.eriantys.protocol import codec, conversation
from fairplay.games.eriantys.rules.state import MAX_SEATS, MIN_SEATS, Settings
from fairplay.games.eriantys.views.svg import svg
from fairplay.games.eriantys.views.text import text
from fairplay.games.kit.settings import describe
from fairplay.games.kit.strategies import describe_strategies
from fairplay.games.steps import Conversation
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy


class Eriantys:
    """The game of Eriantys (eriantys.md)."""

    name = "eriantys"
    title = "Eriantys"
    service = conversation.SERVICE
    methods = tuple(conversation.METHODS.values())
    turn = conversation.ASK_ACTION
    seats = range(MIN_SEATS, MAX_SEATS + 1)
    rules = rules.RULES
    strategies = describe_strategies(STRATEGIES)
    settings = describe(Settings)
    settings_type = eriantys_settings_pb2.Settings
    state_type = eriantys_pb2.State
    time_control = TimeControl(decision_limit=Duration(seconds=6))
    sign_up = SignUpPolicy(
        min_entrant_count=2,
        max_entrant_count=4,
        waiting_period=Duration(seconds=20),
        period_count=2,
        age_order=AgeOrder.AGE_ORDER_SIGN_UP,
        name_pattern="[a-zA-Z0-9]{1,20}",
    )
    tournament_settings = eriantys_settings_pb2.Settings(mode=eriantys_settings_pb2.MODE_EXPERT)

    def full_settings(self, settings: eriantys_settings_pb2.Settings) -> eriantys_settings_pb2.Settings:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""
        return codec.build_settings(codec.read_settings(settings))

    def check_state(self, settings: eriantys_settings_pb2.Settings, state: eriantys_pb2.State) -> int:
        """Return the number of players of a full state. Raises ValueError if no game has such a state."""
        return len(codec.read_state(state, codec.read_settings(settings), Random(0)).sides)

    def play(
        self,
        game_id: str,
        settings: eriantys_settings_pb2.Settings,
        players: Sequence[str],
        rng: Random,
        state: eriantys_pb2.State | None,
        *,
        fresh: bool = False,
    ) -> Conversation:
        """Return the conversation of a game. Raises ValueError if the settings do not fit the players."""
        chosen = codec.read_settings(settings)
        if state is not None:
            return conversation.play(game_id, codec.read_state(state, chosen, rng), players)
        return conversation.play(game_id, rules.initial(chosen, len(players), rng), players)

    def full_state(self, state: codec.Shown) -> eriantys_pb2.State:
        """Return all of a state, hidden things included."""
        return codec.build_state(*state)

    def public_state(self, state: codec.Shown) -> eriantys_pb2.State:
        """Return a state without hands, contents of the bag and draw state."""
        return codec.build_public_state(*state)

    def player(self, strategy: str) -> StrategyPlayer:
        """Return a reference player. Raises ValueError for an unknown strategy."""
        return StrategyPlayer(strategy)

    def svg(self, state: eriantys_pb2.State, players: Sequence[str]) -> str:
        """Return a picture of islands, clouds, school boards and characters as an SVG document."""
        return svg(state, players)

    def text(self, state: eriantys_pb2.State, players: Sequence[str]) -> str:
        """Return a picture for a terminal, in rich's console markup."""
        return text(state, players)


GAME = Eriantys()
