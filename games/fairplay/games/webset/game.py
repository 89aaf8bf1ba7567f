"""Webset as the referee sees it (webset.md)."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from fairplay.games.game import Game, usual_sign_up
from fairplay.games.kit.settings import Setting, describe
from fairplay.games.webset import rules
from fairplay.games.webset.players import STRATEGIES, player
from fairplay.games.webset.protocol import codec, conversation
from fairplay.games.webset.protocol.codec import ACT, METHODS, SERVICE
from fairplay.games.webset.rules.settings import MAX_SEATS, Settings
from fairplay.games.webset.views import svg, text
from fairplay.v1.game_pb2 import TimeControl
from fairplay.webset.v1 import webset_pb2

SEATS = range(2, MAX_SEATS + 1)
"""Of tournaments, which could not deal games of one player."""


def _as_typed(setting: Setting) -> Setting:
    """Return a setting under the name of its field in the message; there times are Durations."""
    if not setting.name.endswith("_ms"):
        return setting
    default = f"{int(setting.default) / 1000:g}s" if setting.default else ""
    return setting._replace(
        name=setting.name.removesuffix("_ms"), allowed=f"{setting.allowed} milliseconds", default=default
    )


GAME = Game(
    name="webset",
    title="Webset",
    service=SERVICE,
    methods=tuple(METHODS.values()),
    turn=ACT,
    seats=SEATS,
    rules=rules.RULES,
    strategies=STRATEGIES,
    settings=tuple(map(_as_typed, describe(Settings))),
    settings_type=webset_pb2.Settings,
    state_type=webset_pb2.State,
    time_control=TimeControl(
        decision_limit=Duration(seconds=60),
        first_decision_limit=Duration(seconds=60),
        notification_limit=Duration(seconds=10),
    ),
    sign_up=usual_sign_up(SEATS),
    tournament_settings=webset_pb2.Settings(aspects=3),
    read_settings=codec.read_settings,
    build_settings=codec.build_settings,
    begin=rules.initial,
    resume=codec.resume,
    count_seats=lambda state: len(state.players),
    converse=conversation.play,
    full_state=lambda shown: codec.build_state(*shown),
    public_state=lambda shown: codec.build_public(*shown),
    player=player,
    svg=svg.svg,
    text=text.text,
    seat_range=lambda settings: range(settings.min_players, MAX_SEATS + 1),
    late_join=lambda settings: settings.late_join and settings.rounds == "off",
)
