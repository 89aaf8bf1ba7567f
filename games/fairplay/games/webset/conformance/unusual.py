"""The settings of Webset that the suite tries away from their defaults. What takes time is kept short."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

SHORT = Duration(nanos=20_000_000)
NO_TIME = Duration()
LESS_THAN_A_SECOND = Duration(nanos=900_000_000)

SETTINGS_VALUES = {
    "aspects": (3,),
    "table": (3, 9, 15),
    "max_table": (12, 24, 27),
    "window": (LESS_THAN_A_SECOND, Duration(seconds=60)),
    "penalty_bad": (0, 100),
    "penalty_expired": (0, 100),
    "score_floor": (-1000, -2, 0),
    "lockout": (SHORT,),
    "min_players": (1,),
    "min_reaction": (SHORT,),
    "handicaps": ((SHORT, NO_TIME, SHORT),),
    "idle_rounds": (1, 3),
    "act_cap": (10, 1_000_000),
}
