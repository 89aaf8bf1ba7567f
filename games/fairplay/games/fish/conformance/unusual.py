"""The settings of Fish that the suite tries away from their defaults. The largest boards are probes: they take long."""

from __future__ import annotations

from fairplay.fish.v1 import fish_pb2
from fairplay.games.conformance import Situation

RAGGED = fish_pb2.Board(columns=4, fish=[0, 1, 5, 0, 2, 0, 3, 3, 0, 0, 0, 1, 4, 4, 0, 5, 5, 1, 2, 3, 0, 1, 1, 0])

SETTINGS_VALUES = {
    "rows": (1, 2, 13),
    "columns": (1, 2, 12),
    "fish": (1, 5),
    "holes": (1, 3, 20),
    "board": (RAGGED,),
    "max_fish": (1, 3),
    "penguin_base": (5, 7, 10),
}
LONG_GAME = Situation(fish_pb2.Settings(rows=17, columns=17, random_fish=True, penguin_base=6), 2, 0, None, 100)
