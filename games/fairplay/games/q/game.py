"""The Q game as the referee sees it (q.md)."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from fairplay.games.game import Game, usual_sign_up
from fairplay.games.kit.settings import describe
from fairplay.games.q import rules
from fairplay.games.q.players import STRATEGIES, player
from fairplay.games.q.protocol import codec, conversation
from fairplay.games.q.rules.state import MAX_SEATS, MIN_SEATS, Settings
from fairplay.games.q.views import svg, text
from fairplay.q.v1 import q_pb2
from fairplay.v1.game_pb2 import TimeControl

GAME = Game(
    name="q",
    title="Q",
    service=conversation.SERVICE.full_name,
    methods=tuple(conversation.METHODS.values()),
    turn=conversation.TAKE_TURN,
    seats=range(MIN_SEATS, MAX_SEATS + 1),
    settings=describe(Settings),
    rules=rules.RULES,
    strategies=STRATEGIES,
    settings_type=q_pb2.Settings,
    state_type=q_pb2.State,
    time_control=TimeControl(decision_limit=Duration(seconds=6)),
    sign_up=usual_sign_up(range(MIN_SEATS, MAX_SEATS + 1)),
    tournament_settings=q_pb2.Settings(copies_per_kind=2),
    read_settings=codec.read_settings,
    build_settings=codec.build_settings,
    begin=lambda settings, seats, rng: codec.Shown(rules.initial(settings, seats, rng)),
    resume=lambda message, settings, rng: codec.resume(message, settings),
    count_seats=lambda shown: len(shown.state.hands),
    converse=conversation.play,
    full_state=codec.build_state,
    public_state=codec.build_public,
    player=player,
    svg=svg.svg,
    text=text.text,
)
