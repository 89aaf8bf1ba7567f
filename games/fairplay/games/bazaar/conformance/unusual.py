"""The settings of Bazaar that the suite tries away from their defaults."""

from __future__ import annotations

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.conformance import Situation

SETTINGS_VALUES = {
    "pebbles_per_color": (1, 3, 400),
    "cards_total": (1, 5, 100),
    "visible": (1, 3, 6),
    "equations": (0, 1, 3),
    "side_min": (2, 6),
    "side_max": (1, 6),
    "winning_score": (3, 1000),
    "turn_cap": (3, 1_000_000),
}
LONG_GAME = Situation(bazaar_pb2.Settings(pebbles_per_color=100, cards_total=100, winning_score=1000), 2, 0, None, 100)
