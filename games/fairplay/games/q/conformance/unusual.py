"""The settings of the Q game that the suite tries away from their defaults. The largest hands are a probe."""

from __future__ import annotations

from fairplay.games.conformance import Situation
from fairplay.q.v1 import q_pb2

SETTINGS_VALUES = {
    "hand_size": (1, 2, 12),
    "copies_per_kind": (1, 2, 100),
    "q_bonus": (0, 1, 10),
    "finish_bonus": (0, 10),
}
LONG_GAME = Situation(q_pb2.Settings(hand_size=12, copies_per_kind=100), 2, 0, None, 100)
