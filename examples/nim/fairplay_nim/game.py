"""Nim as the referee needs it: the object behind the entry point "fairplay.games"."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from google.protobuf.duration_pb2 import Duration

from fairplay.games.kit.settings import describe
from fairplay.games.kit.strategies import describe_strategies
from fairplay.games.steps import Conversation
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.tournament_pb2 import SignUpPolicy
from fairplay_nim import protocol, views
from fairplay_nim import rules as nim
from fairplay_nim.players import STRATEGIES, StrategyPlayer
from fairplay_nim.v1 import nim_pb2 as pb


class Nim:
    """The game of Nim."""

    name = "nim"
    title = "Nim"
    service = protocol.SERVICE
    methods = tuple(protocol.METHODS.values())
    turn = protocol.TAKE
    seats = range(nim.MIN_SEATS, nim.MAX_SEATS + 1)
    rules = nim.RULES
    strategies = describe_strategies(STRATEGIES)
    settings = describe(nim.Settings)
    settings_type = pb.Settings
    state_type = pb.State
    time_control = TimeControl(decision_limit=Duration(seconds=1), first_decision_limit=Duration(seconds=3))
    sign_up = SignUpPolicy(min_entrant_count=2, max_entrant_count=16, waiting_period=Duration(seconds=30))
    tournament_settings = pb.Settings(heaps=3, largest=7)

    def full_settings(self, settings: pb.Settings) -> pb.Settings:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""
        return protocol.build_settings(protocol.read_settings(settings))

    def check_state(self, settings: pb.Settings, state: pb.State) -> int:
        """Return the number of players of a state. Raises ValueError if no game has such a state."""
        if problem := nim.find_problem(protocol.read_state(state)):
            raise ValueError(problem)
        return len(state.players)

    def play(
        self,
        game_id: str,
        settings: pb.Settings,
        players: Sequence[str],
        rng: Random,
        state: pb.State | None,
        *,
        fresh: bool = False,
    ) -> Conversation:
        """Return the conversation of a game. Raises ValueError if settings and players do not go together."""
        chosen = protocol.read_settings(settings)
        if state is None:
            return protocol.play(game_id, nim.initial(chosen, len(players), rng))
        self.check_state(settings, state)
        return protocol.play(game_id, protocol.read_state(state))

    def full_state(self, state: nim.State) -> pb.State:
        """Return all of a state; nothing in Nim is hidden."""
        return protocol.build_state(state)

    public_state = full_state

    def player(self, strategy: str) -> StrategyPlayer:
        """Return a reference player. Raises ValueError for an unknown strategy."""
        return StrategyPlayer(strategy)

    def svg(self, state: pb.State, players: Sequence[str]) -> str:
        """Return the picture of a state as one SVG document."""
        return views.svg(protocol.read_state(state), players)

    def text(self, state: pb.State, players: Sequence[str]) -> str:
        """Return the picture of a state for a terminal, in rich's console markup."""
        return views.text(protocol.read_state(state), players)


GAME = Nim()
