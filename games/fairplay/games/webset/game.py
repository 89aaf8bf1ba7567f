"""Webset as a `fairplay.games.game.Game`."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from google.protobuf.duration_pb2 import Duration

from fairplay.games.kit.settings import Setting, describe
from fairplay.games.kit.strategies import describe_strategies
from fairplay.games.steps import Conversation
from fairplay.games.webset import rules
from fairplay.games.webset.players import STRATEGIES, PausingPlayer, StrategyPlayer, player
from fairplay.games.webset.protocol import codec, conversation
from fairplay.games.webset.protocol.codec import ACT, METHODS, SERVICE
from fairplay.games.webset.rules import RULES
from fairplay.games.webset.rules.settings import MAX_SEATS, Settings
from fairplay.games.webset.views import picture
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy
from fairplay.webset.v1 import webset_pb2


def _as_typed(setting: Setting) -> Setting:
    """Return a setting under the name of its field in the message; there times are Durations."""
    if not setting.name.endswith("_ms"):
        return setting
    default = f"{setting.default}ms" if setting.default else ""
    return setting._replace(
        name=setting.name.removesuffix("_ms"), allowed=f"{setting.allowed} milliseconds", default=default
    )


class Webset:
    """The game of Webset (webset.md)."""

    name = "webset"
    title = "Webset"
    service = SERVICE
    methods = tuple(METHODS.values())
    turn = ACT
    seats = range(2, MAX_SEATS + 1)
    """Of tournaments, which could not deal games of one player; see `seats_with` for others."""
    rules = RULES
    strategies = describe_strategies(STRATEGIES)
    settings = tuple(map(_as_typed, describe(Settings)))
    settings_type = webset_pb2.Settings
    state_type = webset_pb2.State
    time_control = TimeControl(
        decision_limit=Duration(seconds=60),
        first_decision_limit=Duration(seconds=60),
        notification_limit=Duration(seconds=10),
    )
    sign_up = SignUpPolicy(
        min_entrant_count=seats.start,
        max_entrant_count=seats.stop - 1,
        waiting_period=Duration(seconds=20),
        period_count=2,
        age_order=AgeOrder.AGE_ORDER_SIGN_UP,
        name_pattern="[a-zA-Z0-9]{1,20}",
    )
    tournament_settings = webset_pb2.Settings(aspects=3)

    def full_settings(self, settings: webset_pb2.Settings) -> webset_pb2.Settings:
        """Return the settings with every default filled in."""
        return codec.build_settings(codec.read_settings(settings))

    def seats_with(self, settings: webset_pb2.Settings) -> range:
        """Return how many players these settings allow: also one alone."""
        return range(codec.read_settings(settings).min_players, MAX_SEATS + 1)

    def may_join_late(self, settings: webset_pb2.Settings) -> bool:
        """Return whether players may join a race that goes on."""
        chosen = codec.read_settings(settings)
        return chosen.late_join and chosen.rounds == "off"

    def check_state(self, settings: webset_pb2.Settings, state: webset_pb2.State) -> int:
        """Return the number of players of a state, eliminated ones included."""
        return len(codec.resume(state, codec.read_settings(settings), Random(0)).players)

    def play(
        self,
        game_id: str,
        settings: webset_pb2.Settings,
        players: Sequence[str],
        rng: Random,
        state: webset_pb2.State | None,
        *,
        fresh: bool = False,
    ) -> Conversation:
        """Return the conversation of a game between these players."""
        chosen = codec.read_settings(settings)
        if state is not None:
            return conversation.play(game_id, codec.resume(state, chosen, rng))
        return conversation.play(game_id, rules.initial(chosen, len(players), rng))

    def full_state(self, state: codec.Shown) -> webset_pb2.State:
        """Return all of a state."""
        return codec.build_state(*state)

    def public_state(self, state: codec.Shown) -> webset_pb2.State:
        """Return a state without the deck and what lots are drawn from."""
        return codec.build_public(*state)

    def player(self, strategy: str) -> StrategyPlayer | PausingPlayer:
        """Return a reference player."""
        return player(strategy)

    def svg(self, state: webset_pb2.State, players: Sequence[str]) -> str:
        """Return the table, and the players with their points, as one SVG document."""
        return picture.svg(state, players)

    def text(self, state: webset_pb2.State, players: Sequence[str]) -> str:
        """Return the same in rich's console markup."""
        return picture.text(state, players)


GAME = Webset()
