"""Fish as the referee sees it (fish.md)."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from fairplay.fish.v1 import fish_pb2
from fairplay.games.fish import rules
from fairplay.games.fish.players import strategies
from fairplay.games.fish.players.player import StrategyPlayer
from fairplay.games.fish.protocol import codec, conversation
from fairplay.games.fish.views import picture
from fairplay.games.game import Game
from fairplay.games.kit.settings import describe
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy

GAME = Game(
    name="fish",
    title="Fish",
    service=conversation.SERVICE,
    methods=tuple(conversation.METHODS.values()),
    turn=conversation.TAKE_TURN,
    seats=range(rules.MIN_SEATS, rules.MAX_SEATS + 1),
    settings=describe(rules.Settings),
    rules=rules.RULES,
    strategies=strategies.STRATEGIES,
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
    read_settings=codec.settings,
    build_settings=codec.settings_message,
    begin=lambda settings, seats, rng: codec.Shown(rules.initial(settings, seats, rng), codec.colors(seats)),
    resume=lambda message, settings, rng: codec.initial_state(message, settings),
    count_seats=lambda shown: len(shown.colors),
    converse=lambda start: conversation.play(start.game_id, start.settings, start.state, start.fresh),
    full_state=lambda shown: codec.state_message(*shown),
    public_state=lambda shown: codec.state_message(*shown),
    player=StrategyPlayer,
    svg=lambda message, names: picture.svg(*codec.shown(message), names),
    text=lambda message, names: picture.text(*codec.shown(message), names),
)
