"""The game of Fish as the referee sees it: an instance of `fairplay.games.game.Game`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from google.protobuf.duration_pb2 import Duration

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish import rules
from fairplay.games.fish.players import strategies
from fairplay.games.fish.players.player import StrategyPlayer
from fairplay.games.fish.protocol import codec, conversation
from fairplay.games.fish.views import picture
from fairplay.games.kit.settings import describe
from fairplay.games.kit.strategies import describe_strategies
from fairplay.games.steps import Conversation
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy


class Fish:
    """The game of Fish: its rules, conversation, players and pictures behind one object (fish.md)."""

    name = "fish"
    title = "Fish"
    service = conversation.SERVICE
    methods = tuple(conversation.METHODS.values())
    turn = conversation.TAKE_TURN
    seats = range(rules.MIN_SEATS, rules.MAX_SEATS + 1)
    settings = describe(rules.Settings)
    rules = rules.RULES
    strategies = describe_strategies(strategies.STRATEGIES)
    settings_type = fish_pb2.Settings
    state_type = fish_pb2.State
    time_control = TimeControl(decision_limit=Duration(seconds=1), first_decision_limit=Duration(seconds=3))
    sign_up = SignUpPolicy(
        min_entrant_count=5,
        max_entrant_count=10,
        waiting_period=Duration(seconds=30),
        period_count=2,
        age_order=AgeOrder.AGE_ORDER_REVERSE_SIGN_UP,
        name_pattern="[a-zA-Z]{1,12}",
    )
    tournament_settings = fish_pb2.Settings(rows=6, columns=5, random_fish=True, holes=3)

    def full_settings(self, settings: fish_pb2.Settings) -> fish_pb2.Settings:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""
        return codec.settings_message(codec.settings(settings))

    def check_state(self, settings: fish_pb2.Settings, state: fish_pb2.State) -> int:
        """Return the number of players of a state from outside. Raises ValueError if no game has such a state."""
        return len(codec.initial_state(state, codec.settings(settings)).colors)

    def play(
        self,
        game_id: str,
        settings: fish_pb2.Settings,
        players: Sequence[str],
        rng: Random,
        state: fish_pb2.State | None,
        *,
        fresh: bool = False,
    ) -> Conversation:
        """Return a game between these players. Raises ValueError if settings, players and state do not fit."""
        chosen = codec.settings(settings)
        if state is not None:
            return conversation.play(game_id, chosen, codec.initial_state(state, chosen), fresh=fresh)
        first = rules.initial(chosen, len(players), rng)
        return conversation.play(game_id, chosen, codec.Shown(first, codec.colors(len(players))), fresh=True)

    def full_state(self, state: codec.Shown) -> fish_pb2.State:
        """Return all of a state, which in Fish everybody may see."""
        return codec.state_message(*state)

    def public_state(self, state: codec.Shown) -> fish_pb2.State:
        """Return all of a state, which in Fish everybody may see."""
        return codec.state_message(*state)

    def player(self, strategy: str) -> StrategyPlayer:
        """Return a reference player. Raises ValueError for an unknown strategy."""
        return StrategyPlayer(strategy)

    def search_depth(self, strategy: str) -> int:
        """Return how deep a strategy is asked to search; 0 if no deeper than by default."""
        return strategies.search_depth(strategy)

    def svg(self, state: fish_pb2.State, players: Sequence[str]) -> str:
        """Return a picture of the board with its penguins, and of the scores."""
        return picture.svg(*codec.shown(state), players)

    def text(self, state: fish_pb2.State, players: Sequence[str]) -> str:
        """Return the board with its penguins, and the scores, in rich's markup."""
        return picture.text(*codec.shown(state), players)


GAME = Fish()
