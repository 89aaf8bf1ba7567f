"""Fish as the referee sees it (fish.md)."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish import protocol, rules, views
from fairplay.games.fish.players import STRATEGIES, player
from fairplay.games.fish.protocol import Shown, build_state, read_shown
from fairplay.games.game import Game
from fairplay.games.kit.settings import describe
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy

GAME = Game(
    name="fish",
    title="Fish",
    service="fairplay.fish.v1.FishPlayerService",
    methods=tuple(protocol.METHODS.values()),
    turn=protocol.TAKE_TURN,
    seats=range(rules.MIN_SEATS, rules.MAX_SEATS + 1),
    settings=describe(rules.Settings),
    rules=rules.RULES,
    strategies=STRATEGIES,
    settings_type=fish_pb2.Settings,
    state_type=fish_pb2.State,
    time_control=TimeControl(decision_limit=Duration(seconds=1), first_decision_limit=Duration(seconds=3)),
    sign_up=SignUpPolicy(
        min_entrant_count=5,
        max_entrant_count=10,
        waiting_period=Duration(seconds=30),
        period_count=2,
        age_order=AgeOrder.AGE_ORDER_REVERSE_SIGN_UP,
        name_pattern="[a-zA-Z]{1,12}",
    ),
    tournament_settings=fish_pb2.Settings(rows=6, columns=5, random_fish=True, holes=3),
    read_settings=protocol.read_settings,
    build_settings=protocol.build_settings,
    begin=lambda settings, seats, rng: Shown(rules.initial(settings, seats, rng), protocol.colors(seats)),
    resume=protocol.resume,
    count_seats=lambda shown: len(shown.colors),
    converse=protocol.play,
    full_state=build_state,
    public_state=build_state,
    player=player,
    svg=lambda message, names: views.svg(read_shown(message), names),
    text=lambda message, names: views.text(read_shown(message), names),
)
