"""Bazaar as the referee sees it (bazaar.md)."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.players import STRATEGIES, player
from fairplay.games.bazaar.protocol import codec, conversation
from fairplay.games.bazaar.rules.state import SEATS, Settings
from fairplay.games.bazaar.views import svg, text
from fairplay.games.game import Game, usual_sign_up
from fairplay.games.kit.settings import describe
from fairplay.v1.game_pb2 import TimeControl

GAME = Game(
    name="bazaar",
    title="Bazaar",
    service=conversation.SERVICE.full_name,
    methods=tuple(conversation.METHODS.values()),
    turn=conversation.REQUEST_PEBBLE_OR_EXCHANGES,
    seats=SEATS,
    rules=rules.RULES,
    strategies=STRATEGIES,
    settings=describe(Settings),
    settings_type=bazaar_pb2.Settings,
    state_type=bazaar_pb2.State,
    time_control=TimeControl(decision_limit=Duration(seconds=6)),
    sign_up=usual_sign_up(SEATS),
    tournament_settings=bazaar_pb2.Settings(bonus=bazaar_pb2.BONUS_RWB),
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
)
