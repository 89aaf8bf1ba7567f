"""Nim as Fairplay finds it: for the referee, for people, for programs that learn, and for test data."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from fairplay.games.kit.turns import build_game
from fairplay.games.kit.turns_person import build_frontend
from fairplay.games.kit.turns_research import build_research
from fairplay.games.kit.turns_testdata import build_questions
from fairplay.games.research import Part
from fairplay.v1.game_pb2 import TimeControl
from fairplay_nim.players import STRATEGIES
from fairplay_nim.protocol import TURNS
from fairplay_nim.rules import Take
from fairplay_nim.v1 import nim_pb2 as pb
from fairplay_nim.views import LOOKS

GAME = build_game(
    TURNS,
    LOOKS,
    name="nim",
    title="Nim",
    strategies=STRATEGIES,
    time_control=TimeControl(decision_limit=Duration(seconds=1), first_decision_limit=Duration(seconds=3)),
    tournament_settings=pb.Settings(heaps=3, largest=7),
)
FRONTEND = build_frontend(
    GAME,
    TURNS,
    LOOKS,
    limit="1m",
    bot="random",
    advice="Arrow keys go to a match, Enter takes it and all to the right of it. Whoever takes the last match has won.",
)
RESEARCH = build_research(
    TURNS,
    meaning="Take matches: heap by heap, from one match to as many as the settings allow.",
    list_actions=lambda settings: [
        Take(heap, count) for heap in range(settings.heaps) for count in range(1, settings.most + 1)
    ],
    list_parts=lambda settings: [Part("heaps", (settings.heaps,), settings.largest, "The matches in each heap.")],
    observe=lambda state, order: state.heaps,
)
TESTDATA = build_questions(GAME, TURNS)
