"""The Q game as the referee sees it (q.md)."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from fairplay.games.game import Game, usual_sign_up
from fairplay.games.kit.settings import describe
from fairplay.games.q import rules
from fairplay.games.q.players import strategies
from fairplay.games.q.players.player import StrategyPlayer
from fairplay.games.q.protocol import codec, conversation, intake
from fairplay.games.q.views import picture
from fairplay.q.v1 import q_pb2
from fairplay.v1.game_pb2 import TimeControl

GAME = Game(
    name="q",
    title="Q",
    service=conversation.SERVICE,
    methods=tuple(conversation.METHODS.values()),
    turn=conversation.TAKE_TURN,
    seats=range(rules.MIN_SEATS, rules.MAX_SEATS + 1),
    settings=describe(rules.Settings),
    rules=rules.RULES,
    strategies=strategies.STRATEGIES,
    settings_type=q_pb2.Settings,
    state_type=q_pb2.State,
    time_control=TimeControl(decision_limit=Duration(seconds=6)),
    sign_up=usual_sign_up(range(rules.MIN_SEATS, rules.MAX_SEATS + 1)),
    tournament_settings=q_pb2.Settings(copies_per_kind=2),
    read_settings=codec.settings,
    build_settings=codec.settings_message,
    begin=lambda settings, seats, rng: codec.Shown(rules.initial(settings, seats, rng)),
    resume=lambda message, settings, rng: intake.initial_state(message, settings),
    count_seats=lambda shown: len(shown.state.hands),
    converse=lambda start: conversation.play(start.game_id, start.state),
    full_state=codec.full_message,
    public_state=codec.public_message,
    player=StrategyPlayer,
    svg=picture.svg,
    text=picture.text,
)
