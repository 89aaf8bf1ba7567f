"""Eriantys as the referee sees it (eriantys.md)."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from fairplay.eriantys.v1 import eriantys_pb2, eriantys_settings_pb2
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.players import STRATEGIES, player
from fairplay.games.eriantys.protocol import codec, conversation
from fairplay.games.eriantys.rules.state import MAX_SEATS, MIN_SEATS, Settings
from fairplay.games.eriantys.views.svg import svg
from fairplay.games.eriantys.views.text import text
from fairplay.games.game import Game, usual_sign_up
from fairplay.games.kit.settings import describe
from fairplay.v1.game_pb2 import TimeControl

SEATS = range(MIN_SEATS, MAX_SEATS + 1)
GAME = Game(
    name="eriantys",
    title="Eriantys",
    service=conversation.SERVICE,
    methods=tuple(conversation.METHODS.values()),
    turn=conversation.ASK_ACTION,
    seats=SEATS,
    rules=rules.RULES,
    strategies=STRATEGIES,
    settings=describe(Settings),
    settings_type=eriantys_settings_pb2.Settings,
    state_type=eriantys_pb2.State,
    time_control=TimeControl(decision_limit=Duration(seconds=6)),
    sign_up=usual_sign_up(SEATS),
    tournament_settings=eriantys_settings_pb2.Settings(mode=eriantys_settings_pb2.MODE_EXPERT),
    read_settings=codec.read_settings,
    build_settings=codec.build_settings,
    begin=rules.initial,
    resume=codec.resume,
    count_seats=lambda state: len(state.sides),
    converse=conversation.play,
    full_state=lambda shown: codec.build_state(*shown),
    public_state=lambda shown: codec.build_public(*shown),
    player=player,
    svg=svg,
    text=text,
)
